"""Of many cases alike some are tried by `make test`, and all by `make validate`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def rest_long(cases: Iterable[Any], quick: Collection[Any]) -> list[Any]:
    """The cases, with all but those of `quick` marked long."""
    cases = list(cases)
    assert all(case in cases for case in quick), "a case that is not there"
    return [case if case in quick else pytest.param(case, marks=pytest.mark.long) for case in cases]
