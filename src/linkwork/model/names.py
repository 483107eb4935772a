"""Full names: the steps from the model to a part, with dots between them.

A step is the name of a part. One with a dot in it stands in quotes: `'left.arm'.hand`. Where a body and a joint have
the same name, each says what it is: `body:arm`, `joint:arm`; so does the ground of a subsystem beside a body `ground`.
A column is a full name and a quantity, `'left.arm'.hand.position`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

KINDS = ("body", "joint", "ground")  # what may stand before a colon
LONGEST = 255  # characters of a name: what plots, tables and terminals can still show
ACCOUNTS = ("energy", "drift", "solver")  # of a run: no part of the model may be called so
_STEP = re.compile(rf"(?:(?P<kind>{'|'.join(KINDS)}):)?(?P<name>(?:'[^']*')?[^.]*)(?:\.|$)")
_ITEM = re.compile(r"(?:(?<![^.:,\s])'[^']*'|[^,])+")


class PathStep(NamedTuple):
    """One step of a full name; `kind` is empty where only one part is called so."""

    kind: str
    name: str


def needs_quotes(name: str) -> bool:
    """Whether the name cannot stand between dots as it is."""
    return "." in name or name.startswith("'")


def step(name: str, kind: str = "") -> str:
    """A name as it stands between dots.

    >>> step("arm"), step("left.arm"), step("arm", "joint")
    ('arm', "'left.arm'", 'joint:arm')
    """
    quoted = f"'{name}'" if needs_quotes(name) else name
    return f"{kind}:{quoted}" if kind else quoted


def joined(steps: Iterable[PathStep]) -> str:
    """The full name of these steps."""
    return ".".join(step(name, kind) for kind, name in steps)


def split(path: str) -> list[PathStep]:
    """The steps of a full name.

    >>> [each.name for each in split("car.'left.arm'.hand")]
    ['car', 'left.arm', 'hand']
    >>> split("joint:arm")
    [PathStep(kind='joint', name='arm')]
    """
    steps, start = [], 0
    while start <= len(path):
        found = _STEP.match(path, start)
        assert found is not None  # an empty step fits
        name = found["name"]
        bare = name[1:-1] if len(name) > 1 and name[0] == name[-1] == "'" else name
        steps.append(PathStep(found["kind"] or "", bare))
        start = found.end() + (found.end() == len(path) and not found[0].endswith("."))
    return steps


def last(path: str) -> str:
    """The name of the part alone.

    >>> last("car.left arm"), last("car.'left.arm'")
    ('left arm', 'left.arm')
    """
    return split(path)[-1].name


def others(path: str) -> list[str]:
    """The same full name with every kind at its last step that it does not have: names of parts that share it.

    >>> others("arm"), others("left.joint:arm")
    (['body:arm', 'joint:arm', 'ground:arm'], ['left.arm'])
    """
    *before, (kind, name) = split(path)
    kinds = ("",) if kind else KINDS
    return [joined([*before, PathStep(each, name)]) for each in kinds]


def without_kinds(path: str) -> str:
    """The full name without what tells twins apart; for patterns.

    >>> without_kinds("left.joint:arm.position")
    'left.arm.position'
    """
    return joined(PathStep("", name) for _, name in split(path)) if ":" in path else path


def split_list(text: str) -> list[str]:
    """What stands between the commas of a list that somebody typed; those inside quotes belong to names.

    >>> split_list("pin.position, 'a, b'.velocity")
    ['pin.position', "'a, b'.velocity"]
    """
    return [each.strip() for each in _ITEM.findall(text) if each.strip()]
