"""`suggest_joints`: what the search found, in words of a model."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from linkwork.errors import OptionError
from linkwork.formats.receipt import Receipt
from linkwork.formats.step.cad_model import CadModel, recall
from linkwork.formats.step.densities import matches
from linkwork.formats.step.roles import is_standing
from linkwork.formats.step.search import GroupJoint, Search, Weld
from linkwork.formats.step.suggestions import Suggestion, Suggestions, accepted
from linkwork.model import names
from linkwork.model.checked import Vector
from linkwork.model.subsystem import Model

UP = np.array([0.0, 0.0, 1.0])


def suggest_joints(
    model: Model, file: str | PathLike[str] | None = None, *, ground: str | None = None, redundant: bool = False
) -> Suggestions:
    """Joints of a model that was read from a STEP file, found from the geometry of its parts.

    A shaft in a bore gives a cylindrical joint, or a revolute one if planes on both sides stop it from sliding; planes
    give planar and prismatic joints, a ball in a socket a ball joint. Bolts, nuts, rings of bearings and pins are fixed
    to what they sit in, and what bolts clamp together is fixed. Every two groups of bodies get one joint, and every
    group as many welds as it needs; `redundant=True` gives every two bodies that touch their own, as mates in CAD are.

    `ground` is a pattern for the parts that stand, by default one called base, frame, ground or housing, or else the
    heaviest. `file` is the STEP file, if the model was read from another one. Bodies that have joints keep them.

    >>> model, receipt = lw.read("engine.step", density=7850)  # doctest: +SKIP
    >>> suggestions = lw.suggest_joints(model)  # doctest: +SKIP
    >>> print(suggestions)  # doctest: +SKIP
    >>> suggestions.apply()  # doctest: +SKIP
    """
    cad = recall(model) if file is None else _from_file(model, Path(file))
    search = Search(list(cad.bodies))
    standing, note = _standing(search, ground)
    found = [_on_ground(search, k) for k in standing]
    found += [_welded(search, weld) for weld in search.welds if weld.needed or redundant]
    if redundant:
        found += [_welded(search, weld) for weld in search.touching()]
    found += [_moving(search, hinge) for hinge in (search.pair_freedoms() if redundant else search.hinges)]
    joined = {frozenset((joint.a.path, joint.b.path)) for joint in model.all_joints()}
    new = [each for each in found if frozenset((each.a, each.b)) not in joined]
    return Suggestions(model, cad, accepted(new), [search.bodies[k].path for k in standing], [note])


def _welded(search: Search, weld: Weld) -> Suggestion:
    one, two = search.bodies[weld.a], search.bodies[weld.b]
    faces = tuple(dict.fromkeys(mate.told for mate in weld.mates))
    return _suggestion("fixed", one.path, two.path, two.centre, UP, weld.confidence, faces, weld.reason)


def _moving(search: Search, hinge: GroupJoint) -> Suggestion:
    one, two, free = search.bodies[hinge.a], search.bodies[hinge.b], hinge.freedom
    at = two.centre if free.kind == "prismatic" else free.at
    faces = tuple(dict.fromkeys(mate.told for mate in free.mates))
    return _suggestion(free.kind, one.path, two.path, at, free.axis, free.confidence, faces, free.reason)


def _suggestion(
    kind: str, a: str, b: str, at: Vector, axis: Vector, confidence: float, faces: tuple[str, ...], reason: str
) -> Suggestion:
    ends = [names.last(each) for each in (a, b)]
    return Suggestion(f"{ends[0]} to {ends[1]}", kind, a, b, at, axis, confidence, faces, reason)


def _on_ground(search: Search, k: int) -> Suggestion:
    body = search.bodies[k]
    return _suggestion("fixed", "ground", body.path, body.centre, UP, 0.9, (), "the part that stands")


def _standing(search: Search, pattern: str | None) -> tuple[list[int], str]:
    """The bodies that stand, and a note on how they were found."""
    bodies = search.bodies
    if pattern is not None:
        found = [k for k, body in enumerate(bodies) if matches(pattern, (body.path, body.name, body.part))]
        if not found:
            raise OptionError(f"ground='{pattern}' fits no part; give a name such as '{bodies[0].name}'")
        return found, f"on the ground: {', '.join(bodies[k].path for k in found)} (as asked)"
    called = [k for k, each in enumerate(search.features) if is_standing(each)]
    chosen = max(called or range(len(bodies)), key=lambda k: bodies[k].mass)
    why = "by its name" if called else "the heaviest part"
    return [chosen], f"on the ground: {bodies[chosen].path} ({why}; ground= chooses another)"


def _from_file(model: Model, path: Path) -> CadModel:
    """The geometry of a file whose solids have the names of the model's bodies."""
    from linkwork.formats.step.reader import read_step

    cad = recall(read_step(path, Receipt(path.name), density=1.0, meshes=False, joints=False))
    known = {body.path for body in model.all_bodies()}
    missing = [body.path for body in cad.bodies if body.path not in known]
    if missing:
        raise OptionError(f"{path.name}: its part '{missing[0]}' is no body of model '{model.name}'; give its own file")
    return cad
