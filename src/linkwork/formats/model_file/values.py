"""What may stand behind a key of a model file: numbers, texts, lists of numbers, tables. Pydantic collects the errors.

A `ValueType` checks what a file says and turns it into what the verbs of a model take. The context of a validation is a
`FileContext`: parameters, folders and modules of the file at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import ConfigDict, PlainValidator, TypeAdapter, ValidationError, create_model
from pydantic_core import InitErrorDetails, PydanticCustomError

from linkwork.errors import ModelError
from linkwork.formats.model_file.allowed_modules import AllowedModules
from linkwork.formats.model_file.csv_numbers import read_numbers
from linkwork.formats.model_file.expressions import evaluate
from linkwork.model import checked
from linkwork.model.synonyms import meant

Validate = Callable[[Any, Any], Any]  # of a value and pydantic's ValidationInfo
TOLD = "told"  # errors whose words are final
MOST_TOLD = 100  # errors of one table


class FileContext(Protocol):
    """What values need to know of the file they stand in."""

    parameters: Mapping[str, float]
    modules: AllowedModules

    def beside(self, name: str) -> Path:
        """The path of a file that this one refers to."""


class ValueType:
    """A kind of value: `told` in the words of the documentation, and what checks it."""

    def __init__(self, told: str, validate: Validate) -> None:
        self.told = told
        self.validate = validate
        self.annotation: Any = Annotated[Any, PlainValidator(validate)]


class TableType(ValueType):
    """A table {key = value, ...}; a key with ? at its end may be left out. `make` gets the keys as keywords."""

    def __init__(self, told: str, keys: Mapping[str, ValueType], make: Callable[..., Any]) -> None:
        super().__init__(told, self._checked)
        self.keys = {key.rstrip("?"): value for key, value in keys.items()}
        self.needed = [key for key in keys if not key.endswith("?")]
        self.make = make
        self._adapter: TypeAdapter[Any] | None = None

    def _checked(self, value: Any, info: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(
                f"must be a table {{{', '.join(self.needed or list(self.keys)[:2])} = ...}}, {_got(value)}"
            )
        return self.make(**self.read(value, info.context))

    def read(self, value: Mapping[str, Any], context: FileContext) -> dict[str, Any]:
        """The values of the keys that are given; raises pydantic's ValidationError with all that is wrong."""
        if self._adapter is None:
            fields: dict[str, Any] = {
                key: (kind.annotation, ... if key in self.needed else None) for key, kind in self.keys.items()
            }
            model = create_model("Table", __config__=ConfigDict(extra="forbid", protected_namespaces=()), **fields)
            self._adapter = TypeAdapter(model)
        try:
            found = self._adapter.validate_python(value, context=context)
        except ValidationError as error:
            raise worded(error, list(self.keys)) from None
        return {key: getattr(found, key) for key in self.keys if key in found.model_fields_set}


class ChoiceType(ValueType):
    """A table of one of several kinds, told by its key `kind`, or by a key that only one kind has."""

    def __init__(self, told: str, kinds: Mapping[str, TableType], implied: Mapping[str, str] | None = None) -> None:
        super().__init__(told, self._chosen)
        self.kinds = kinds
        self.implied = implied or {}

    def _chosen(self, value: Any, info: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f'must be a table {{kind = "{next(iter(self.kinds))}", ...}}, {_got(value)}')
        kind, rest = self.kind_of(value)
        return self.kinds[kind].validate(rest, info)

    def kind_of(self, value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The kind of a table, and its other keys."""
        implied = next((kind for key, kind in self.implied.items() if key in value), None)
        kind = value.get("kind", implied)
        if kind is None:
            raise ValueError(f"its kind is missing; give kind = {_listed(self.kinds)}")
        if not isinstance(kind, str) or kind not in self.kinds:
            hint = checked.or_meant(meant(str(kind)[:80], self.kinds))
            raise ValueError(f"unknown kind {checked.shown(kind)}{hint or f'; give {_listed(self.kinds)}'}")
        return kind, {key: each for key, each in value.items() if key != "kind"}


def worded(error: ValidationError, known: list[str]) -> ValidationError:
    """The same errors in our words, with suggestions for unknown keys."""
    details: list[InitErrorDetails] = []
    found = error.errors(include_url=False, include_input=False)[:MOST_TOLD]
    unknown = [str(each["loc"][-1]) for each in found if each["type"] == "extra_forbidden"]
    written = {close for key in unknown for close in meant(key[:80], known)}  # wrongly
    for each in found:
        where = each["loc"]
        words = each["msg"]
        if each["type"] == "extra_forbidden":
            key = str(where[-1])
            hint = checked.or_meant(meant(key[:80], known)) or f"; it takes {', '.join(known)}"
            words = f"unknown key {checked.shown(key)}{hint}"
        elif each["type"] == "missing":
            if where[-1] in written:
                continue
            where, words = where[:-1], f"{where[-1]} is missing; give {where[-1]} = ..."
        elif each["type"] == "value_error":
            told = str(each["ctx"]["error"])
            words = f"{where[-1]}: {told}" if told and where else told
        details.append(InitErrorDetails(type=PydanticCustomError(TOLD, " ".join(words.split())), loc=where, input=None))
    return ValidationError.from_exception_data("file", details)


def _listed(names: Any) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _got(value: Any) -> str:
    return f"got {checked.shown(value)}"


# the values themselves


def _number(value: Any, info: Any) -> float:
    if isinstance(value, str):
        return evaluate(value, info.context.parameters)
    number = checked.real(value)
    if number is None:
        raise ValueError(f"must be a number or an expression, {_got(value)}")
    return number


def _whole(value: Any, info: Any) -> int:
    number = _number(value, info)
    if not number.is_integer():
        raise ValueError(f"must be a whole number, {_got(value)}")
    return int(number)


def _text(value: Any, _info: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text in quotes, {_got(value)}")
    return value


def _flag(value: Any, _info: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, {_got(value)}")
    return value


def vector(count: int) -> ValueType:
    """So many numbers in a list."""

    def validate(value: Any, info: Any) -> list[float]:
        if not isinstance(value, list) or len(value) != count:
            raise ValueError(f"must be {count} numbers [...], {_got(value)}")
        return [_number(each, info) for each in value]

    return ValueType(f"{count} numbers", validate)


def _numbers(value: Any, info: Any) -> Any:
    """Numbers in lists inside each other, or the rows of a csv file."""
    if isinstance(value, dict):
        if set(value) != {"file"}:
            raise ValueError(f'must be a list of numbers, or {{file = "name.csv"}}, {_got(value)}')
        rows = read_numbers(beside(value["file"], info))
        return rows[:, 0] if rows.shape[1] == 1 else rows
    if not isinstance(value, list):
        return _number(value, info)
    return [_numbers(each, info) if isinstance(each, list) else _number(each, info) for each in value]


def _limits(value: Any, info: Any) -> Any:
    if value is None:
        return None
    return [_limits(each, info) for each in value] if isinstance(value, list) else _number(value, info)


def beside(name: Any, info: Any) -> Path:
    """The path of a file that a value names."""
    if not isinstance(name, str):
        raise ValueError(f"file must be a text in quotes, {_got(name)}")
    path: Path = info.context.beside(name)
    return path


def _file(value: Any, info: Any) -> Path:
    return beside(value, info)


def _colour(value: Any, info: Any) -> Any:
    return value if isinstance(value, str) else _numbers(value, info)


def _data(value: Any, info: Any) -> Any:
    """What a component is given: data, in which texts that are expressions become numbers."""
    if isinstance(value, dict):
        return {key: _data(each, info) for key, each in value.items()}
    if isinstance(value, list):
        return [_data(each, info) for each in value]
    if isinstance(value, str):
        try:
            return evaluate(value, info.context.parameters)
        except ModelError:
            return value
    return value


NUMBER = ValueType("number", _number)
WHOLE = ValueType("whole number", _whole)
TEXT = ValueType("text", _text)
FLAG = ValueType("true or false", _flag)
VECTOR = vector(3)
NUMBERS = ValueType("numbers", _numbers)
LIMITS = ValueType("low and high", _limits)
FILE = ValueType("path", _file)
COLOUR = ValueType('"#RRGGBB" or numbers', _colour)
DATA = ValueType("data", _data)
