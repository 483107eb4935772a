"""What the examples in docstrings may use without importing it: `lw` and `np`."""

from typing import Any

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _names_for_examples(doctest_namespace: dict[str, Any]) -> None:
    import linkwork

    doctest_namespace["lw"] = linkwork
    doctest_namespace["np"] = np
