"""Side by side with the other engines that are installed: `linkwork bench [SCENE ...] [--json] [--page FILE]`.

Every scene builds one model in words, gives the same tree to each engine, first checks that they compute the same
accelerations, and then times them in turn in one run. A figure is the best of several repeats: on a shared machine the
smallest time is the one that was disturbed least.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from time import perf_counter
from typing import Any

from linkwork.errors import OptionError

__all__ = ["SCENES", "Chart", "Comparison", "Figure", "SceneReport", "best_of", "run"]

# scene -> (module, what it shows)
SCENES = {
    "tree": ("linkwork.bench.tree", "open trees: a step against MuJoCo, Pinocchio's articulated bodies, Drake, DART"),
    "implicit": ("linkwork.bench.implicit", "four-bars through singular positions: the time to reach an energy error"),
    "impulse": (
        "linkwork.bench.impulse",
        "impulses: chain, linkage, hands, vehicles, piles and towers against MuJoCo, with errors",
    ),
    "python": ("linkwork.bench.python_loop", "a controller in Python: read, write, step; against MuJoCo's binding"),
    "components": ("linkwork.bench.components", "chains and ladders by methods component and absolute; two processes"),
    "slopes": ("linkwork.bench.slopes", "exact slopes of all accelerations of chains, against Pinocchio and MuJoCo"),
    "many": ("linkwork.bench.many", "many chains at once, in threads, against MuJoCo's rollout"),
}
ENGINES = {"MuJoCo": "mujoco", "Pinocchio": "pin", "Exudyn": "exudyn", "Drake": "drake", "DART": "dartpy"}
NOT_INSTALLED = "not installed: pip install 'linkwork[bench]'"


@dataclass
class Comparison:
    """One case of a scene against one engine; times in seconds per step."""

    case: str
    engine: str
    linkwork: float
    peer: float | None = None
    difference: float | None = None  # largest relative difference of accelerations at one state
    target: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time over theirs."""
        return None if self.peer is None else self.linkwork / self.peer

    @property
    def verdict(self) -> str:
        """pass, fail, or - where there is no target or no engine."""
        if self.ratio is None or self.target is None:
            return "-"
        return "pass" if self.ratio <= self.target else "fail"


@dataclass
class Figure:
    """One number of a scene with what it may be at most; `peer` is MuJoCo's, where that is the bound."""

    name: str
    value: float | None
    target: float | None = None
    peer: float | None = None

    @property
    def verdict(self) -> str:
        """pass, fail, or - where there is nothing to judge."""
        if self.value is None or self.target is None:
            return "-"
        return "pass" if self.value <= self.target else "fail"


@dataclass
class Chart:
    """Lines to be drawn with both axes logarithmic; points as (x, y)."""

    title: str
    x: str
    y: str
    lines: dict[str, list[tuple[float, float]]]


@dataclass
class SceneReport:
    """What a scene measured."""

    scene: str
    comparisons: list[Comparison]
    figures: list[Figure] = field(default_factory=list)
    how: str = ""
    charts: list[Chart] = field(default_factory=list)


def best_of(repeats: int, seconds: float, contestants: Sequence[Callable[[int], Any]]) -> list[float]:
    """Least seconds per unit of work for each contestant, called in turn with a number of units.

    Each one is warmed up, given enough units to last about `seconds`, and then all take turns `repeats` times, so that
    a busy moment of the machine meets all of them alike.

    >>> fast, slow = best_of(2, 0.001, [lambda n: sum(range(10 * n)), lambda n: sum(range(1000 * n))])
    >>> fast < slow
    True
    """
    units = []
    for contestant in contestants:
        contestant(1)
        n = 1
        while True:
            taken = float("inf")
            for _ in range(3):  # whoever was held up once would get too little to do
                start = perf_counter()
                contestant(n)
                taken = min(taken, perf_counter() - start)
            if taken >= 0.1 * seconds or n >= 10_000_000:
                break
            n *= 4
        units.append(max(1, round(n * seconds / max(taken, 1e-9))))
    best = [float("inf")] * len(units)
    for _ in range(repeats):
        for k, contestant in enumerate(contestants):
            start = perf_counter()
            contestant(units[k])
            best[k] = min(best[k], (perf_counter() - start) / units[k])
    return best


def run(scenes: list[str], as_json: bool, quick: bool, page: str | None = None) -> int:
    """Measure the named scenes (all, if none is named) and print them; the exit code of the command.

    `quick` measures small cases shortly, to see that everything works; its figures are not worth quoting. `page` is an
    HTML file to be written too, with charts.
    """
    if page is not None:
        from linkwork.bench.page import check

        check(page)
    names = scenes or list(SCENES)
    unknown = [name for name in names if name not in SCENES]
    if unknown:
        raise OptionError(f"unknown scene {unknown[0]!r}; scenes are: {', '.join(SCENES)}")
    reports = []
    for name in names:
        if not as_json:
            print(f"{name}: measuring, this takes a minute ...", file=sys.stderr, flush=True)
        reports.append(importlib.import_module(SCENES[name][0]).measure(quick=quick))
    if as_json:
        print(json.dumps(_document(reports, quick), indent=2))
    else:
        for report in reports:
            _print(report)
    if page is not None:
        from linkwork.bench.page import write

        write(page, reports, quick)
        if not as_json:
            print(f"page     {page}")
    return 0


# ---- what was measured on what ---------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Processor, cores and system."""
    name = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            name = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"processor": name, "cores": os.cpu_count(), "system": platform.platform()}


def versions() -> dict[str, str | None]:
    """Versions of ours and of the engines; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for label, package in [("linkwork", "linkwork"), ("numba", "numba"), ("numpy", "numpy"), *ENGINES.items()]:
        try:
            found[label] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[label] = None
    if found["linkwork"] is None:  # run from its source folder
        found["linkwork"] = getattr(importlib.import_module("linkwork"), "__version__", None)
    return found


def _document(reports: list[SceneReport], quick: bool) -> dict[str, Any]:
    return {
        "quick": quick,
        "machine": machine(),
        "versions": versions(),
        "scenes": {
            report.scene: {
                "how": report.how,
                "comparisons": [
                    {**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in report.comparisons
                ],
                "figures": [{**asdict(figure), "verdict": figure.verdict} for figure in report.figures],
                "charts": [asdict(chart) for chart in report.charts],
            }
            for report in reports
        },
    }


# ---- printing --------------------------------------------------------------------------------------------------------

HEADS = ("case", "engine", "linkwork", "engine's", "ratio", "at most", "", "agree to")


def _print(report: SceneReport) -> None:
    rows = [cells_of(row) for row in report.comparisons]
    what = [f"{figure.name}: {number(figure.value)}{against(figure)}" for figure in report.figures]
    known = machine()
    foot = ", ".join(f"{name} {version}" for name, version in versions().items() if version)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(
            padding=(0, 0),
            title=f"{report.scene}: {SCENES[report.scene][1]}",
            caption=report.how,
            caption_justify="left",
        )
        for k, head in enumerate(HEADS):
            table.add_column(head, justify="left" if k in (0, 1, 6) else "right", no_wrap=True)
        colours = {"pass": "[green]pass[/]", "fail": "[red]fail[/]"}
        for cells in rows:
            table.add_row(*cells[:6], colours.get(cells[6], cells[6]), cells[7])
        console = Console()
        console.print(table)
        for line in [*what, f"{known['processor']}, {known['cores']} cores; {foot}"]:
            console.print(line, highlight=False)
        return
    widths = [max(len(line[k]) for line in [HEADS, *rows]) for k in range(len(HEADS))]
    print(f"{report.scene}: {SCENES[report.scene][1]}\n")
    for cells in [HEADS, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    print()
    for line in [*what, report.how, f"{known['processor']}, {known['cores']} cores; {foot}"]:
        print(line)


def cells_of(row: Comparison) -> tuple[str, ...]:
    peer = _time(row.peer) if row.peer is not None else (row.note or NOT_INSTALLED)
    return (
        row.case,
        row.engine,
        _time(row.linkwork),
        peer,
        number(row.ratio),
        number(row.target),
        row.verdict,
        "-" if row.difference is None else f"{row.difference:.0e}",
    )


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e6:.3g} us"


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def against(figure: Figure) -> str:
    if figure.peer is not None:
        return f"; MuJoCo {number(figure.peer)} ({figure.verdict})"
    return "" if figure.target is None or figure.value is None else f" (at most {figure.target:g}: {figure.verdict})"
