"""What a method remembers from one step to the next, beside its state: all of its memory that goes to a file.

Everything else in its workspace is scratch, or structure that is made anew from the model. So a file can hold nothing
that the kernels use as an index, as an address or as a size, but for the few whole numbers that are checked here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.simulation.storage.npz import Damaged

if TYPE_CHECKING:
    from linkwork.simulation.stepper import Stepper

_STEPPING = ("steps.f", "steps.history", "steps.carried")  # rates of the last steps, size of the adaptive step
_RULE = ("rule.power", "rule.last", "rule.span")  # of the last step
_NEAR_SINGULAR = ("near_singular.root", "near_singular.near", "near_singular.looked")
_KNOWN_ROWS = ("sure", "reference", "floor")  # independent ones, and what their pivots are compared with
_ROWS = ("carried", "rows.kept", "rows.offset", "contacts.count", "contacts.id", "contacts.point", "contacts.impulse")

CARRIED: dict[str, tuple[str, ...]] = {
    "recursive": (*_STEPPING, "loops.reference", "loops.rank"),
    "absolute": (*_STEPPING, *_NEAR_SINGULAR, *(f"blocks.{name}" for name in _KNOWN_ROWS)),
    "component": (*_STEPPING, *_NEAR_SINGULAR, *(f"factors.blocks.{name}" for name in _KNOWN_ROWS)),
    "component in joints": (
        *_STEPPING,
        "loops.reference",
        "loops.rank",
        "parts.near_singular.looked",
        *(f"parts.factors.blocks.{name}" for name in _KNOWN_ROWS),
    ),
    "hybrid": ("newton.lam", *_RULE),
    "semi-recursive": (*_RULE, "rows", "columns", "best_rows", "best_columns", "rank", "pivot", "row_unit", "finest"),
    "global": ("lam", "alpha", "row_unit", "step", "z", "z0", "zd0", "zdd0", "power", "net.blocks", "net.first"),
    "impulse": _ROWS,
    "maximal": _ROWS,
}
# whole numbers that kernels use: how each is checked, by the memory that the method has made for itself
_ORDERS = ("rows", "columns", "best_rows", "best_columns")  # of all indices, each once
_MOST: dict[str, Callable[[Any], int]] = {
    "contacts.count": lambda workspace: len(workspace.contacts.id),
    "loops.rank": lambda workspace: len(workspace.loops.g),
    "rank": lambda workspace: min(len(workspace.rows), len(workspace.columns)),
}
LARGEST = 2**62  # other whole numbers are only compared with each other


def carried_arrays(stepper: Stepper) -> dict[str, Any]:
    """The arrays of the state, of the inputs, and those that the method carries, by name; not copies."""
    method = stepper.method.name
    if method == "component" and stepper.method.coordinates == "joint":
        method = "component in joints"
    found = {f"state.{name}": values for name, values in stepper.state._asdict().items()}
    found |= {f"workspace.{name}": _at(stepper.workspace, name) for name in CARRIED[method]}
    return {"laws": stepper.tables.laws.law_param, "behind": stepper.lag, "waiting": stepper.lag_waits, **found}


def _at(place: Any, name: str) -> Any:
    for step in name.split("."):
        place = getattr(place, step)
    return place


def checked_arrays(stepper: Stepper, arrays: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pairs of memory and what a file wants in it; raises `Damaged` where that cannot be a state of this stepper."""
    pairs = []
    for name, values in carried_arrays(stepper).items():
        found = arrays.get(name)
        if found is None or (found.shape, found.dtype) != (values.shape, values.dtype):
            raise Damaged(f"its {name} does not fit")
        if values.dtype.kind == "f":
            if name in ("state.t", "state.y", "state.vd", "state.cut_q") and not np.isfinite(found).all():
                raise Damaged(f"its {name} is not finite")
        else:
            _check_whole(stepper.workspace, name.removeprefix("workspace."), found)
        pairs.append((values, found))
    return pairs


def _check_whole(workspace: Any, name: str, found: Any) -> None:
    if name in _ORDERS:
        good = np.array_equal(np.sort(found), np.arange(found.size))
    else:
        most = _MOST[name](workspace) if name in _MOST else LARGEST
        good = bool((found >= 0).all() and (found <= most).all())
    if not good:
        raise Damaged(f"its {name} is out of range")
