"""The examples in the docstrings run as printed."""

import doctest
import importlib
import pkgutil

import pytest

import linkwork.model

MODULES = [f"linkwork.model.{item.name}" for item in pkgutil.iter_modules(linkwork.model.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"lw": linkwork.model})
    assert result.failed == 0
