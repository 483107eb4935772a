"""Directives that make tables from the code itself, so that they cannot fall behind it.

methods-table     what each method supports, from `supports` of its class
options-table     the options of each method with their defaults
joints-table      kinds of joints and their coordinates
commands-list     the commands of the command line with their options
model-file-parts  sections of model files, their kinds and keys
model-file-values tables of model files that stand for objects
names-left        reference of the public names that no other page of the reference shows
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from sphinx.util.docutils import SphinxDirective

WORDS = {
    "loops": "closed loops",
    "redundant": "redundant rows",
    "distances": "distances (rods without mass)",
    "rolling": "wheels that roll without slipping",
    "moving grounds": "moving grounds",
    "armature": "rotor inertia (`armature=`)",
    "friction": "Coulomb friction in joints",
    "limits": "joint limits",
    "couplings": "gears, racks, differentials, cams",
    "backlash": "backlash of gears",
    "rigid motors": "motors that hold rigidly",
    "servos": "motors with softness (servos)",
    "motors": "motors with a limit of their torque alone",
    "contact": "contact of shapes",
    "ports": "subsystems solved separately",
    "remote components": "remote components (other processes)",
}


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    return [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def methods_table() -> list[str]:
    """Features down, methods across."""
    from linkwork.simulation.methods import ALL

    found = {feature for kind in ALL.values() for feature in kind.supports}
    order = [*(name for name in WORDS if name in found), *sorted(found - WORDS.keys())]
    rows = [
        [WORDS.get(feature, feature), *("✓" if feature in kind.supports else "–" for kind in ALL.values())]
        for feature in order
    ]
    return markdown(["", *(f"`{name}`" for name in ALL)], rows)


def options_table() -> list[str]:
    """A row for each method: its class, and its options with their defaults."""
    from linkwork.simulation.methods import ALL

    rows = []
    for name, kind in ALL.items():
        options = ", ".join(f"`{field.name}={field.default!r}`" for field in fields(kind))
        rows.append([f"`{name}`", f"{{py:class}}`~linkwork.{kind.__name__}`", options])
    return markdown(["method", "class", "options and their defaults"], rows)


def joints_table() -> list[str]:
    """Kinds of joints with their coordinates."""
    from linkwork.model.joints.joint_kinds import KINDS

    rows = [[f"`{name}`", kind.position, str(kind.nq), kind.velocity, str(kind.nv)] for name, kind in KINDS.items()]
    return markdown(["verb", "position", "nq", "velocity", "nv"], rows)


def commands_list() -> list[str]:
    """Every command with its words and options, as `--help` tells them."""
    import typer

    from linkwork import cli

    lines = []
    for name, command in typer.main.get_command(cli.app).commands.items():  # type: ignore[attr-defined]
        lines += [f"## linkwork {name}", "", (command.help or "").strip(), ""]
        rows = []
        for parameter in command.params:
            if parameter.name == "help":
                continue
            option = parameter.opts[0]
            word = option if option.startswith("-") else parameter.metavar or option.upper()
            rows.append([f"`{word}`", (getattr(parameter, "help", "") or "").strip()])
        lines += [*markdown(["option", "meaning"], rows), ""]
    return lines


def model_file_parts() -> list[str]:
    """Every section of a model file: kinds of parts, keys that they need, keys that they take."""
    from linkwork.formats.model_file.part_tables import SECTIONS

    alike: dict[tuple[str, ...], list[str]] = {}
    for name, section in SECTIONS.items():
        for kind, part in section.kinds.items():
            alike.setdefault((name, *_keys(part.keys)), []).append(kind)
    rows = [
        [f"`[[{name}]]`", ", ".join(f"`{kind}`" for kind in kinds if kind), *keys]
        for (name, *keys), kinds in alike.items()
    ]
    return markdown(["section", "`kind`", "needs", "takes"], rows)


def model_file_values() -> list[str]:
    """Every table of a model file that stands for an object."""
    from linkwork.formats.model_file import value_tables
    from linkwork.formats.model_file.values import ChoiceType, TableType

    found = {name: value for name, value in vars(value_tables).items() if name.isupper() and name[0] != "_"}
    rows = []
    for value in found.values():
        if isinstance(value, ChoiceType):
            rows += [[value.told, f"`{kind}`", *_keys(table)] for kind, table in value.kinds.items()]
        elif isinstance(value, TableType):
            rows.append([value.told, "", *_keys(value)])
    return markdown(["value", "`kind`", "needs", "takes"], rows)


def _keys(table: Any) -> list[str]:
    """Keys that a table needs and those that it takes, each with what it holds."""
    said = {key: f"`{key}` {value.told}" for key, value in table.keys.items()}
    rest = [text for key, text in said.items() if key not in table.needed]
    return [", ".join(said[key] for key in table.needed), ", ".join(rest)]


def names_left() -> list[str]:
    """Public names that the pages of the reference do not show yet, so that none is ever missing."""
    import linkwork

    shown = {"gallery", "__version__"}
    for page in (Path(__file__).parent / "reference").glob("*.md"):
        shown |= set(re.findall(r"auto\w+:: linkwork\.(\w+)$", page.read_text(encoding="utf-8"), re.MULTILINE))
    left = [name for name in linkwork.__all__ if name not in shown]
    told = (Path(__file__).parent / "reference" / "model.md").read_text(encoding="utf-8")
    verbs = [verb for verb in dir(linkwork.Model) if verb[0] != "_" and callable(getattr(linkwork.Model, verb))]
    new = [f".. automethod:: linkwork.Model.{verb}" for verb in verbs if f"linkwork.Model.{verb}\n" not in told]
    lines = [] if left or new else ["There are none."]
    if new:
        lines += ["```{eval-rst}", *new, "```", ""]
    for name in left:
        kind = "class" if isinstance(getattr(linkwork, name), type) else "function"
        lines += ["```{eval-rst}", f".. auto{kind}:: linkwork.{name}"]
        lines += ["   :members:"] * (kind == "class") + ["```", ""]
    return lines


def with_list_tables(lines: Sequence[str]) -> list[str]:
    """Tables of Markdown inside reStructuredText as list tables."""
    made: list[str] = []
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        if line.startswith("|") and line.endswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            made += [".. list-table::", "   :header-rows: 1", ""]
            for row in (row for row in rows if set("".join(row)) != {"-"}):
                made += [f"   {'* -' if k == 0 else '  -'} {cell}" for k, cell in enumerate(row)]
            made.append("")
            rows = []
        made.append(_without_bars(line))
    return made[:-1]


def _without_bars(line: str) -> str:
    """|x| is a magnitude in our docstrings, not a substitution; code stays as it is."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    pieces = line.split("`")
    return "`".join(piece if k % 2 else piece.replace("|", "\\|") for k, piece in enumerate(pieces))


TABLES = {
    "methods-table": methods_table,
    "options-table": options_table,
    "joints-table": joints_table,
    "commands-list": commands_list,
    "model-file-parts": model_file_parts,
    "model-file-values": model_file_values,
    "names-left": names_left,
}


class Made(SphinxDirective):
    """A piece of a page that the code writes."""

    def run(self) -> list[Any]:
        return self.parse_text_to_nodes("\n".join(TABLES[self.name]()), allow_section_headings=True)


def setup(app: Any) -> None:
    for name in TABLES:
        app.add_directive(name, Made)
