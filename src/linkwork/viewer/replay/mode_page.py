"""The page of modes: a list, and the one that is chosen swings."""

from __future__ import annotations

from os import PathLike
from typing import Any

from linkwork.simulation.analysis.linear.modes import Modes
from linkwork.simulation.storage.files import check_path, write_file
from linkwork.viewer.mode_shapes import ModeShapes, number_of
from linkwork.viewer.replay.replay import Inline, page


def mode_page(modes: Modes, mode: int | None = None) -> str:
    """The text of the page that `Modes.replay` writes."""
    first, shapes = number_of(modes, mode), ModeShapes(modes)
    words = [f"modes about {modes.linear.about}"]
    return page(shapes.still, labels=words, playing=False, modes={**shapes.facts(), "first": first})


def write_modes(modes: Modes, file: str | PathLike[str], mode: int | None = None) -> None:
    """See `Modes.replay`."""
    path, text = check_path(file, (".html", ".htm")), mode_page(modes, mode)
    write_file(path, lambda stream: stream.write(text.encode()))


def view_modes(modes: Modes, mode: int | None, inline: bool, height: int, **place: Any) -> Inline | None:
    """See `Modes.view`."""
    text = mode_page(modes, mode)
    if inline:
        return Inline(text, height)
    from linkwork.viewer.live.live import view_page

    view_page(text, **{"port": 8080, **place})
    return None
