"""The words of model files are those of the model: no verb and no keyword is missing, and none is invented."""

import inspect
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.formats.model_file import value_tables
from linkwork.formats.model_file.part_tables import SECTIONS
from linkwork.model.control.event import AttachOptions
from linkwork.model.forces.rotor import RotorOptions
from linkwork.model.joints.joint import JointOptions

DOCS = Path(__file__).parents[3] / "docs"
OF_FILES = {
    ("plane", "pose"),
    ("body", "rotor"),
    *((verb, f"frame_{x}") for verb in ("rolling", "rolling_pair") for x in "ab"),
}
OF_PYTHON = {("attach", "when"), ("attach", "within"), ("release", "when"), ("release", "within")}
SAMPLED = {"controller", "sensor", "signal", "when", "input"}  # of which files hold nothing yet; writers refuse them
NOT_PARTS = {"add", "port", "write", "outline", "walk", "content", "inner_path"}
VERBS = [(part.verb, set(part.keys.keys)) for section in SECTIONS.values() for part in section.kinds.values()]


def keywords(verb: str) -> set[str]:
    """The keywords of a verb of a model."""
    items = inspect.signature(getattr(lw.Model, verb)).parameters
    named = set(items) - {"self", "unknown", "options"}
    if "options" in items:
        named |= set({"attach": AttachOptions, "rotor": RotorOptions}.get(verb, JointOptions).__annotations__)
    return named


@pytest.mark.parametrize(("verb", "keys"), VERBS, ids=[verb for verb, _ in VERBS])
def test_keys_are_the_keywords_of_the_verb(verb: str, keys: set[str]) -> None:
    said = {key for key in keys if (verb, key) not in OF_FILES}
    assert said == {key for key in keywords(verb) if (verb, key) not in OF_PYTHON}


def test_every_verb_has_a_section() -> None:
    verbs = {name for name in dir(lw.Model) if name[0] != "_" and inspect.isfunction(getattr(lw.Model, name))}
    walks = {name for name in verbs if name.startswith("all_")}
    assert verbs - walks - NOT_PARTS - SAMPLED == {verb for verb, _ in VERBS}


@pytest.mark.parametrize(
    ("kind", "made"),
    [(kind, table.make) for kind, table in value_tables.SHAPE.kinds.items() if kind != "mesh"]
    + [(kind, table.make) for kind, table in value_tables.ROAD_PIECE.kinds.items() if kind not in ("profile", "stairs")]
    + [(kind, table.make) for kind, table in value_tables.GUIDE_SURFACE.kinds.items()],
)
def test_keys_are_the_keywords_of_the_class(kind: str, made: type) -> None:
    choices = (value_tables.SHAPE, value_tables.ROAD_PIECE, value_tables.GUIDE_SURFACE)
    table = next(choice.kinds[kind] for choice in choices if kind in choice.kinds and choice.kinds[kind].make is made)
    assert set(table.keys) == set(inspect.signature(made).parameters)


def test_all_shapes_and_roads_are_there() -> None:
    def classes(kind: type) -> set[type]:
        below = {each for each in kind.__subclasses__() if each.__module__.startswith("linkwork.model")}
        return below | {inner for each in below for inner in classes(each)}

    shapes = {"".join(word.title() for word in kind.split("_")) for kind in value_tables.SHAPE.kinds}
    inner = {"Plane", "Faceted"}
    assert shapes == {kind.__name__ for kind in classes(lw.Box.__mro__[1])} - inner
    roads = {"".join(word.title() for word in kind.split("_")) for kind in value_tables.ROAD_PIECE.kinds}
    assert roads == {kind.__name__ for kind in classes(lw.Road)} - {"SummedRoad", "_Stretch"}


def test_the_page_shows_every_kind_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.delitem(sys.modules, "_tables", raising=False)
    import _tables

    parts, values = "\n".join(_tables.model_file_parts()), "\n".join(_tables.model_file_values())
    for verb, keys in VERBS:
        assert f"`{verb}`" in parts or f"`[[{verb}]]`" in parts
        assert all(f"`{key}` " in parts for key in keys)
    assert all(f"`{kind}`" in values for kind in value_tables.SHAPE.kinds)


def test_importing_linkwork_does_not_import_pydantic() -> None:
    import subprocess

    told = "import sys, linkwork; linkwork.Model; linkwork.read; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
