"""Scores in Markdown: the page docs/scores.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FIGURES = ("energy", "drift", "seconds")
HEADS = ("quantity", "method", "published", "ours", "difference", "tolerance", "s", "verdict")
WORDS = ("pass", "fail", "reported", "refused")


def markdown(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """A table in Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def digest(scores: list[Any]) -> list[str]:
    """A row for each problem: how many numbers by how many methods, and how they came out."""
    rows = []
    for problem in dict.fromkeys(s.problem for s in scores):
        ours = [s for s in scores if s.problem == problem]
        numbers = [s for s in ours if not s.refused]
        methods = len({s.method for s in numbers})
        count = {word: sum(s.verdict == word for s in ours) for word in WORDS}
        reported = ", ".join(f"{n} {word}" for word, n in count.items() if n)
        by = f"{methods} method" + ("s" if methods > 1 else "")
        rows.append((problem, ours[0].source, f"{len(numbers)} by {by}", reported))
    return markdown(("problem", "published in", "numbers", "verdict"), rows)


def problem(name: str, scores: list[Any]) -> list[str]:
    """A problem with its numbers, or why there are none."""
    lines = [
        f"### {name}",
        "",
        f"{scores[0].source}." + (f" Not comparable: {scores[0].note}." if scores[0].note else ""),
    ]
    rows = []
    for s in scores:
        if not s.refused:
            found = (f"{s.published:.10g}", f"{s.ours:.10g}", f"{s.difference:.1e}", s.allowed)
            rows.append((s.quantity, s.method, *found, f"{s.seconds:.2g}", s.verdict))
    lines += ["", *(markdown(HEADS, rows) if rows else []), ""]
    return lines + [line for s in scores if s.refused for line in (f"- {s.method} refused: {s.refused}", "")]


def page(scores: list[Any], pieces: list[dict[str, Any]], summary: str) -> list[str]:
    """The lines of the page."""
    runs = []
    for r in pieces:
        found = tuple(f"{r[k]:.1e}" if k in r else "" for k in FIGURES)
        runs.append((r["piece"], r["method"], f"{r['dt']:g}", *found, r["reported"] or "good"))
    reported = dict.fromkeys(s.problem for s in scores)
    return [
        "# Scores",
        "",
        "Written by `make validate`: published numbers beside ours, by every method that can do them, and every piece "
        "of the gallery by every method that supports it.",
        "",
        f"{summary}.",
        "",
        *digest(scores),
        "",
        "## Published numbers, and ours",
        "",
        *(line for name in reported for line in problem(name, [s for s in scores if s.problem == name])),
        "## Every piece by every method",
        "",
        "A second of each at the step of the piece: the worst energy balance as a part of the energy that moved, the "
        "drift of the loops (m, rad), seconds of computing, and what is beyond the plain bounds of a strict run, or "
        "why there is none.",
        "",
        *markdown(("piece", "method", "dt (s)", *FIGURES, "verdict"), runs),
        "",
    ]


def publish(scores: list[Any], pieces: list[dict[str, Any]], summary: str) -> None:
    """Write the page of the documentation."""
    (ROOT / "docs" / "scores.md").write_text("\n".join(page(scores, pieces, summary)), encoding="utf-8")
