"""STEP assemblies become models: the tree of assemblies as subsystems, each solid a body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError, OptionError
from linkwork.formats.meshes.hull import reduced_hull
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.sources import read_bytes
from linkwork.formats.step.cad_data import CadComponent, CadFile, CadPart, CadSolid
from linkwork.formats.step.cad_model import CadBody, CadModel, remember
from linkwork.formats.step.densities import Densities, Wanted, matches
from linkwork.formats.step.other_process import read_cad
from linkwork.formats.step.step_text import read_text
from linkwork.formats.step.suggestions import beside
from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.checked import Vector
from linkwork.model.contact.material import Material
from linkwork.model.frame import Frame
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.shapes.shapes import Hull
from linkwork.model.subsystem import Model, Parts, Subsystem

MOST_BODIES = 20_000
DEEPEST = 100  # assemblies in one another
UP = {"x": (-9.81, 0.0, 0.0), "y": (0.0, -9.81, 0.0), "z": (0.0, 0.0, -9.81)}
_NO_NAME = re.compile(r"\s*|=>.*|NAUO\d+|\d+|(Open CASCADE STEP translator.*)")  # what exporters write for no name


def read_step(
    path: Path,
    receipt: Receipt,
    *,
    density: float | Mapping[str, float] | None = None,
    up: str = "z",
    meshes: bool = True,
    tolerance: float | None = None,
    contact: bool | str | list[str] = False,
    self_collision: bool = False,
    ground: str | None = None,
    joints: str | PathLike[str] | bool | None = None,
    suggest: bool = False,
    timeout: float = 600.0,
) -> Model:
    """A model of a STEP assembly (AP203, AP214, AP242).

    `density` (kg/m3) is a number for all solids, or a dict by name patterns and colours; where it says nothing, the
    materials of the file count. `up` is the axis of the file that points upwards. `tolerance` (m) is how far triangles
    may be from the surface, by default 0.2 % of the size of a part; `meshes=False` leaves them out of the pictures.
    `contact` makes colliders of all bodies, or of those whose names fit a pattern. `joints` is the file of joints, by
    default NAME.joints.toml beside the STEP file; `False` reads none. With `suggest=True`, and where there is no such
    file, the joints that geometry suggests are added; `ground` is then the part that stands. `timeout` in s.
    """
    if up not in UP:
        raise OptionError(f"read {path.name}: up is {checked.shown(up)}; give 'x', 'y' or 'z'")
    content = read_bytes(path, "a STEP file")
    text = read_text(path, content)
    text.refuse_paths()
    fine = None if tolerance is None else _positive(tolerance, path, "tolerance", "metres")
    cad = read_cad(path, tolerance=fine, timeout=_positive(timeout, path, "timeout", "seconds"))
    receipt.understand("file", text.schema, f"lengths in {cad.unit}")
    densities = Densities(density, text.densities(), path.name)
    builder = _Builder(path, cad, receipt, densities, _Pictures(meshes, contact, self_collision))
    model = builder.build(UP[up])
    densities.finish(receipt)
    if not builder.bodies:
        raise ModelError(f"{path.name}: it has no solids; export the assembly as solids (not surfaces or wires)")
    made = CadModel(path, tuple(builder.bodies))
    remember(model, made)
    _add_joints(model, made, receipt, joints, suggest, ground)
    return model


def _add_joints(
    model: Model,
    cad: CadModel,
    receipt: Receipt,
    joints: str | PathLike[str] | bool | None,
    suggest: bool,
    ground: str | None,
) -> None:
    """The joints of a file, or those that geometry suggests."""
    from linkwork.formats.step.kept_joints import apply_joints_file
    from linkwork.formats.step.suggest import suggest_joints

    file = beside(cad.file) if isinstance(joints, bool) or joints is None else Path(joints)
    if joints is not False and (joints is not None or file.exists()):
        apply_joints_file(model, cad, file, receipt)
    elif suggest:
        found = suggest_joints(model, ground=ground)
        found.apply()
        for each in found.accepted:
            told = f"{each.kind}, suggested by geometry: {each.reason} ({each.confidence:.2f})"
            receipt.approximate(f"joint '{each.name}'", "", told)
        receipt.approximate("ground", "", found.notes[0])
    else:
        told = "STEP files have none, so every body is free; lw.suggest_joints(model) finds them"
        receipt.approximate("joints", "", told)


def _positive(value: Any, path: Path, option: str, unit: str) -> float:
    try:
        return checked.positive(value, f"read {path.name}", option, unit)
    except ModelError as error:
        raise OptionError(str(error)) from None


class _Pictures:
    """Meshes and hulls of solids, one for all bodies of a part."""

    def __init__(self, meshes: bool, contact: bool | str | list[str], self_collision: bool) -> None:
        patterns = [contact] if isinstance(contact, str) else ["*"] if contact is True else contact or []
        self.patterns, self.meshes = list(patterns), meshes
        self.group = None if self_collision else "assembly"
        self._meshes: dict[int, Mesh | None] = {}
        self._hulls: dict[int, tuple[Hull, str]] = {}

    def mesh(self, solid: CadSolid) -> Mesh | None:
        if id(solid) not in self._meshes:
            self._meshes[id(solid)] = Mesh(triangles=solid.triangles) if len(solid.triangles) else None
        return self._meshes[id(solid)]

    def hull(self, solid: CadSolid) -> tuple[Hull, str]:
        if id(solid) not in self._hulls:
            made = reduced_hull(solid.triangles.reshape(-1, 3))
            self._hulls[id(solid)] = (made.hull, made.told)
        return self._hulls[id(solid)]

    def collides(self, names: tuple[str, ...]) -> bool:
        return any(matches(pattern, names) for pattern in self.patterns)


class _Builder:
    """Puts components into containers."""

    def __init__(self, path: Path, cad: CadFile, receipt: Receipt, densities: Densities, pictures: _Pictures) -> None:
        self.path, self.cad, self.receipt = path, cad, receipt
        self.densities, self.pictures = densities, pictures
        self.bodies: list[CadBody] = []

    def build(self, gravity: tuple[float, float, float]) -> Model:
        top, outer = self.cad.top, np.eye(4)
        name = self.path.stem
        if len(top) == 1 and self.cad.parts[top[0].part].components:  # the whole is the model itself
            whole = self.cad.parts[top[0].part]
            name, outer, top = _given_name(top[0], whole) or name, top[0].place, whole.components
        shown = "".join(letter if letter.isprintable() else " " for letter in name).strip()[:200] or "assembly"
        model = Model(shown, gravity=gravity)
        self._refuse_too_many()
        for part in self.cad.parts.values():
            self._tell_rest(part)
        self._fill(model, top, outer)
        return model

    def _refuse_too_many(self) -> None:
        """Count bodies before they are made: a small file can ask for billions."""
        counts = {key: len(part.solids) for key, part in self.cad.parts.items()}
        for _ in range(DEEPEST):
            more = {
                key: min(len(part.solids) + sum(counts[each.part] for each in part.components), MOST_BODIES + 1)
                for key, part in self.cad.parts.items()
            }
            if more == counts:
                break
            counts = more
        else:
            raise ModelError(f"{self.path.name}: assemblies are nested more than {DEEPEST} deep; correct the file")
        if sum(counts[each.part] for each in self.cad.top) > MOST_BODIES:
            raise ModelError(f"{self.path.name}: it has more than {MOST_BODIES} bodies; export a smaller assembly")
        self.counts = counts  # bodies in each part

    def _fill(self, container: Parts, components: list[CadComponent], outer: Vector) -> None:
        wanted = [_given_name(each, self.cad.parts[each.part]) or "part" for each in components]
        for component, name in zip(components, _numbered(wanted), strict=True):
            self._put(container, component, name, outer @ component.place)

    def _put(self, container: Parts, component: CadComponent, wanted: str, place: Vector) -> None:
        part = self.cad.parts[component.part]
        if not part.components and len(part.solids) == 1:
            self._body(container, wanted, part, part.solids[0], component.colour, place)
            return
        if not self.counts[component.part]:
            return
        name = fitting(container, wanted, "subsystem", self.receipt)
        position, rotation = self._placed(wanted, place)
        inner = container.add(name, Subsystem(), position=position, rotation=rotation)
        if part.components:
            self._fill(inner, part.components, np.eye(4))
        names = [each.name if not _NO_NAME.fullmatch(each.name) else "solid" for each in part.solids]
        for solid, each in zip(part.solids, _numbered(names), strict=True):
            self._body(inner, each, part, solid, component.colour, np.eye(4))

    def _body(self, container: Parts, wanted: str, part: CadPart, solid: CadSolid, colour: str, place: Vector) -> None:
        name = fitting(container, wanted, "body", self.receipt)
        names = (container.inner_path(name), name, part.name)
        seen = colour or solid.colour or part.colour
        density = self.densities.of(Wanted(names, part.name, seen), self.receipt)
        position, rotation = self._placed(names[0], place)
        body = container.body(
            name,
            mass=density * solid.volume,
            inertia=density * (solid.inertia + solid.inertia.T) / 2,
            com=solid.centre,
            position=position,
            rotation=rotation,
        )
        self._show(container, body, names, solid, seen)
        world = container.world @ (body.reference or Frame())
        self.bodies.append(CadBody(body.path, world, body.mass, solid, part.name, len(part.solids) == 1))
        layers = f", layers {', '.join(part.layers)}" if part.layers else ""
        self.receipt.understand(f"solid '{body.path}'", f"part {part.name}", f"{body.mass:g} kg{layers}")

    def _placed(self, name: str, place: Vector) -> tuple[Vector, Vector]:
        turn = place[:3, :3]
        size = abs(float(np.linalg.det(turn))) ** (1 / 3) if np.isfinite(place).all() else 0.0
        if abs(size - 1.0) > 1e-6 or float(np.linalg.det(turn)) < 0.0:
            raise ModelError(
                f"{self.path.name}: the placement of '{name}' scales or mirrors it; export the scaled or mirrored part "
                "as a part of its own"
            )
        left, _, right = np.linalg.svd(turn)
        return place[:3, 3], left @ right

    def _show(self, container: Parts, body: Body, names: tuple[str, ...], solid: CadSolid, colour: str) -> None:
        mesh = self.pictures.mesh(solid) if self.pictures.meshes else None
        if mesh is not None:
            container.visual(
                fitting(container, f"{body.name} surface", "visual", Receipt("")), body, mesh, colour=colour or None
            )
        if self.pictures.collides(names) and len(solid.triangles):
            hull, told = self.pictures.hull(solid)
            name = fitting(container, f"{body.name} hull", "collider", Receipt(""))
            container.collider(name, body, hull, material=Material(), group=self.pictures.group)
            self.receipt.approximate(f"collider of '{body.path}'", "", told)

    def _tell_rest(self, part: CadPart) -> None:
        """What of a part is no solid."""
        if part.hollow:
            self.receipt.ignore(f"solid of '{part.name}'", "", "encloses no volume and has no mass; repair it in CAD")
        if part.sheets:
            whole = not part.solids
            told = f"{part.sheets} sheet{'s' * (part.sheets > 1)} without volume"
            told += "; the part has no mass, export it as a solid" if whole else " beside its solids"
            self.receipt.ignore(f"surface of '{part.name}'", "", told, matters=whole)
        if part.wires:
            told = f"{part.wires} edge{'s' * (part.wires > 1)} that bound no surface"
            self.receipt.ignore(f"wires of '{part.name}'", "", told, matters=False)


def _given_name(component: CadComponent, part: CadPart) -> str:
    """The name of a use of a part, or else that of the part."""
    return next((name for name in (component.name, part.name) if not _NO_NAME.fullmatch(name)), "")


def _numbered(names: list[str]) -> list[str]:
    """Names that occur more than once with their numbers: bolt, bolt 2, bolt 3."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name} {counts[name]}")
    return found
