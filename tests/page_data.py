"""The data of a page, read back from its text: a second reader of the block, in numpy."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import numpy as np


def data_of(text: str) -> dict[str, Any]:
    """What the page shows; arrays of the block are numpy arrays."""
    found = re.search(r'<script id="show" type="application/json">(.*?)</script>', text, re.S)
    assert found is not None
    data = json.loads(found[1])
    block = zlib.decompress(base64.b64decode(data["block"]))
    return {key: value if key == "block" else _read(value, block) for key, value in data.items()}


def _read(value: Any, block: bytes) -> Any:
    if isinstance(value, list):
        return [_read(each, block) for each in value]
    if not isinstance(value, dict):
        return value
    if "at" in value and value.get("kind") in ("f8", "f4", "i4"):
        flat = np.frombuffer(block, f"<{value['kind']}", value["count"], value["at"])
        return flat.reshape(-1, value["columns"]) if "columns" in value else flat
    if "planes" in value:
        return _smooth(value, block)
    return {key: _read(each, block) for key, each in value.items()}


def _smooth(facts: dict[str, Any], block: bytes) -> Any:
    rows, columns, planes = facts["rows"], facts["columns"], facts["planes"]
    size = rows * columns
    bytes_ = np.frombuffer(block, np.uint8, size * planes, facts["at"]).reshape(planes, columns, rows)
    words = sum(bytes_[k].astype(np.int64) << (8 * k) for k in range(planes))
    whole = (words >> 1) ^ -(words & 1)
    for _ in range(facts["order"]):
        whole = np.cumsum(whole, axis=1)
    first = np.frombuffer(block, "<f8", columns, facts["first"])
    return (first[:, None] + np.resize(facts["step"], columns)[:, None] * whole).T
