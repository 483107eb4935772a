"""What the command line may be pointed at: a piece of the gallery, a Python file that holds a model, a model file."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from linkwork import gallery
from linkwork.errors import ModelError, OptionError
from linkwork.formats.reading import READERS, can_read, find_reader, read
from linkwork.formats.receipt import Receipt
from linkwork.model import checked
from linkwork.model.subsystem import Model, Subsystem

UNTIL = 1.0  # s: how long a model from a file is run that does not say it
WORDS = {"true": True, "false": False, "none": None}  # of options of readers


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
    keys: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    stay: Sequence[str] = ()
    receipt: Receipt | None = None  # of a file that `lw.read` reads


def find(
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    viewing: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Target:
    """The model of this name: a gallery piece, a `.py` file with `model` or `build()`, or a file for `lw.read`.

    `settings` are keywords for `build` or parameters of a model file; with `viewing`, for the live page, so are those
    in `VIEW` of a `.py` file. `reading` are options of `lw.read`. A name that is nothing of this raises `OptionError`
    with the nearest known names.
    """
    from linkwork.simulation.storage.files import path_of

    settings = settings or {}
    path = path_of(name)
    if name not in gallery.names() and can_read(path) and not path.is_dir():
        return _read(path, settings, reading or {})
    if reading:
        raise OptionError(f"{name} is not read by lw.read and has no option {next(iter(reading))!r}; leave --read out")
    if name in gallery.names():
        return _target(name, gallery.piece(name), settings, viewing)
    if name and path.is_dir():
        raise OptionError(f"{name} is a folder; give the .py file or the model file in it")
    if path.suffix == ".npz" and path.is_file():
        raise OptionError(
            f"{name} is a result file, not a model; linkwork replay shows it, lw.load_run({name!r}) reads it"
        )
    if path.is_file() and path.suffix != ".py":
        kind = path.suffix or "a file without a suffix"
        known = ", ".join((*READERS, ".xml"))
        raise OptionError(f"{name}: models are not read from {kind}; give a file with one of .py, {known}")
    if path.suffix == ".py":
        if not path.is_file():
            raise OptionError(f"there is no file {name}; check its name and folder")
        return _target(path.name, _load(path.resolve()), settings, viewing)
    close = difflib.get_close_matches(name, gallery.names(), n=3)
    remedy = "did you mean " + " or ".join(close) + "?" if close else "linkwork gallery lists the known ones"
    raise OptionError(f"there is no gallery piece and no file called {name!r}; {remedy}")


def _read(path: Path, settings: Mapping[str, Any], reading: Mapping[str, Any]) -> Target:
    """A model file; its parameters are the option `parameters` of its reader, where it has that."""
    if not path.exists():
        raise OptionError(f"there is no file {path}; check its name and folder")
    if settings:
        if "parameters" not in inspect.signature(find_reader(path)).parameters:
            raise OptionError(
                f"{path.name} has no parameters that --set could change; --read sets options of its reader"
            )
        reading = {**reading, "parameters": dict(settings)}
    model, receipt = read(path, **reading)
    return Target(name=path.stem, model=model, until=UNTIL, receipt=receipt)


def find_component(name: str, settings: Mapping[str, Any] | None = None) -> Callable[[], Subsystem]:
    """A maker of components from "FILE.py:Class" or "piece:Class"; `settings` are keywords of the class."""
    from linkwork.simulation.storage.files import path_of

    source, colon, word = name.partition(":")
    if not colon or not word:
        raise OptionError(f"give the component as FILE.py:Class or PIECE:Class, such as car:Wheel, not {name!r}")
    if source in gallery.names():
        module = gallery.piece(source)
    else:
        path = path_of(source)
        if path.suffix != ".py" or not path.is_file():
            raise OptionError(f"there is no gallery piece and no .py file called {source!r}; check its name and folder")
        module = _load(path.resolve())
    kind = getattr(module, word, None)
    if not (isinstance(kind, type) and issubclass(kind, Subsystem)):
        found = [key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Subsystem)]
        known = ", ".join(key for key in found if key != "Subsystem") or "none"
        raise OptionError(f"{source} has no subsystem {word!r}; its subsystems are: {known}")
    given = dict(settings or {})
    _guarded(name, getattr(module, "__file__", None), lambda: kind(**given))  # tried once before anybody calls
    return lambda: kind(**given)


def parse_settings(texts: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary; a value is a Python number, tuple or text.

    >>> parse_settings(["links=100", "kind=thin", "size=(1, 2)"])
    {'links': 100, 'kind': 'thin', 'size': (1, 2)}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            example = "mass=2.5" if option == "--set" else "base=floating"
            raise OptionError(f"{option} takes NAME=VALUE, not {text!r}; write {option} {example}, for example")
        try:
            settings[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            settings[name.strip()] = value.strip()
    return settings


def parse_reading(texts: Sequence[str]) -> dict[str, Any]:
    """Options of a reader: as `parse_settings`, and true, false and none are words.

    >>> parse_reading(["base=floating", "strict=false"])
    {'base': 'floating', 'strict': False}
    """
    found = parse_settings(texts, "--read")
    return {name: WORDS.get(value.lower(), value) if isinstance(value, str) else value for name, value in found.items()}


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


def _required(build: Callable[..., Any]) -> list[str]:
    """Parameters that have no default."""
    items = inspect.signature(build).parameters.values()
    return [
        item.name
        for item in items
        if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)
    ]


def _target(name: str, module: ModuleType, settings: Mapping[str, Any], viewing: bool) -> Target:
    keys = _keys(name, getattr(module, "KEYS", None))
    if viewing:
        if set(settings) & set(getattr(module, "VIEW", {})):
            keys = {}  # they are for the model that is meant to be driven
        settings = {**getattr(module, "VIEW", {}), **settings}
    until, options, plots = (getattr(module, word, None) for word in ("UNTIL", "METHOD", "PLOTS"))
    if until is not None and (
        isinstance(until, bool) or not isinstance(until, int | float) or not 0 < until < math.inf
    ):
        raise ModelError(f"{name}: UNTIL must be a positive number of seconds, not {checked.shown(until)}; correct it")
    if options is not None and not isinstance(options, Mapping):
        raise ModelError(
            f'{name}: METHOD must be a dictionary such as {{"integrator": "rk4", "dt": 1e-3}}, '
            f"not {checked.shown(options)}; correct it"
        )
    plots = [plots] if isinstance(plots, str) else plots
    if plots is not None and not (isinstance(plots, list | tuple) and all(isinstance(word, str) for word in plots)):
        raise ModelError(
            f'{name}: PLOTS must list column names such as ["pin.position", "energy"], '
            f"not {checked.shown(plots)}; correct it"
        )
    return Target(
        name=name.removesuffix(".py"),
        model=_model(name, module, settings),
        title=str(getattr(module, "TITLE", "")),
        paper=str(getattr(module, "PAPER", "")),
        until=until,
        options=dict(options or {}),
        plots=tuple(plots or ()),
        keys=keys,
        stay=tuple(getattr(module, "STAY", ())),
    )


def _keys(name: str, keys: Any) -> dict[str, dict[str, float]]:
    """What keys of the live page set inputs to while they are held: {"I": {"left motor": 2.0}}; letters or digits."""
    if keys is None:
        return {}
    good = isinstance(keys, Mapping) and all(
        isinstance(key, str)
        and len(key) == 1
        and (key.isdigit() or "A" <= key <= "Z")
        and isinstance(inputs, Mapping)
        and all(isinstance(value, int | float) and math.isfinite(value) for value in inputs.values())
        for key, inputs in keys.items()
    )
    if not good:
        raise ModelError(
            f'{name}: KEYS must set inputs by capital letters or digits, such as {{"I": {{"motor": 2.0}}}}; correct it'
        )
    return {key: {each: float(value) for each, value in inputs.items()} for key, inputs in keys.items()}


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
        missing = [setting for setting in _required(build) if setting not in settings]
        if missing:
            raise OptionError(f"build() of {name} needs {' and '.join(missing)}; give --set {missing[0]}=VALUE")
        own = not module.__name__.startswith(gallery.__name__)  # the lines of ours would tell nobody anything
        model = _guarded(name, module.__file__ if own else None, lambda: build(**settings))
        if not isinstance(model, Model):
            raise ModelError(
                f"build() of {name} must return a linkwork Model, not {type(model).__name__}; correct its return"
            )
        return model
    if settings:
        raise OptionError(
            f"{name} has no build() that could take {next(iter(settings))}; leave --set out, or write one"
        )
    models = {key: value for key, value in vars(module).items() if isinstance(value, Model)}
    if len({id(value) for value in models.values()}) == 1:
        return next(iter(models.values()))
    if models:
        raise ModelError(f"{name} holds several models ({', '.join(models)}); call the one to run `model`")
    raise ModelError(f"{name} holds no model; give it a variable `model` or a function build() that returns one")


def _load(path: Path) -> ModuleType:
    """Run the user's file (a whole path) as a module; its folder can be imported from, as with `python FILE`."""
    specification = importlib.util.spec_from_file_location(f"model_file_{path.stem}", path)
    assert specification is not None, path  # it ends in .py
    assert specification.loader is not None, path
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module  # dataclasses and pickling inside the file look it up
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    load = specification.loader.exec_module
    _guarded(path.name, str(path), lambda: load(module))
    return module


def _guarded(name: str, file: str | None, action: Callable[[], Any]) -> Any:
    """Do it; whatever the user's code raises becomes one sentence with the line it came from."""
    try:
        return action()
    except (ModelError, OptionError) as error:
        if file is None:
            raise
        raise type(error)(f"{_place(name, file, error)}: {error}") from error
    except SyntaxError as error:
        place = name if error.lineno is None else f"{name}, line {error.lineno}"
        raise ModelError(f"{place}: it is not Python ({error.msg}); correct the file") from error
    except SystemExit as error:
        raise ModelError(
            f"{name} ended Python by itself (exit {error.code}) before its model was read; remove the exit"
        ) from error
    except Exception as error:
        message = " ".join(str(error).split())
        raise ModelError(f"{_place(name, file, error)}: {type(error).__name__}: {message}") from error


def _place(name: str, file: str | None, error: BaseException) -> str:
    line, trace = None, error.__traceback__
    while trace is not None:
        if file is not None and Path(trace.tb_frame.f_code.co_filename) == Path(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return name if line is None else f"{name}, line {line}"
