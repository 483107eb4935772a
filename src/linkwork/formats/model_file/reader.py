"""Models from TOML and JSON files. The words of the files are in part_tables.py and on the page "Model files"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.formats.model_file.allowed_modules import AllowedModules
from linkwork.formats.model_file.building import FileScope, ModelBuild
from linkwork.formats.model_file.document import Document
from linkwork.formats.model_file.expressions import parameter_value
from linkwork.formats.receipt import Receipt
from linkwork.model import checked
from linkwork.model.subsystem import Model


def read_model_file(
    path: Path,
    receipt: Receipt,
    *,
    parameters: Mapping[str, float | str] | None = None,
    modules: Sequence[str] = (),
    allow: Sequence[str | PathLike[str]] = (),
) -> Model:
    """A model from a TOML or JSON file.

    `parameters` replaces values of its [parameters]; `modules` lists modules whose components and compiled laws it may
    name, beside those of the gallery; `allow` lists folders from which it may read files, beside its own.
    """
    build = ModelBuild(path, receipt, AllowedModules(modules), [path.parent, *(Path(each) for each in allow)])
    try:
        document = build.document(path)
        return _model(build, document, given_parameters(parameters, document.data.get("parameters", {})))
    except RecursionError:
        raise ModelError(f"{path.name}: tables stand too deep inside each other; correct it") from None


def _model(build: ModelBuild, document: Document, given: Mapping[str, float]) -> Model:
    scope = FileScope(document, (), {})
    scope.parameters = build.parameters(scope, document.data.get("parameters", {}), given)
    said = build.head(scope)
    options = {"gravity": said["gravity"]} if "gravity" in said else {}
    model = Model("model")
    try:
        model = Model(said.get("name", document.path.stem or "model"), **options)
    except ModelError as error:
        build.problems.add(document, ("name" if "name" in str(error) else "gravity",), str(error))
    build.fill(model, document.data, scope)
    build.problems.refuse()
    return model


def given_parameters(given: Any, known: Any) -> dict[str, float]:
    """The option parameters= as numbers; raises for those that the file does not have."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f"parameters is {checked.shown(given)}; give a dict, parameters={{'length': 0.3}}")
    for name in given:
        if not isinstance(known, dict) or name not in known:
            names = list(known) if isinstance(known, dict) else []
            listed = f"; give one of {', '.join(names)}" if names else "; it has no [parameters]"
            raise OptionError(f"the file has no parameter '{name}'{checked.did_you_mean(str(name), names) or listed}")
    try:
        return {name: parameter_value(name, value, {}) for name, value in given.items()}
    except ModelError as error:
        raise OptionError(str(error)) from None
