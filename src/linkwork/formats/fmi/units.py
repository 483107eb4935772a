"""Units as FMI writes them: by exponents of the base units of SI."""

from __future__ import annotations

BASE = {
    "m": {"m": 1},
    "rad": {"rad": 1},
    "s": {"s": 1},
    "kg": {"kg": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
}


def exponents(unit: str) -> dict[str, int]:
    """Exponents of the base units in a unit such as "N m/rad" or "m/s^2"; {} for a plain number.

    >>> exponents("N m/rad")
    {'kg': 1, 'm': 2, 's': -2, 'rad': -1}
    """
    found: dict[str, int] = {}
    above, _, below = unit.partition("/")
    for text, sign in ((above, 1), (below, -1)):
        for word in text.split():
            name, _, power = word.partition("^")
            for base, count in BASE.get(name, {}).items():
                found[base] = found.get(base, 0) + sign * count * int(power or 1)
    return {base: count for base, count in found.items() if count}
