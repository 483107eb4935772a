"""Checks of what a user gives: numbers, vectors, names. Every error is one sentence that says what to do.

`what` names the part ("body 'left damper.piston'"), `option` the thing given for it ("mass").
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import ModelError
from linkwork.model import names
from linkwork.model.synonyms import meant

Vector: TypeAlias = NDArray[np.float64]
VectorLike: TypeAlias = Sequence[float] | NDArray[Any]

LONGEST_NAME = 80  # letters of a name in a message
LARGEST = 1e100  # what is larger counts as infinite: its square or cube would be
UNIT = 1e-15  # what is this near to length one has it: what was normalised once is never changed again
PERPENDICULAR = 1e-6  # largest cosine between two directions that are called perpendicular


def real(value: Any) -> float | None:
    """The value as a float (it may be infinite or NaN), or None if it is not a real number."""
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except (TypeError, OverflowError):  # a span of time of numpy, a whole number of 400 digits
        return None


def number(value: Any, what: str, option: str, unit: str = "") -> float:
    """A finite float."""
    result = real(value)
    if result is not None and LARGEST <= abs(result) < math.inf:
        raise ModelError(f"{what}: {option} is {result:g}, too large to compute with; give less than {LARGEST:g}")
    if result is None or not abs(result) < LARGEST:
        raise ModelError(
            f"{what}: {option} must be one finite number{_in(unit)}, got {shown(value)}; correct {option}="
        )
    return result


def positive(value: Any, what: str, option: str, unit: str = "") -> float:
    """A finite float above zero."""
    result = number(value, what, option, unit)
    if result <= 0.0:
        raise ModelError(f"{what}: {option} is {result:g} but must be positive; give {option}={_in(unit)}")
    return result


def not_negative(value: Any, what: str, option: str, unit: str = "") -> float:
    """A finite float, zero or above."""
    result = number(value, what, option, unit)
    if result < 0.0:
        raise ModelError(f"{what}: {option} is {result:g} but must not be negative; give zero or a positive {option}=")
    return result


def whole(value: Any, what: str, option: str, things: str, least: int = 1) -> int:
    """A whole number of things from `least` up.

    >>> whole(3.0, "chain", "n", "links")
    3
    >>> whole("abc", "chain", "n", "links")
    Traceback (most recent call last):
    linkwork.errors.ModelError: chain: n is 'abc' but must be a whole number of links from 1 up; correct n=
    """
    count = real(value)
    if count is None or not math.isfinite(count) or count != int(count) or count < least:
        raise ModelError(
            f"{what}: {option} is {shown(value)} but must be a whole number of {things} from {least} up; "
            f"correct {option}="
        )
    return int(count)


def array(value: Any, what: str, option: str, expected: str) -> Vector:
    """A new read-only float64 array of finite numbers, of any shape."""
    try:
        given = np.array(value)
    except (ValueError, TypeError):
        given = np.array(None)
    if given.dtype.kind not in "iuf":
        raise ModelError(f"{what}: {option} must be {expected}, got {shown(value)}; correct {option}=")
    result: Vector = given.astype(np.float64)
    if not (np.abs(result) < LARGEST).all():
        raise ModelError(f"{what}: {option} must be {expected}, and finite, got {shown(value)}; correct {option}=")
    result.flags.writeable = False
    return result


def vector(value: Any, what: str, option: str, length: int = 3, unit: str = "") -> Vector:
    """A read-only float64 array of finite numbers with the given length."""
    expected = f"{length} numbers{_in(unit)}"
    result = array(value, what, option, expected)
    if result.shape != (length,):
        raise ModelError(f"{what}: {option} must be {expected}, got {shown(value)}; correct {option}=")
    return result


def direction(value: Any, what: str, option: str) -> Vector:
    """A read-only unit vector."""
    given = vector(value, what, option)
    largest = float(np.abs(given).max())
    if largest == 0.0:
        raise ModelError(f"{what}: {option} is zero and points nowhere; give a direction such as {option}=(0, 0, 1)")
    if abs(math.sqrt(float(given @ given)) - 1.0) <= UNIT:
        return given
    scaled = given / largest  # so that tiny and huge directions neither vanish nor overflow
    result: Vector = scaled / math.sqrt(float(scaled @ scaled))
    result.flags.writeable = False
    return result


def part_name(name: Any, what: str, *, top: bool = False) -> str:
    """A name that can be a step of a full one (see `names`); directly in a model (`top`) a few more are kept."""
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"{what}: a name must be non-empty text, got {shown(name)}; give one such as 'crank'")
    short_name(name, what)
    if name != name.strip() or not name.isprintable():
        raise ModelError(f"{what}: the name {name!r} has blanks at its ends or breaks the line; remove them")
    if names.needs_quotes(name) and "'" in name:
        raise ModelError(f"{what}: the name {name} would stand in quotes but holds one; remove the quote")
    kind = next((kind for kind in names.KINDS if name.startswith(f"{kind}:")), "")
    if kind:
        raise ModelError(f"{what}: '{kind}:' at its beginning tells parts of one name apart; remove it")
    if top and name == "ground":
        raise ModelError(f"{what}: the name 'ground' is kept for the world, here; choose another name")
    if top and name in names.ACCOUNTS:
        raise ModelError(f"{what}: the name '{name}' is kept for the accounts of runs; choose another name")
    return name


def short_name(name: str, what: str) -> None:
    """Raise for a name that cannot be displayed."""
    if len(name) > names.LONGEST:
        raise ModelError(
            f"{what}: a name has {names.LONGEST} characters at most, not {len(name)} as {shown(name)}; give a short one"
        )


def unknown_options(unknown: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise for unknown options, with the nearest known ones."""
    for option in unknown:
        options = list(known)
        listing = "; give one of " + ", ".join(f"{name}=" for name in options) if options else "; remove it"
        hint = or_meant(meant(option, options)) or listing
        raise ModelError(f"{what}: unknown option {option}={hint}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'crank' or 'crank 2'?`, or nothing when nothing is close."""
    return or_meant(difflib.get_close_matches(name, list(known), n=3))


def or_meant(close: Sequence[str]) -> str:
    """`; did you mean 'crank' or 'crank 2'?`, or nothing where there are none."""
    return "; did you mean " + " or ".join(f"'{match}'" for match in close) + "?" if close else ""


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""


def short(name: Any) -> str:
    """A name, shortened where it would fill the line.

    >>> short("crank"), short("x" * 5000)[-5:]
    ('crank', 'xx...')
    """
    text = str(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."


def shown(value: Any) -> str:
    """A value on one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
