"""The page "Coming from CAD": its examples run, and print what it shows."""

import contextlib
import doctest
import io
import itertools
from functools import partialmethod

import pytest

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')
pytest.importorskip("matplotlib", reason="pictures need matplotlib")

from formats.step.machines import slider_crank
from linkwork.formats.step.suggestions import Suggestions
from pages import ROOT, fenced

PAGE = ROOT / "docs" / "howto" / "coming_from_cad.md"
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.usefixtures("here")
def test_examples_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Suggestions, "picture", partialmethod(Suggestions.picture, size=(2.0, 1.5)))  # which is quick
    slider_crank(tmp_path / "engine.step")
    names: dict[str, object] = {}
    found = fenced(PAGE.read_text(encoding="utf-8"))
    for block, after in itertools.pairwise(found):
        if block.language == "py":
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                exec(block.text, names)
            assert after.language == "text"
            assert doctest.OutputChecker().check_output(after.text, shown.getvalue(), LOOSELY), shown.getvalue()
    assert (tmp_path / "joints.png").exists()
