"""What the command line may be pointed at: a piece of the gallery, or a Python file that holds a model."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from linkwork import gallery
from linkwork.errors import ModelError, OptionError
from linkwork.model.subsystem import Model


@dataclass(frozen=True)
class Target:
    """A model with what is known about running it."""

    name: str
    model: Model
    title: str = ""
    paper: str = ""
    until: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    plots: Sequence[str] = ()


def find(name: str, settings: Mapping[str, Any] | None = None) -> Target:
    """The model of this name: a gallery piece, or a `.py` file with a variable `model` or a function `build()`.

    `settings` are keywords for `build`. A name that is neither raises `OptionError` with the nearest known names.
    """
    settings = settings or {}
    if name in gallery.names():
        return _target(name, gallery.piece(name), settings)
    path = Path(name)
    if path.suffix == ".py":
        if not path.is_file():
            raise OptionError(f"there is no file {name}")
        return _target(path.name, _load(path), settings)
    if path.is_file():
        raise OptionError(f"{name}: models are read from .py files only, not from {path.suffix or 'this kind of file'}")
    close = difflib.get_close_matches(name, gallery.names(), n=3)
    remedy = "did you mean " + " or ".join(close) + "?" if close else "linkwork gallery lists the known ones"
    raise OptionError(f"there is no gallery piece and no file called {name!r}; {remedy}")


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary; a value is a Python number, tuple or text.

    >>> parse_settings(["links=100", "kind=thin", "size=(1, 2)"])
    {'links': 100, 'kind': 'thin', 'size': (1, 2)}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise OptionError(f"--set takes NAME=VALUE, not {text!r}")
        try:
            settings[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            settings[name.strip()] = value.strip()
    return settings


def parameters(build: Callable[..., Any]) -> dict[str, Any]:
    """Keywords of a `build` function and their defaults (None where there is none).

    >>> def build(*, links=3): ...
    >>> parameters(build)
    {'links': 3}
    """
    found = {}
    for name, parameter in inspect.signature(build).parameters.items():
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            default = None if parameter.default is parameter.empty else parameter.default
            found[name] = default if isinstance(default, int | float | str | bool | None) else str(default)
    return found


def _target(name: str, module: ModuleType, settings: Mapping[str, Any]) -> Target:
    return Target(
        name=name.removesuffix(".py"),
        model=_model(name, module, settings),
        title=str(getattr(module, "TITLE", "")),
        paper=str(getattr(module, "PAPER", "")),
        until=getattr(module, "UNTIL", None),
        options=dict(getattr(module, "METHOD", {})),
        plots=tuple(getattr(module, "PLOTS", ())),
    )


def _model(name: str, module: ModuleType, settings: Mapping[str, Any]) -> Model:
    build = getattr(module, "build", None)
    given = getattr(module, "model", None)
    if isinstance(given, Model) and not settings:
        return given
    if callable(build):
        known = parameters(build)
        unknown = [setting for setting in settings if setting not in known]
        if unknown:
            has = "its parameters are " + ", ".join(known) if known else "it has no parameters"
            raise OptionError(f"build() of {name} has no parameter {unknown[0]!r}; {has}")
        model = _guarded(name, module.__file__, lambda: build(**settings))
        if not isinstance(model, Model):
            raise ModelError(f"build() of {name} must return a linkwork Model, not {type(model).__name__}")
        return model
    if settings:
        raise OptionError(f"{name} has no build() that could take --set {next(iter(settings))}")
    models = {key: value for key, value in vars(module).items() if isinstance(value, Model)}
    if len({id(value) for value in models.values()}) == 1:
        return next(iter(models.values()))
    if models:
        raise ModelError(f"{name} holds several models ({', '.join(models)}); call the one to run `model`")
    raise ModelError(f"{name} holds no model; give it a variable `model` or a function build() that returns one")


def _load(path: Path) -> ModuleType:
    """Run the user's file as a module; its folder can be imported from, as with `python FILE`."""
    specification = importlib.util.spec_from_file_location(f"model_file_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise OptionError(f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module  # dataclasses and pickling inside the file look it up
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    _guarded(str(path), str(path), lambda: specification.loader.exec_module(module))  # type: ignore[union-attr]
    return module


def _guarded(name: str, file: str | None, action: Callable[[], Any]) -> Any:
    """Do it; whatever the user's code raises becomes one sentence with the line it came from."""
    try:
        return action()
    except (ModelError, OptionError) as error:
        raise type(error)(f"{_place(name, file, error)}: {error}") from error
    except SyntaxError as error:
        raise ModelError(f"{name}, line {error.lineno}: {error.msg}") from error
    except SystemExit as error:
        raise ModelError(f"{name} ended Python by itself (exit {error.code}) before its model was read") from error
    except Exception as error:
        raise ModelError(f"{_place(name, file, error)}: {type(error).__name__}: {error}") from error


def _place(name: str, file: str | None, error: BaseException) -> str:
    line, trace = None, error.__traceback__
    while trace is not None:
        if file is not None and Path(trace.tb_frame.f_code.co_filename) == Path(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return name if line is None else f"{name}, line {line}"
