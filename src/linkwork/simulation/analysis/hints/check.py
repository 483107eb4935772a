"""`check`: verify before you run. Degrees of freedom, loops, redundant rows by name, cuts, mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.massless import THIN, is_massless, on_given, told
from linkwork.assembly.reference import placed_by_body, point_body
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.formulations.impulse.impulse import Impulse
from linkwork.model import Model, Rotor
from linkwork.model.control.stepped import SteppedPart
from linkwork.simulation.methods import FEATURE_HINTS
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.judging.notebook import lines_in_cell
from linkwork.simulation.starts.driven import driven_start
from linkwork.simulation.starts.mobility import DEPENDENT, implied
from linkwork.simulation.starts.start import Closure, Start, consistent_start
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.spatial import codes

LARGE = 1e6  # numbers in the rows of the loops: more of them take longer than a moment
PART_WORDS = {
    codes.ALONG: "position along {i}",
    codes.CROSSED: "angle between {i} and {j}",
    codes.COUPLE: "pitch",
    codes.DISTANCE: "length",
    codes.ACROSS: "place across the curve",
    codes.ON_SURFACE: "distance from the surface",
    codes.RIM: "lowest point on the plane",
    codes.SLIP: "slip along {i}",
    codes.TANGENT: "slip along the tangent",
}


@dataclass(frozen=True)
class Report:
    """What `check` found, at the start configuration; `redundant` lists the rows of a joint that others imply.

    >>> report = lw.check(lw.gallery.double_four_bar.build())
    >>> report.degrees_of_freedom, report.loops, report.redundant_rows
    (1, 2, 6)
    """

    model: str
    bodies: int
    joints: int
    degrees_of_freedom: int | None
    """Of velocities. None where components live elsewhere: what they can do is known to their owners alone."""
    loops: int | None
    cuts: list[str]
    rows: int
    redundant_rows: int
    redundant: dict[str, list[str]]
    shared_reactions: dict[str, list[str]]
    """Components of joints (axes of frame b, z along the axis) that the laws of mechanics leave open."""
    reaction_points: dict[str, str]
    """Joints given without a place (welds, slides), and the body at whose origin their reaction is told."""
    floating: list[str]
    total_mass: float
    grounds: list[str]
    features: list[str]
    notes: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    """What looks like a mistake, such as lengths in millimetres."""
    position_freedoms: int | None = None
    """Degrees of freedom of positions: more than those of velocities where wheels roll."""
    law_states: int = 0
    """States of laws: currents, pressures."""
    sampled: list[str] = field(default_factory=list)
    """Sensors, controllers and FMUs, which are called or stepped with a run, each with its interval."""

    def lines(self) -> list[str]:
        """The report in readable lines."""
        text = [
            f"{self.model}: {_count(self.bodies, 'body', 'bodies')}, {_count(self.joints, 'joint', 'joints')}, "
            f"{self.total_mass:.6g} kg",
        ]
        if self.loops is None:
            text.append("degrees of freedom and loops: unknown, because some are in remote components")
        else:
            text.append(f"degrees of freedom: {self.degrees_of_freedom}{self._rolling()}")
            text.append(f"loops: {self.loops}" + (f", closed by {shortened(self.cuts)}" if self.cuts else ""))
        if self.redundant:
            text.append(f"redundant rows: {self.redundant_rows} of {self.rows}, handled by multipliers of least norm")
            text += [f"  {joint}: {', '.join(parts)}" for joint, parts in self.redundant.items()]
        elif self.loops:
            text.append(f"redundant rows: none of {self.rows}")
        if self.shared_reactions:
            text.append("reactions that are not unique (sim.reactions() returns the smallest):")
            alike: dict[str, list[str]] = {}
            for joint, parts in self.shared_reactions.items():
                alike.setdefault(", ".join(parts), []).append(joint)
            text += [f"  {parts}: {shortened(joints)}" for parts, joints in alike.items()]
        if self.reaction_points:
            places = [f"{joint} ({body})" for joint, body in self.reaction_points.items()]
            text.append(f"reactions at the origin of a body, because at= is missing: {shortened(places)}")
        if self.floating:
            text.append(f"free bodies: {shortened(self.floating)}")
        if self.features:
            text.append(f"the method must support: {', '.join(self.features)}")
        if self.law_states:
            text.append(f"laws with states of their own: {self.law_states} in all")
        text += self.sampled
        return text + [f"note: {note}" for note in self.notes] + [f"hint: {hint}" for hint in self.hints]

    def _rolling(self) -> str:
        """Where wheels roll, velocities have fewer freedoms than positions."""
        if self.position_freedoms in (None, self.degrees_of_freedom):
            return ""
        return f" of velocities, {self.position_freedoms} of positions (rolling)"

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Report on '{self.model}': {_count(len(self.hints), 'hint', 'hints')}; print it>"

    def _repr_html_(self) -> str:
        return lines_in_cell(self.lines())


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def check(model: Model) -> Report:
    """Check a model before you run it. Raises `ModelError` if it cannot run, and hints at what looks mistaken.

    >>> print(lw.check(lw.gallery.pendulum.build()))
    pendulum: 1 body, 1 joint, 1 kg
    degrees of freedom: 1
    loops: 0
    """
    from linkwork.simulation.analysis.hints.hints import hints, unsaid
    from linkwork.simulation.run import Simulation

    if isinstance(model, Model) and remote_parts(model):
        system = assemble(model)  # nobody elsewhere is asked to start a run
        start = consistent_start(system)
        found = report(system, start)
    else:
        with unsaid():
            sim = Simulation(model, "recursive", ignore=tuple(FEATURE_HINTS))
        system, start = sim.system, sim.start
        found = report(system, start, _told_of_drives(system))
    return replace(found, hints=hints(system, start))


def _told_of_drives(system: System) -> list[str]:
    """What motors do to the start, and what is wrong with them."""
    try:
        driven = driven_start(assemble(system.model, floating=True, driven=True, before=system), 0.0, Impulse().dt)
        return [*driven.notes, *driven.warnings]
    except ModelError as error:
        apart = driven_start(system, 0.0, Impulse().dt)
        return [*apart.notes, *apart.warnings, str(error)]


def refuse_idle(system: System) -> None:
    """Where nothing beyond a joint of the tree has mass, and no loop leads on, nothing says how it moves."""
    tree, cuts = system.tables.tree, system.tables.cuts
    mass = tree.link_mass.copy()
    held = slice(0, len(system.cuts))  # what others hold by a loop is not idle
    mass[np.concatenate([cuts.cut_a[held], cuts.cut_b[held]])] += 1.0
    weight = mass + np.abs(tree.link_I[:, :3]).sum(axis=1)  # rotors have no mass
    np.add.at(weight, tree.dof_link, tree.dof_armature)
    for link in range(weight.size - 1, tree.grounds - 1, -1):
        weight[tree.link_parent[link]] += weight[link]
        mass[tree.link_parent[link]] += mass[link]
    for place in system.joints:
        has = mass if place.joint is None else weight
        if place.v.stop > place.v.start and has[place.last] == 0.0:
            body = system.body_names[int(np.flatnonzero(tree.body_link == place.last)[0])]
            if place.joint is None:
                raise ModelError(
                    f"body '{body}' has no mass and no joint holds it, so that nothing says how it moves; give it "
                    "mass= and inertia=, or weld it to another body with fixed()"
                )
            raise ModelError(
                f"{place.kind} joint '{place.name}' moves body '{body}', but neither that nor what it carries has "
                "mass, so that nothing says how it moves; give it mass= and inertia=, or weld it with fixed()"
            )


def refuse_lone_rotors(system: System, method: str) -> None:
    """Where nothing lends to a rotor, impulses do not tell what turns its axis."""
    for body in system.model.all_bodies():
        if isinstance(body, Rotor) and body.path in system.filled and not on_given(body):
            raise ModelError(
                f"rotor '{body.path}' cannot be run by {method!r}, since its carrier '{body.shaft.a.path}' lacks "
                "inertia about some axis; give the carrier inertia=, or use method 'recursive' or 'impulse'"
            )


def refuse_weightless(system: System, q: Floats, v: Floats, cut_q: Floats, time: float) -> None:
    """Where bodies that lack inertia can move without moving any, what they have next to none of must not decide.

    `q`, `v` and `cut_q` are those of a system that gives every body coordinates of its own.
    """
    if not system.filled:
        return
    closure = Closure(system, time)
    closure.cut_q[:] = cut_q
    closure.at(q.copy(), v.copy())
    bodies = {body.path: body for body in system.model.all_bodies()}
    ways = []  # motions of one body that move no inertia, of all velocities
    for path in system.filled:
        first = system.joints[system.body_names.index(path)].v.start
        R = closure.work.pose_R[int(system.tables.tree.body_link[system.body_names.index(path)])].reshape(3, 3)
        values, axes = np.linalg.eigh(bodies[path].inertia)
        turns = R @ axes[:, values <= THIN * values.max(initial=0.0)]
        slides = np.eye(3) if is_massless(bodies[path]) else np.zeros((3, 0))
        for k, way in [(0, each) for each in slides.T] + [(3, each) for each in turns.T]:
            ways.append((path, slice(first + k, first + k + 3), way))
    held = np.column_stack([closure.G[:, columns] @ way for _, columns, way in ways])
    lengths = np.linalg.norm(held, axis=1, keepdims=True)
    _, values, motions = np.linalg.svd(held / np.where(lengths > 0.0, lengths, 1.0))
    rank = int(np.count_nonzero(values > DEPENDENT * values.max(initial=0.0)))
    if rank < len(ways):
        path = ways[int(np.argmax(np.abs(motions[-1])))][0]
        raise ModelError(_undetermined(f"body '{path}'", system))


def _undetermined(body: str, system: System) -> str:
    return (
        f"{body} of model '{system.model.name}', or what is joined to it, can move without moving any inertia, so "
        "that its acceleration is not determined; give it inertia= or shape=, or hold it with a joint"
    )


def refuse_singular(system: System, link: int) -> None:
    """A joint that moves no inertia would make the accelerations infinite."""
    place = next(place for place in system.joints if link in (*place.links, place.last))
    carried = np.flatnonzero(system.tables.tree.body_link == place.last)
    body = f"body '{system.body_names[int(carried[0])]}'" if carried.size else "the body"
    if system.absolute:
        raise ModelError(_undetermined(body, system))
    if place.joint is None:
        raise ModelError(
            f"{body} of model '{system.model.name}' is free to turn but has no inertia about some axis; "
            "give it inertia= or shape=, or hold it with a joint"
        )
    raise ModelError(
        f"{place.kind} joint '{place.name}': {body} beyond it has no inertia against a motion of this joint, so its "
        "acceleration is not determined; give the body inertia= or shape=, or use a joint without that motion"
    )


def _sampled(model: Model) -> list[str]:
    """What is called or stepped with a run."""
    found = []
    for part in model.all_controllers():
        if isinstance(part, SteppedPart):
            found.append(
                f"{part.word} '{part.path}' ({part.element.about}) is stepped with a run every {part.every:g} s"
            )
    controllers = [each for each in model.all_controllers() if not isinstance(each, SteppedPart)]
    sampled: list[Any] = [*model.all_sensors(), *controllers]
    if sampled:
        told = ", ".join(f"{each.word} '{each.path}' every {each.every:g} s" for each in sampled)
        found.append(f"called with a run: {told}")
    return found


def report(system: System, start: Start, notes: Sequence[str] = ()) -> Report:
    """The facts about an assembled system at its start."""
    elsewhere = remote_parts(system.model)
    dependent = [] if elsewhere else dependent_rows(system, start)
    redundant: dict[str, list[str]] = {}
    for r in dependent:
        redundant.setdefault(system.row_name(r), []).append(row_words(system, r))
    notes = [*notes, *told(system.model)]
    for remote in elsewhere:
        ports = ", ".join(remote.ports)
        notes.append(f"component '{remote.path}' lives elsewhere, its mass is not counted; its ports are {ports}")
    if start.moved:
        notes.append(f"start values were rounded; moved a little to fit the loops: {', '.join(start.moved)}")
    bodies = [body for body in system.model.all_bodies() if not body.hidden]
    states = sum(joint.hidden for joint in system.model.all_joints())
    shared: dict[str, list[str]] = {}
    if dependent and system.rows * system.nv <= LARGE:
        shared = _shared(system, start)
    elif dependent:
        notes.append("which reactions are unique was not looked for in so many loops; sim.reactions() does")
    return Report(
        model=system.model.name,
        bodies=len(bodies),
        joints=len(system.joints) + len(system.cuts) - len(system.floating) - states,
        degrees_of_freedom=None if elsewhere else freedoms(system, dependent) - states,
        loops=None if elsewhere else len(system.cuts),
        cuts=[] if elsewhere else system.cut_names,
        rows=system.rows,
        redundant_rows=len(dependent),
        redundant=redundant,
        shared_reactions=shared,
        reaction_points={
            joint.path: point_body(joint).path
            for joint in system.model.all_joints()
            if placed_by_body(joint) and not joint.hidden
        },
        floating=system.floating,
        total_mass=float(sum(body.mass for body in bodies)),
        grounds=system.ground_names,
        features=sorted(system.features),
        notes=notes,
        law_states=states,
        sampled=_sampled(system.model),
        position_freedoms=None if elsewhere else position_freedoms(system, start) - states,
    )


def _shared(system: System, start: Start) -> dict[str, list[str]]:
    from linkwork.simulation.analysis.reactions import Stress, shared_words

    return {} if system.foreign else shared_words(Stress(system, start.q, start.cut_q))


def row_words(system: System, r: int) -> str:
    """What row r holds, in words."""
    cuts = system.tables.cuts
    if r >= system.first_coupled:
        return system.coupled[r - system.first_coupled].part.about
    word = PART_WORDS[int(cuts.row_kind[r])]
    return word.format(i="xyz"[int(cuts.row_i[r])], j="xyz"[int(cuts.row_j[r])]) if "{" in word else word


def position_freedoms(system: System, start: Start) -> int:
    """Degrees of freedom of positions at the start: rows of velocities, of wheels that roll, take none of them."""
    closure = Closure(system)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    held = closure.G[closure.of_positions & ~system.loose]
    return system.nv - (len(held) - len(implied(held)) if len(held) else 0)


def dependent_rows(system: System, start: Start) -> list[int]:
    """Rows of the loops that the rows before them imply, at the start configuration; what has play holds nothing."""
    if system.rows == 0:
        return []
    closure = Closure(system)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    holding = np.flatnonzero(~system.loose)
    return [int(holding[r]) for r in implied(closure.G[holding])]


def freedoms(system: System, dependent: list[int]) -> int:
    """Degrees of freedom where these rows are implied by others; those with play take none."""
    return system.nv - (system.rows - int(system.loose.sum()) - len(dependent))
