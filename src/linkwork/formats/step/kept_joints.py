"""Joints of a file beside the STEP file, applied to a new export: parts found again, places brought up to date."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.receipt import Receipt
from linkwork.formats.step.cad_model import CadModel
from linkwork.formats.step.freedoms import Freedom
from linkwork.formats.step.joints_file import JointsFile, read_joints
from linkwork.formats.step.part_matching import FoundPart, match_parts
from linkwork.formats.step.search import Search
from linkwork.formats.step.suggestions import WITHOUT_AXIS, Suggestion
from linkwork.model.subsystem import Model


def apply_joints_file(model: Model, cad: CadModel, path: Path, receipt: Receipt) -> None:
    """Add the accepted joints of a file to a model, and tell what has changed since it was written."""
    file = read_joints(path)
    found, new = match_parts(file.parts, list(cad.bodies))
    _tell_changes(file, found, [body.path for body in new] if file.parts else [], receipt)
    places = _Places(cad)
    known = {body.path for body in cad.bodies} | {"ground"}
    missing = {part.name for part in file.parts} - found.keys()
    for joint, line in file.joints:
        place = f"{path.name}, line {line}"
        if not joint.accept:
            receipt.understand(f"joint '{joint.name}'", place, "not accepted")
            continue
        gone = [end for end in (joint.a, joint.b) if end in missing]
        if gone:
            receipt.approximate(f"joint '{joint.name}'", place, f"left out, because part '{gone[0]}' is missing")
            continue
        ends = [found[end].body.path if end in found else end for end in (joint.a, joint.b)]
        unknown = [end for end in ends if end not in known and end not in model]
        if unknown:
            raise ModelError(f"{place}: there is no part '{unknown[0]}'; give the full name of a body, or 'ground'")
        old = [found[end] for end in (joint.a, joint.b) if end in found]
        joint.a, joint.b = ends
        places.bring(joint, old, place, receipt)
        try:
            joint.add_to(model)
        except ModelError as error:
            raise ModelError(f"{place}: {error}") from None
        receipt.understand(f"joint '{joint.name}'", place, joint.kind)


def _tell_changes(file: JointsFile, found: dict[str, FoundPart], new: list[str], receipt: Receipt) -> None:
    for part in file.parts:
        if part.name not in found:
            receipt.approximate(f"part '{part.name}'", part.place, "is missing in this export")
            continue
        each = found[part.name]
        if each.renamed:
            receipt.approximate(f"part '{part.name}'", part.place, f"is now called '{each.body.path}'")
        if each.changed:
            told = f"has another shape: {part.volume * 1e6:.6g} cm3 became {each.body.solid.volume * 1e6:.6g} cm3"
            receipt.approximate(f"part '{part.name}'", part.place, told)
        elif each.moved:
            away = 1e3 * float(np.linalg.norm(each.body.centre - part.centre))
            receipt.approximate(f"part '{part.name}'", part.place, f"has moved; its centre by {away:.4g} mm")
    for name in new:
        receipt.approximate(
            f"part '{name}'", "", "is new; lw.suggest_joints(model).write() adds its joints to the file"
        )


class _Places:
    """Points and axes of joints whose parts moved or changed, from the new geometry."""

    def __init__(self, cad: CadModel) -> None:
        self.cad = cad
        self.search: Search | None = None

    def bring(self, joint: Suggestion, parts: list[FoundPart], place: str, receipt: Receipt) -> None:
        """Bring a joint to where its parts are now."""
        if not any(part.moved or part.changed for part in parts) or joint.kind in ("fixed", "free"):
            return
        fresh = self._fresh(joint)
        if fresh is not None:
            joint.at = fresh.at
            if joint.kind not in WITHOUT_AXIS and joint.kind != "universal":
                joint.axis = fresh.axis if float(np.dot(fresh.axis, joint.axis)) >= 0.0 else -fresh.axis
            receipt.understand(f"place of joint '{joint.name}'", place, "taken from the new geometry")
            return
        whole = [part for part in parts if part.moved and not part.changed]
        if whole and joint.kind != "universal":
            joint.at, joint.axis = whole[0].motion.point(joint.at), whole[0].motion.direction(joint.axis)
            told = f"moved along with '{whole[0].body.path}', because the new geometry shows no such joint; check it"
        else:
            told = (
                "kept where it was, although its parts have changed and the new geometry shows no such joint; check it"
            )
        receipt.approximate(f"place of joint '{joint.name}'", place, told)

    def _fresh(self, joint: Suggestion) -> Freedom | None:
        """What the new geometry says of a joint between these bodies, or the groups that they are in."""
        if self.search is None:
            self.search = Search(list(self.cad.bodies))
        search = self.search
        numbers = {body.path: k for k, body in enumerate(search.bodies)}
        if joint.a not in numbers or joint.b not in numbers:
            return None
        ends = {numbers[joint.a], numbers[joint.b]}
        groups = {search.find(k) for k in ends}
        own = [each.freedom for each in search.pair_freedoms() if {each.a, each.b} == ends]
        shared = [each.freedom for each in search.hinges if {search.find(each.a), search.find(each.b)} == groups]
        turning = ("revolute", "cylindrical")
        alike = [each for each in [*own, *shared] if each.kind == joint.kind]
        alike += [each for each in [*own, *shared] if each.kind in turning and joint.kind in (*turning, "screw")]
        return alike[0] if alike else None
