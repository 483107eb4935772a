"""Planetary trains: the turns of a gear's wheels count from the carrier, the arm that holds the planets."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.body import Ground
from linkwork.model.joints.coupling import Term
from linkwork.model.joints.joint import Joint

PARALLEL = 1e-6  # rad, by which axes that count as parallel may differ


def from_carrier(what: str, terms: tuple[Term, ...], carrier: Joint) -> tuple[Term, ...]:
    """The terms of a gear with the turn of the carrier taken off those wheels that do not hang on it."""
    if isinstance(carrier.b, Ground):
        raise ModelError(
            f"{what}: joint '{carrier.path}' goes from '{carrier.a.path}' to the ground; let the joint of a carrier go "
            "from the frame to the carrier"
        )
    outside = [term for term in terms if not _hangs_on(what, term.joint, carrier)]
    if not outside:
        raise ModelError(f"{what}: both joints hang on '{carrier.b.path}' and count from it already; remove carrier=")
    factor = -sum(term.factor for term in outside)
    return (*terms, Term(carrier, factor)) if factor else terms


def _hangs_on(what: str, joint: Joint, carrier: Joint) -> bool:
    """Whether a wheel turns in the carrier; raises where it turns neither there nor beside it in the frame."""
    if joint.a is carrier.b:
        return True
    if joint.a is not carrier.a:
        raise ModelError(
            f"{what}: joint '{joint.path}' goes from '{joint.a.path}' to '{joint.b.path}'; let it go from the carrier "
            f"'{carrier.b.path}' to the wheel, or from '{carrier.a.path}', as '{carrier.path}' does"
        )
    if _differ(joint, carrier):
        raise ModelError(
            f"{what}: the axes of '{joint.path}' and '{carrier.path}' differ, but their turns are subtracted; give "
            "both the same axis="
        )
    return False


def _differ(joint: Joint, other: Joint) -> bool:
    """Whether the axes of two joints of one frame differ, where both are given in the same way."""
    if joint.frame_a is not None and other.frame_a is not None:
        ways = [each.frame_a.matrix[:, 2] for each in (joint, other) if each.frame_a is not None]
    elif joint.axis is not None and other.axis is not None and joint.owner is other.owner:
        ways = [joint.axis, other.axis]
    else:
        return False
    return bool(np.linalg.norm(ways[0] - ways[1]) > PARALLEL)
