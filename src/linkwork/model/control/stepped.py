"""Elements that are stepped with a run and keep a state of their own, such as FMUs: what a model asks of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.container import Container
from linkwork.model.control.controller import Controller


class SteppedInstance(ABC):
    """What one simulation has of an element: it is sampled at its instants, saved, copied and closed."""

    @abstractmethod
    def sample(self, now: float, seen: Any) -> Any:
        """Step to the time `now` (s), take the numbers seen there, and return those of its outputs."""

    @abstractmethod
    def saved(self) -> Any:
        """Its state as an array of bytes."""

    @abstractmethod
    def put_back(self, state: Any) -> None:
        """Stand where `saved` was called; `ValueError` for bytes of another element."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What the run must tell about it, a sentence each."""

    @property
    @abstractmethod
    def coupling(self) -> float:
        """The largest jump of a value that was held, as a part of the range of that value."""

    @property
    @abstractmethod
    def forgetful(self) -> str:
        """Why its state cannot be saved or copied; empty where it can."""

    @abstractmethod
    def close(self) -> None:
        """Free it; nothing can be asked of it afterwards."""


class Stepped(ABC):
    """An element that `model.add` takes. Each simulation starts an instance of its own."""

    word = "element"

    @abstractmethod
    def connected(self, what: str, connect: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Pairs of (variable, column that it sees or input that it sets), checked; `what` is for errors."""

    @abstractmethod
    def is_input(self, variable: str) -> bool:
        """Whether it sees a column by this variable; else it sets an input."""

    @property
    @abstractmethod
    def period(self) -> float:
        """Seconds between its instants."""

    def component(self) -> Any:
        """The subsystem that it is where nothing is connected; None where it is none."""
        return None

    @abstractmethod
    def started(self, part: SteppedPart) -> SteppedInstance:
        """An instance for one simulation."""

    @abstractmethod
    def verified(self) -> tuple[str, list[str], dict[str, tuple[bool, str]]]:
        """Its name, what it can be connected by, and by check whether it holds and what a trial found."""

    @property
    @abstractmethod
    def about(self) -> str:
        """What it is, in a few words."""


@dataclass(frozen=True, eq=False, repr=False)
class SteppedPart(Controller):
    """An element in a model, with its connections. Made by `model.add`."""

    element: Stepped
    connections: tuple[tuple[str, str], ...]

    @property
    def word(self) -> str:
        """What it is."""
        return self.element.word

    @property
    def inputs(self) -> list[str]:
        """Its variables that see columns, in the order of `sees`."""
        return [variable for variable, _ in self.connections if self.element.is_input(variable)]

    @property
    def outputs(self) -> list[str]:
        """Its variables that set inputs, in the order of `sets`."""
        return [variable for variable, _ in self.connections if not self.element.is_input(variable)]


def stepped_part(owner: Container, name: str, element: Stepped, connect: Any, place: tuple[Any, Any]) -> SteppedPart:
    """An element as a part of `owner`; `connect` is {variable: column or input}. Its `place` is refused."""
    what = f"{element.word} '{owner.inner_path(name)}'"
    if any(each is not None for each in place):
        raise ModelError(f"{what}: it has no place in space; leave out position= and rotation=")
    if not isinstance(connect, Mapping) or not connect:
        raise ModelError(
            f"{what}: connect is {checked.shown(connect)}; give connect={{variable: column or input of the model}}"
        )
    pairs = element.connected(what, connect)
    sees = tuple(place for variable, place in pairs if element.is_input(variable))
    sets = tuple(place for variable, place in pairs if not element.is_input(variable))
    return SteppedPart(name, owner, _not_called, element.period, sees, sets, (), element, pairs)


def component_of(element: Any) -> Any:
    """The subsystem that an element carries; what is no such element stays as it is."""
    return (element.component() if isinstance(element, Stepped) else None) or element


def _not_called(t: float, seen: Any) -> Any:
    raise AssertionError("an element is stepped by its instances")
