"""Scores: published numbers beside ours, by every method that can; and every gallery piece by every method.

    python benchmarks/scores.py [FOLDER]

Writes scores.html and scores.json to FOLDER (build/scores), prints a summary, and exits 1 where a score fails.
A method is held to a tolerance that fits its order and step; where it refuses, its reason is the score.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery import andrews, double_four_bar, iltis, n_four_bar, names, pendulum, piece
from linkwork.simulation.methods import ALL, IMPLICIT, METHODS

ANY = tuple(METHODS)  # explicit, of order 4 here
LOOK = (
    "body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 75rem; margin: 2rem auto; padding: 0 1rem } "
    "table { border-collapse: collapse; font-size: 0.85rem } td, th { padding: 0.2rem 0.7rem; text-align: left; "
    "border-bottom: 1px solid #ddd; font-variant-numeric: tabular-nums } .fail { color: #a03c00; font-weight: 600 } "
    ".pass { color: #00664b } .told { color: #555 }"
)


@dataclass
class Score:
    """One number: published, ours, how far they may be apart; or why there is none."""

    problem: str
    quantity: str
    source: str
    method: str
    published: float
    tolerance: float
    ours: float = math.nan
    seconds: float = 0.0
    refused: str = ""

    @property
    def difference(self) -> float:
        return abs(self.ours - self.published)

    @property
    def verdict(self) -> str:
        if self.refused:
            return "refused"
        return "pass" if self.difference <= self.tolerance else "fail"


Numbers = list[tuple[str, float, float]]  # quantity, published, ours
Problem = tuple[str, str, dict[str, tuple[dict[str, Any], float]], Callable[[dict[str, Any]], Numbers]]


def pendulum_after_ten(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(pendulum.build(), until=10.0, **options)
    x, _, y = run["bob.position"][-1]
    return [("x of the bob at 10 s, m", -0.2750874626, x), ("y at 10 s, m", -0.9614192051, y)]


def four_bars(n: int, wanted: tuple[float, ...]) -> Callable[[dict[str, Any]], Numbers]:
    def measure(options: dict[str, Any]) -> Numbers:
        run = lw.simulate(n_four_bar.build(n=n), until=10.0, record="coupler 1.*", **options)
        found = n_four_bar.tip(run)[-1]
        return [
            (f"{what} of B0 at 10 s", w, f) for what, w, f in zip(("x", "y", "vx", "vy"), wanted, found, strict=True)
        ]

    return measure


def squeezer(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(andrews.build(), until=0.03, record="*.position", **options)
    beta, theta = andrews.angles(run)[-1, :2]
    return [("beta at 0.03 s, rad", 15.81077119629904, beta), ("Theta at 0.03 s, rad", -15.75637105984298, theta)]


def table_1(options: dict[str, Any]) -> Numbers:
    found = []
    for dt, printed in ((0.01, -0.01), (0.05, -0.34), (0.1, -1.34)):
        run = lw.simulate(double_four_bar.build(), until=10.0, **{**options, "dt": dt})
        change = run.energy["total"] - run.energy["total"][0]
        found.append((f"energy error at dt {dt:g} s, J", printed, round(float(change[np.argmax(np.abs(change))]), 2)))
    return found


def iltis_forces(options: dict[str, Any]) -> Numbers:
    start = lw.simulate(iltis.build(manoeuvre="bump"), until=1e-3, **options)
    wanted = {"leaf.force": -2728.9, "shock.force": -128.0, "tyre.load": 3829.6}
    found = [(f"front {name}, N", value, float(start[f"front left {name}"][0])) for name, value in wanted.items()]
    return [*found, ("rear tyre.load, N", 3593.6, float(start["rear left tyre.load"][0]))]


def top(options: dict[str, Any]) -> Numbers:
    model = lw.Model("heavy top")
    body = model.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    model.ball("tip", model.ground, body, at=(0, 0, 0), velocity=(0, 150, -4.61538))
    found = lw.simulate(model, until=0.2, **options)["top.rotation"][-1]
    found = found if found[1] > 0 else -found
    printed = (-0.70828, 0.43878, 0.54573, 0.0894)
    return [(f"e{k} at 0.2 s", w, f) for k, (w, f) in enumerate(zip(printed, found, strict=True))]


def sliding(options: dict[str, Any]) -> Numbers:
    model = lw.Model("block")
    rough = lw.Material(friction=0.5)
    model.plane("floor", material=rough)
    block = model.body("block", shape=lw.Box((0.4, 0.3, 0.2)), mass=2.0, material=rough, position=(0, 0, 0.1))
    model.free("throw", "ground", block, velocity=(5, 0, 0, 0, 0, 0))
    run = lw.simulate(model, until=1.3, **options)
    return [("way to rest from 5 m/s, m", 2.548420, float(run["block.position"][-1, 0]))]


def explicit(dt: float, tolerance: float) -> dict[str, tuple[dict[str, Any], float]]:
    return {name: ({"method": name, "integrator": "rk4", "dt": dt}, tolerance) for name in ANY}


def implicit(dt: float, tolerance: float, *which: str, **more: Any) -> dict[str, tuple[dict[str, Any], float]]:
    return {name: ({"method": name, "dt": dt, **more}, tolerance) for name in which or IMPLICIT}


TWO = (0.328458112, 0.944518538, 1.423051470, -0.494868845)
FORTY = (0.180512227, 0.983572741, 1.148441277, -0.210770067)
PROBLEMS: list[Problem] = [
    (
        "pendulum",
        "IFToMM A01",
        explicit(1e-3, 1e-9) | implicit(1e-3, 2e-4, "hybrid", "semi-recursive", "global"),
        pendulum_after_ten,
    ),
    ("double four-bar", "IFToMM A02, N = 2", explicit(1e-3, 2e-8) | implicit(1e-3, 1e-3), four_bars(2, TWO)),
    (
        "40 four-bars",
        "IFToMM A02, N = 40",
        {"recursive": explicit(1e-2, 1e-6)["recursive"]} | implicit(2.5e-3, 2e-5, "hybrid", penalty=1e11),
        four_bars(40, FORTY),
    ),
    (
        "Andrews' squeezer",
        "IFToMM A03, IVP test set",
        explicit(1e-5, 5e-9) | implicit(1e-5, 2e-3, "hybrid", "semi-recursive"),
        squeezer,
    ),
    ("double four-bar, Table 1", "CD03, column Hybrid", implicit(0.01, 0.0, "hybrid"), table_1),
    ("heavy top", "printed Euler parameters", explicit(1e-4, 5.1e-6), top),
    ("Iltis, design position", "IAVSD benchmark", implicit(1e-3, 0.1001, "hybrid"), iltis_forces),
    ("sliding block", "v^2 / 2 mu g", implicit(5e-3, 0.0255, "impulse", "maximal"), sliding),
]


def published() -> Iterator[Score]:
    """Every problem by every method that is listed with it."""
    for problem, source, ways, measure in PROBLEMS:
        for method, (options, tolerance) in ways.items():
            start = time.perf_counter()
            told = {"problem": problem, "source": source, "method": method, "tolerance": tolerance}
            try:
                numbers = measure(options)
            except (lw.RunError, lw.ModelError, lw.OptionError) as error:
                yield Score(**told, quantity="", published=math.nan, refused=str(error))
                continue
            seconds = time.perf_counter() - start
            for quantity, wanted, found in numbers:
                yield Score(**told, quantity=quantity, published=wanted, ours=float(found), seconds=seconds)


def gallery() -> Iterator[dict[str, Any]]:
    """Every piece by every method that supports it, a second of it at most, with what its certificate says."""
    for name in names():
        each = piece(name)
        model = each.build()
        features = lw.assemble(model).features
        dt, first = each.METHOD.get("dt", 1e-3), f"{next(model.all_bodies()).path}.position"
        for method, kind in ALL.items():
            if features - kind.supports:
                continue
            row: dict[str, Any] = {"piece": name, "method": method, "dt": dt}
            try:
                options = {"start": each.METHOD["start"]} if "start" in each.METHOD else {}
                run = lw.simulate(model, until=min(each.UNTIL, 1.0), method=method, dt=dt, record=first, **options)
            except lw.RunError as error:
                row["told"] = str(error)
            except (lw.ModelError, lw.OptionError) as error:
                row["told"] = str(error)
            else:
                made = run.certificate
                row |= {
                    "energy": made.energy_balance_relative,
                    "drift": made.worst_drift_position,
                    "seconds": made.wall_seconds,
                    "told": "; ".join(made.broken()),
                }
            yield row


def page(scores: list[Score], pieces: list[dict[str, Any]]) -> str:
    """The page as text."""
    heads = ("problem", "source", "quantity", "published", "ours", "difference", "tolerance", "method", "time", "")
    rows = [
        (s.problem, s.source, s.quantity, f"{s.published:.10g}", f"{s.ours:.10g}", f"{s.difference:.1e}",
         f"{s.tolerance:.1e}", s.method, f"{s.seconds:.2g} s", s.verdict)
        if not s.refused
        else (s.problem, s.source, s.refused, "", "", "", "", s.method, "", "refused")
        for s in scores
    ]  # fmt: skip
    figures = ("energy", "drift", "seconds")
    runs = []
    for r in pieces:
        numbers = [f"{r[k]:.1e}" if k in r else "" for k in figures]
        runs.append((r["piece"], r["method"], f"{r['dt']:g}", *numbers, r["told"]))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>linkwork: scores</title><style>{LOOK}'
        f"</style></head><body><h1>Published numbers, and ours</h1><p>{escape(summary(scores))}</p>"
        f"{_table(heads, rows)}<h1>Every piece by every method</h1><p>A second of each at the step of the piece: "
        "the worst energy balance as a part of the energy that moved, the drift of the loops (m, rad), seconds of "
        "computing, and what is beyond the plain bounds of a strict run, or why there is none.</p>"
        f"{_table(('piece', 'method', 'dt (s)', 'energy', 'drift', 'seconds', ''), runs)}</body></html>\n"
    )


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    top_row = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = []
    for row in rows:
        cells = [(cell if cell in ("pass", "fail") else "told", escape(cell)) for cell in row]
        lines.append("<tr>" + "".join(f'<td class="{look}">{cell}</td>' for look, cell in cells) + "</tr>")
    body = "".join(lines)
    return f"<table><tr>{top_row}</tr>{body}</table>"


def summary(scores: list[Score]) -> str:
    """How many numbers, and how they came out."""
    count = {word: sum(s.verdict == word for s in scores) for word in ("pass", "fail", "refused")}
    problems = len({s.problem for s in scores})
    return (
        f"{problems} problems, {count['pass']} numbers within their tolerance, {count['fail']} not, "
        f"{count['refused']} refused"
    )


def main(folder: Path) -> int:
    """Score all, write the page; 1 where a score fails."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = []
    for score in published():
        scores.append(score)
        print(f"{score.verdict:8s}{score.problem:26s}{score.method:16s}{score.quantity or score.refused}", flush=True)
    pieces = []
    for row in gallery():
        pieces.append(row)
        print(f"{row['piece']:18s}{row['method']:16s}{row['told'] or 'good'}", flush=True)
    (folder / "scores.html").write_text(page(scores, pieces), encoding="utf-8")
    facts = {"scores": [asdict(s) | {"verdict": s.verdict} for s in scores], "gallery": pieces}
    (folder / "scores.json").write_text(json.dumps(facts, indent=1, default=str), encoding="utf-8")
    print(f"{summary(scores)}; {folder / 'scores.html'}")
    return int(any(score.verdict == "fail" for score in scores))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/scores")))
