"""`lw.FMU`: an FMU that is stepped with the run of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.border_component import FMUComponent, ServedFMU
from linkwork.formats.fmi.imported.fmu_calls import FMUFailure, typed
from linkwork.formats.fmi.imported.fmu_checks import trial
from linkwork.formats.fmi.imported.fmu_description import (
    NO_NUMBERS,
    ImportedDescription,
    ImportedVariable,
    read_description,
)
from linkwork.formats.fmi.imported.fmu_file import FMUFile, unpacked
from linkwork.formats.fmi.imported.fmu_instance import FMUInstance, FMUOrder
from linkwork.formats.fmi.imported.fmu_trial import try_start
from linkwork.formats.xml_tree import plain
from linkwork.model import Subsystem, checked
from linkwork.model.control.stepped import Stepped, SteppedPart

_USUAL: dict[str, Any] = {"start": {}, "hold": "zero", "kind": None, "substeps": 10}
WHOLE = 1e-9  # of a fixed step: what may be missing to a multiple of it
SHOWN = ("output", "local", "calculatedParameter")  # variables that can be read while it is stepped


@dataclass(frozen=True, eq=False)
class FMU(Stepped):
    """An FMU of FMI 2 or 3, to be stepped with the run: `model.add("valve", lw.FMU("valve.fmu"), connect={...})`.

    `every` is the time between its instants in seconds, by default the step that the file proposes. `start` are numbers
    of parameters and other variables at the start. Between instants its inputs and outputs are constant (`hold="zero"`,
    an error of the order of `every`), or extrapolated linearly to the middle of the interval (`hold="linear"`, of its
    square, for smooth values). `kind` is "cs" (co-simulation, where the file has both) or "me" (model exchange: its
    states are integrated by `substeps` Runge-Kutta steps of order 4 between two instants). The certificate of the run
    tells how much held values jump. An FMU is a program: use those you trust. Needs the extra `fmi`.

    One that `lw.export_fmu` wrote of a subsystem carries its border. Added without `connect` it is a component with
    ports, and joints at them hold exactly (method "component"): `left = model.add("left", lw.FMU("left.fmu"))`.

    >>> valve = lw.FMU("valve.fmu", every=1e-3, start={"gain": 2.0})  # doctest: +SKIP
    >>> model.add("valve", valve, connect={"u": "rail.position", "force": "push"})  # doctest: +SKIP
    <FMU 'valve'>
    """

    file: str | PathLike[str]
    every: float | None = field(default=None, kw_only=True)
    start: Mapping[str, float | bool | str] = field(default_factory=dict, kw_only=True)
    hold: Literal["zero", "linear"] = field(default="zero", kw_only=True)
    kind: Literal["cs", "me"] | None = field(default=None, kw_only=True)
    substeps: int = field(default=10, kw_only=True)
    description: ImportedDescription = field(init=False, repr=False)
    digest: str = field(init=False, repr=False)
    binary: str = field(init=False, repr=False)

    word = "FMU"

    def __post_init__(self) -> None:
        if not isinstance(self.file, str | PathLike) or isinstance(fspath(self.file), bytes):
            raise ModelError(f"FMU: its file is {checked.shown(self.file)}; give a path such as 'valve.fmu'")
        for name, known in (("hold", ("zero", "linear")), ("kind", (None, "cs", "me"))):
            if getattr(self, name) not in known:
                told = " or ".join(repr(each) for each in known if each)
                raise ModelError(f"FMU: {name} is {checked.shown(getattr(self, name))}; give {name}={told}")
        file = FMUFile(Path(self.file).absolute())
        what, description = f"FMU '{file.name}'", read_description(file, self.kind)
        self._put("substeps", checked.whole(self.substeps, what, "substeps", "steps"))
        every = description.step if self.every is None else self.every
        if every is None:
            raise ModelError(f"{what}: it proposes no step; give every= in seconds")
        self._put("every", checked.positive(every, what, "every", "seconds"))
        fixed = description.fixed_step
        if fixed and description.kind == "cs" and not _multiple(self.period, fixed):
            raise ModelError(f"{what}: it steps by {fixed:g} s inside; give every= a multiple of that")
        self._put("binary", file.binary(description.identifier, description.version))
        self._put("digest", file.digest)
        self._put("description", description)
        if not isinstance(self.start, Mapping):
            raise ModelError(f"{what}: start is {checked.shown(self.start)}; give start={{name: number}}")
        self._put("start", {name: self._start_value(what, name, value) for name, value in self.start.items()})

    def _put(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _facts(self) -> tuple[Any, ...]:
        return (self.digest, self.every, self.start, self.hold, self.description.kind, self.substeps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FMU) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def period(self) -> float:
        """Seconds between its instants."""
        assert self.every is not None
        return self.every

    def _variable(self, what: str, name: Any) -> ImportedVariable:
        variables = self.description.variables
        if name not in variables:
            told = checked.did_you_mean(str(name), map(plain, variables))
            known = [each.name for each in variables.values() if each.causality in ("input", "output")]
            told = told or f"; give one of {', '.join(map(repr, map(plain, known[:12])))}"
            raise ModelError(f"{what}: the FMU has no variable {checked.shown(name)}{told}")
        return variables[name]

    def _start_value(self, what: str, name: Any, value: Any) -> Any:
        variable = self._variable(what, name)
        given = variable.initial in ("exact", "approx") or variable.causality in ("parameter", "input")
        if variable.variability == "constant" or not given or variable.array or variable.type in ("Binary", "Clock"):
            told = "an array" if variable.array else f"a {variable.variability} {variable.causality} ({variable.type})"
            raise ModelError(f"{what}: '{plain(name)}' is {told} whose start cannot be set; remove it from start=")
        word = self.description.word(variable)
        if word == "String":
            if not isinstance(value, str):
                raise ModelError(f"{what}: start of '{plain(name)}' is {checked.shown(value)}; give a text")
            return value
        number = float(value) if isinstance(value, bool) else checked.number(value, what, f"start of '{plain(name)}'")
        try:
            return typed(word, number, plain(name))
        except FMUFailure as error:
            raise ModelError(f"{what}: {error}; give another start value") from None

    def component(self) -> Subsystem | None:
        """The component that it carries, for exact coupling; None where it is any other FMU."""
        if not self.description.border:
            return None
        given = [name for name in ("start", "hold", "kind", "substeps") if getattr(self, name) != _USUAL[name]]
        given += ["every"] if self.every != self.description.step else []
        if given:
            raise ModelError(
                f"FMU '{self.description.file}': {given[0]}= is for co-simulation, and without connect= it is coupled "
                f"exactly; leave {given[0]}= out, or give connect="
            )
        return FMUComponent(Path(self.file).absolute(), self.description, self.digest, self.binary)

    def served(self) -> ServedFMU:
        """What `linkwork serve` offers of a component: the same, for models in other processes."""
        if not self.description.border:
            raise ModelError(
                f"FMU '{self.description.file}' carries no component; export a subsystem with lw.export_fmu"
            )
        return ServedFMU(Path(self.file).absolute(), self.description, self.digest, self.binary, keeps=False)

    def is_input(self, variable: str) -> bool:
        """Whether it sees a column by this variable."""
        return self.description.variables[variable].causality == "input"

    def connected(self, what: str, connect: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Pairs of (variable, column that it sees or input that it sets)."""
        pairs: list[tuple[str, str]] = []
        for name, place in connect.items():
            variable = self._variable(what, name)
            if variable.causality not in ("input", *SHOWN):
                raise ModelError(
                    f"{what}: '{plain(name)}' is neither an input nor an output of the FMU but a {variable.causality}; "
                    f"{'set it by start=' if variable.causality == 'parameter' else 'connect another one'}"
                )
            if variable.type in NO_NUMBERS or variable.array:
                told = "an array" if variable.array else f"a {variable.type}"
                raise ModelError(f"{what}: '{plain(name)}' is {told} and not one number; connect another one")
            several = isinstance(place, list | tuple) and variable.causality in SHOWN
            for each in place if several else (place,):
                if not isinstance(each, str) or not each.strip():
                    kind = "a column that it sees" if variable.causality == "input" else "an input that it sets"
                    raise ModelError(f"{what}: '{plain(name)}' is connected to {checked.shown(each)}; give {kind}")
                pairs.append((name, each))
        if not any(not self.is_input(name) for name, _ in pairs):
            known = [each.name for each in self.description.variables.values() if each.causality == "output"]
            told = f"connect one of {', '.join(map(repr, map(plain, known[:6])))}" if known else "it has no outputs"
            raise ModelError(f"{what}: it sets nothing in the model; {told}")
        return tuple(pairs)

    def started(self, part: SteppedPart) -> FMUInstance:
        """An instance for one simulation; the first start of a file happens in a child process."""
        return FMUInstance(self._order(f"FMU '{part.path}'", part.inputs, part.outputs))

    def _order(self, told: str, inputs: list[str], outputs: list[str]) -> FMUOrder:
        start = dict(self.start)
        folder = unpacked(Path(self.file).absolute(), self.digest, self.binary)
        try_start(self.description, self.digest, folder, start, told)
        given = (self.description, folder, self.digest, self.period, self.hold, self.substeps, start)
        return FMUOrder(told, *given, inputs, outputs)

    @property
    def about(self) -> str:
        """Its file, its version of FMI and its kind."""
        kind = "co-simulation" if self.description.kind == "cs" else "model exchange"
        return f"{Path(self.file).name}, FMI {self.description.version}, {kind}"

    def verified(self) -> tuple[str, list[str], dict[str, tuple[bool, str]]]:
        """Its name, its inputs and outputs, and what a trial of a few steps shows."""
        name, variables = Path(self.file).name, self.description.variables.values()
        numbers = [each for each in variables if each.type not in NO_NUMBERS and not each.array]
        outputs = [each.name for each in numbers if each.causality == "output"]
        outputs = outputs or [each.name for each in numbers if each.causality == "local"]
        inputs = [each.name for each in numbers if each.causality == "input"]
        checks = trial(self._order(f"FMU '{name}'", [], outputs))
        if self.description.border:
            checks = {**checks, **self.served().checked()}
        return name, [*inputs, *outputs], checks


def _multiple(seconds: float, step: float) -> bool:
    count = seconds / step
    return 0.5 < count < 1e15 and abs(count - round(count)) <= WHOLE * max(1.0, count)
