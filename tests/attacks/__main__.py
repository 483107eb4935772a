"""All attacks at their full length, counted: `make attack` prints the table and writes docs/reliability.md.

python -m attacks [part of the full length, 1.0 unless given] [attacks, all unless named; the others keep their rows]
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import linkwork as lw
from attacks import contact_scenes, files, imports, kills, mechanisms, page, places, power, wire
from attacks.workers import BAD

ATTACKS = {
    "damaged files": (files.main, 7000, "run, state, .h5 and STL files with one bit or a piece changed"),
    **{kind: (attack, 10000, imports.WORDS[kind]) for kind, attack in imports.ATTACKS.items()},
    "random mechanisms": (mechanisms.main, 10000, "trees and loops with springs, by all methods and integrators"),
    "contact scenes": (
        contact_scenes.main,
        600,
        "bodies of 1e-3 to 1e3 kg that fall, slide and hang, steps of 0.5 to 20 ms",
    ),
    "kills": (kills.main, 100, "processes killed while they stream, save, compile or serve, then read and resumed"),
    "power cuts": (power.main, 500, "of a stream: any pages that were not synced are missing from its file"),
    "places": (places.main, 102, "full and read-only disks, no home, no permission, an odd clock, forks, threads"),
    "messages": (wire.main, 5000, "between a whole and a component, each way; good callers among 20 hostile ones"),
    "page": (page.main, 5000, "damaged requests at the gate of the live page; good visits among 20 hostile visitors"),
}
PUBLISHED = 0.1  # of the full length: shorter looks do not change the page
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
HEAD = """# Reliability

This page shows what happens when files are damaged, mechanisms make no sense, processes are killed and callers are
hostile. `make attack` tries it all and writes the page.

- A file is read correctly or refused in one sentence.
- A run ends with numbers, with a warning that they are in doubt, or with an error that names the part.
- A killed process loses nothing but the block that it was writing.
- Whatever a caller sends, the server and the live page go on, and no other caller waits longer than a second for it.

A hang is 10 s without a sign of life; for imported files, from URDF to meshes, 10 s of CPU. Memory is bad when one
attack takes more than 500 MB. Energy is wrong when a run without doubts gains or loses 5 % of the energy that moved,
computed from the recorded motion of the bodies alone. Contacts are wrong when such a run has overlaps of half a body,
measured by MuJoCo, or bodies beyond the floor.

"""


def main(part: float = 1.0, chosen: Sequence[str] = ()) -> int:
    """Run all or those chosen, print and publish what was found; the number of bad outcomes."""
    rows, worst = _published(), []
    for name in chosen or ATTACKS:
        attack, count, words = ATTACKS[name]
        began = time.monotonic()
        outcomes, bad = attack(max(1, round(count * part)))
        took = time.monotonic() - began
        good = ", ".join(f"{number} {kind}" for kind, number in outcomes.most_common() if kind not in BAD)
        failed = ", ".join(f"{number} {kind}" for kind, number in outcomes.most_common() if kind in BAD) or "none"
        day = f"{datetime.date.today():%d %B %Y}"
        rows[name] = f"| {name} | {words} | {outcomes.total()} | {good} | {failed} | {took / 60:.0f} min | {day} |"
        print(rows[name], *bad[:20], sep="\n", flush=True)
        worst += bad
        if part >= PUBLISHED:
            _publish([rows[each] for each in ATTACKS if each in rows])
    return len(worst)


def _published() -> dict[str, str]:
    """The rows of the page by the name of their attack."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return {row.split(" | ")[0].removeprefix("| "): row for row in rows}


def _publish(rows: Sequence[str]) -> None:
    table = ["| attack | on | tried | came out | bad | took | day |", "|---|---|---|---|---|---|---|", *rows]
    foot = f"linkwork {lw.__version__}. Bad are: {', '.join(BAD)}."
    PAGE.write_text(HEAD + "\n".join(table) + f"\n\n{foot}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(1 if main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, sys.argv[2:]) else 0)
