"""Values in the few types that JSON has."""

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
