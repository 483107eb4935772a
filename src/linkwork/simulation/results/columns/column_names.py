"""Which column a name means. A column is called by the full name of its part and a quantity (see `model.names`).

Where a body and a joint share their name the columns are "body:arm.position" and "joint:arm.position". A name that says
the kind is good for every body and joint; one that does not is good where a single column can be meant.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterable

from linkwork.errors import OptionError
from linkwork.model import names

OF_JOINTS = ("position", "velocity", "acceleration", "reaction", "stop_force")
ENERGY = ("kinetic", "potential", "springs", "total", "dissipated", "numerical", "impacts", "work", "balance")
DRIFT = ("position", "velocity")
OF_SOLVER = {  # by what `Method.effort` counts
    "": (),
    "iterations": ("iterations", "residual"),
    "sweeps": ("sweeps", "residual", "rows", "cut"),
}
LEDGERS = {"energy": ENERGY, "drift": DRIFT, "solver": tuple(dict.fromkeys(sum(OF_SOLVER.values(), ())))}
ACCOUNTS = ["time", *LEDGERS, *(f"{ledger}.{entry}" for ledger, entries in LEDGERS.items() for entry in entries)]


def find_column(name: str, columns: Collection[str], bodies: Callable[[], Collection[str]]) -> str | None:
    """The column that is meant, if there is one; `bodies` are the full names of the bodies. Refused where two could be.

    >>> columns = ["body:arm.position", "joint:arm.position", "joint:arm.reaction", "pin.position"]
    >>> find_column("arm.reaction", columns, list), find_column("joint:pin.position", columns, list)
    ('joint:arm.reaction', 'pin.position')
    >>> find_column("arm.position", columns, list)
    Traceback (most recent call last):
    linkwork.errors.OptionError: 'arm.position' may be 'body:arm.position' or 'joint:arm.position'; give one of them
    """
    if name in columns:
        return name
    owner, dot, quantity = name.rpartition(".")
    if not dot:
        return None
    same = names.joined(names.split(owner))  # without quotes that it does not need
    found = [f"{other}.{quantity}" for other in (same, *names.others(owner))]
    found = [each for each in found if each in columns]
    if len(found) > 1:
        raise OptionError(f"{name!r} may be {' or '.join(map(repr, found))}; give one of them")
    if not found or found[0] == f"{same}.{quantity}":
        return found[0] if found else None
    kind, plain = names.split(owner)[-1].kind, found[0].rpartition(".")[0]
    if kind and (kind == "body") != (plain in bodies()):
        return None
    return None if kind == "joint" and quantity not in OF_JOINTS else found[0]


def fitting(pattern: str, columns: Iterable[str]) -> list[str]:
    """The columns that fit a pattern with `*` and `?`, with the kinds of their parts or without.

    >>> fitting("arm.*", ["body:arm.position", "joint:arm.position", "pin.position"])
    ['body:arm.position', 'joint:arm.position']
    """
    fits = fnmatch.fnmatchcase
    return [name for name in columns if fits(name, pattern) or fits(names.without_kinds(name), pattern)]
