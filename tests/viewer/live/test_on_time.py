"""Who comes first: the thread that steps, while it has time to spare; and what a page says is done at the next turn."""

import gc

from linkwork.viewer.live import live, on_time
from linkwork.viewer.live.on_time import OnTime


class Clocks:
    def __init__(self, monkeypatch, allowed=True):
        self.wall, self.used, self.asked = 0.0, 0.0, []
        monkeypatch.setattr(on_time.time, "perf_counter", lambda: self.wall)
        monkeypatch.setattr(on_time.time, "thread_time", lambda: self.used)
        monkeypatch.setattr(on_time.os, "sched_setscheduler", None, raising=False)

        def ask(priority):
            self.asked.append(priority)
            return allowed

        monkeypatch.setattr(on_time, "set_priority", ask)

    def spend(self, priority, share):
        self.wall += 0.3
        self.used += 0.3 * share
        priority.look(self.wall)


def test_a_run_that_takes_most_of_a_processor_is_an_ordinary_one(monkeypatch):
    clocks = Clocks(monkeypatch)
    with OnTime() as priority:
        assert clocks.asked == [on_time.STEPS]
        clocks.spend(priority, 0.1)
        clocks.spend(priority, 0.5)  # not yet too much
        assert priority.first
        clocks.spend(priority, 0.9)
        assert not priority.first
        clocks.spend(priority, 0.5)  # still too much to come first again
        assert not priority.first
        clocks.spend(priority, 0.1)
        assert priority.first
        priority.calm()
        assert not priority.first
        clocks.spend(priority, 0.1)
    assert clocks.asked == [on_time.STEPS, 0, on_time.STEPS, 0, on_time.STEPS, 0]
    assert gc.get_freeze_count() == 0


def test_where_it_is_not_allowed_nothing_is_asked_again(monkeypatch):
    clocks = Clocks(monkeypatch, allowed=False)
    with OnTime() as priority:
        for _ in range(5):
            clocks.spend(priority, 0.0)
    assert clocks.asked == [on_time.STEPS]
    assert not priority.first


def test_a_message_is_done_at_the_next_turn_not_at_the_next_picture():
    """Turns come with every step, pictures sixty times a second: a key that is let go does not wait for one."""

    class Page:
        turns = 0

        @property
        def alive(self):
            return self.turns < 40

        def messages(self):
            self.turns += 1
            return [("key", "I", False)] if self.turns % 10 == 0 else []

    class Shown:
        def __init__(self, page):
            self.page, self.heard, self.pictures = page, [], 0

        def go(self, now):
            return now  # a step is due at once

        def receive(self, *words):
            self.heard.append((self.page.turns, words))

        def show(self):
            self.pictures += 1

    page = Page()
    shown = Shown(page)
    live.step_until(page, shown, 30.0)
    assert shown.heard[:4] == [(turn, ("key", "I", False)) for turn in (10, 20, 30, 40)]
    assert shown.pictures < page.turns
