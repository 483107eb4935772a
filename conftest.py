"""What all tests share: names for the examples in docstrings, which modules need an extra, and quickness."""

import gc
import os
from importlib.util import find_spec
from typing import Any

# before numpy is imported: several tests run at once, and each has one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.disable()  # until all tests are collected: what is made by then stays

import numpy as np  # noqa: E402
import pytest  # noqa: E402

LONG_FIRST = (
    "tests/test_docs.py",
    "tests/contact/",  # by one worker: its first file compiles what the others use
    "tests/viewer/",
    "tests/attacks/",
    "tests/kernels/",
    "tests/formats/",
    "tests/distribute/",
    "tests/gallery/",
    "tests/laws/",
)
NEED_OCP = ["src/linkwork/formats/step/extract.py", "src/linkwork/formats/step/occt_solids.py"]
NEED_MUJOCO = ["src/linkwork/formats/mjcf/reader.py", "src/linkwork/formats/mjcf/writer.py"]
collect_ignore = [] if find_spec("OCP") else NEED_OCP
collect_ignore += [] if find_spec("mujoco") else NEED_MUJOCO


@pytest.fixture(autouse=True)
def _names_for_examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    import linkwork

    if isinstance(request.node, pytest.DoctestItem):  # some write files: in a folder of their own
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
    doctest_namespace["lw"] = linkwork
    doctest_namespace["np"] = np


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first, so that workers end together."""
    places = (*LONG_FIRST, "")
    items.sort(key=lambda item: next(k for k, place in enumerate(places) if item.nodeid.startswith(place)))


def pytest_collection_finish() -> None:
    """From now on Python looks for garbage, but no more among the tests themselves."""
    gc.collect()
    gc.freeze()
    gc.enable()
