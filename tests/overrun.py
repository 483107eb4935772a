"""Kernels that read or write beyond an array; `python overrun.py NAME` calls one."""

import sys
from typing import NamedTuple

import numpy as np

from linkwork._jit import entry, kernel
from linkwork.numerics.lanes import add_row
from linkwork.numerics.products import add_product
from linkwork.numerics.short_rows import add_short_row


class Row(NamedTuple):
    x: np.ndarray


@kernel
def write(row, k):
    row.x[k] = 1.0  # the line that is told


@entry
def index(row, k):
    write(row, k)


@entry
def eight(row, k):
    add_row(row.x, k, 2.0, row.x, 0)


@entry
def short(row, k):
    add_short_row(row.x, 0, 2.0, row.x, 0, k)


@entry
def product(row, k):
    add_product(row.x, 0, 4, row.x, 0, 4, 1, row.x, 4, 4, 1, k, 1)


INSIDE = {"index": 15, "eight": 8, "short": 16, "product": 4}
BEYOND = {"index": 16, "eight": 9, "short": 17, "product": 13}

if __name__ == "__main__":
    called = globals()[sys.argv[1]]
    called(Row(np.ones(16)), INSIDE[sys.argv[1]])
    print("inside", flush=True)
    called(Row(np.ones(16)), BEYOND[sys.argv[1]])
