"""The rows of a pose are the changes of its gaps: by differences, for every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.simulation.analysis.poses.pose_equations import Goal, PoseEquations
from linkwork.simulation.starts.start import consistent_start

H = 1e-6


@pytest.mark.parametrize("kind", CLOSING)
def test_rows_are_changes_of_gaps(kind: str) -> None:
    system = lw.assemble(loop_of(kind, "joint 0"))
    start = consistent_start(system)
    x, e = lw.forward_kinematics(system, start.q)["body 2"]
    point = np.array([0.1, 0.2, -0.3])
    goals = [Goal("body 2", point, lw.Frame(x, e).point(point), e), Goal("body 1", point, point, None)]
    equations = PoseEquations(system, start, goals, ["joint 0"], 0.0)
    here = equations.at(start.q)
    assert here.broken < 1e-11
    for k in range(system.nv):
        unit = np.zeros(system.nv)
        unit[k] = equations.lengths[k]
        ahead, behind = (equations.at(lw.integrate(system, start.q, unit, h)) for h in (H, -H))
        for name in ("hard", "aim"):
            change = (getattr(ahead, name) - getattr(behind, name)) / (2 * H)
            assert change == pytest.approx(getattr(here, f"{name}_rows")[:, k], abs=1e-7)
