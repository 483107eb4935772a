"""What the examples in docstrings may use without importing it, `lw` and `np`; and methods compiled side by side."""

import os
from typing import Any

import numpy as np
import pytest


def pytest_sessionstart() -> None:
    """Where tests run in several processes, each compiles its share of the methods first: none waits for another."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    import linkwork as lw
    from linkwork._jit import cold
    from linkwork.simulation.methods import ALL

    methods = {name: kind() for name, kind in ALL.items()} | {"component_joint": lw.Components(coordinates="joint")}
    number, count = int(worker[2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    # impulses take about as long as all the others
    long = ["impulse"]
    others = [name for name in methods if name not in long]
    if count == 1:
        share = long + others
    else:
        share = others[number - 1 :: count - 1] if number > 0 else long
    for name in share:
        if cold(getattr(methods[name], "loop", name)):
            lw.Simulation(lw.gallery.double_four_bar.build(), methods[name])


@pytest.fixture(autouse=True)
def _names_for_examples(doctest_namespace: dict[str, Any]) -> None:
    import linkwork

    doctest_namespace["lw"] = linkwork
    doctest_namespace["np"] = np
