"""What a notebook shows of a result: lines, with what is in doubt in colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

POOR = "#b3261e"


def lines_in_cell(lines: Sequence[str], doubts: Sequence[str] = ()) -> str:
    """Lines as they are printed; `doubts` stand above them, in red.

    >>> lines_in_cell(["a < b"])
    '<pre style="margin: 0">a &lt; b</pre>'
    """
    told = "".join(f"<li>{escape(each)}</li>" for each in doubts)
    above = f'<div style="color: {POOR}"><b>IN DOUBT</b><ul>{told}</ul></div>' if told else ""
    return f'{above}<pre style="margin: 0">{escape(chr(10).join(lines))}</pre>'
