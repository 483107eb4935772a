"""`linearise`: small motions about an equilibrium or a state as a linear model, exact through closed loops.

    q, v     the state; v = N v[independent], so that loops and rigid motors hold
    d        displacements in the units of v, rotations by the exponential map; d = N x
    x, w     displacements and velocities of the independent coordinates: the states; what wheels that roll forbid
             are velocities alone, so that there are more x than w: d = P x
    A, B     d/dt (x, w) = A (x, w) + B u

Where the state moves, a displacement carries velocities along, as G v = 0 must still hold there. The slopes of the
accelerations have those of the loops' reactions in them, so that a loaded mechanism has its true stiffness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork._kernels.duals import SLOPES, lift
from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import ModelError, OptionError
from linkwork.formulations.explicit.recursive import Recursive
from linkwork.mechanics.rows.closure import close_at
from linkwork.mechanics.size import dof_units, row_units
from linkwork.model import Frame, Model
from linkwork.model.checked import did_you_mean, shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import forward_kinematics, mass_matrix
from linkwork.simulation.analysis.equilibrium import Equilibrium, placed, resting
from linkwork.simulation.analysis.linear.linear import turned_rates
from linkwork.simulation.analysis.linear.linear_model import LinearModel
from linkwork.simulation.analysis.linear.slopes import Derivatives, Slopes, warn_of_rough, without_slopes
from linkwork.simulation.analysis.linear.steady import Steady
from linkwork.simulation.analysis.linear.strains import strain_columns, strains
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.analysis.reduced import reduced
from linkwork.simulation.results.columns.components import component_labels
from linkwork.simulation.results.columns.observe import choose
from linkwork.simulation.results.columns.sampled_columns import input_unit
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.start import Closure

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

AXES = ("x", "y", "z")
LABELS = {"turn": ("angle",), "helical": ("angle",), "slide": ("offset",), "swing": ("rx", "ry", "rz")}
FREE = (*AXES, "rx", "ry", "rz")
TURNS = 1e-6  # of slopes: by more they change along a steady motion
STATES = (("position", 3), ("velocity", 2))  # and where their joints are among the ways


def linearise(
    model: Model | System | Simulation,
    *,
    at: str | Equilibrium | Pose | None = None,
    inputs: str | Sequence[str] = (),
    outputs: str | Sequence[str] = (),
) -> LinearModel:
    """Small motions of a model about a state, with closed loops, redundant rows and rigid motors.

    `at` is "equilibrium" (found, at rest; the default), "start" (the model's start values, moving too), "steady", or
    what `lw.equilibrium` or `lw.reach` gave. A `lw.Simulation` in place of the model is linearised in its present
    state.

    "steady" looks for a steady motion near the start: a spinning rotor, a governor that turns, a car in a bend, a
    rolling disc. The speeds of the start stay where they can; where drives and brakes do not balance there, the nearest
    speeds are found at which they do. Small motions are those that one sees who goes along.

    `inputs` are forces, torques or motors whose law is a number; `outputs` columns of a run, such as
    "seat.acceleration.z".

    Slopes are exact, but for laws in Python, which are differenced. Friction, stops and contact have no slopes here:
    models with them are refused.

    >>> model = lw.Model("rod")
    >>> rod = model.body("rod", mass=1.0, inertia=(0, 1 / 12, 1 / 12), com=(0.5, 0, 0))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=1.0)
    >>> modes = lw.linearise(model).modes()
    >>> round(float(modes.frequencies[0]), 4)
    0.6105
    """
    return _linear(point_of(model, at), inputs, outputs)


def _linear(point: LinearPoint, inputs: str | Sequence[str], outputs: str | Sequence[str]) -> LinearModel:
    system, q, v = point.system, point.q, point.v
    inputs, outputs = _listed(inputs), _listed(outputs)
    rows = _input_rows(system, inputs)
    ways = ways_of(point)
    N, P, free, places = ways
    f, p = len(free), len(places)
    if not p:
        raise ModelError(f"'{system.model.name}' has no degrees of freedom to be linearised in; see lw.check(model)")
    motions = [f"{name}.{what}" for name in system.body_names for what in ("velocity", "angular_velocity")]
    slopes = Slopes(
        system,
        point.cut_q,
        time=point.time,
        tables=point.tables,
        inputs=tuple(rows),
        columns=tuple(dict.fromkeys([*outputs, *motions, *strain_columns(system)])),
    )
    asked = _asked(point, slopes, ways)
    found, carried = _derivatives(point, slopes, asked), asked.rates[:, :p]
    A, B = np.zeros((p + f, p + f)), np.zeros((p + f, len(rows)))
    A[:p, :p] = carried[places]
    A[:p, :p] += np.array([turned_rates(system.tables.tree, v, P[:, k])[places] for k in range(p)]).T
    A[:p, p:] = N[places]
    A[p:], B[p:] = found.accelerations[free, : p + f], found.accelerations[free, p + f : p + f + len(rows)]
    if point.steady is not None:  # seen in axes that go along
        turning = point.steady.turning
        A[:p, :p] -= (turning @ P)[places]
        A[p:] -= (turning @ np.hstack([carried, N]))[free]
        _refuse_turning(point.steady, slopes, asked, found, inputs, outputs)
    names, units, values = _outputs(slopes, found, outputs)
    bodies, masses = _bodies(system, q, found.columns, slice(p + f + len(rows), None), point.time)
    unit = dof_units(system.tables)
    return LinearModel(
        model_name=system.model.name,
        about=point.about,
        A=A,
        B=B,
        C=values[:, : p + f],
        D=values[:, p + f : p + f + len(rows)],
        M=N.T @ mass_matrix(system, q) @ N,
        states=[f"{dof_label(system, k)}.{what}" for what, some in STATES for k in ways[some]],
        inputs=list(inputs),
        outputs=names,
        output_units=units,
        input_units=[input_unit(system.model[name]) for name in inputs],
        constraints=[system.row_name(r) for r in range(system.rows)],
        redundant=system.rows - (v.size - f),
        moves=P,
        bodies=bodies,
        masses=masses,
        strains=strains(system, lambda column: found.columns[column][:, :p]),
        joints=[system.dof_name(k) for k in range(v.size)],
        unit=unit[[*places, *free]],
        place=(system, q, point.time),
    )


class Ways(NamedTuple):
    """Motions that loops and wheels allow."""

    N: Floats  # (nv, f) velocities for those of the joints `free`
    P: Floats  # (nv, p) displacements for those of the joints `places`
    free: list[int]
    places: list[int]  # `free`, and behind them those whose velocities alone are forbidden


def ways_of(point: LinearPoint) -> Ways:
    """Velocities and displacements that are free in a state."""
    from scipy.linalg import qr  # here, because it takes a third of a second

    chosen = reduced(point.system, point.q, time=point.time)
    N, free = chosen.null_space, chosen.independent
    closure = _closure(point)
    if closure.of_positions.all():
        return Ways(N, N, free, free)
    unit, rows = dof_units(point.system.tables), closure.of_positions
    G = closure.G[rows] * unit / row_units(point.system.tables)[rows, None]
    _, sizes, V = np.linalg.svd(G)
    P = V[int(np.sum(sizes > DEPENDENT * sizes.max(initial=0.0))) :].T
    more = P - N / unit[:, None] * unit[free] @ P[free]  # beside the velocities that are allowed
    count = P.shape[1] - len(free)
    places = [*free, *sorted(qr(more.T, pivoting=True)[2][:count].tolist())]
    return Ways(N, unit[:, None] * P @ np.linalg.inv(P[places]) / unit[places], free, places)


class _Asked(NamedTuple):
    """Directions of slopes: along the states, the inputs, and velocities along P."""

    moves: Floats
    rates: Floats
    inputs: Floats


def _asked(point: LinearPoint, slopes: Slopes, ways: Ways) -> _Asked:
    N, P, free, places = ways
    f, p, count = len(free), len(places), len(slopes.inputs)
    moves = np.hstack([P, np.zeros((len(P), f + count + p))])
    rates = np.hstack([carried_along(point, slopes, ways), N, np.zeros((len(P), count)), P])
    return _Asked(moves, rates, np.hstack([np.zeros((count, p + f)), np.eye(count), np.zeros((count, p))]))


def _derivatives(point: LinearPoint, slopes: Slopes, asked: _Asked) -> Derivatives:
    found = slopes.along(point.q, point.v, slopes.directions(point.q, *asked))
    warn_of_rough(slopes.laws)
    return found


def _refuse_turning(
    steady: Steady,
    slopes: Slopes,
    asked: _Asked,
    found: Derivatives,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
) -> None:
    """Raise for inputs and outputs that do not go along with a steady motion, so that their slopes change in time."""
    if not inputs and not outputs:
        return
    q, turned = steady.later()
    moved = slopes.directions(q, turned @ asked.moves, turned @ asked.rates, asked.inputs)
    later = slopes.along(q, turned @ steady.v, moved)
    first = int(np.argmax(asked.inputs[0])) if inputs else 0
    changes = [
        (name, found.accelerations[:, first + k], (turned.T @ later.accelerations)[:, first + k])
        for k, name in enumerate(inputs)
    ]
    changes += [(name, found.columns[name], later.columns[name]) for name in _wanted(slopes, outputs)]
    for name, now, then in changes:
        if np.abs(then - now).max(initial=0.0) > TURNS * np.abs(now).max(initial=0.0):
            raise OptionError(
                f"'{name}' does not go along with the steady motion of '{slopes.system.model.name}' and sees it "
                "differently at every moment; give one in axes that go along, or a length, an angle or a spring's force"
            )


class LinearPoint(NamedTuple):
    """A state to linearise about."""

    system: System
    tables: Tables
    q: Floats
    v: Floats
    cut_q: Floats
    time: float
    about: str
    steady: Steady | None = None


def point_of(model: Any, at: Any) -> LinearPoint:
    """The state of a model that `at` means."""
    sim, about = simulation_at(model, at, Recursive())
    stepper = sim.stepper
    point = LinearPoint(
        stepper.moving, stepper.tables, sim.q.copy(), sim.v.copy(), stepper.state.cut_q.copy(), sim.time, about
    )
    if not isinstance(at, str) or at != "steady":
        return point
    found = Steady(point.system, point.tables, point.time, point.q, point.v, point.cut_q)
    return point._replace(q=found.q, v=found.v, about=f"a steady motion ({found.told()})", steady=found)


def simulation_at(model: Any, at: Any, method: Recursive, sampled: bool = False) -> tuple[Simulation, str]:
    """A simulation in the state that `at` means, and words for it; controllers and sensors only where `sampled`."""
    from linkwork.simulation.run import Simulation  # here, because runs look at what they linearise

    if isinstance(model, Simulation):
        if at not in (None, "steady"):
            raise OptionError(
                "a lw.Simulation is linearised in its present state, or about a steady motion near it by at='steady'; "
                "leave out at=, or give the model"
            )
        sim, about = model, f"its state at {model.time:g} s"
    else:
        system = model if isinstance(model, System) else assemble(model)
        _refuse(system, sampled)
        at = "equilibrium" if at is None else at
        if isinstance(at, str) and at not in ("equilibrium", "start", "steady"):
            raise OptionError(
                "at= must be 'equilibrium', 'start', 'steady', or what lw.equilibrium or lw.reach gives, not "
                f"{shown(at)}; to linearise a moment of a run, step a lw.Simulation there and give it for the model"
            )
        about = ("its start" if at == "start" else "an equilibrium") if isinstance(at, str) else "a given position"
        if at not in ("start", "steady"):
            rest = resting(system, at)
            still, cuts_still = np.zeros(system.nv), np.zeros_like(system.cut_v_start)
            system = replace(placed(system, rest), v_start=still, cut_v_start=cuts_still)
        sim = Simulation(system, method)
    _refuse(sim.stepper.moving, sampled)
    if sim.stepper.moving.absolute:
        raise OptionError(
            f"a simulation by {sim.method.name!r} has absolute coordinates; linearise one by method='recursive'"
        )
    return sim, about


def _refuse(system: System, sampled: bool = False) -> None:
    """Raise for what has no slopes here."""
    what = without_slopes(system, sampled)
    if what:
        sampling = any(True for _ in (*system.model.all_controllers(), *system.model.all_sensors()))
        remedy = "leave it out, or let lw.floquet look at a period of its samples" if sampling else "leave it out"
        raise OptionError(f"'{system.model.name}' has {what}, which cannot be linearised; {remedy}")
    lacking = sorted(system.features - Recursive.supports)
    if lacking:
        raise OptionError(
            f"'{system.model.name}' has {' and '.join(lacking)}, which cannot be linearised; leave that out, or "
            "put springs and dampers in its place"
        )


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _input_rows(system: System, inputs: Sequence[str]) -> list[int]:
    for name in inputs:
        if name not in system.inputs:
            known = ", ".join(f"'{each}'" for each in system.inputs) or "there is none"
            raise OptionError(
                f"'{name}' is no input of '{system.model.name}'{did_you_mean(name, system.inputs)}; inputs are forces, "
                f"torques and motors whose law is a number: {known}"
            )
    return [system.inputs[name] for name in inputs]


def _closure(point: LinearPoint) -> Closure:
    closure = Closure(point.system, point.time)
    closure.cut_q[:] = point.cut_q
    closure.at(point.q, point.v)
    return closure


def carried_along(point: LinearPoint, slopes: Slopes, ways: Ways) -> Floats:
    """Velocities that displacements along the columns of P take along, so that all rows hold as the state moves."""
    system, v, (N, P, free, _) = point.system, point.v, ways
    out = np.zeros_like(P)
    if not system.rows or not v.any():
        return out
    closure = _closure(point)
    back = np.linalg.pinv(closure.G, rcond=DEPENDENT)
    work, rows = lift(closure.work), lift((closure.g, closure.gd, closure.W, closure.G, closure.directions))
    given = (point.time, lift(closure.told), lift(closure.out))
    directions = slopes.directions(point.q, P, out).q
    for first in range(0, P.shape[1], SLOPES):
        some = directions[:, first : first + SLOPES]
        n = some.shape[1]
        q, cut_q = lift(point.q), lift(closure.cut_q)
        q["d"][:, :n] = some
        cut_q["d"][closure.in_cut_q, :n] = some[closure.in_q]
        close_at(slopes.tables, work, given, (q, lift(v), cut_q, lift(closure.cut_rate)), rows)
        out[:, first : first + n] = -back @ rows[1]["d"][:, :n]
    return np.asarray(out - N @ out[free])


def _outputs(slopes: Slopes, found: Derivatives, outputs: Sequence[str]) -> tuple[list[str], list[str], Floats]:
    """Names, units and slopes of the outputs, a row for each component."""
    if not outputs:
        return [], [], np.zeros((0, next(iter(found.columns.values())).shape[1]))
    assert slopes.observer is not None
    units, names, words, rows = slopes.observer.units(), [], [], []
    for column, shape in _wanted(slopes, outputs).items():
        for label, unit in component_labels(column, units[column], shape):
            names.append(label)
            words.append(unit)
        rows.append(found.columns[column])
    return names, words, np.vstack(rows)


def _wanted(slopes: Slopes, outputs: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Columns that outputs mean, and their shapes."""
    observer = slopes.observer
    assert observer is not None
    return {column: shape for each in outputs for column, shape in choose(observer.specs, each)[0].items()}


def dof_label(system: System, k: int) -> str:
    """The joint of an independent coordinate, and which of its coordinates it is where there are several."""
    place = next(place for place in system.joints if place.v.start <= k < place.v.stop)
    if place.v.stop - place.v.start == 1:
        return place.name
    labels = [label for motion in KINDS[place.kind].motions for label in LABELS.get(motion.word, FREE)]
    twice = {label for label in labels if labels.count(label) > 1}
    e = k - place.v.start
    return f"{place.name}.{labels[e]}" + (f" {labels[: e + 1].count(labels[e])}" if labels[e] in twice else "")


def _bodies(
    system: System, q: Floats, columns: dict[str, Floats], some: slice, time: float
) -> tuple[dict[str, Floats], dict[str, tuple[float, Any]]]:
    """Of every body velocity of the centre of mass and spin, of `some` of the slopes; mass and inertia."""
    bodies = {body.path: body for body in system.model.all_bodies() if not body.hidden}
    motions, masses = {}, {}
    for name, (_, turn) in forward_kinematics(system, q, time=time).items():
        body = bodies.get(name.removeprefix("body:"))
        if body is None:
            continue
        place = Frame(rotation=turn)
        spin = columns[f"{name}.angular_velocity"][:, some]
        swing = np.cross(spin, place.direction(system.centre(body)), axisa=0).T
        motions[name] = np.vstack([columns[f"{name}.velocity"][:, some] + swing, spin])
        masses[name] = (body.mass, place.matrix @ body.inertia @ place.matrix.T)
    return motions, masses
