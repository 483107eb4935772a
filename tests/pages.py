"""Reading the pages of README and docs: their blocks of Python, what these print, and their command lines."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

import linkwork as lw
from linkwork import bench, cli

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^(`{3,}|:{3,})(\{[\w-]+\} *)?(\w*)[^\n]*\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WAITING = ("serve", "view")  # would wait for a whole, or for Ctrl-C


class Block(NamedTuple):
    """A fenced block: its language, its text, the line it begins at, and the file it would be kept in (its caption)."""

    language: str
    text: str
    line: int
    file: str | None


def fenced(page: str) -> list[Block]:
    """All fenced blocks of a page in their order; options of a directive are taken off."""
    found = []
    for match in FENCE.finditer(page):
        lines = match[4].splitlines(keepends=True)
        options = []
        while match[2] and lines and re.match(r":[\w-]+:", lines[0]):
            options.append(lines.pop(0).strip())
        if options and lines and not lines[0].strip():
            lines.pop(0)  # which parts the options from the text
        captions = [option.split(":", 2)[2].strip() for option in options if option.startswith(":caption:")]
        found.append(
            Block(match[3], "".join(lines), page.count("\n", 0, match.start()) + 1, captions[0] if captions else None)
        )
    return found


def blocks(page: str, language: str) -> list[str]:
    """The texts of all blocks in a language."""
    return [block.text for block in fenced(page) if block.language == language]


def commands(page: str) -> list[str]:
    """Every command line of linkwork on a page: in shell blocks, and in backticks."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("linkwork ")]
    found = lines + re.findall(r"`(linkwork [^`]+)`", FENCE.sub("", page))
    return list(dict.fromkeys(re.sub(r"\s+#.*", "", line).strip() for line in found))


def shortened(arguments: list[str]) -> list[str]:
    """The same run for a moment only, and without a page that waits for Ctrl-C."""
    quick = "1e-3" if arguments[1] == "andrews" else "0.02"
    words = [word for word in without(arguments, "--until") if word != "--view"]
    return [*words, "--until", quick, "--every", "1"]


def without(arguments: list[str], option: str) -> list[str]:
    """The words of a command but for an option and its value."""
    if option not in arguments:
        return arguments
    place = arguments.index(option)
    return arguments[:place] + arguments[place + 2 :]


def run_command(command: str, folder: Path) -> None:
    """Run a command line of linkwork for a moment, in the present folder; those that would wait are only read."""
    arguments = shlex.split(command)[1:]
    known = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
    if arguments[0] == "bench":  # a minute of measuring
        read = known["bench"].make_context("bench", arguments[1:])
        assert set(read.params["scenes"] or []) <= set(bench.SCENES)
        return
    if arguments[0] in WAITING:
        known[arguments[0]].make_context(arguments[0], arguments[1:])
        return
    if arguments[0] in ("replay", "film"):  # what a command before it would have saved
        for file in (word for word in arguments if word.endswith(".npz") and not (folder / word).exists()):
            lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01).save(file)
    if arguments[0] == "run" and "--help" not in arguments:
        arguments = shortened(arguments)
        if any(word.endswith(".h5") for word in arguments):
            pytest.importorskip("h5py")
        if "--from" in arguments:  # what a run before it would have kept
            file = arguments[arguments.index("--from") + 1]
            begun = CliRunner().invoke(cli.app, ["run", arguments[1], "--until", "0.01", "--every", "1", "--out", file])
            assert begun.exit_code == 0, begun.output
    if arguments[0] == "compare":
        arguments = [*without(arguments, "--until"), "--until", "0.1"]
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 0, f"{command}: {result.output}"
    for option in ("--plot", "--out"):
        if option in arguments:
            file = folder / arguments[arguments.index(option) + 1].partition("=")[0]
            assert file.stat().st_size > (5000 if option == "--plot" else 0)


def run_python(page: str, name: str, folder: Path) -> dict[str, Any]:
    """Run the Python blocks of a page one after the other; a text block right behind one shows what it prints.

    What is shown is compared as doctests are: "..." stands for anything, and lines may be broken elsewhere.
    """
    names: dict[str, Any] = {"__name__": Path(name).stem}
    printed: str | None = None
    checker = doctest.OutputChecker()
    for block in fenced(page):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            where = "\n" * block.line  # so that a traceback tells the line of the page
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                exec(compile(where + block.text, name, "exec", dont_inherit=True), names)
            printed = told.getvalue()
        elif block.language == "text" and printed is not None:
            assert checker.check_output(block.text, printed, LOOSELY), (
                f"{name}, line {block.line} shows\n{block.text}\nbut the block before it prints\n{printed}"
            )
            printed = None
        else:
            printed = None
    return names
