"""The two frames of a joint: their axes in the world, the attitude and spin of one in the other, angles over turns.

R_a R_b   world rotations of frames a and b        w_a w   angular velocity of a, and of b in a; world axes
"""

from __future__ import annotations

import math

from linkwork._jit import small
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import axis_x, axis_y, dot, load9, load_pair, multiply, sub, transpose

TURN = 2.0 * math.pi


@small
def frame_axes(work, i, R, c):
    """World rotation of the frame of link i that entry c of R is."""
    return multiply(load9(work.pose_R, i), load9(R, c))


@small
def attitude(R_a, R_b):
    """Quaternion of frame b in frame a."""
    return quaternion_of(multiply(transpose(R_a), R_b))


@small
def relative_spin(velocities, a, b):
    """Angular velocity of link a, and that of link b in it, world axes."""
    w_a, _ = load_pair(velocities, a)
    w_b, _ = load_pair(velocities, b)
    return w_a, sub(w_b, w_a)


@small
def angle_near(angle, previous):
    """`angle` plus the whole turns that bring it nearest to `previous`."""
    return angle + TURN * round((previous - angle) / TURN)


@small
def turn_about_z(R_a, R_b):
    """Angle of frame b in frame a about z."""
    x_b = axis_x(R_b)
    y_b = axis_y(R_b)
    x_a = axis_x(R_a)
    y_a = axis_y(R_a)
    return math.atan2(dot(y_a, x_b) - dot(x_a, y_b), dot(x_a, x_b) + dot(y_a, y_b))
