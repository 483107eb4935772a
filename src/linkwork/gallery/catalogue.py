"""A page of the whole gallery: `python -m linkwork.gallery.catalogue [FOLDER] [PIECE ...]`, or `make gallery`.

Runs every piece with its own settings, writes its replay (one HTML file each), takes its picture, and lists all of them
on one static page, index.html: picture, title, paper, the command that runs it, the replay. The default folder is
build/gallery. The page opens from disk and needs no network. Pictures are taken in the replay page if playwright and a
Chromium are installed, otherwise drawn by `run.film`. A piece that fails is named on the page and on stderr.
"""

from __future__ import annotations

import contextlib
import html
import importlib
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from linkwork import gallery
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.gallery.pictures import FIRST, SCENES
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.simulate import simulate
from linkwork.simulation.storage.files import write_file, writing

FOLDER = "build/gallery"
SIZE = (880, 600)  # points of a picture
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# software rendering, and nothing that asks the network
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
PORTRAIT = """(time) => { linkwork.plain(false); linkwork.portrait(time); }"""
STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.2rem; }
article { border: 1px solid #ddd; border-radius: 6px; overflow: hidden; background: #fff; }
article div { padding: .6rem .9rem .9rem; }
img { width: 100%; display: block; background: #fafaf8; border-bottom: 1px solid #eee; }
h2 { font-size: 1.05rem; margin: 0 0 .2rem; } p { margin: .2rem 0; font-size: .9rem; }
dialog { width: min(96vw, 90rem); height: 92vh; padding: 0; border: 0; border-radius: 10px; overflow: hidden; }
dialog::backdrop { background: #0009; } dialog iframe { width: 100%; height: 100%; border: 0; display: block; }
dialog button { position: absolute; right: 9px; top: 9px; width: 44px; height: 44px; border: 0; border-radius: 9px; }
code { background: #f3f3f0; padding: .1rem .35rem; border-radius: 3px; } .wrong { color: #a32b00; }
"""

# a click on a picture plays the replay over the page; without a script it is a link to it
SCRIPT = """
const shown = document.querySelector("dialog"), frame = shown.querySelector("iframe");
document.querySelector("main").addEventListener("click", (event) => {
  const poster = event.target.closest("a.poster");
  if (!poster || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  frame.src = poster.href;
  shown.showModal();
});
shown.querySelector("button").addEventListener("click", () => shown.close());
shown.addEventListener("close", () => { frame.src = "about:blank"; });
"""

Camera = Callable[[Trajectory, Path, Path, float], None]


class Exhibit(NamedTuple):
    """A piece with what was made of it; `wrong` says why something is missing."""

    name: str
    title: str
    paper: str
    wrong: str = ""


def exhibit(name: str, folder: Path, camera: Camera) -> Exhibit:
    """Run a piece, write its replay and take its picture."""
    piece = gallery.piece(name)
    facts = Exhibit(name, piece.TITLE, piece.PAPER)
    parameters, scene = SCENES.get(name, ({}, {}))
    page = folder / f"{name}.html"
    try:
        run = simulate(piece.build(**parameters), until=piece.UNTIL, **piece.METHOD)
    except RunError as error:
        if error.run is None or len(error.run) < 2:
            return facts._replace(wrong=str(error))
        run, facts = error.run, facts._replace(wrong=str(error))  # what there is of it is shown
    except (ModelError, OptionError) as error:
        return facts._replace(wrong=str(error))
    run.replay(page, title=f"{name}: {piece.TITLE}")
    camera(run, page, folder / f"{name}.png", min(scene.get("time", run.time[-1]), float(run.time[-1])))
    return facts


@contextlib.contextmanager
def cameras() -> Iterator[tuple[Camera, str]]:
    """The function that takes pictures (a browser that shows the replay, or our own renderer), and its name."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        program = None
    if program is None:
        yield _drawn, "drawn without a browser"
        return
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=list(FLAGS))
        sheet = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})

        def photographed(run: Trajectory, page: Path, file: Path, time: float) -> None:
            sheet.goto(page.resolve().as_uri())
            while not sheet.evaluate("typeof linkwork === 'object'"):  # its policy forbids the browser's way of waiting
                sheet.wait_for_timeout(30)
            sheet.evaluate(PORTRAIT, time)
            with writing(file) as beside:
                sheet.locator("#scene").screenshot(path=str(beside))

        yield photographed, "taken in the replay page"
        browser.close()


def _drawn(run: Trajectory, page: Path, file: Path, time: float) -> None:
    run.film(file, time=time, width=SIZE[0])


def index(exhibits: Sequence[Exhibit]) -> str:
    """The page of all.

    >>> "linkwork run car" in index([Exhibit("car", "a car", "V06")])
    True
    """
    cards = []
    for made in exhibits:
        name, title, paper, wrong = (html.escape(word) for word in made)
        there = f'<a class="poster" href="{name}.html"><img src="{name}.png" alt="{title}"></a>'
        links = f'<p><code>linkwork run {name} --view</code></p><p><a href="{name}.html">replay</a></p>'
        note = f'<p class="wrong">{wrong}</p>' if wrong else ""
        cards.append(f"<article>{there}<div><h2>{name}</h2><p>{title}</p><p>{paper}</p>{links}{note}</div></article>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>linkwork gallery</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body><h1>linkwork gallery</h1>\n"
        "<p>Every mechanism that comes with linkwork: a click on a picture replays its run.</p>\n<main>\n"
        + "\n".join(cards)
        + '\n</main><dialog><iframe title="replay"></iframe><button aria-label="close">×</button></dialog>'
        + f"<script>{SCRIPT}</script></body></html>\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Make the page. Returns how many pieces failed."""
    folder = Path(arguments[0] if arguments else FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    known = gallery.names()
    names = list(arguments[1:]) or [*(name for name in FIRST if name in known), *(n for n in known if n not in FIRST)]
    exhibits = []
    with cameras() as (camera, way):
        for name in names:
            made = exhibit(name, folder, camera)
            exhibits.append(made)
            print(f"{name}: {made.wrong or way}", file=sys.stderr if made.wrong else sys.stdout)
    write_file(folder / "index.html", lambda stream: stream.write(index(exhibits).encode()))
    print(folder / "index.html")
    return sum(bool(made.wrong) for made in exhibits)


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
