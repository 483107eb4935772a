"""Laws: how a force, a torque or a prescribed motion depends on time and motion. Data only."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.laws.step import Step

TableKind = Literal["linear", "cubic"]

ARGUMENTS = {
    1: "(t)",
    2: "(t, seen)",
    3: "(t, position, velocity)",
    4: "(t, x, seen, dx)",
    5: "(t, position, rotation, velocity, angular_velocity)",
}


@dataclass(frozen=True, eq=False)
class Constant:
    """A value that never changes: a number, or three for a vector.

    >>> lw.Constant(9.81).size, lw.Constant((0, 0, 1)).size
    (1, 3)
    """

    value: float | Vector

    def __init__(self, value: float | VectorLike) -> None:
        scalar = checked.real(value)
        content = (
            checked.vector(value, "Constant", "value")
            if scalar is None
            else checked.number(scalar, "Constant", "value")
        )
        object.__setattr__(self, "value", content)

    @property
    def size(self) -> int:
        """1 for a number, 3 for a vector."""
        return 3 if isinstance(self.value, np.ndarray) else 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and np.array_equal(self.value, other.value)

    def __hash__(self) -> int:
        return hash(np.asarray(self.value).tobytes())


@dataclass(frozen=True)
class Cosine:
    """amplitude * cos(2 pi frequency t + phase) + offset, with the frequency in hertz and the phase in radians.

    >>> lw.Cosine(5.0, frequency=2.0)
    Cosine(amplitude=5.0, frequency=2.0, phase=0.0, offset=0.0)
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for option in ("amplitude", "frequency", "phase", "offset"):
            object.__setattr__(self, option, checked.number(getattr(self, option), "Cosine", option))

    @property
    def size(self) -> int:
        """Always 1: a number."""
        return 1


@dataclass(frozen=True, eq=False)
class Table:
    """Values at given times (seconds), joined by straight lines or by a cubic spline; `values` is (n,) or (n, 3).

    Before the first and after the last time the value is that of the end.

    >>> lw.Table(times=(0, 1, 2), values=(0, 10, 0), kind="cubic").size
    1
    """

    times: Vector
    values: Vector
    kind: TableKind

    def __init__(
        self, times: VectorLike, values: VectorLike | Sequence[VectorLike], kind: TableKind = "linear"
    ) -> None:
        moments = checked.array(times, "Table", "times", "a list of seconds")
        heights = checked.array(values, "Table", "values", "a list of numbers, or of three numbers each")
        if moments.ndim != 1 or len(moments) < 2:
            raise ModelError(
                f"Table: times has shape {moments.shape} but must list two moments or more; correct times="
            )
        if heights.shape not in ((len(moments),), (len(moments), 3)):
            raise ModelError(
                f"Table: values has shape {heights.shape} for {len(moments)} times; "
                "give one number, or three, for each time"
            )
        steps = np.diff(moments)
        if steps.min() <= 0.0:
            worst = int(np.argmax(steps <= 0.0))
            raise ModelError(
                f"Table: times must increase, but {moments[worst + 1]:g} follows {moments[worst]:g}; "
                "sort the rows and remove double times"
            )
        if not isinstance(kind, str) or kind not in get_args(TableKind):
            raise ModelError(f"Table: unknown kind {checked.shown(kind)}; give kind='linear' or kind='cubic'")
        object.__setattr__(self, "times", moments)
        object.__setattr__(self, "values", heights)
        object.__setattr__(self, "kind", kind)

    @property
    def size(self) -> int:
        """1 for a table of numbers, 3 for a table of vectors."""
        return 3 if self.values.ndim == 2 else 1

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.kind == other.kind
            and np.array_equal(self.times, other.times)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.times.tobytes(), self.values.tobytes()))


@dataclass(frozen=True)
class PythonLaw:
    """A function of yours, of time or of time and motion; `compiled` ones run inside the compiled loop.

    Its parameters decide what it is given (SI, world axes, quaternion w, x, y, z): `(t)`; at a joint
    `(t, position, velocity)`; at a body `(t, position, rotation, velocity, angular_velocity)`. Parameters with default
    values are not counted.

    With `sees` it is a function of `(t, seen)`: `seen` are the present numbers of these columns, of any joints and
    bodies ("elbow.position", "hand.velocity.z"), and of inputs ("drive"), one after the other. With `start` it has
    states of its own, which every method integrates: it is a function of `(t, x, seen, dx)` that writes the rates of
    the states x into dx. `scale` are sizes of the states, by default one: give them where pressures stand beside
    currents.

    >>> lw.PythonLaw(lambda t, gain=2.0: gain * t).arity
    1
    >>> lw.PythonLaw(lambda t, seen: -2.0 * seen[0], sees=["elbow.velocity"]).sees
    ('elbow.velocity',)
    """

    function: Callable[..., Any]
    compiled: bool = False
    sees: Sequence[str] = ()
    start: Sequence[float] = ()
    scale: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(
                f"PythonLaw: {checked.shown(self.function)} cannot be called; give a function such as lambda t: 2 * t"
            )
        if not isinstance(self.compiled, bool):
            raise ModelError(
                f"PythonLaw: compiled must be True or False, got {checked.shown(self.compiled)}; correct compiled="
            )
        self._check_signals()

    def _check_signals(self) -> None:
        """Columns that it sees, and its states."""
        sees: Any = (self.sees,) if isinstance(self.sees, str) else tuple(self.sees)
        for each in sees:
            if not isinstance(each, str) or not each.strip():
                raise ModelError(
                    f"PythonLaw: it sees {checked.shown(each)}, which is no column; give names such as 'elbow.position'"
                )
        start = checked.array(list(self.start), "PythonLaw", "start", "a list of numbers").tolist()
        sizes = [1.0] * len(start) if self.scale is None else list(np.atleast_1d(self.scale))
        if len(sizes) != len(start):
            raise ModelError(f"PythonLaw: it has {len(start)} states and {len(sizes)} scales; give one for each state")
        scale = tuple(checked.positive(each, "PythonLaw", "scale") for each in sizes)
        for name, values in (("sees", sees), ("start", tuple(start)), ("scale", scale)):
            object.__setattr__(self, name, values)
        if (sees or start) and self.arity != (4 if start else 2):
            wanted = ARGUMENTS[4 if start else 2]
            raise ModelError(
                f"PythonLaw: a function with {'states' if start else 'sees='} is one of {wanted}, not of "
                f"{self.arity} parameters; write def law{wanted}"
            )

    @property
    def arity(self) -> int:
        """The number of positional parameters without a default; -1 if Python does not know it."""
        function = getattr(self.function, "py_func", self.function)
        if isinstance(function, np.ufunc):
            return function.nin
        try:
            parameters = inspect.signature(function).parameters.values()
        except (ValueError, TypeError):
            return -1
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return sum(item.kind in positional and item.default is item.empty for item in parameters)

    @property
    def size(self) -> None:
        """None: only the function knows whether it returns a number or three."""
        return None


Law: TypeAlias = Constant | Cosine | Step | Table | PythonLaw
LawLike: TypeAlias = float | Law | Sequence[Any] | NDArray[Any] | Callable[..., Any]


def as_law(value: LawLike, what: str = "as_law", arities: Sequence[int] = (1, 3, 5), option: str = "law") -> Law:
    """A law from a number, three numbers, a law, a pair (times, values), a function, or a compiled function.

    `what` names the part in refusals and `option` what the law is for; `arities` are the numbers of parameters a
    function may have there.

    >>> lw.as_law(3)
    Constant(value=3.0)
    >>> lw.as_law(([0, 1], [0, 5])).kind
    'linear'
    """
    law = _convert(value, what, option)
    if isinstance(law, PythonLaw) and (law.sees or law.start):
        if not {2, 4} & set(arities):
            raise ModelError(
                f"{what}: {option} may depend on {' or '.join(ARGUMENTS[arity] for arity in arities)} alone; laws that "
                "see other columns or have states drive torques and forces"
            )
    elif isinstance(law, PythonLaw) and (law.arity not in arities or law.arity in (2, 4)):
        wanted = " or ".join(ARGUMENTS[arity] for arity in arities if arity not in (2, 4))
        told = "parameters Python cannot count" if law.arity < 0 else f"{law.arity} parameters"
        raise ModelError(f"{what}: the function given as {option} has {told}; write it as a function of {wanted}")
    return law


def _convert(value: Any, what: str, option: str) -> Law:
    if isinstance(value, (Constant, Cosine, Step, Table, PythonLaw)):
        return value
    if callable(value) and not isinstance(value, type):
        return PythonLaw(value, compiled=hasattr(value, "py_func"))
    if checked.real(value) is not None:
        return Constant(checked.number(value, what, option))
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(hasattr(item, "__len__") for item in value):
        try:
            return Table(*value)
        except ModelError as error:
            raise ModelError(f"{what}: {option}: {str(error).removeprefix('Table: ')}") from None
    expected = "a number, three numbers, a law such as lw.Cosine or lw.Step, a pair (times, values) or a function"
    content = checked.array(value, what, option, expected)
    if content.shape != (3,):
        raise ModelError(f"{what}: {option} has shape {content.shape}; give {expected}")
    return Constant(content)


def time_law(value: LawLike, what: str, option: str) -> Law:
    """A law of time alone with one number, for drives and prescribed motions."""
    law = as_law(value, what, (1,), option)
    if law.size == 3:
        raise ModelError(f"{what}: {option} must follow one number over time, not a vector; give one number or law")
    return law


def _steady(law: Law) -> Law:
    """A place that does not jump."""
    if isinstance(law, Step) and law.rise == 0.0:
        raise ModelError("Motion: a ground cannot jump to another place; give its Step a rise= in seconds")
    return law


def law_value(law: Law, time: float) -> float:
    """What a law of time alone gives at `time` (s); one number."""
    match law:
        case Constant():
            return float(law.value)
        case Cosine():
            return law.amplitude * math.cos(2 * math.pi * law.frequency * time + law.phase) + law.offset
        case Step():
            return float(law(time))
        case Table() if law.kind == "linear":
            return float(np.interp(time, law.times, law.values))
        case Table():
            from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

            return float(CubicSpline(law.times, law.values)(np.clip(time, law.times[0], law.times[-1])))
    return float(np.atleast_1d(law.function(time))[0])  # some tell their rates too


@dataclass(frozen=True, eq=False)
class Motion:
    """The prescribed motion of a ground, relative to its reference pose: a translation and a rotation about an axis.

    `position` holds three laws in metres, `angle` a law in radians about `axis`; each a number or a law of time.

    >>> shake = lw.Motion(position=(lw.Cosine(0.01, frequency=5.0), 0, 0))
    """

    position: tuple[Law, Law, Law]
    axis: Vector
    angle: Law

    def __init__(
        self, position: Sequence[LawLike] = (0.0, 0.0, 0.0), axis: VectorLike = (0.0, 0.0, 1.0), angle: LawLike = 0.0
    ) -> None:
        if callable(position) or not isinstance(position, (tuple, list, np.ndarray)) or len(position) != 3:
            raise ModelError("Motion: position must be three numbers or laws; give position=(x, y, z)")
        shift = tuple(_steady(time_law(law, "Motion", f"position[{index}]")) for index, law in enumerate(position))
        object.__setattr__(self, "position", shift)
        object.__setattr__(self, "axis", checked.direction(axis, "Motion", "axis"))
        object.__setattr__(self, "angle", _steady(time_law(angle, "Motion", "angle")))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Motion)
            and (self.position, self.angle) == (other.position, other.angle)
            and np.array_equal(self.axis, other.axis)
        )

    def __hash__(self) -> int:
        return hash((self.position, self.angle, self.axis.tobytes()))
