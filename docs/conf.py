"""Settings of the documentation: `make docs` builds it, without a network, and any warning is an error.

Pages are Markdown. Tables of what the code can do are made from the code while the pages are built: the directives
are in `_tables.py`, that of replays in `_replays.py`. Formulas become MathML, which browsers draw by themselves.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import _replays
import _tables

import linkwork

project = "linkwork"
author = "linkwork developers"
version = release = linkwork.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"linkwork {version}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False  # -- stays --
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["wide.css"]

default_role = "code"  # docstrings write names in single backticks
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: name
    for name in ("BodyLike", "JointLike", "LawLike", "Law", "RotationLike", "VectorLike", "Vector", "Floats", "Limits")
}
pygments_style = "friendly"
pygments_dark_style = "monokai"


MATHML = "http://www.w3.org/1998/Math/MathML"


def _drawn(text: str, as_block: bool) -> str:
    """A formula as MathML, with indices beside dotted letters; docutils puts them below."""
    ElementTree.register_namespace("", MATHML)
    tree = ElementTree.fromstring(tex2mathml(text, as_block=as_block))
    for node in [each for each in tree.iter(f"{{{MATHML}}}munderover") if each[2].get("stretchy") == "false"]:
        base, index, dots = list(node)
        for child in (base, index, dots):
            node.remove(child)
        node.tag = f"{{{MATHML}}}msub"
        accent = ElementTree.SubElement(node, f"{{{MATHML}}}mover", accent="true")
        accent.extend([base, dots])
        node.append(index)
    return ElementTree.tostring(tree, encoding="unicode")


def _draw_inline(writer: Any, node: Any) -> None:
    writer.body.append(_drawn(node.astext(), False))


def _draw_block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="math">{_drawn(node.astext(), True)}</div>')


def _visit(draw: Any) -> Any:
    def visit(writer: Any, node: Any) -> None:
        from docutils import nodes

        draw(writer, node)
        raise nodes.SkipNode

    return visit


def _docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Tables in docstrings are those of Markdown; here they become those of reStructuredText."""
    lines[:] = _tables.with_list_tables(lines)


def _signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Names of types as they are written, and without the keyword that catches misspelt ones."""
    told = [text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, returned)]
    return told[0] and re.sub(r",? ?\*\*unknown: ~?(?:typing\.)?Never", "", told[0]), told[1]


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_visit(_draw_inline), None), (_visit(_draw_block), None))
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-process-signature", _signature)
    _tables.setup(app)
    _replays.setup(app)
