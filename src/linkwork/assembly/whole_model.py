"""What is simulated must be a model."""

from __future__ import annotations

from typing import Any

from linkwork.errors import ModelError
from linkwork.model import Model, Subsystem, checked


def refuse_no_model(given: Any) -> None:
    """Raise where something else than a model was given, and say what to give."""
    if not isinstance(given, Model):
        raise ModelError(_no_model(given))


def _no_model(given: Any) -> str:
    if isinstance(given, Subsystem):
        return f"subsystem {type(given).__name__} is not a whole model; put it into one with model.add(name, subsystem)"
    if callable(getattr(given, "build", None)):
        return f"{given.__name__} holds a model but is none; call its build()"
    return f"{checked.shown(given)} is not a model; give an lw.Model, such as lw.gallery.pendulum.build()"
