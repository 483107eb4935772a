"""Tables of numbers in files beside a model file: rows of numbers with commas between them."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.sources import read_bytes
from linkwork.model import checked
from linkwork.model.checked import Vector

LARGEST = 64 * 1024 * 1024  # bytes
MOST = 4_000_000  # numbers
SEPARATORS = ",;\t"


def read_numbers(path: Path) -> Vector:
    """The rows of a csv file, (rows, columns). The first line may name the columns."""
    try:
        text = read_bytes(path, "a csv file", LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError(f"{path.name}: it is not text in UTF-8; give a csv file") from None
    head = text[: text.find("\n")] if "\n" in text else text
    separator = max(SEPARATORS, key=head.count)
    rows: list[list[float]] = []
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text), delimiter=separator), start=1):
            if not cells or (number == 1 and not any(_is_number(cell) for cell in cells)):
                continue
            rows.append(_row(cells, path, number))
            if len(rows) * len(cells) > MOST:
                raise ModelError(f"{path.name}: it has more than {MOST} numbers; give fewer")
            if len(rows[-1]) != len(rows[0]):
                raise ModelError(
                    f"{path.name}: line {number} has {len(cells)} numbers and others have {len(rows[0])}; correct it"
                )
    except csv.Error as error:
        raise ModelError(f"{path.name}: it is no csv file ({error}); give rows of numbers with commas") from None
    if not rows:
        raise ModelError(f"{path.name}: it holds no numbers; give rows of numbers with commas between them")
    return np.array(rows)


def _row(cells: list[str], path: Path, number: int) -> list[float]:
    if not all(_is_number(cell) for cell in cells):
        wrong = next(cell for cell in cells if not _is_number(cell))
        raise ModelError(f"{path.name}: line {number}: {checked.shown(wrong)} is no finite number; correct it")
    return [float(cell) for cell in cells]


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def written_numbers(rows: Vector) -> bytes:
    """Rows of numbers as csv, to the last bit.

    >>> written_numbers(np.array([[0.0, 0.1], [1.0, 0.3]]))
    b'0.0,0.1\\n1.0,0.3\\n'
    """
    return "".join(",".join(repr(x) for x in row) + "\n" for row in np.atleast_2d(rows).tolist()).encode()
