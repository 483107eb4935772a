"""Numbers of a model by their names: "damper.damping", "rod.com.x", "push.law"; a copy of the model with others."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError, OptionError
from linkwork.model import Model
from linkwork.model.checked import did_you_mean, real

AXES = ("x", "y", "z")
UNUSED = ("density",)  # of bodies: their mass is known already


def number(model: Model, name: str) -> float:
    """The number of a model with this name.

    >>> number(lw.gallery.car.build(), "car body.mass")
    585.0
    """
    owner, attribute, place = _found(model, name)
    value = getattr(owner, attribute)
    found = real(value) if place is None else real(np.asarray(value)[place])
    if found is None or not np.isfinite(found):
        raise OptionError(
            f"'{name}' is no finite number of '{model.name}', so it cannot be varied; give it a value first"
        )
    return found


def varied(model: Model, values: Mapping[str, float]) -> Model:
    """A copy of a model with other numbers; what was made of them before, such as an inertia of a shape, stays."""
    other = copy.deepcopy(model)
    for name, value in values.items():
        owner, attribute, place = _found(other, name)
        kept: Any = float(value)
        if place is not None:
            before = getattr(owner, attribute)
            kept = np.array(before, dtype=float)
            kept[place] = value
            kept = tuple(kept.tolist()) if isinstance(before, tuple) else kept
        object.__setattr__(owner, attribute, kept)
    return other


def _found(model: Model, name: str) -> tuple[Any, str, tuple[int, ...] | None]:
    """What has the number, its attribute, and the place in it."""
    words = name.split(".")
    part, rest = None, words
    for k in range(len(words) - 1, 0, -1):
        try:
            part, rest = model[".".join(words[:k])], words[k:]
            break
        except ModelError:
            continue
    if part is None:
        raise OptionError(
            f"'{name}' is no number of '{model.name}': it has no part '{'.'.join(words[:-1]) or name}'; give names "
            "such as 'damper.damping', a part and what it has"
        )
    known = _attributes(part)
    owner = known.get(rest[0])
    if owner is None:
        raise OptionError(
            f"'{'.'.join(words[: -len(rest)])}' has no number '{rest[0]}'{did_you_mean(rest[0], known)}; it has "
            f"{', '.join(known)}"
        )
    attribute = rest[0]
    if hasattr(getattr(owner, attribute), "value"):  # a law that is a number
        owner, attribute = getattr(owner, attribute), "value"
    shape = np.shape(getattr(owner, attribute))
    if shape == (1,):
        rest = [*rest, "0"]
    place = tuple(
        AXES.index(word) if word in AXES else int(word) for word in rest[1:] if word in AXES or word.isdigit()
    )
    if (
        len(place) != len(rest) - 1
        or len(place) != len(shape)
        or any(p >= n for p, n in zip(place, shape, strict=True))
    ):
        ways = "" if not shape else "; add " + " and ".join("x, y or z" for _ in shape) + f", as in '{name}.x'"
        raise OptionError(f"'{name}' does not name one number of '{model.name}'{ways}")
    return owner, attribute, place or None


def _attributes(part: Any) -> dict[str, Any]:
    """Numbers of a part and of its law, and who has them."""
    found: dict[str, Any] = {}
    for owner in (part, getattr(part, "law", None)):
        if is_dataclass(owner):
            for each in fields(owner):
                value = getattr(owner, each.name)
                value = getattr(value, "value", value)
                if _is_number(value):
                    found.setdefault(each.name, owner)
    return {name: owner for name, owner in found.items() if name not in UNUSED}


def _is_number(value: Any) -> bool:
    """Whether it is a number, or an array of them."""
    if isinstance(value, tuple):
        return bool(value) and all(real(each) is not None for each in value)
    return isinstance(value, np.ndarray) or real(value) is not None
