"""What the examples in docstrings may use without importing it: `lw` and `np`; which modules need an extra."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

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
