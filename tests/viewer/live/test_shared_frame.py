"""The shared frame: whole states, and memory where there is no /dev/shm."""

import os
import tempfile

import numpy as np
import pytest

from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.shared_frame import SharedFrame


@pytest.mark.parametrize("shared", [slot.SHARED, "no such folder"])
def test_both_sides_see_a_state(shared, monkeypatch):
    monkeypatch.setattr(slot, "SHARED", shared)
    ours = SharedFrame(2, 1)
    folder = shared if os.path.isdir(shared) else tempfile.gettempdir()
    assert os.path.samefile(os.path.dirname(ours.name), folder)
    theirs = SharedFrame(2, 1, ours.name)
    poses = np.arange(14.0).reshape(2, 7)
    ours.write(
        {slot.TIME: 0.5}, poses, forces=[(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)], contacts=np.ones((1, 7)), plotted=[4.0]
    )
    seen = theirs.read()
    assert seen.head[slot.TIME] == 0.5
    np.testing.assert_array_equal(seen.poses, poses)
    np.testing.assert_array_equal(seen.forces[0], (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (seen.head[slot.PLOTTED_COUNT], seen.plotted[0]) == (1, 4.0)
    theirs.close()
    assert os.path.exists(ours.name)  # it is the other side's to remove
    ours.close()
    assert not os.path.exists(ours.name)


def test_a_state_that_is_being_written_is_not_read(monkeypatch):
    """The reader tries again until the number of the state is even and stays; after a while it takes what there is."""
    monkeypatch.setattr(slot, "PATIENCE", 0.01)
    frame = SharedFrame(1, 0)
    frame.write({}, np.ones((1, 7)))
    before = frame.sequence
    assert before % 2 == 0
    frame.numbers[slot.SEQUENCE] += 1  # a writer that was stopped half way
    assert frame.read().head[slot.SEQUENCE] == before + 1
    frame.close()
