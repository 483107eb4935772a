"""A state machine that is sampled: states by name, transitions by conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked

Output: TypeAlias = float | Sequence[float] | Callable[..., Any]
Transition: TypeAlias = tuple[str, Callable[..., Any], str]


def state_machine(
    *,
    every: float,
    states: Mapping[str, Output],
    transitions: Sequence[Transition],
    start: str | None = None,
    show: bool = False,
) -> dict[str, Any]:
    """A sampled state machine: the keywords `function`, `every` and `memory` of `model.controller`.

    `states` gives each state by name what it sets: a number, several, or a function of `(t, seen, since)`, with the
    time (s), the numbers of the columns that the controller `sees`, and the seconds since the state was entered.
    `transitions` are (from, condition, to), each condition such a function too. At an instant, every so many seconds,
    the first transition out of the present state whose condition holds is taken, one at most, and the outputs are those
    of the new state at once. It begins in `start`, by default the first state. With `show` the last of its `sets` gets
    the number of the state, from 0; an `model.input` shows it as a column.

    >>> model = lw.Model("lift")
    >>> cab = model.body("cab", mass=10.0, inertia=(1, 1, 1))
    >>> shaft = model.prismatic("shaft", model.ground, cab, axis=(0, 0, 1), damping=50.0)
    >>> pull, phase = model.torque("pull", shaft, 98.1), model.input("phase")
    >>> machine = lw.parts.state_machine(
    ...     every=0.01,
    ...     states={"wait": 98.1, "up": 148.1, "stop": 98.1},
    ...     transitions=[
    ...         ("wait", lambda t, seen, since: since >= 0.5, "up"),
    ...         ("up", lambda t, seen, since: seen[0] > 1.0, "stop"),
    ...     ],
    ...     show=True,
    ... )
    >>> model.controller("machine", **machine, sees=["shaft.position"], sets=["pull", "phase"])
    <controller 'machine'>
    >>> run = lw.simulate(model, until=3.0, method="recursive", dt=0.01)
    >>> run.time[run["phase.value"] == 1.0][[0, -1]].round(2).tolist()
    [0.51, 1.7]
    """
    what = "state_machine"
    period = checked.positive(every, what, "every", "seconds")
    if not isinstance(states, Mapping) or not states:
        raise ModelError(f"{what}: there are no states; give states={{'wait': 0.0, 'go': 5.0}}")
    names = list(states)
    first = names[0] if start is None else start
    for name in (first, *(end for item in transitions for end in _ends(what, item))):
        if name not in states:
            hint = checked.did_you_mean(str(name), names) or f"; give one of {', '.join(map(repr, names))}"
            raise ModelError(f"{what}: there is no state {checked.shown(name)}{hint}")
    outputs = tuple(_output(what, name, states[name]) for name in names)
    ways = tuple((names.index(begin), condition, names.index(end)) for begin, condition, end in transitions)
    memory = (float(names.index(first)), 0.0)  # the state, and how many periods ago it was entered
    return {"function": _machine(period, outputs, ways, show), "every": period, "memory": memory}


@lru_cache(maxsize=64)
def _machine(
    every: float, outputs: tuple[Any, ...], ways: tuple[tuple[int, Any, int], ...], show: bool
) -> Callable[..., Any]:
    leaving = [[(holds, end) for begin, holds, end in ways if begin == k] for k in range(len(outputs))]

    def control(t: float, seen: Any, memory: Any) -> tuple[float, ...]:
        state = int(memory[0])
        since = memory[1] * every  # of whole periods, so that it is a round number where `every` is one
        for holds, end in leaving[state]:
            if holds(t, seen, since):
                state, since = end, 0.0
                memory[:] = state, 0.0
                break
        memory[1] += 1.0
        output = outputs[state]
        values = output(t, seen, since) if callable(output) else output
        numbers = tuple(values) if hasattr(values, "__len__") else (values,)
        return (*numbers, float(state)) if show else numbers

    return control


def _ends(what: str, transition: Any) -> tuple[str, str]:
    if len(transition) != 3 or not callable(transition[1]):
        raise ModelError(
            f"{what}: {checked.shown(transition)} is no transition; "
            "give ('wait', lambda t, seen, since: since > 1, 'go')"
        )
    return transition[0], transition[2]


def _output(what: str, name: str, given: Any) -> Any:
    """A function, or a tuple of numbers."""
    if callable(given):
        return given
    content = checked.array(given, what, f"the state '{name}'", "a number, several, or a function of (t, seen, since)")
    return tuple(content.reshape(-1).tolist())
