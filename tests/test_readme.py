"""The front pages stay true: README's Python runs, its commands are understood, its links and pictures exist."""

from __future__ import annotations

import re

import pytest

from pages import ROOT, blocks, commands, run_command

PAGES = ("README.md", "ARCHITECTURE.md", "NOTATION.md", "CHANGELOG.md", "CONTRIBUTING.md")
README = (ROOT / "README.md").read_text(encoding="utf-8")
LONGEST = 9000  # characters of README: two minutes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with README's model in crank.py, as its commands expect."""
    (tmp_path / "crank.py").write_text(blocks(README, "python")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


@pytest.mark.filterwarnings("error::linkwork.errors.ModelWarning", "error::linkwork.errors.RunWarning")
def test_python_runs_and_prints_what_is_shown(folder, capsys):
    names: dict[str, object] = {}
    for block in blocks(README, "python"):
        exec(compile(block, "README.md", "exec"), names)
    printed, shown = capsys.readouterr().out.splitlines(), blocks(README, "text")[0].splitlines()
    assert printed[0] == shown[0]
    # times, versions and the last digits of rounding are those of another machine
    assert [line.split()[0] for line in printed] == [line.split()[0] for line in shown]
    run, other = names["run"], names["other"]
    assert run.certificate.energy_balance_relative < 1e-8
    assert run.certificate.worst_drift_position < 1e-13
    assert abs(run["rod.position"] - other["rod.position"]).max() < 1e-9
    assert (folder / "crank.png").stat().st_size > 10_000


def test_model_is_as_short_as_promised():
    lines = [line for line in blocks(README, "python")[0].splitlines() if line.strip()]
    assert "## Ten lines" in README
    assert len(lines) == 10


def test_readme_is_read_in_two_minutes():
    assert len(README) <= LONGEST


def test_scores_are_those_of_their_page():
    scores = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
    good, bad, open_ = re.search(r"(\d+) numbers within their tolerance, (\d+) not, (\d+) that", scores).groups()
    assert f"{good} numbers within their tolerance, {bad} outside" in README
    assert f"{open_} more cannot be compared digit by digit" in README


def test_speeds_are_those_of_their_page():
    rows = [line for line in README.splitlines() if re.match(r"\| (chain of|\d+ bodies)", line)]
    assert len(rows) == 3
    assert set(rows) <= set((ROOT / "docs" / "speed.md").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("command", commands(README))
def test_command_is_understood(command, folder):
    run_command(command, folder)


def test_commands_are_found():
    assert "linkwork run car" in commands(README)
    assert len(commands(README)) > 4


@pytest.mark.parametrize(
    "word",
    [
        "cut",
        "border body",
        "port",
        "link",
        "measure",
        "row",
        "sample",
        "drift",
        "certificate",
        "law",
        "sweep",
        "size",
        "workspace",
        "piece",
        "room",
        "whole, part",
    ],
)
def test_words_of_our_own_are_in_the_glossary(word):
    text = (ROOT / "NOTATION.md").read_text(encoding="utf-8")
    glossary = text[text.index("## Glossary") : text.index("## Frames")]
    assert f"\n| {word} | " in glossary


def test_the_glossary_is_in_alphabetical_order():
    text = (ROOT / "NOTATION.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([a-z, ]+) \|", text[text.index("## Glossary") : text.index("## Frames")], re.MULTILINE)[
        1:
    ]
    assert words == sorted(set(words))


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    for target in targets:
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        other = ROOT / (file or page)
        assert other.exists(), f"{page} leads to {target}, which is not there"
        if anchor:
            heads = re.findall(r"^#+ +(.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads]
            assert anchor in anchors, f"{page} leads to {target}, which has no such heading"


def test_architecture_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "linkwork"
    rooms = [path.name for path in package.iterdir() if (path / "__init__.py").exists()]
    assert [room for room in rooms if f"{room}/" not in text] == []


def test_files_of_the_tree_of_rooms_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text[text.index("    src/linkwork/") : text.index("Imports go one way")]
    known = {path.name for folder in ("src", "docs") for path in (ROOT / folder).rglob("*.py*")}
    named = set(re.findall(r"\w+\.pyi?\b", tree))
    assert len(named) > 80
    assert named - known == set()


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "NOTATION.md"])
def test_files_named_in_the_pages_exist(page):
    """Paths such as mechanics/forces/forces.py, and files of a room named after it in the same breath."""
    package = ROOT / "src" / "linkwork"
    known = {path.name for path in [*package.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]}
    text = (ROOT / page).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:\w+/)*\w+\.py)`", text):
        assert (package / path).exists() or (ROOT / path).exists() or ("/" not in path and path in known), path


def test_a_job_needs_four_files_at_most():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*) \| (.*) \|$", text[text.index("## Which files to open") :], re.MULTILINE)[1:]
    assert len(rows) == 7
    for job, files in rows:
        named = re.findall(r"`((?:\w+/)*\w+\.\w+)`", files)
        assert 3 <= len(named) + ("a new file" in files) <= 4, job
        for name in named:
            assert any((root / name).exists() for root in (ROOT, ROOT / "src" / "linkwork")), f"{job}: {name}"
