"""Recorded runs on the live page."""

import numpy as np
import pytest

from flywheel import PageStub
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.page_data import page_data
from linkwork.viewer.live.player import Player
from linkwork.viewer.live.shared_frame import SharedFrame
from linkwork.viewer.staging import Stage


def test_the_player_plays_loops_and_steps(swing):
    run = swing()
    player = Player([Stage(run)])
    player.page = PageStub(player.stages[0])
    player.go(10.0)
    player.go(11.0)
    player.show()
    picture = player.page.frame.read()
    assert picture.head[slot.TIME] == pytest.approx(1.0)
    np.testing.assert_allclose(picture.poses[1, :3], run["arm.position"][100], atol=1e-12)
    player.receive("single", 1)
    assert player.time == pytest.approx(1.01)
    player.receive("single", -1)
    player.receive("single", -1)
    assert player.time == pytest.approx(0.99)
    player.receive("speed", 2.0)
    player.receive("run", True)
    player.go(12.0)
    player.go(12.5)
    assert player.time == pytest.approx(0.99 + 2.0 + 1.0)
    player.go(13.0)
    assert player.time < 0.01  # round again
    player.receive("loop", False)
    player.go(20.0)
    assert player.time == 4.0
    assert not player.running
    player.receive("time", 2.5)
    assert player.time == 2.5
    player.page.frame.close()


def test_two_runs_are_one_picture(swing):
    stages = [Stage(swing()), Stage(swing(1.0))]
    show = page_data(stages, ["one", "other"])
    assert [body["name"] for body in show["bodies"]][3:] == ["other: block", "other: arm", "other: ball"]
    assert show["pins"][1]["body"] == show["pins"][0]["body"] + 3
    assert show["bodies"][0]["colour"] != show["bodies"][3]["colour"]
    player = Player(stages)
    player.page = PageStub(stages[0])
    player.page.frame.close()
    player.page.frame = SharedFrame(6, len(show["joints"]))
    player.receive("time", 1.0)
    player.show()
    poses = player.page.frame.read().poses
    np.testing.assert_allclose(poses[[2, 5], 2], [0.6 + 0.3 * np.sin(3.0), 0.6 + 0.3 * np.sin(4.0)], atol=1e-9)
    player.page.frame.close()
