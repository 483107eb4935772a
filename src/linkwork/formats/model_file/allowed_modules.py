"""Parts of models that files name by module: components and compiled laws, only from modules that are allowed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.model import checked
from linkwork.model.laws.law_factory import LawOrigin, law_origin
from linkwork.model.laws.laws import ARGUMENTS, PythonLaw, as_law
from linkwork.model.subsystem import Subsystem

ANY = tuple(ARGUMENTS)  # counts of parameters
OURS = ("linkwork.gallery.*",)
MOST_LAWS = 5_000  # named in one reading


class AllowedModules:
    """The modules that files may name: `linkwork.gallery.*`, and those that the user gave.

    >>> AllowedModules(["my_parts"]).law("os:system", {})
    Traceback (most recent call last):
    linkwork.errors.ModelError: the module 'os' is not allowed to files; give modules=['os'] if you trust it
    """

    def __init__(self, modules: Sequence[str] = ()) -> None:
        given: Any = modules
        if isinstance(given, str) or not all(isinstance(name, str) for name in given):
            raise OptionError(f"modules is {checked.shown(modules)}; give a list of names, modules=['my_parts']")
        self.names = (*OURS, *modules)
        self._laws = 0

    def allows(self, module: str) -> bool:
        """Whether files may name what is in this module; 'name.*' allows all modules of a package."""
        return any(
            module.startswith(name[:-1]) and module != name[:-1] if name.endswith(".*") else module == name
            for name in self.names
        )

    def component(self, place: str, parameters: Mapping[str, Any]) -> Subsystem:
        """An object of the class at "module:Class" with these parameters."""
        kind = self._found(place, "component")
        if not (inspect.isclass(kind) and issubclass(kind, Subsystem)):
            raise ModelError(f"'{place}' is no component; give a class made from lw.Subsystem")
        try:
            return kind(**parameters)
        except (ModelError, OptionError):
            raise
        except Exception as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())[:160]
            raise ModelError(f"'{place}' cannot be built with these parameters ({told}); correct parameters") from None

    def law(self, place: str, numbers: Mapping[str, float]) -> Any:
        """The compiled law at "module:name", or the one that the factory of this name makes from the numbers."""
        self._laws += 1
        if self._laws > MOST_LAWS:
            raise ModelError(f"more than {MOST_LAWS} compiled laws are named; give tables instead of some of them")
        found = self._found(place, "compiled law")
        if getattr(found, "makes_laws", False):
            try:
                return found(**numbers)
            except ModelError:
                raise
            except Exception as error:
                told = " ".join(f"{type(error).__name__}: {error}".split())[:160]
                raise ModelError(f"'{place}' makes no law of these numbers ({told}); correct parameters") from None
        if law_origin(found.function if isinstance(found, PythonLaw) else found) is None:
            raise ModelError(f"'{place}' is no compiled law; put @lw.compiled or @lw.law_factory above it")
        if numbers:
            raise ModelError(f"'{place}' is a law without numbers of its own; remove parameters")
        return found

    def _found(self, place: str, what: str) -> Any:
        module, colon, name = place.partition(":")
        if not colon or not name.isidentifier() or not all(step.isidentifier() for step in module.split(".")):
            raise ModelError(f'{checked.shown(place)} names no {what}; write it as "module:name"')
        if not self.allows(module):
            raise ModelError(
                f"the module '{module}' is not allowed to files; give modules=['{module}'] if you trust it"
            )
        try:
            content = importlib.import_module(module)
        except ImportError as error:
            raise ModelError(f"the module '{module}' cannot be imported ({error}); install it, or correct it") from None
        if name.startswith("_") or not hasattr(content, name):
            hint = checked.did_you_mean(name, [each for each in vars(content) if not each.startswith("_")])
            raise ModelError(f"the module '{module}' has no '{name}'{hint or '; correct it'}")
        found = getattr(content, name)
        home = str(getattr(found.function if isinstance(found, PythonLaw) else found, "__module__", module))
        if not self.allows(home):
            raise ModelError(f"'{place}' comes from the module '{home}', which is not allowed to files; name it there")
        return found

    def named(self, law: PythonLaw) -> LawOrigin | str:
        """How a file can name a law so that reading finds this very one; or why it cannot."""
        if law.start:
            return "its law has states of its own, which files do not hold; add it in Python"
        origin = law_origin(law.function)
        if origin is None:
            return "it follows a Python function; give a table, or a compiled law of a module"
        place = f"{origin.module}:{origin.name}"
        if not self.allows(origin.module):
            return f"its law '{place}' is in a module that is not allowed to files; give modules=['{origin.module}']"
        try:
            same = as_law(self.law(place, origin.numbers), arities=ANY) == law
        except ModelError as error:
            return f"its law cannot be found again: {error}"
        return origin if same else f"its law is not what '{place}' names; let a @lw.law_factory of a module make it"
