"""What `lw.simulate_many` was asked for: a list of runs, each with its model and its options, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.assembly.system import System
from linkwork.errors import ModelError, OptionError
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.stepping.remote_links import remote_parts

OF_RECORDING = ("until", "record", "every", "strict")  # words that the set-up of a simulation does not see
OF_CASE = ("inputs", "joints", "velocities")  # what a simulation gets once it is set up


@dataclass
class PlannedRun:
    """One run: what it is a run of, and all its options."""

    index: int
    source: Any  # a model, or a function that builds one
    parameters: dict[str, Any]
    options: dict[str, Any]

    def part(self, names: Sequence[str]) -> dict[str, Any]:
        """Those of the options that are named so."""
        return {name: self.options[name] for name in names if name in self.options}

    def of_set_up(self) -> dict[str, Any]:
        """The options that a simulation is made with."""
        return {name: value for name, value in self.options.items() if name not in (*OF_RECORDING, *OF_CASE)}

    def model(self) -> Model | System:
        """The model, built now if a function builds it."""
        if isinstance(self.source, Model | System):
            return self.source
        model = self.source(**self.parameters)
        if not isinstance(model, Model):
            raise OptionError(f"{shown(self.source)} returned {shown(model)}, not a model; let it return an lw.Model")
        refuse_remote(model)
        return model


def planned_runs(models: Any, parameters: Any, cases: Any, common: dict[str, Any]) -> list[PlannedRun]:
    """The runs of a call; lists of models, parameters and cases go side by side, one model serves all."""
    given = {"models": models if isinstance(models, (list, tuple)) else None}
    given |= {"parameters": _listed("parameters", parameters), "cases": _listed("cases", cases)}
    lists = {name: values for name, values in given.items() if values is not None}
    if not lists:
        raise OptionError(
            "simulate_many: give a list of models, or one model with cases=[{'joints': {'pin': 0.3}}, …], or a "
            "function that builds a model with parameters=[{'damping': 2.0}, …]"
        )
    sizes = {name: len(values) for name, values in lists.items()}
    if 0 in sizes.values():
        raise OptionError(f"simulate_many: {list(sizes)[list(sizes.values()).index(0)]} is empty; give at least one")
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise OptionError(f"simulate_many: there are {told}; give as many of each")
    count = next(iter(sizes.values()))
    found = []
    for k in range(count):
        source = models[k] if given["models"] is not None else models
        own = dict(lists["parameters"][k]) if "parameters" in lists else {}
        _refuse_source(source, f"models[{k}]" if given["models"] is not None else "models", "parameters" in lists)
        case = lists["cases"][k] if "cases" in lists else {}
        _refuse_case(case, k)
        found.append(PlannedRun(k, source, own, common | dict(case)))
    return found


def _listed(name: str, values: Any) -> Any:
    if values is None:
        return None
    example = {"parameters": "{'damping': 2.0}", "cases": "{'joints': {'pin': 0.3}}"}[name]
    if not isinstance(values, (list, tuple)):
        raise OptionError(f"simulate_many: {name} must be a list, not {shown(values)}; write {name}=[{example}, …]")
    for k, each in enumerate(values):
        if not isinstance(each, Mapping) or not all(isinstance(word, str) for word in each):
            raise OptionError(
                f"simulate_many: {name}[{k}] must be a dictionary such as {example}, not {shown(each)}; correct it"
            )
    return values


def _refuse_source(source: Any, told: str, parameters: bool) -> None:
    """Raise for what is no model and builds none."""
    if isinstance(source, Model | System):
        if parameters:
            raise OptionError(
                f"simulate_many: {told} is built already, so that parameters= cannot change it; give the function that "
                "builds it"
            )
        refuse_remote(source)
    elif isinstance(source, type) or not callable(source):
        raise ModelError(
            f"simulate_many: {told} is {shown(source)}, which is not a model; give an lw.Model, or a function that "
            "builds one, such as lw.gallery.pendulum.build"
        )


def refuse_remote(model: Model | System) -> None:
    """Raise for a model with components elsewhere: they serve one run at a time."""
    whole = model.model if isinstance(model, System) else model
    for remote in remote_parts(whole):
        raise OptionError(
            f"simulate_many: component '{remote.path}' of '{whole.name}' lives elsewhere and serves one run at a time; "
            "run one after the other with lw.simulate"
        )


def _refuse_case(case: Mapping[str, Any], k: int) -> None:
    for word in OF_CASE:
        if not isinstance(case.get(word, {}), Mapping):
            raise OptionError(
                f"simulate_many: {word} of cases[{k}] must be numbers by name, not {shown(case[word])}; "
                f"write {{'{word}': {{'name': 1.0}}}}"
            )
