"""What a method remembers from one step to the next, beside its state: all of its memory that goes to a file.

Everything else in its workspace is scratch, or structure that is made anew from the model. So a file can hold nothing
that the kernels use as an index, as an address or as a size, but for the few whole numbers that the method checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.simulation.storage.npz import Damaged
from linkwork.spatial.codes import CONSTANT

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


def persistent_arrays(stepper: Stepper) -> dict[str, Any]:
    """The arrays of the state, of the inputs, and those that the method carries, by name; not copies."""
    found = {f"state.{name}": values for name, values in stepper.state._asdict().items() if name != "row"}
    found |= {f"workspace.{name}": _at(stepper.workspace, name) for name in stepper.method.persistent}
    return {"laws": stepper.tables.laws.law_param, "behind": stepper.lag, "waiting": stepper.lag_waits, **found}


def persistent_array(stepper: Stepper, name: str) -> Any:
    """An array that the method carries, by its name ("steps.f"); None where it carries none of this name."""
    return _at(stepper.workspace, name) if name in stepper.method.persistent else None


def _at(place: Any, name: str) -> Any:
    for step in name.split("."):
        place = getattr(place, step)
    return place


def checked_arrays(stepper: Stepper, arrays: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pairs of memory and what a file wants in it; raises `Damaged` where that cannot be a state of this stepper."""
    pairs = []
    for name, values in persistent_arrays(stepper).items():
        found = arrays.get(name)
        if found is None or (found.shape, found.dtype) != (values.shape, values.dtype):
            raise Damaged(f"its {name} does not fit")
        if name == "laws" and not np.array_equal(*(_others(stepper, each) for each in (values, found))):
            raise Damaged("its laws are not those of the model")
        if values.dtype.kind == "f":
            if name in ("state.t", "state.y", "state.vd", "state.cut_q") and not np.isfinite(found).all():
                raise Damaged(f"its {name} is not finite")
        else:
            _check_whole(stepper, name.removeprefix("workspace."), found)
        pairs.append((values, found))
    return pairs


def _others(stepper: Stepper, param: Any) -> Any:
    """The numbers of laws that are no constants: some say where others stand."""
    return param[stepper.tables.laws.law_kind != CONSTANT]


def _check_whole(stepper: Stepper, name: str, found: Any) -> None:
    if not stepper.method.accepts(stepper.workspace, name, found):
        raise Damaged(f"its {name} is out of range")
