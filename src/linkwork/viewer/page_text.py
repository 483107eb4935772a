"""The text of the page: one HTML document with the data and the bundle in it, which asks no host for anything."""

from __future__ import annotations

import base64
import json
import zlib
from functools import lru_cache
from typing import Any

from linkwork.viewer.page_bundle import FOLDER, Bundle, bundle


def page_text(show: dict[str, Any], *, connect: str = "'none'") -> str:
    """The page that shows this data; `connect` are the addresses that it may talk to, as its policy writes them.

    >>> page_text({"mode": "replay"}).startswith("<!doctype html>")  # doctest: +SKIP
    True
    """
    made = bundle()
    read = {name: (FOLDER / name).read_text(encoding="utf-8") for name in ("page.html", "start.js")}
    icon = base64.b64encode((FOLDER / "icon.svg").read_bytes()).decode()
    # a name in the model must not end the element that holds it
    facts = json.dumps(show, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "/*CONNECT*/": connect,
        "/*ICON*/": f"data:image/svg+xml;base64,{icon}",
        "/*STYLE*/": made.style,
        "/*SHOW*/": facts,
        "/*BUNDLE*/": _deflated(made),
        "/*START*/": read["start.js"],
        "/*LICENSES*/": made.licenses,
    }
    text = read["page.html"]
    for mark, part in parts.items():
        before, _, after = text.partition(mark)
        text = before + part + after
    return text


@lru_cache(maxsize=1)
def _deflated(made: Bundle) -> str:
    return base64.b64encode(zlib.compress(made.script.encode(), 9)).decode()
