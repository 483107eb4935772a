"""A model without the states of its laws: for motions that are given, where no law has time to change its states."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any

from linkwork.model import Body, Joint, Model, PythonLaw
from linkwork.model.forces.force import ForceElement
from linkwork.model.laws.laws import Constant


class _Stateless(Model):
    """Shares all parts with the `whole` model that it was made from."""

    whole: Model

    def all_bodies(self) -> Iterator[Body]:
        return (body for body in super().all_bodies() if not body.hidden)

    def all_joints(self) -> Iterator[Joint]:
        return (joint for joint in super().all_joints() if not joint.hidden)

    def all_forces(self) -> Iterator[ForceElement]:
        return (_silent(force) for force in super().all_forces() if not force.hidden)


def laws_with_states(model: Model) -> list[ForceElement]:
    """Forces and torques whose laws have states of their own."""
    return [force for force in model.all_forces() if _has_states(force)]


def stateless(model: Model) -> Model:
    """The model where laws with states give no force; itself where it has none of them."""
    if not laws_with_states(model):
        return model
    other = copy(model)
    other.__class__ = _Stateless
    other.whole = model  # type: ignore[attr-defined]
    return other


def whole(model: Model) -> Model:
    """The model that a stateless one was made from; else itself."""
    return model.whole if isinstance(model, _Stateless) else model


def _has_states(force: ForceElement) -> bool:
    law = getattr(force, "law", None)
    return isinstance(law, PythonLaw) and bool(law.start)


def _silent(force: Any) -> Any:
    if not _has_states(force):
        return force
    one = force.in_joint is not None or getattr(force, "axis", None) is not None or hasattr(force, "length")
    return replace(force, law=Constant(0.0 if one else (0.0, 0.0, 0.0)))
