"""The oldest versions of the dependencies that hatch_build.py declares."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TEXT = (Path(__file__).parents[1] / "hatch_build.py").read_text(encoding="utf-8")


def declared_floors() -> dict[str, str]:
    """Of the core and of the compiler: {"numpy": "1.26", …}."""
    lists = re.findall(r"^(?:CORE|COMPILER) = (\[.*\])", TEXT, re.MULTILINE)
    words = [word for each in lists for word in ast.literal_eval(each)]
    found = [re.fullmatch(r"(\w+)>=([\d.]+)", word) for word in words]
    return {match[1]: match[2] for match in found if match is not None}
