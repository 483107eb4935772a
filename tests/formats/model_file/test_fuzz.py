"""Damaged model files give a model, or an error of ours: no traceback of another kind, no hang, no code that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw
from formats.fuzzing import fuzz
from formats.model_file.damaged_models import damaged_json, damaged_toml, seeds

DAMAGED = {"toml": damaged_toml, "json": damaged_json}


@pytest.mark.parametrize("ending", DAMAGED)
def test_the_seeds_are_read(ending: str, tmp_path: Path) -> None:
    for name, content in seeds(tmp_path, ending).items():
        (tmp_path / name).write_bytes(content)
        lw.read(tmp_path / name)


@pytest.mark.parametrize("ending", DAMAGED)
def test_damaged_files(ending: str, tmp_path: Path) -> None:
    found = fuzz(lw.read, seeds(tmp_path, ending), tmp_path, 150, damaged=DAMAGED[ending])
    assert found["refused"] > 30


@pytest.mark.long
@pytest.mark.parametrize("ending", DAMAGED)
def test_very_many_damaged_files(ending: str, tmp_path: Path) -> None:
    found = fuzz(lw.read, seeds(tmp_path, ending), tmp_path, 10_000, first=1000, damaged=DAMAGED[ending])
    assert found["refused"] > 3000
