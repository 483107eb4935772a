"""Values in the few types that JSON has, and lists of names made short."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The same value in the few types JSON has."""
    if value is None or isinstance(value, str | bool | int | float):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    return str(value)


def shortened(names: list[str], most: int = 6) -> str:
    """The first few names and how many more there are.

    >>> shortened(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join(names[:most]) + f" and {len(names) - most} more"
