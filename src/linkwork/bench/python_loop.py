"""Scene "python": a controller in Python on a chain of 5 links, against MuJoCo's Python binding.

    loop      read three joints, compute, write one torque, step
    parts     one reading, one writing, one step
    kernel    many steps in one compiled call: what the loop adds to this is Python's
    dynamics  single calls for a six-axis arm (bound_calls.py), against Pinocchio's binding

Joints are read by name, or all at once: ours by a reader, MuJoCo's from the array `qpos`, whose places the user knows.
MuJoCo takes semi-implicit Euler steps, ours are those of the method that is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.bench.bound_calls import single_calls
from linkwork.bench.peers.in_mujoco import in_mujoco
from linkwork.bench.tree import chain
from linkwork.formulations.protocol import Method

DT = 1e-3  # s
LINKS = 5
READ = ("pin 0", "pin 2", "pin 4")
STIFFNESS = 0.5  # N m/rad, of what the controller makes of three angles
LOOP_TARGET = 1e6 / 150_000  # us
STEP_TARGET, READ_TARGET, WRITE_TARGET = 2.0, 1.0, 1.0  # us
COMPARED = 100  # steps, after which positions are compared
HOW = (
    "Seconds per turn of the loop, per call, or per step of 1 ms in one compiled call. 'agree to' is the largest "
    f"difference of the joint angles after {COMPARED} turns of the loop, rad: small where both take steps of "
    "semi-implicit Euler. A torque that has changed makes our step evaluate the forces at its beginning anew, so that "
    "a turn of our loop has two evaluations. Best of interleaved repeats."
)
KERNEL, STEP, READ_ONE, WRITE_ONE = "kernel", "step()", "read one joint by name", "write one torque"
BY_NAME, AT_ONCE = "loop by names", "loop at once"
FIRST: dict[str, Method] = {
    "recursive": lw.Recursive(integrator="semi-implicit", dt=DT),
    "impulse": lw.Impulse(dt=DT),
}
OTHERS: dict[str, Method] = {
    "recursive, rk4": lw.Recursive(dt=DT),
    "maximal": lw.Maximal(dt=DT),
    "absolute": lw.Absolute(dt=DT, integrator="semi-implicit"),
    "component": lw.Components(dt=DT, integrator="semi-implicit"),
    "semi-recursive": lw.SemiRecursive(dt=DT),
    "hybrid": lw.Hybrid(dt=DT),
    "global": lw.Global(dt=DT),
}

Timed = dict[str, Callable[[int], Any]]  # what one side does so many times, by case


def driven_chain() -> lw.Model:
    """The chain with a torque at its first joint that can be set.

    >>> list(driven_chain().forces)
    ['drive']
    """
    model = chain(LINKS)
    model.torque("drive", "pin 0", 0.0)
    return model


def of_linkwork(sim: lw.Simulation) -> Timed:
    """The loop and its parts by linkwork."""
    first, second, third = (f"{name}.position" for name in READ)
    inputs, read = sim.inputs, sim.reader([first, second, third])

    def step(n: int) -> None:
        for _ in range(n):
            sim.step()

    def read_one(n: int) -> None:
        for _ in range(n):
            sim[second]

    def write_one(n: int) -> None:
        for k in range(n):
            inputs["drive"] = 1e-6 * (k % 7)

    def by_name(n: int) -> None:
        for _ in range(n):
            inputs["drive"] = -STIFFNESS * (sim[first] + sim[second] + sim[third])
            sim.step()

    def at_once(n: int) -> None:
        for _ in range(n):
            inputs["drive"] = -STIFFNESS * sum(read().tolist())
            sim.step()

    return {
        KERNEL: sim.step,
        STEP: step,
        READ_ONE: read_one,
        WRITE_ONE: write_one,
        BY_NAME: by_name,
        AT_ONCE: at_once,
    }


def of_mujoco(peer: Any) -> Timed:
    """The same by the binding of MuJoCo; the torque is an applied joint force."""
    model, data, mj_step = peer.model, peer.data, peer.mujoco.mj_step
    first, second, third = READ
    i, j, k = (peer.theirs[name][0] for name in READ)
    qpos, force, dof = data.qpos, data.qfrc_applied, peer.theirs[first][1]

    def step(n: int) -> None:
        for _ in range(n):
            mj_step(model, data)

    def read_one(n: int) -> None:
        for _ in range(n):
            data.joint(second).qpos[0]

    def write_one(n: int) -> None:
        for turn in range(n):
            data.joint(first).qfrc_applied[0] = 1e-6 * (turn % 7)

    def by_name(n: int) -> None:
        for _ in range(n):
            angles = data.joint(first).qpos[0] + data.joint(second).qpos[0] + data.joint(third).qpos[0]
            data.joint(first).qfrc_applied[0] = -STIFFNESS * angles
            mj_step(model, data)

    def at_once(n: int) -> None:
        for _ in range(n):
            force[dof] = -STIFFNESS * (qpos[i] + qpos[j] + qpos[k])
            mj_step(model, data)

    return {
        KERNEL: lambda n: mj_step(model, data, nstep=n),
        STEP: step,
        READ_ONE: read_one,
        WRITE_ONE: write_one,
        BY_NAME: by_name,
        AT_ONCE: at_once,
    }


def measure(*, quick: bool = False) -> SceneReport:
    """Time all cases; with `quick` method recursive alone, shortly."""
    methods = dict(list(FIRST.items())[:1]) if quick else FIRST | OTHERS
    comparisons: list[Comparison] = []
    figures: list[Figure] = []
    for name, method in methods.items():
        cases = (KERNEL, STEP, READ_ONE, WRITE_ONE, BY_NAME, AT_ONCE) if name in FIRST else (KERNEL, BY_NAME, AT_ONCE)
        rows = _compare(method, cases, repeats=2 if quick else 15, seconds=0.002 if quick else 0.04)
        if name in FIRST:
            figures += _figures(name, {case: row.linkwork * 1e6 for case, row in rows.items()})
        for case, row in rows.items():
            row.case = f"{case}, {name}"
            comparisons.append(row)
    calls, times = single_calls(repeats=2 if quick else 15, seconds=0.002 if quick else 0.04)
    comparisons += calls
    figures += times
    return SceneReport("python", comparisons, figures, HOW)


def _compare(method: Method, cases: Sequence[str], *, repeats: int, seconds: float) -> dict[str, Comparison]:
    """Cases of one method against MuJoCo, all taking turns."""
    sim = lw.Simulation(driven_chain(), method)
    ours, theirs, difference = of_linkwork(sim), None, None
    try:
        peer = in_mujoco(chain(LINKS), sim.system.joint_names, dt=DT)
    except ImportError:
        pass
    else:
        theirs, places = of_mujoco(peer), {f"pin {k}": peer.theirs[f"pin {k}"][0] for k in range(LINKS)}
        for name, place in places.items():
            peer.data.qpos[place] = sim[f"{name}.position"]
        ours[BY_NAME](COMPARED)
        theirs[BY_NAME](COMPARED)
        apart = [float(sim[f"{name}.position"] - peer.data.qpos[place]) for name, place in places.items()]
        difference = max(map(abs, apart))
    rows = {case: Comparison(case, "MuJoCo", 0.0) for case in cases}
    times = best_of(repeats, seconds, [side[case] for side in (ours, theirs) if side is not None for case in cases])
    for k, (case, row) in enumerate(rows.items()):
        row.linkwork = times[k]
        row.peer = None if theirs is None else times[len(rows) + k]
        row.difference = difference if case in (BY_NAME, AT_ONCE) else None
    return rows


def _figures(name: str, times: dict[str, float]) -> list[Figure]:
    """What the times (us) of a method may be at most."""
    return [
        Figure(f"{name}: {BY_NAME}, us", times[BY_NAME], LOOP_TARGET),
        Figure(f"{name}: {AT_ONCE}, us", times[AT_ONCE], LOOP_TARGET),
        Figure(f"{name}: {STEP} above the kernel, us", times[STEP] - times[KERNEL], STEP_TARGET),
        Figure(f"{name}: {READ_ONE}, us", times[READ_ONE], READ_TARGET),
        Figure(f"{name}: {WRITE_ONE}, us", times[WRITE_ONE], WRITE_TARGET),
    ]
