"""Steps that are too large: which force is too stiff for them at a state, and which step should do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import ModelError, RunError
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.model.forces.force import Spring
from linkwork.model.frame import Frame
from linkwork.simulation.analysis.choice.elements import Element, answers, elements, left_out
from linkwork.simulation.analysis.choice.stability import step_that_does, too_large
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.analysis.linear.linear import STEP, Linear

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper

SMOOTH = 0.5  # of an eigenvalue must be left when it is asked for by larger differences; a jump leaves a third or less
SHARE = 0.3  # of what brings a mode back: less than this is not its cause
EQUAL = 0.99  # of the largest share: of those the first in the model is named
BESIDE = 0.5  # of the largest share: elements that have so much are counted with it
MANY = 64  # elements that are asked one by one
GROWING = 0.1  # real part of an eigenvalue by its size: a motion that grows by itself is not stiff
HELD = ("spring", "bushing", "coil")  # elements that are rows of the methods with impulses
PULL_ALONE = 1e-6  # of its stiffness: what is left of a spring of which the pull alone counts
ADAPTIVE = 1e3  # eigenvalue times the time between two rows, where steps follow the stiffness and not the motion


class OperatingPoint(NamedTuple):
    """A state of a system to look at."""

    system: System
    tables: Tables
    q: Floats
    v: Floats
    cut_q: Floats
    time: float


class Finding(NamedTuple):
    """What is too fast for the steps: in words and by name, its eigenvalue (1/s), and a step (s) that should do."""

    what: str
    culprit: str
    eigenvalue: complex
    step: float

    @property
    def pace(self) -> str:
        """How fast it is."""
        if abs(self.eigenvalue.imag) > abs(self.eigenvalue.real):
            return f"swings at {abs(self.eigenvalue):.2g} rad/s"
        return f"settles within {1.0 / abs(self.eigenvalue):.2g} s"


def find(moment: OperatingPoint, integrator: str, dt: float, most: float | None = None) -> Finding | None:
    """What is too fast at a moment for steps of dt (s); None where nothing is, or where that cannot be told.

    Too fast is what the steps let grow; with `most` already an eigenvalue of more than `most` / dt. Forces that jump
    have no stiffness and do not count.
    """
    linear = _linear(moment)
    if linear is None or not linear.eigenvalues.size:
        return None
    fast = _too_fast(linear, integrator, dt, most)
    if not fast.any():
        return None
    worst = int(np.argmax(np.where(fast, np.abs(linear.eigenvalues), 0.0)))
    value = complex(linear.eigenvalues[worst])
    again = _linear(moment, 10.0 * STEP)
    if again is None:
        return None
    left = np.where(_too_fast(again, integrator, dt, most), np.abs(again.eigenvalues), 0.0)
    if not np.max(left, initial=0.0) > SMOOTH * abs(value):
        return None
    with np.errstate(all="ignore"):
        what, culprit = _cause(linear, worst)
    return Finding(what, culprit, value, step_that_does(integrator, linear.eigenvalues[fast]))


def _linear(moment: OperatingPoint, step: float = STEP) -> Linear | None:
    """The linearised system; None where there is none. Laws that fail on the way are not told."""
    system, faults = moment.system, list(moment.system.faults.noted)
    if system.foreign or not (np.isfinite(moment.q).all() and np.isfinite(moment.v).all()):
        return None
    try:
        with np.errstate(all="ignore"):
            given = {"time": moment.time, "cut_q": moment.cut_q, "tables": moment.tables, "step": step}
            return Linear(system, moment.q.copy(), moment.v.copy(), **given)  # type: ignore[arg-type]
    except (RunError, ModelError, ValueError, np.linalg.LinAlgError):
        return None
    finally:
        system.faults.noted[:] = faults


def _too_fast(linear: Linear, integrator: str, dt: float, most: float | None) -> Any:
    values = linear.eigenvalues
    if most is None:
        return too_large(integrator, values, dt)
    return (np.abs(values) * dt > most) & (values.real <= GROWING * np.abs(values))


def _cause(linear: Linear, k: int) -> tuple[str, str]:
    """The element with the largest share in what brings mode k back, in words and by name; else what moves most."""
    w, system = linear.motions[:, k], linear.system
    weight = np.conj(w) @ linear.mass
    whole = linear.change(k)

    def share(group: Sequence[Element]) -> float:
        return float(abs(weight @ (whole - linear.change(k, left_out(linear.tables, group)))))

    group = list(elements(system))
    while len(group) > MANY:
        halves = group[: len(group) // 2], group[len(group) // 2 :]
        group = max(halves, key=share)
    shares = np.array([share([each]) for each in group])
    if not shares.size or not shares.max() > SHARE * abs(weight @ whole):
        name = system.dof_name(int(np.argmax(np.abs(w) ** 2 * np.diag(linear.mass))))
        return f"joint '{name}'", name
    first = group[int(np.argmax(shares > EQUAL * shares.max()))]
    others = int(np.sum(shares > BESIDE * shares.max())) - 1
    beside = f" with {others} more" if others > 0 else ""
    return f"{first.what}{beside}", first.path


# ---- of a simulation -------------------------------------------------------------------------------------------------


def present(stepper: Stepper) -> OperatingPoint:
    """Where a simulation is."""
    return OperatingPoint(stepper.moving, stepper.tables, stepper.q, stepper.v, stepper.state.cut_q, stepper.time)


def _moments(stepper: Stepper) -> Iterator[tuple[OperatingPoint, bool]]:
    """Where a simulation was: its start, some steps ago, before the last step; and whether that is surely sane."""
    for moment in stepper.marks:
        if moment.system is stepper.moving or stepper.moving is stepper.began:  # of its present structure
            yield moment, True
    moving, last, cut_q = stepper.moving, stepper.state.last, stepper.state.cut_q
    nq, nv = moving.nq, moving.nv
    yield OperatingPoint(moving, stepper.tables, last[:nq], last[nq : nq + nv], cut_q, stepper.time), False


def steps_too_large(stepper: Stepper, sane: bool = False, start: bool = False) -> Finding | None:
    """What the steps of a simulation are too large for, at its start or where it was since; None of implicit methods.

    Methods with impulses hold springs and dampers whatever their stiffness, but not laws and tyres, nor what the pull
    of a spring does as it turns: it brings back what moves across it, as of a string. `sane` leaves out
    the state before the last step, which may be nonsense when a run failed; `start` looks at the start alone.
    """
    if stepper.method.implicit:
        return None
    integrator = stepper.method.integrator
    most = ADAPTIVE if integrator == "adaptive" else None
    for moment, sound in _moments(stepper):
        if start and moment is not stepper.marks[0]:
            return None
        if stepper.method.impulses:
            moment = moment._replace(tables=_not_held(moment))
        if sound or not sane:
            found = find(moment, integrator, stepper.h, most)
            if found is not None:
                return found._replace(what=f"the pull of {found.what}") if _is_held(stepper, found) else found
    return None


def _held(system: System) -> list[Element]:
    return [each for each in elements(system) if each.table in HELD]


def _is_held(stepper: Stepper, found: Finding) -> bool:
    """Whether methods with impulses hold the culprit along its line."""
    return stepper.method.impulses and any(each.path == found.culprit for each in _held(stepper.moving))


def _not_held(moment: OperatingPoint) -> Tables:
    """Tables without what methods with impulses hold: of springs the present pull is left, which no length changes."""
    system, forces = moment.system, moment.tables.forces
    tables = left_out(moment.tables, _held(system))
    q = moment.q.copy()
    with np.errstate(all="ignore"):
        poses = forward_kinematics(system, q, time=moment.time) if np.isfinite(q).all() else {}
    k, length = tables.forces.spring_k.copy(), tables.forces.spring_length.copy()
    for each in system.model.all_forces():
        if not isinstance(each, Spring) or each.path not in system.force_rows or not poses:
            continue
        row = system.force_rows[each.path][1]
        if not forces.spring_k[row] > 0.0 or forces.spring_elastic[row] >= 0 or each.axis is not None:
            continue
        ends = []
        for body, at in ((each.a, each.at_a), (each.b, each.at_b)):
            x, e = poses.get(body.path, (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])))
            ends.append(x + Frame(rotation=tuple(e)).matrix @ np.array(at))
        now = float(np.linalg.norm(ends[1] - ends[0]))
        k[row] = PULL_ALONE * forces.spring_k[row]
        length[row] = now - (now - forces.spring_length[row]) / PULL_ALONE
    return tables._replace(forces=tables.forces._replace(spring_k=k, spring_length=length))


def remedy(stepper: Stepper, found: Finding) -> str:
    """What to do against it."""
    other = "method='hybrid'" if stepper.moving.features - set(stepper.ignored) <= Hybrid.supports else ""
    if stepper.method.integrator == "adaptive":
        return f"take {other}" if other else "soften it"
    if stepper.method.impulses and not other and not _is_held(stepper, found):
        other = "make it a spring or damper, which this method holds in any step"
    return f"take dt of {found.step:g} s or less" + (f", or {other}" if other else "")


def advice(stepper: Stepper) -> str:
    """What to say of a run whose steps are too large, such as "the steps of 0.001 s are too large for spring 'cord',
    which swings at 9e+03 rad/s; take dt of 0.0002 s or less, or method='hybrid'"; empty where they are not.
    """
    found = steps_too_large(stepper)
    return "" if found is None else f"{told(stepper, found)}; {remedy(stepper, found)}"


def told(stepper: Stepper, found: Finding) -> str:
    """What is wrong with the steps."""
    if stepper.method.integrator == "adaptive":
        return f"the steps become too small for {found.what}, which {found.pace}"
    return f"the steps of {stepper.h:g} s are too large for {found.what}, which {found.pace}"


class Watch:
    """Looks again at what explicit steps have come to, after some, ten times as many, and so on."""

    FIRST = 10

    def __init__(self) -> None:
        self.next = self.FIRST

    def left(self, steps: int) -> int:
        """Steps until the next look, after so many: what is found must not depend on the speed of the machine."""
        return max(1, self.next - steps)

    def look(self, stepper: Stepper) -> Finding | None:
        """What the steps are too large for where the simulation is now; None between two looks."""
        if stepper.steps < self.next:
            return None
        self.next = 10 * max(stepper.steps, 1)
        return find(present(stepper), stepper.method.integrator, stepper.h) if answers(stepper.tables) else None
