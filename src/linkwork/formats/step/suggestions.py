"""`lw.suggest_joints`: joints of a CAD assembly, found from its geometry, to look at and to add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.errors import OptionError
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.model import names
from linkwork.model.checked import VectorLike
from linkwork.model.container import find_body
from linkwork.model.joints.joint import Joint
from linkwork.model.subsystem import Model, Parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.formats.step.cad_model import CadModel

LIKELY = 0.5  # suggestions that are at least so sure are accepted
WITHOUT_AXIS = ("fixed", "ball", "free")


@dataclass(eq=False)
class Suggestion:
    """A joint that geometry suggests: change `kind` or `accept` before `apply`.

    `a` and `b` are full names of bodies, `at` (m) and `axis` are in the world; `confidence` is from 0 to 1, `faces`
    are the pairs of faces it comes from. `options` go to the joint: position, velocity, limits, friction, damping,
    stiffness.

    >>> Suggestion("hinge", "revolute", "frame", "door", (0, 0, 0), (0, 0, 1), 0.95).accept
    True
    """

    name: str
    kind: str
    a: str
    b: str
    at: VectorLike
    axis: VectorLike
    confidence: float
    faces: tuple[str, ...] = ()
    reason: str = ""
    accept: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    def add_to(self, model: Model) -> Joint:
        """Add the joint to a model, in the subsystem that holds both bodies."""
        what = f"joint '{self.name}'"
        first, second = (find_body(model, each, what) for each in (self.a, self.b))
        container = common_container(model, self.a, self.b)
        inverse = container.world.inverse()
        options = dict(self.options)
        if self.kind != "free":
            options["at"] = inverse.point(self.at)
        if self.kind not in WITHOUT_AXIS:
            options["axis"] = inverse.direction(self.axis)
        name = fitting(container, self.name, "joint", Receipt(""))
        joint: Joint = getattr(container, self.kind)(name, first, second, **options)
        return joint


def common_container(model: Model, a: str, b: str) -> Parts:
    """The innermost subsystem that holds both bodies; the model itself for grounds."""
    here: Parts = model
    for one, two in zip(names.split(a)[:-1], names.split(b)[:-1], strict=False):
        if one.name != two.name:
            break
        here = here.subsystems[one.name]
    return here


class Suggestions:
    """Suggested joints, as a list; print it as a table. Made by `lw.suggest_joints`.

    `ground` names the bodies that stand, `loose` those that no accepted joint holds, `notes` says what was assumed.
    """

    def __init__(
        self, model: Model, cad: CadModel, joints: list[Suggestion], ground: list[str], notes: list[str]
    ) -> None:
        self.model, self.cad, self.joints, self.ground, self.notes = model, cad, joints, ground, notes

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.joints)

    def __len__(self) -> int:
        return len(self.joints)

    def __getitem__(self, key: int | str) -> Suggestion:
        """By number, or by name."""
        if isinstance(key, int):
            return self.joints[key]
        for each in self.joints:
            if each.name == key:
                return each
        raise OptionError(f"there is no suggestion '{key}'; give one of {', '.join(each.name for each in self.joints)}")

    @property
    def accepted(self) -> list[Suggestion]:
        """Those that `apply` adds."""
        return [each for each in self.joints if each.accept]

    @property
    def loose(self) -> list[str]:
        """Bodies that no chain of accepted joints holds to the ground."""
        held = {"ground"}
        links = [(each.a, each.b) for each in self.accepted]
        links += [(joint.a.path, joint.b.path) for joint in self.model.all_joints()]
        while True:
            more = {end for pair in links if held & set(pair) for end in pair} - held
            if not more:
                break
            held |= more
        return [body.path for body in self.cad.bodies if body.path not in held]

    def apply(self) -> list[Joint]:
        """Add the accepted joints to the model. Each belongs to the innermost subsystem that holds both bodies."""
        return [each.add_to(self.model) for each in self.accepted]

    def write(self, file: str | PathLike[str] | None = None) -> Path:
        """Write them to a TOML file, by default NAME.joints.toml beside the STEP file, which `lw.read` then reads.

        A file that is there already keeps all it has; joints that it does not have are added at its end.
        """
        from linkwork.formats.step.joints_file import write_joints

        return write_joints(self, beside(self.cad.file) if file is None else Path(file))

    def picture(self, file: str | PathLike[str] | None = None, **options: Any) -> Figure:
        """Draw the assembly with the suggested joints, numbered as in the table; needs matplotlib.

        `options` are those of `still`: view, size. `file` is png, svg or pdf.
        """
        from linkwork.viewer.pictures.joint_review import JointMark, review

        marks = [
            JointMark(k, each.kind, each.at, None if each.kind in WITHOUT_AXIS else each.axis, each.accept)
            for k, each in enumerate(self.joints, 1)
        ]
        return review(self.model, marks, file=file, **options)

    def __str__(self) -> str:
        rows = [("", "kind", "a", "b", "at (mm)", "axis", "sure", "why")]
        for k, each in enumerate(self.joints, 1):
            at = " ".join(f"{round(1e3 * x, 1) + 0.0:.1f}" for x in each.at)
            axis = "" if each.kind in WITHOUT_AXIS else " ".join(f"{round(x, 4) + 0.0:.3g}" for x in each.axis)
            mark = f"{k}" if each.accept else f"({k})"
            rows.append((mark, each.kind, each.a, each.b, at, axis, f"{each.confidence:.2f}", each.reason))
        widths = [max(len(row[k]) for row in rows) for k in range(7)]
        table = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[7]]) for row in rows]
        lines = [
            f"{len(self.joints)} joints suggested, {len(self.accepted)} accepted",
            *(row.rstrip() for row in table),
        ]
        loose = self.loose
        if loose:
            lines.append(f"held by nothing: {', '.join(loose[:12])}{', …' if len(loose) > 12 else ''}")
        return "\n".join([*lines, *self.notes])

    def __repr__(self) -> str:
        return f"<Suggestions: {len(self.joints)} joints, {len(self.accepted)} accepted>"


def beside(file: Path) -> Path:
    """Where the joints of a STEP file are kept."""
    return file.with_name(f"{file.stem}.joints.toml")


def accepted(joints: list[Suggestion]) -> list[Suggestion]:
    """Accept those that are likely."""
    for each in joints:
        each.accept = each.confidence >= LIKELY
    return joints
