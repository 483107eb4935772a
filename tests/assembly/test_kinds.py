"""A joint's rows forbid what its motions do not allow, and nothing else: rows . motions = 0, dof + rank = 6.

And every kind answers every question that the rooms ask: a new one that lacks an answer fails here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, again
from linkwork.assembly.kinds import MEASURE_CODES, MOTION_CODES, ROW_CODES, coordinates, misfit, placed
from linkwork.model.joints.joint_kinds import ATTACHED, KINDS, Drawing, JointKind, drawn_as
from linkwork.simulation.results.columns.units import component_names, joint_units, split_unit
from linkwork.simulation.starts.start import Closure
from random_mechanisms import ALL, random_body_numbers, random_frame, random_rotation

TREE = [kind for kind in KINDS if not KINDS[kind].always_cut]
EPS = np.finfo(float).eps


def joined(kind: str, seed: int, *, on_ground: bool) -> lw.Model:
    """Bodies "a" (or the ground) and "b", and "joint" between them."""
    rng = np.random.default_rng([seed, *kind.encode()])
    model = lw.Model("joined")
    a: Any = model.ground
    if not on_ground:
        a = model.body("a", **random_body_numbers(rng))
        model.free("flight", model.ground, a)
    b = model.body("b", **random_body_numbers(rng))
    extra = {"pitch": 0.4} if kind == "screw" else {}
    getattr(model, kind)("joint", a, b, frame_a=random_frame(rng), frame_b=random_frame(rng), **extra)
    return model


def random_position(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "ball":
        return random_rotation(rng)
    return rng.uniform(-1.4, 1.4, KINDS[kind].nq)


@pytest.mark.parametrize("kind", CLOSING)
def test_lists_agree_with_the_words(kind: str) -> None:
    assert sum(m.nq for m in KINDS[kind].motions) == KINDS[kind].nq
    assert sum(m.nv for m in KINDS[kind].motions) == KINDS[kind].nv
    assert [(m.nq, m.nv) for m in KINDS[kind].measures] == [(m.nq, m.nv) for m in KINDS[kind].motions if m.nv]
    assert len(KINDS[kind].rows) + KINDS[kind].nv == 6


@pytest.mark.parametrize("on_ground", [True, False])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", CLOSING)
def test_parts_are_what_motions_leave_over(kind: str, seed: int, on_ground: bool) -> None:
    """The same two bodies twice: held by the joint in a tree, and flying free with the joint as a cut."""
    rng = np.random.default_rng(seed)
    model = joined(kind, seed, on_ground=on_ground)
    tree, flying = lw.assemble(model), lw.assemble(again(model, cuts=("joint",)))
    assert flying.cut_names == ["joint"]
    nv = KINDS[kind].nv
    others = 0 if on_ground else 6
    assert (tree.nv, flying.nv, flying.rows) == (nv + others, 6 + others, 6 - nv)

    # a configuration and a velocity that the joint allows
    q = np.concatenate([rng.normal(size=3), random_rotation(rng)] if others else [np.zeros(0)])
    q = np.concatenate([q, random_position(kind, rng)])
    v = rng.normal(size=tree.nv)
    bodies = ["b"] if on_ground else ["a", "b"]
    poses = lw.forward_kinematics(tree, q)
    rates = np.vstack([lw.jacobian(tree, q, body) for body in bodies])
    q_flying = np.concatenate([np.concatenate(poses[body]) for body in bodies])
    # a free joint has linear velocity first
    order = np.concatenate([np.array([3, 4, 5, 0, 1, 2]) + 6 * k for k in range(len(bodies))])
    motions = rates[order]

    closure = Closure(flying)
    closure.at(q_flying, motions @ v)
    size = 10.0  # of the numbers that enter: positions and levers of some metres
    assert np.max(np.abs(closure.g)) < 20 * EPS * size  # the loop is closed there
    assert np.max(np.abs(closure.gd)) < 50 * EPS * size * np.max(np.abs(v), initial=1.0)
    # parts . motions = 0, dof + rank = 6
    assert np.max(np.abs(closure.G @ motions), initial=0.0) < 50 * EPS * size
    values = np.linalg.svd(closure.G, compute_uv=False) if flying.rows else np.ones(1)
    assert (np.linalg.matrix_rank(motions) if tree.nv else 0) + np.count_nonzero(values > 1e-9 * values[0]) == flying.nv
    if kind != "fixed":
        # the cut still reads its coordinates and rates
        read = closure.cut_q if kind != "ball" else closure.cut_q * np.sign(closure.cut_q @ q[-4:])
        assert read == pytest.approx(q[tree.joints[-1].q], abs=50 * EPS * size)
        assert closure.cut_rate[:nv] == pytest.approx(v[tree.joints[-1].v], abs=100 * EPS * size)
        # and knows how they change with the joints
        change = closure.directions @ motions
        wanted = np.zeros((nv, tree.nv))
        wanted[:, tree.joints[-1].v] = np.eye(nv)
        assert change == pytest.approx(wanted, abs=100 * EPS * size)


@pytest.mark.parametrize("kind", CLOSING)
def test_rows_by_differences(kind: str) -> None:
    """G is the derivative of the rows' values also where the loop is open, which is what closing it relies on."""
    rng = np.random.default_rng(3)
    flying = lw.assemble(again(joined(kind, 1, on_ground=False), cuts=("joint",)))
    closure = Closure(flying)
    q, v = lw.integrate(flying, flying.q_start, 0.3 * rng.normal(size=12), 1.0), rng.normal(size=12)
    h = 1e-5
    found = []
    for step in (h, -h):
        closure.at(lw.integrate(flying, q, v, step), np.zeros(12))
        found.append(closure.g.copy())
    closure.at(q, v)
    rate = (found[0] - found[1]) / (2 * h)
    # the third derivative times h^2 / 6, and rounding over h
    error = 20 * (np.linalg.norm(v) ** 3 * h**2 + EPS / h)
    exact = slice(0, -1) if kind == "screw" else slice(None)  # an angle about z is one only where the axes are parallel
    assert np.max(np.abs(closure.g)) > 0.01
    assert rate[exact] == pytest.approx((closure.G @ v)[exact], abs=error)
    assert rate[exact] == pytest.approx(closure.gd[exact], abs=error)


@pytest.mark.parametrize("kind", TREE)
def test_coordinates_and_places(kind: str) -> None:
    """A joint is where its coordinates say, at any turn of a screw; what it cannot do shows as a misfit."""
    rng = np.random.default_rng(len(kind))
    pitch = 0.07 if kind == "screw" else 0.0
    for _ in range(10):
        q = rng.uniform(-3, 3, KINDS[kind].nq)
        if kind == "screw":
            q *= 10
        elif kind == "universal":
            q[1] /= 2  # beyond a right angle the other pair of angles is found
        elif kind in ("ball", "free"):
            q[-4:] /= np.linalg.norm(q[-4:]) * np.sign(q[-4])
        there = placed(kind, q, pitch)
        assert coordinates(kind, there, pitch) == pytest.approx(q, abs=1e-12)
        assert max(misfit(kind, there, pitch)) < 1e-12
        if kind != "free":
            aside = there @ lw.Frame((0.3, 0.2, 0.1), random_rotation(rng))
            assert max(misfit(kind, aside, pitch)) > 1e-3


@pytest.mark.parametrize("kind", CLOSING)
def test_what_it_carries(kind: str) -> None:
    """The wrenches of the rows on b, in the axes of its frame there, have the components that the kind carries."""
    rng = np.random.default_rng(5)
    model = joined(kind, 2, on_ground=True)
    tree, flying = lw.assemble(model), lw.assemble(again(model, cuts=("joint",)))
    position, rotation = lw.forward_kinematics(tree, random_position(kind, rng))["b"]
    closure = Closure(flying)
    closure.at(np.concatenate([position, rotation]), np.zeros(6))
    frame = lw.Frame(position, rotation) @ model.joints["joint"].frame_b
    force = closure.G[:, :3]
    torque = closure.G[:, 3:] - np.cross(frame.position - position, force)  # about the joint's point
    sizes = {
        f"{what} {axis}": np.max(np.abs(wrench @ frame.matrix[:, k]))
        for what, wrench in (("force", force), ("torque", torque))
        for k, axis in enumerate("xyz")
    }
    found = {word for word, size in sizes.items() if size > 1e-9}
    for word in KINDS[kind].carries:
        assert {each for each in found if each.startswith(word)}, f"a {kind} joint carries no {word}"
    assert all(any(each.startswith(word) for word in KINDS[kind].carries) for each in found), found


NOTATION = (Path(__file__).parents[2] / "NOTATION.md").read_text(encoding="utf-8")
ROWS = {
    "along": "d·{i}",
    "crossed": "{i}·{j}'",
    "couple": "d·z − pitch angle / 2π",
    "distance": r"\|d\| − length",
    "across": "r·n{i}",
    "surface": "f(d)",
}
ROWS |= {"rim": "(c − o)·{i}", "slip": "u·{i}", "tangent": "u·t"}


def in_notation(kind: str) -> bool:
    """Its row in NOTATION.md has the motions and rows of the table."""
    found = re.search(rf"^\| {kind} \|.*$", NOTATION, re.MULTILINE)
    if found is None:
        return False
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", found.group(0))[1:-1]]
    facts = KINDS[kind]
    axial = ("turn", "slide", "helical")
    motions = [f"{m.word} {'xyz'[m.axis]}" if m.word in axial else m.word for m in facts.motions] or ["always a cut"]
    rows = [ROWS[row.word].format(i="xyz"[row.i], j="xyz"[row.j]) for row in facts.rows] or ["–"]
    return cells[-2:] == [", ".join(motions), ", ".join(rows)]


def has_verb(kind: str) -> bool:
    verb = getattr(lw.Model, kind, None)
    return verb is not None and bool(verb.__doc__)


def in_docstring(kind: str) -> bool:
    row = rf"^ *\|[^|]*\b{kind}\b.*\| {KINDS[kind].nq} \| {KINDS[kind].nv} \|$"
    return re.search(row, lw.Joint.__doc__ or "", re.MULTILINE) is not None


def has_codes(kind: str) -> bool:
    facts = KINDS[kind]
    pairs = ((facts.motions, MOTION_CODES), (facts.rows, ROW_CODES), (facts.measures, MEASURE_CODES))
    return all(each.word in codes for words, codes in pairs for each in words)


def has_coordinates(kind: str) -> bool:
    facts = KINDS[kind]
    assert isinstance(facts.position, str)
    described = (facts.position == "nothing") == (facts.nq == 0) and (facts.velocity == "nothing") == (facts.nv == 0)
    measured = sum(m.nq for m in facts.measures), sum(m.nv for m in facts.measures)
    return bool(facts.position and facts.velocity) and described and measured == (facts.nq, facts.nv)


def has_units(kind: str) -> bool:
    facts, units = KINDS[kind], joint_units(kind)
    widths = {"position": facts.nq, "velocity": facts.nv, "acceleration": facts.nv}
    return all(
        len(split_unit(units[word], width)) == width == len(set(component_names(word, units[word], width)))
        for word, width in widths.items()
        if width
    )


QUESTIONS: dict[str, Callable[[str], bool]] = {
    "its name in JointKind of model/joints/joint_kinds.py": lambda kind: kind in get_args(JointKind),
    "a verb with a docstring in model/joints/joint_verbs.py": has_verb,
    "its row in the docstring of Joint in model/joints/joint.py": in_docstring,
    "codes for its motions, rows and measures in assembly/kinds.py": has_codes,
    "coordinates in words, and a measure for each of them": has_coordinates,
    "units for its coordinates, and names for its components": has_units,
    "what it carries, for its rows": lambda kind: bool(KINDS[kind].carries) == bool(KINDS[kind].rows),
    "a way of being drawn that the viewer knows": lambda kind: KINDS[kind].drawn in get_args(Drawing),
    "its row in NOTATION.md, with its motions and rows": in_notation,
    "its name in ALL of tests/random_mechanisms.py, and its motion in tests/twins.py": lambda kind: (
        kind in ALL or KINDS[kind].always_cut
    ),
    "its name in CLOSING of tests/known_mechanisms.py": lambda kind: kind in CLOSING or kind not in ATTACHED,
}


def missing(kind: str) -> list[str]:
    """What a kind of joint still lacks."""
    return [question for question, answered in QUESTIONS.items() if not answered(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_every_question(kind: str) -> None:
    assert not missing(kind), f"the joint kind '{kind}' lacks: {'; '.join(missing(kind))}"


def test_a_kind_that_lacks_answers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new entry without all else that belongs to it: the question names the file to open."""
    half: Any = KINDS["revolute"]._replace(drawn="door", position="", measures=())
    monkeypatch.setitem(KINDS, "hatch", half)
    told = "; ".join(missing("hatch"))
    for word in ("JointKind", "joint_verbs.py", "docstring of Joint", "in words", "drawn", "NOTATION.md", "twins.py"):
        assert word in told
    assert "units" not in told  # which follow from its motions


def test_kinds_by_their_drawing() -> None:
    assert drawn_as("pin", "ball") == ("revolute", "screw", "universal", "ball")
    assert [kind for kind in KINDS if KINDS[kind].holds_point] == ["fixed", *drawn_as("pin", "ball")]
    assert set(drawn_as(*get_args(Drawing))) == set(KINDS)
