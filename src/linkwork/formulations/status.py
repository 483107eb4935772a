"""What the compiled loop of a method returns besides the steps done and the samples kept: why it stopped."""

from __future__ import annotations

DONE = 0  # all steps are done
NOT_FINITE = 1  # a coordinate, a velocity or an acceleration is no finite number
STUCK = 2  # the adaptive integrator's steps became too small
NOT_CONVERGED = 3  # the iteration of an implicit step
SINGULAR_POSITION = 4  # rows lose rank where the method cannot go on
TORN = 5  # a joint is open by more than TORN_APART
PAUSED = 6  # between two parts of a long step, so that Python gets a turn; call again to go on
OFF_GUIDE = 7  # a point is beyond the end of its curve or the edge of its surface
FLAT = 8  # a disc that rolls comes to lie flat on its plane
SPLIT = 9  # a step is to be taken in parts; never returned to Python
SINGULAR = 16  # SINGULAR + i: what the joint of link i moves has no inertia

TORN_APART = 0.1  # of the size of the model, or rad
