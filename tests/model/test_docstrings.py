"""The examples in the docstrings run as printed."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import linkwork
import linkwork.model

MODULES = [f"linkwork.model.{item.name}" for item in pkgutil.iter_modules(linkwork.model.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"lw": linkwork})
    assert result.failed == 0
