"""Scores: published numbers beside ours, by every method that can; and every gallery piece by every method.

    python benchmarks/scores.py [FOLDER] [--publish] [--only PROBLEM]

Writes scores.html and scores.json to FOLDER (build/scores), prints a summary, and exits 1 where a score fails. With
--publish the page docs/scores.md is written too; with --only a single problem is scored, and no piece of the gallery.
A method is held to a tolerance that fits its order and step; where it refuses, its reason is the score.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from score_page import FIGURES, publish
from score_problems import AT_MOST, NOTES, PROBLEMS, Problem

import linkwork as lw
from linkwork.gallery import names, piece
from linkwork.simulation.methods import ALL

LOOK = (
    "body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 75rem; margin: 2rem auto; padding: 0 1rem } "
    "table { border-collapse: collapse; font-size: 0.85rem } td, th { padding: 0.2rem 0.7rem; text-align: left; "
    "border-bottom: 1px solid #ddd; font-variant-numeric: tabular-nums } .fail { color: #a03c00; font-weight: 600 } "
    ".pass { color: #00664b } .reported { color: #555 }"
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
        if self.note:
            return "reported"
        if self.tolerance == AT_MOST:
            return "pass" if abs(self.ours) <= abs(self.published) else "fail"
        return "pass" if self.difference <= self.tolerance else "fail"

    @property
    def note(self) -> str:
        """Why its digits cannot be the same; empty where they can."""
        return NOTES.get(self.problem, "")

    @property
    def allowed(self) -> str:
        """What is asked of it, in words."""
        if self.note:
            return "none"
        return "at most" if self.tolerance == AT_MOST else f"{self.tolerance:.1e}"


def published(only: str | None = None) -> Iterator[Score]:
    """Every problem, or one, by every method that is listed with it."""
    for each in PROBLEMS:
        if only in (None, each[0]):
            yield from scored(each)


def scored(each: Problem) -> Iterator[Score]:
    """A problem by every method that is listed with it."""
    problem, source, ways, measure = each
    for method, (options, tolerance) in ways.items():
        start = time.perf_counter()
        known = {"problem": problem, "source": source, "method": method, "tolerance": tolerance}
        try:
            numbers = measure(options)
        except (lw.RunError, lw.ModelError, lw.OptionError) as error:
            yield Score(**known, quantity="", published=math.nan, refused=str(error))
            continue
        seconds = time.perf_counter() - start
        for quantity, wanted, found in numbers:
            yield Score(**known, quantity=quantity, published=wanted, ours=float(found), seconds=seconds)


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
                row["reported"] = str(error)
            except (lw.ModelError, lw.OptionError) as error:
                row["reported"] = str(error)
            else:
                made = run.certificate
                row |= {
                    "energy": made.energy_balance_relative,
                    "drift": made.worst_drift_position,
                    "seconds": made.wall_seconds,
                    "reported": "; ".join(made.broken()),
                }
            yield row


def page(scores: list[Score], pieces: list[dict[str, Any]]) -> str:
    """The page as text."""
    heads = ("problem", "source", "quantity", "published", "ours", "difference", "tolerance", "method", "time", "")
    rows = [
        (s.problem, f"{s.source} {s.note}".strip(), s.quantity, f"{s.published:.10g}", f"{s.ours:.10g}",
         f"{s.difference:.1e}", s.allowed, s.method, f"{s.seconds:.2g} s", s.verdict)
        if not s.refused
        else (s.problem, s.source, s.refused, "", "", "", "", s.method, "", "refused")
        for s in scores
    ]  # fmt: skip
    runs = []
    for r in pieces:
        numbers = [f"{r[k]:.1e}" if k in r else "" for k in FIGURES]
        runs.append((r["piece"], r["method"], f"{r['dt']:g}", *numbers, r["reported"]))
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
        cells = [(cell if cell in ("pass", "fail") else "reported", escape(cell)) for cell in row]
        lines.append("<tr>" + "".join(f'<td class="{look}">{cell}</td>' for look, cell in cells) + "</tr>")
    body = "".join(lines)
    return f"<table><tr>{top_row}</tr>{body}</table>"


def summary(scores: list[Score]) -> str:
    """How many numbers, and how they came out."""
    count = {word: sum(s.verdict == word for s in scores) for word in ("pass", "fail", "reported", "refused")}
    problems = len({s.problem for s in scores})
    return (
        f"{problems} problems, {count['pass']} numbers within their tolerance, {count['fail']} not, "
        f"{count['reported']} that cannot be compared digit by digit, "
        f"{count['refused']} times a method refused a problem"
    )


def warm() -> None:
    """Compile, or load, every method, so that it is not measured."""
    model = lw.Model("block")
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    for name in ALL:
        lw.simulate(model, until=0.01, dt=0.01, method=name)


def main(folder: Path, publishing: bool, only: str | None) -> int:
    """Score all, write the page; 1 where a score fails."""
    folder.mkdir(parents=True, exist_ok=True)
    warm()
    scores = []
    for score in published(only):
        scores.append(score)
        print(f"{score.verdict:8s}{score.problem:26s}{score.method:16s}{score.quantity or score.refused}", flush=True)
    pieces = []
    for row in () if only else gallery():
        pieces.append(row)
        print(f"{row['piece']:18s}{row['method']:16s}{row['reported'] or 'good'}", flush=True)
    (folder / "scores.html").write_text(page(scores, pieces), encoding="utf-8")
    facts = {"scores": [asdict(s) | {"verdict": s.verdict} for s in scores], "gallery": pieces}
    (folder / "scores.json").write_text(json.dumps(facts, indent=1, default=str), encoding="utf-8")
    if publishing:
        publish(scores, pieces, summary(scores))
    print(f"{summary(scores)}; {folder / 'scores.html'}")
    return int(any(score.verdict == "fail" for score in scores))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("folder", nargs="?", type=Path, default=Path("build/scores"))
    asked.add_argument("--publish", action="store_true", help="write docs/scores.md too")
    asked.add_argument("--only", choices=[name for name, *_ in PROBLEMS], metavar="PROBLEM")
    given = asked.parse_args()
    sys.exit(main(given.folder, given.publish and not given.only, given.only))
