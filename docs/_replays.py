"""The directive `replays`: pieces of the gallery that play in the page; a picture first, by a click the replay.

The runs are made when the pages are built, and again only when the piece or the 3D page has changed. Where the 3D page
cannot be bundled (no npm), a line in its place says how to see the motion.
"""

from __future__ import annotations

import hashlib
import html
import inspect
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FOLDER = "replays"
SCRIPT = """
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.poster");
  if (!button) return;
  const frame = document.createElement("iframe");
  Object.assign(frame, { src: button.dataset.replay, title: button.title, className: "replay" });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  button.replaceWith(frame);
  frame.focus();
});
"""


class Replays(SphinxDirective):
    """Names of pieces, one or more lines of them."""

    has_content = True

    def run(self) -> list[Any]:
        names = " ".join(self.content).split()
        self.env.metadata[self.env.docname].setdefault("replays", []).extend(names)
        up = "../" * self.env.docname.count("/")
        made = "".join(_figure(name, up) for name in names)
        return [nodes.raw("", f'<div class="replays">{made}</div><script>{SCRIPT}</script>', format="html")]


def _figure(name: str, up: str) -> str:
    from linkwork import gallery

    title = html.escape(gallery.piece(name).TITLE, quote=True)
    poster = f'<img src="{up}{FOLDER}/{name}.png" alt="{title}" loading="lazy">'
    button = f'<button class="poster" data-replay="{up}{FOLDER}/{name}.html" title="play: {title}">{poster}</button>'
    words = f'<b>{name}</b>: {title} <a href="{up}{FOLDER}/{name}.html">open it alone</a>'
    return f"<figure>{button}<figcaption>{words}</figcaption></figure>"


def write_replays(app: Any, error: Exception | None) -> None:
    """After the pages: runs, replays and pictures of all pieces that they show."""
    if error is not None or app.builder.format != "html":
        return
    names = [name for facts in app.env.metadata.values() for name in facts.get("replays", [])]
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for name in dict.fromkeys(names):
        shutil.copyfile(Path(app.srcdir) / "pictures" / f"{name}.png", folder / f"{name}.png")
        _write(name, folder / f"{name}.html")


def _write(name: str, file: Path) -> None:
    from linkwork import gallery
    from linkwork.errors import OptionError
    from linkwork.gallery.pictures import SCENES
    from linkwork.simulation.simulate import simulate
    from linkwork.viewer.page_bundle import bundle, source_hash

    piece, stamp = gallery.piece(name), file.with_suffix(".key")
    key = hashlib.sha256((inspect.getsource(piece) + source_hash()).encode()).hexdigest()
    if file.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == key:
        return
    try:
        bundle()
        run = simulate(piece.build(**SCENES.get(name, ({}, {}))[0]), until=piece.UNTIL, **piece.METHOD)
        run.replay(file)
        stamp.write_text(key, encoding="utf-8")
    except OptionError as why:
        logging.getLogger(__name__).info("%s is not replayed: %s", name, why)
        command = f"linkwork run {name} --view"
        file.write_text(
            f"<!doctype html><p>No replay was made here. Call <code>{command}</code>.</p>", encoding="utf-8"
        )


def setup(app: Any) -> None:
    app.add_directive("replays", Replays)
    app.connect("build-finished", write_replays)
