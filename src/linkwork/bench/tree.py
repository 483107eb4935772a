"""Scene "tree": open trees under gravity, one step of ours against MuJoCo's, Drake's, DART's, Pinocchio's aba.

    chains of 5 to 1000 uniform rods on revolutes, hanging, swinging gently
    a tree of 30 bodies on a free base, with balls, revolutes and slides

Ours and MuJoCo's take whole semi-implicit Euler steps of 1 ms, many in one call, contacts and constraints off.
Drake's are many in one call too, DART's are called in a Python loop. Pinocchio computes accelerations only, called in a
Python loop as its users call it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.bench.peers.in_dart import in_dart
from linkwork.bench.peers.in_drake import in_drake
from linkwork.bench.peers.in_mujoco import in_mujoco
from linkwork.bench.peers.in_pinocchio import in_pinocchio
from linkwork.model.joints.joint_kinds import KINDS

DT = 1e-3  # s
HOW = (
    "Seconds per step of 1 ms: linkwork and MuJoCo whole semi-implicit Euler steps, many in one compiled call; "
    "Drake's too (a continuous plant with its semi-explicit Euler integrator); DART's, called in a Python loop; "
    "Pinocchio's aba alone, called in a Python loop with its data ready. Best of interleaved repeats. 'agree to' "
    "is the largest relative difference of accelerations at the start; MuJoCo factors the mass matrix, whose condition "
    "grows steeply with the length of a chain."
)

# links -> ratio it may have at most, None where none was set
MUJOCO_TARGETS: dict[int, float | None] = {5: 0.5, 30: 0.5, 100: 0.25, 1000: None}
PINOCCHIO_TARGETS: dict[int, float | None] = {7: 0.6, 30: 0.6, 100: 0.6}
OTHERS = {5: ("Drake", "DART"), 30: ("Drake", "DART"), 100: ("Drake", "DART")}  # without a target
MIXED_TARGETS = {"MuJoCo": 0.5, "Pinocchio": 0.6}  # those of the chain of the same size
EXPONENT_TARGET = 1.1
PEERS: dict[str, Callable[..., Any]] = {
    "MuJoCo": in_mujoco,
    "Pinocchio": in_pinocchio,
    "Drake": in_drake,
    "DART": in_dart,
}
OWN_PACKAGES = {"Drake": "drake", "DART": "dartpy"}  # that no extra of ours brings


def chain(links: int) -> lw.Model:
    """Uniform rods of 1 m and 1 kg hanging one below the other on revolutes about y.

    >>> len(list(chain(5).all_joints()))
    5
    """
    model = lw.Model(f"chain of {links}")
    about_y = lw.Frame.along((0, 1, 0), (0, 0, 0)).rotation
    above: lw.Body = model.ground
    end = (0.0, 0.0, 0.0)
    for k in range(links):
        rod = model.body(f"rod {k}", mass=1.0, shape=lw.Capsule(0.02, 0.96, pose=lw.Frame(position=(0, 0, -0.5))))
        model.revolute(
            f"pin {k}",
            above,
            rod,
            frame_a=lw.Frame(position=end, rotation=about_y),
            frame_b=lw.Frame(rotation=about_y),
            position=0.3 if k == 0 else 0.02 * np.sin(k),
        )
        above, end = rod, (0.0, 0.0, -1.0)
    return model


def mixed(bodies: int = 30) -> lw.Model:
    """A free base with limbs: balls, revolutes and slides in turn, every fourth body starting a new limb.

    >>> mixed(6).joints["joint 0"].kind, mixed(6).joints["joint 1"].kind
    ('free', 'ball')
    """
    rng = np.random.default_rng(30)
    model = lw.Model(f"mixed tree of {bodies}")
    made: list[Any] = []
    for k in range(bodies):
        body = model.body(f"body {k}", mass=1.0, inertia=(0.08, 0.08, 0.01), com=(0, 0, -0.25))
        inner = model.ground if k == 0 else made[0] if k % 4 == 1 else made[-1]
        kind = "free" if k == 0 else ("ball", "revolute", "revolute", "prismatic")[(k - 1) % 4]
        frames = {}
        if k:
            turn = rng.normal(size=4)
            frames = {
                "frame_a": lw.Frame(position=(*rng.uniform(-0.1, 0.1, 2), -0.5), rotation=turn),
                "frame_b": lw.Frame(rotation=turn),
            }
        size = KINDS[kind].nv
        velocity = tuple(0.1 * rng.normal(size=size)) if size > 1 else 0.1 * float(rng.normal())
        getattr(model, kind)(f"joint {k}", inner, body, velocity=velocity, **frames)
        made.append(body)
    return model


def measure(*, quick: bool = False) -> SceneReport:
    """Time all cases; with `quick` only small ones, shortly."""
    sizes = sorted({*MUJOCO_TARGETS, *PINOCCHIO_TARGETS})
    cases: list[tuple[str, lw.Model, dict[str, float | None]]] = []
    for links in [5, 7] if quick else sizes:
        targets: dict[str, float | None] = {}
        if links in MUJOCO_TARGETS:
            targets["MuJoCo"] = MUJOCO_TARGETS[links]
        if links in PINOCCHIO_TARGETS:
            targets["Pinocchio"] = PINOCCHIO_TARGETS[links]
        targets |= dict.fromkeys(OTHERS.get(links, ()))
        cases.append((f"chain of {links}", chain(links), targets))
    cases.append(("mixed tree of 30", mixed(30), dict(MIXED_TARGETS)))

    comparisons: list[Comparison] = []
    costs: dict[str, float] = {}
    for case, model, targets in cases:
        rows = _compare(case, model, targets, repeats=2 if quick else 15, seconds=0.002 if quick else 0.04)
        comparisons += rows
        costs[case] = rows[0].linkwork
    exponent = None
    if "chain of 1000" in costs:
        exponent = log10(costs["chain of 1000"] / costs["chain of 100"])
    figures = [Figure("exponent of the cost from 100 to 1000 links", exponent, EXPONENT_TARGET)]
    return SceneReport("tree", comparisons, figures, HOW)


def _compare(
    case: str, model: lw.Model, targets: dict[str, float | None], *, repeats: int, seconds: float
) -> list[Comparison]:
    """One case against every engine that is installed, all taking turns."""
    system = lw.assemble(model)
    simulation = lw.Simulation(model, method=lw.Recursive(integrator="semi-implicit", dt=DT))
    contestants: list[Callable[[int], Any]] = [simulation.step]
    rows = [Comparison(case, engine, 0.0, target=target) for engine, target in targets.items()]
    present: list[Comparison] = []
    for row in rows:
        try:
            peer = PEERS[row.engine](model, system.joint_names)
        except ImportError:
            if row.engine in OWN_PACKAGES:
                row.note = f"not installed: pip install {OWN_PACKAGES[row.engine]}"
            continue
        q, v = _start(model, system)
        tau = np.zeros(system.nv)
        ours, theirs = lw.forward_dynamics(system, q, v, tau), peer.forward_dynamics(q, v, tau)
        row.difference = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
        contestants.append(peer.stepper(q, v, DT))
        present.append(row)
    times = best_of(repeats, seconds, contestants)
    for row in rows:
        row.linkwork = times[0]
    for row, time in zip(present, times[1:], strict=True):
        row.peer = time
    return rows


def _start(model: lw.Model, system: Any) -> tuple[Any, Any]:
    """Start values of the model's joints, as q and v in the system's order; these have no loops to close."""
    q: list[float] = []
    v: list[float] = []
    rest = {"free": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), "ball": (1.0, 0.0, 0.0, 0.0)}
    for name in system.joint_names:
        joint = model.joints[name]
        q += rest.get(joint.kind, (0.0,)) if joint.position is None else tuple(np.atleast_1d(joint.position))
        v += (0.0,) * joint.nv if joint.velocity is None else tuple(np.atleast_1d(joint.velocity))
    return np.array(q), np.array(v)
