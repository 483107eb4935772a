"""Nothing grows while a page is open: histories are bounded, on both sides of the pipe."""

import asyncio
import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from flywheel import PageStub, make
from linkwork.viewer.live import past_frames, timeline, visitors
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview
from linkwork.viewer.live.past_frames import PastFrames, time_of
from linkwork.viewer.live.shared_frame import SharedFrame, packed

FRAMES = 60  # a second


def test_the_side_that_steps_keeps_a_minute_and_no_more():
    stage = preview(make)
    sim = make()
    driver = Driver(PageStub(stage), make, sim, LiveState(sim, stage))
    driver.running = False  # the clock of watching goes by hand, a minute in no time

    def watch(seconds):
        for _ in range(seconds):
            for _ in range(4):
                sim.step(2, 1e-3)
                driver.receive("input", "drive", 0.5)
                driver.watched += 0.25
                driver.show()
            driver.page.sent.clear()

    watch(90)
    assert len(driver.timeline.moments) <= timeline.SECONDS + 2
    tracemalloc.start()
    watch(90)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    watch(90)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(driver.timeline.log) <= 4 * (timeline.SECONDS + 2)
    assert grown < 80_000  # bytes; a frame that stays would be 360 times some hundred
    driver.page.frame.close()


def test_a_body_that_is_held_for_minutes_fills_no_memory(monkeypatch):
    monkeypatch.setattr(timeline, "MOST_MESSAGES", 100)
    kept = timeline.Timeline()
    for k in range(1000):
        kept.note(k, ("pull", "wheel", [0.0, 0.0, 0.0]))
    assert len(kept.log) <= 100
    assert kept.moments == timeline.deque()


def test_frames_for_late_visitors_are_bounded_in_number_and_in_bytes(monkeypatch):
    frame = SharedFrame(50, 50)
    past = PastFrames()
    for k in range(120 * FRAMES):
        frame.write({slot.TIME: k / FRAMES}, np.zeros((50, 7)))
        past.add(packed(frame.read()), k / FRAMES)
    times = [time_of(each) for each in past]
    assert len(past.frames) == past_frames.MOST
    assert times[-1] == (120 * FRAMES - 1) / FRAMES
    assert 59.0 < times[-1] - times[0] < 70.0  # a frame comes up to a sixtieth after its time
    monkeypatch.setattr(past_frames, "BYTES", past.size // 2)
    past.add(packed(frame.read()), 1e6)
    assert past.size <= past_frames.BYTES
    assert past.size == sum(len(each) for _, each in past.frames)
    frame.close()


def test_who_takes_nothing_gets_no_more_than_there_is_room_for():
    async def told():
        visitor = visitors.Visitor(None)
        for k in range(3 * visitors.WAITING):
            visitor.tell(str(k))
            visitor.show(b"frame")
        return visitor

    with ThreadPoolExecutor() as apart:  # from the loop of a browser
        visitor = apart.submit(asyncio.run, told()).result()
    assert len(visitor.words) == visitors.WAITING
    assert visitor.frame == b"frame"
