"""What the examples in docstrings may use without importing it, `lw` and `np`; and methods compiled side by side."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def pytest_sessionstart() -> None:
    """Where tests run in several processes, they first compile the methods side by side: none waits for another."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    import linkwork as lw
    from linkwork._cache import cold
    from linkwork.simulation.methods import ALL

    methods = {name: kind() for name, kind in ALL.items()} | {"component_joint": lw.Components(coordinates="joint")}
    claims = _claims()
    claims.mkdir(exist_ok=True)
    # the longest first; whoever is free takes the next
    for name in sorted(methods, key=lambda name: name != "impulse"):
        loop = getattr(methods[name], "loop", name)
        if not cold(loop):
            continue
        try:
            (claims / loop).touch(exist_ok=False)
        except FileExistsError:
            continue
        lw.Simulation(lw.gallery.double_four_bar.build(), methods[name])


def pytest_sessionfinish() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        shutil.rmtree(_claims(), ignore_errors=True)


def _claims() -> Path:
    """A folder of this run of the tests, with a file for every method that somebody compiles."""
    return Path(tempfile.gettempdir()) / f"linkwork-tests-{os.environ['PYTEST_XDIST_TESTRUNUID']}"


@pytest.fixture(autouse=True)
def _names_for_examples(doctest_namespace: dict[str, Any]) -> None:
    import linkwork

    doctest_namespace["lw"] = linkwork
    doctest_namespace["np"] = np
