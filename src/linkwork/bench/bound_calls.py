"""Single calls of dynamics from Python, for a six-axis arm: bound, checked, and by Pinocchio's binding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, best_of
from linkwork.bench.peers.in_pinocchio import in_pinocchio
from linkwork.gallery import puma

BOUND_TARGET, CHECKED_TARGET = 3.0, 15.0  # us a call

Timed = dict[str, Callable[[int], Any]]


def _repeated(call: Callable[..., Any], *given: Any) -> Callable[[int], Any]:
    def repeat(n: int) -> None:
        for _ in range(n):
            call(*given)

    return repeat


def single_calls(*, repeats: int, seconds: float) -> tuple[list[Comparison], list[Figure]]:
    """Times of single calls beside Pinocchio's, and the figures that they may be at most.

    >>> rows, figures = single_calls(repeats=1, seconds=1e-4)
    >>> rows[0].case, len(figures)
    ('dynamics.forward', 8)
    """
    model = puma.arm()
    system = lw.assemble(model)
    dynamics, body = lw.dynamics(system), system.body_names[-1]
    rng = np.random.default_rng(0)
    q, v, a = (rng.uniform(-1.0, 1.0, n) for n in (system.nq, system.nv, system.nv))
    bound: Timed = {
        "forward": _repeated(dynamics.forward, q, v, a),
        "inverse": _repeated(dynamics.inverse, q, v, a),
        "mass": _repeated(dynamics.mass, q),
        "jacobian": _repeated(dynamics.jacobian, q, body),
    }
    checked: Timed = {
        "forward_dynamics": _repeated(lw.forward_dynamics, system, q, v, a),
        "inverse_dynamics": _repeated(lw.inverse_dynamics, system, q, v, a),
        "mass_matrix": _repeated(lw.mass_matrix, system, q),
        "jacobian": _repeated(lw.jacobian, system, q, body),
    }
    theirs: Timed = {}
    try:
        peer = in_pinocchio(model, system.joint_names)
    except ImportError:
        pass
    else:
        pin, other, data = peer.pin, peer.model, peer.data
        theirs = {
            "forward": _repeated(pin.aba, other, data, q, v, a),
            "inverse": _repeated(pin.rnea, other, data, q, v, a),
            "mass": _repeated(pin.crba, other, data, q),
            "jacobian": _repeated(pin.computeJointJacobian, other, data, q, other.njoints - 1),
        }
    times = iter(best_of(repeats, seconds, [*bound.values(), *checked.values(), *theirs.values()]))
    ours, slow, others = ({name: next(times) for name in side} for side in (bound, checked, theirs))
    rows = [Comparison(f"dynamics.{name}", "Pinocchio", ours[name], others.get(name)) for name in bound]
    figures = [Figure(f"dynamics.{name}, us", 1e6 * ours[name], BOUND_TARGET) for name in bound]
    figures += [Figure(f"lw.{name}, us", 1e6 * slow[name], CHECKED_TARGET) for name in checked]
    return rows, figures
