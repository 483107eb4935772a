"""The documentation stays true: its Python runs and prints what is shown, its commands run, and it builds."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import linkwork as lw
from formats.fmi.fmi_host import need_library
from linkwork import gallery
from linkwork.distribute.kept_states import Keep
from linkwork.distribute.listen import listen
from linkwork.distribute.server import serve
from pages import ROOT, blocks, commands, fenced, run_command, run_python

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
NEEDS = {
    "howto/coming_from_mujoco.md": "mujoco",
    "howto/use_an_fmu.md": "fmpy",
    "howto/couple_fmus_exactly.md": "fmpy",
}
ADDRESS = "127.0.0.1:5000"  # where pages say that a component is served
DRAWN = ("car.png", "iltis.png", "pile.png=energy")  # plots of the gallery page that are drawn here; all: -m long
COMMANDS = [(page, command) for page in PAGES for command in commands((DOCS / page).read_text(encoding="utf-8"))]


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


@pytest.fixture
def served(folder) -> Iterator[str]:
    """The address of a wheel that is served as the page says, once for each connection."""
    listener = listen(0, timeout=30.0)
    ended, keep = threading.Event(), Keep("states")

    def work() -> None:
        while not ended.is_set():
            if listener.wait(0.1):
                serve(lw.gallery.car.Wheel, listener.accept(), name="Wheel", keep=keep)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield listener.address
    ended.set()
    thread.join(30.0)
    listener.close()


@pytest.mark.filterwarnings("ignore:.*behind the clock")  # whoever else uses this machine
@pytest.mark.filterwarnings("error::linkwork.errors.ModelWarning")  # no page has a model that looks mistaken
@pytest.mark.parametrize("page", [page for page in PAGES if "python" in {b.language for b in fenced(text(page))}])
def test_python_of_a_page_runs_and_prints_what_is_shown(page, folder, request):
    content = text(page)
    if page in NEEDS:
        pytest.importorskip(NEEDS[page], reason=f"the examples of {page} need {NEEDS[page]}")
    if "export_fmu" in content:
        need_library()
    if ADDRESS in content:
        content = content.replace(ADDRESS, request.getfixturevalue("served"))
    run_python(content, page, folder)


def undrawn(panels, title, subtitle, path, show):
    """In the place of a picture: all that it would show is there."""
    assert title
    assert [line for panel in panels for line in panel.lines if len(line[1]) == len(line[2]) > 1]
    path.write_bytes(bytes(6000))


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_command_of_a_page_runs(page, command, folder, monkeypatch):
    if page == "gallery.md" and command.split()[-1] not in DRAWN:
        monkeypatch.setattr("linkwork.viewer.pictures.plots.draw", undrawn)
    if command.startswith("linkwork export"):
        need_library()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (folder / "crank.py").write_text(blocks(readme, "python")[0], encoding="utf-8")  # which pages speak of
    for block in fenced(text(page)):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
    run_command(command, folder)


@pytest.mark.long
@pytest.mark.parametrize("command", [command for page, command in COMMANDS if page == "gallery.md"])
def test_every_command_of_the_gallery_runs_and_plots(command, folder):
    run_command(command, folder)


def test_commands_are_found():
    found = commands(text("command_line.md")) + commands(text("gallery.md"))
    assert "linkwork gallery" in found
    assert len(found) > len(gallery.names()) + 5


@pytest.mark.parametrize("name", gallery.names())
def test_every_piece_is_in_the_gallery_table(name):
    row = next((line for line in text("gallery.md").splitlines() if line.startswith(f"| {name} |")), "")
    assert row, f"the gallery table lacks a row for {name}"
    assert f"(pictures/{name}.png)" in row
    assert (DOCS / "pictures" / f"{name}.png").exists()
    assert gallery.piece(name).PAPER in row
    assert f"`linkwork run {name} " in row  # which runs and plots it, above


def test_every_name_in_the_reference_is_public_and_there_once():
    told = "\n".join(text(page) for page in PAGES if page.startswith("reference/"))
    shown = re.findall(r"auto(?:class|function|exception|data):: linkwork\.(\w+)", told)
    assert sorted(shown) == sorted(set(shown) & set(lw.__all__))
    assert len(shown) > 60  # those of no page are added by the directive names-left


def test_verbs_of_the_reference_exist():
    shown = re.findall(r"automethod:: linkwork\.Model\.(\w+)", text("reference/model.md"))
    assert len(shown) == len(set(shown)) > 30  # new ones are added by names-left
    assert [verb for verb in shown if not callable(getattr(lw.Model, verb, None))] == []


def test_files_named_in_the_pages_exist():
    package = ROOT / "src" / "linkwork"
    for page in PAGES:
        for path in re.findall(r"`((?:\w+/)+\w+\.py)`", text(page)):
            assert (package / path).exists() or (ROOT / path).exists(), f"{page}: {path}"


def test_builds_without_a_warning(tmp_path):
    missing = [name for name in ("sphinx", "myst_parser", "furo") if find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install 'linkwork[docs]'")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "trees")]
    done = subprocess.run([*build, str(DOCS), str(tmp_path / "html")], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for page in PAGES:
        made = tmp_path / "html" / Path(page).with_suffix(".html")
        assert made.exists()
        # nothing is fetched when a page is read
        fetched = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]+)', made.read_text("utf-8"))
        assert fetched == [], f"{page} fetches {fetched}"
        pictures = re.findall(r'<img[^>]* src="(?!data:)([^"]+)"', made.read_text("utf-8"))
        assert [name for name in pictures if not (made.parent / name).is_file()] == [], page
    shown = re.findall(r'data-replay="([^"]+)"', (tmp_path / "html" / "gallery.html").read_text("utf-8"))
    assert len(shown) == 6
    for replay in shown:
        made = tmp_path / "html" / replay
        assert made.with_suffix(".png").stat().st_size > 10_000  # the picture that comes first
        text = made.read_text("utf-8")
        assert '"mode":"replay"' in text or f"linkwork run {made.stem} --view" in text
