"""Every method on one model, and a verdict: do those agree that should?

Each method runs with dt, dt / 2 and dt / 4, as `lw.simulate` runs it. How far its two finest runs are apart tells its
own error, the three together its order. Two methods should agree to what their own errors allow; where they do not, one
of them is wrong, and the first time and place of the parting is named. A method whose own error is large says nothing,
and is named as such.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.errors import ModelError, OptionError, RunError, RunWarning
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.analysis.comparing.agreement import Agreement
from linkwork.simulation.analysis.comparing.judging import Refined, judged
from linkwork.simulation.analysis.equilibrium import Equilibrium, resting
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.methods import ALL, known, positive, resolve, wanted
from linkwork.simulation.simulate import count_steps, simulate

ROWS = 300  # times at which runs are compared, at most
FASTER = 100.0  # so many more steps at most, where all are to cost the same
TIGHTER = 16.0  # an adaptive integrator takes tolerances smaller by this instead of half the step


def compare(
    model: Model,
    *,
    until: float,
    methods: Sequence[Any] | None = None,
    dt: float = 1e-3,
    matched: str = "dt",
    start: Equilibrium | Pose | Literal["equilibrium"] | None = None,
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Agreement:
    """Run `model` to `until` (s) by every method that supports it, or by `methods`, and report whether they agree.

    All take the same `dt` (s); with `matched="cost"` the faster ones take smaller steps, so that all take the same
    time. `start` and `ignore` are those of `lw.simulate`, for all of them; `options` are those of single methods, by
    name: {"impulse": {"iterations": 500}}. `progress` is called with the name of the method that runs. Methods that do
    not support the model are skipped and named; if you list one in `methods`, it refuses.

    >>> found = lw.compare(lw.gallery.double_four_bar.build(), until=0.2, dt=0.01, methods=["recursive", "hybrid"])
    >>> [(entry.method, entry.standing) for entry in found.entries]
    [('recursive', 'agrees'), ('hybrid', 'agrees')]
    """
    until, dt = positive("until", until, "seconds"), positive("dt", dt, "seconds")
    known(matched, ("dt", "cost"), f"unknown matched {shown(matched)}")
    system = assemble(model)
    chosen, left_out = _chosen(system, methods, options or {}, ignore)
    shared: dict[str, Any] = {"ignore": ignore}
    if start is not None:
        shared["start"] = resting(system, start)  # found once, for all
    steps, rows = _steps(count_steps(until, dt))
    runner = _Runner(model, until, rows, shared, progress)
    found = {method.name: runner.run(method, steps) for method in chosen}
    costs = {name: one.cost for name, one in found.items() if not one.refused}
    if matched == "cost" and len(costs) > 1:
        most = max(costs.values())
        for name, cost in costs.items():
            if cost < most:
                more = math.ceil(steps * min(most / max(cost, 1e-12), FASTER) / rows)
                found[name] = runner.run(found[name].method, rows * more)
    return judged(model.name, until, matched, found, left_out)


def _chosen(
    system: System, methods: Sequence[Any] | None, options: Mapping[str, Mapping[str, Any]], ignore: Any
) -> tuple[list[Any], dict[str, list[str]]]:
    """The methods to run; where none are named, those that are left out with the features that they lack."""
    if methods is not None and (isinstance(methods, str) or not isinstance(methods, Iterable)):
        raise OptionError(
            f"methods must list methods such as ['recursive', 'hybrid'], not {shown(methods)}; correct methods="
        )
    if not isinstance(options, Mapping) or not all(isinstance(each, Mapping) for each in options.values()):
        raise OptionError(
            f"options must be those of single methods such as {{'impulse': {{'iterations': 500}}}}, "
            f"not {shown(options)}; correct options="
        )
    for name in options:
        known(name, ALL, f"options are for unknown method {name!r}")
    chosen = [resolve(method, {})[0] for method in (list(ALL) if methods is None else methods)]
    chosen = [resolve(method, dict(options.get(method.name, {})))[0] for method in chosen]
    names = [method.name for method in chosen]
    if len(chosen) < 2 or len(set(names)) < len(names):
        raise OptionError("compare needs two methods or more, each once; correct methods=")
    if methods is not None:
        return chosen, {}
    features = wanted(system, ignore)
    left_out = {method.name: sorted(features - method.supports) for method in chosen if features - method.supports}
    chosen = [method for method in chosen if method.name not in left_out]
    if len(chosen) < 2:
        one = f"only {chosen[0].name!r} supports" if chosen else "no method supports"
        raise OptionError(
            f"{one} what model '{system.model.name}' has ({', '.join(sorted(features))}); nothing to compare"
        )
    return chosen, left_out


def _steps(steps: int) -> tuple[int, int]:
    """Steps, or a few more (below a half per cent), that can be kept as at most ROWS rows; and these rows.

    >>> _steps(1000), _steps(997)
    ((1000, 250), (1000, 250))
    """
    every = math.ceil(steps / ROWS)
    rows = math.ceil(steps / every)
    return every * rows, rows


class _Runner:
    """Runs one method after the other with what they share."""

    def __init__(
        self, model: Model, until: float, rows: int, shared: dict[str, Any], progress: Callable[[str], None] | None
    ) -> None:
        self.model, self.until, self.rows, self.shared, self.progress = model, until, rows, shared, progress

    def run(self, method: Any, steps: int) -> Refined:
        """The method with so many steps, with twice and four times as many."""
        if self.progress is not None:
            self.progress(method.name)
        found = Refined(method, self.until / steps)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)  # the verdict names what they say
                for finer in (1, 2, 4):
                    every = finer * steps // self.rows
                    run = simulate(
                        self.model,
                        until=self.until,
                        method=_finer(method, self.until / steps, finer),
                        every=every,
                        record=["*.position", "*.rotation"],
                        **self.shared,
                    )
                    found.runs.append(run)
        except RunError as error:
            found.refused, found.hint = _told(error)
            found.refused_at = error.time
        except (ModelError, OptionError) as error:
            found.refused = str(error).rstrip(".")
        return found


def _finer(method: Any, dt: float, finer: int) -> Any:
    """The method with a step so much smaller."""
    options = {"dt": dt / finer}
    if method.integrator == "adaptive":
        tighter = TIGHTER ** -math.log2(finer)
        options |= {"rtol": method.rtol * tighter, "atol": method.atol * tighter}
    return resolve(method, options)[0]


def _told(error: RunError) -> tuple[str, str]:
    """What went wrong, without when; and what to try."""
    words = str(error).partition("): ")[2] or str(error)
    reason, _, rest = words.partition("; ")
    return reason.rstrip("."), rest.partition("; ")[0].rstrip(".")
