"""The four tables of CD03 with our methods beside the printed numbers.

    python benchmarks/cd03_tables.py [1 2 3 4]

An entry is error / time: the error as the paper measures it, the computing time in milliseconds (best of three; the
paper's Tables 1-3 are Matlab in seconds, Table 4 is Fortran on a 1.4 GHz PC). "refused" is a run that stopped and said
why. Not all columns can be the same: the paper prints no data of the suspension's start, the robot's moves, the road.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery import double_four_bar, iltis, iltis_suspension, puma
from linkwork.simulation.methods import ALL

METHODS = [name for name in ("global", "semi-recursive", "hybrid") if name in ALL]


def entry(build: Callable[[], Any], until: float, method: Any, error: Callable[[Any], float] | None) -> str:
    """Error and milliseconds of one run."""
    try:
        run = lw.simulate(build(), until=until, method=method)
        best = float("inf")
        for _ in range(3):
            sim = lw.Simulation(build(), method)
            start = perf_counter()
            sim.step(round(until / sim.method.dt))
            best = min(best, perf_counter() - start)
    except lw.RunError as stop:
        return f"refused at {stop.time:.2f} s"
    except lw.OptionError as refusal:
        return str(refusal).split(";")[0][:40]
    if error is None:
        return f"{1e3 * best:.1f} ms, {until / best:.0f} x real time"
    return f"{error(run):.3g} / {1e3 * best:.1f} ms"


def table(
    title: str,
    build: Callable[[], Any],
    until: float,
    steps: tuple[float, ...],
    printed: dict[float, tuple[str, str, str]],
    error: Callable[[Any], float] | None,
) -> None:
    print(f"\n{title}")
    print(f"{'dt':>7}  " + "  ".join(f"{name:>24}  {'printed':>14}" for name in METHODS))
    for dt in steps:
        cells = []
        for name in METHODS:
            column = ("global", "semi-recursive", "hybrid").index(name)
            found = entry(build, round(until / dt) * dt, ALL[name](dt=dt), error)
            cells.append(f"{found:>24}  {printed.get(dt, ('-', '-', '-'))[column]:>14}")
        print(f"{dt:>7g}  " + "  ".join(cells), flush=True)


def strays(run: Any) -> float:
    change = run["energy.total"] - run["energy.total"][0]
    return float(change[np.argmax(np.abs(change))])


def lost(run: Any) -> float:
    """Lost gravitational energy less what the damper took, J."""
    potential = run["energy.potential"]
    return float(potential[0] - potential[-1] - run["energy.dissipated"][-1])


def one() -> None:
    table(
        "Table 1: double four-bar, 10 s; largest deviation of the energy (J)",
        double_four_bar.build,
        10.0,
        (0.01, 0.03, 0.05, 0.1),
        {
            0.01: ("-0.21", "no convergent", "-0.01"),
            0.03: ("-0.83", "no convergent", "-0.12"),
            0.05: ("-9.03", "no convergent", "-0.34"),
            0.1: ("wrong results", "no convergent", "-1.34"),
        },
        strays,
    )


def two() -> None:
    table(
        "Table 2: Iltis suspension, 7 s with a kerb of 10 cm after 3 s; lost gravitational less dissipated energy (J)",
        iltis_suspension.build,
        7.0,
        (0.001, 0.01, 0.03),
        {
            0.001: ("-43.13", "-43.49", "-42.05"),
            0.01: ("-43.45", "-44.06", "-42.80"),
            0.03: ("-57.96", "no convergent", "no convergent"),
        },
        lost,
    )


def three() -> None:
    table(
        "Table 3: PUMA, 8 s; the hand's distance from where it began (mm)",
        puma.build,
        8.0,
        (0.01, 0.05, 0.1),
        {0.01: ("0.53", "0.26", "0.34"), 0.05: ("3.4", "1.5", "1.8"), 0.1: ("no convergent", "3.2", "no convergent")},
        puma.error,
    )


def four() -> None:
    print("\nTable 4: Iltis, 8 s over a ramp and stairs at 5 m/s (printed: x real time at the best dt)")
    columns: list[tuple[str, Any, str]] = [
        ("global", ALL.get("global"), "2.11"),
        ("semi-recursive", lw.SemiRecursive, "17.02"),
        ("hybrid", lw.Hybrid, "21.05"),
        ("fully recursive", lambda dt: lw.Recursive(integrator="trapezoidal", dt=dt), "3.48"),
    ]
    for name, make, printed in columns:
        for dt in (0.01, 0.005, 0.0025):
            if make is not None:
                print(
                    f"{name:>16}  dt {dt:<7g} {entry(iltis.build, 8.0, make(dt=dt), None):>32}  printed {printed}",
                    flush=True,
                )


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ["1", "2", "3", "4"]:
        {"1": one, "2": two, "3": three, "4": four}[wanted]()
