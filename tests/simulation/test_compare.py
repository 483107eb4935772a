"""Every method on one model: who agrees, who refuses, who parts and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.gallery import double_four_bar
from linkwork.simulation.compare import Entry
from linkwork.simulation.methods import ALL


@pytest.fixture(scope="module")
def through_singular() -> lw.Agreement:
    """Level cranks at 0.69 s."""
    return lw.compare(double_four_bar.build(), until=1.0, dt=0.01)


def test_all_methods_agree(through_singular: lw.Agreement) -> None:
    found = through_singular
    assert found.agree
    entries = {entry.method: entry for entry in found.entries}
    assert set(entries) == set(ALL)
    for name in ("recursive", "component", "absolute"):
        assert entries[name].distance < 1e-5
        assert entries[name].order == pytest.approx(4.0, abs=0.7)
    assert entries["hybrid"].order == pytest.approx(2.0, abs=0.3)
    assert (entries["impulse"].order or 0.0) > 0.9  # 2 here: it starts without acceleration, and is leapfrog then
    assert found.reference in ("recursive", "component", "absolute")
    assert entries[found.reference].distance == 0.0
    assert "recursive, component and absolute agree to" in found.verdict
    # every two of them: alike both ways, and no farther than by way of the reference
    for a, others in found.pairs.items():
        for b, apart in others.items():
            assert found.pairs[b][a] == apart
            assert apart <= 1.001 * (entries[a].distance + entries[b].distance) + 1e-12


def test_own_errors_are_right(through_singular: lw.Agreement) -> None:
    """What a method says of its error holds against the reference, within the factor of its order."""
    for entry in through_singular.entries:
        if entry.ran and entry.converged and entry.expected_order <= 2.0:
            assert entry.order is not None
            true = entry.distance * (2.0**entry.order - 1.0)
            assert entry.error == pytest.approx(true, rel=0.3)


def test_a_refusal_is_told_with_time_and_joint(through_singular: lw.Agreement) -> None:
    (refused,) = [entry for entry in through_singular.entries if not entry.ran]
    assert refused.method == "semi-recursive"
    assert refused.refused_at == pytest.approx(0.69, abs=0.03)
    assert f"semi-recursive refused at t = {refused.refused_at:g} s" in through_singular.verdict
    assert "singular position" in refused.refused
    assert "'" in refused.refused  # the joint


def moody(told: dict[str, str]) -> lw.Model:
    """A pendulum pushed after 0.3 s, but only while `hybrid` runs: no method is to blame, and they differ."""
    model = lw.Model("moody")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)

    def push(t: float, position: float, velocity: float) -> float:
        return 0.4 * max(0.0, t - 0.3) if told["method"] == "hybrid" else 0.0

    model.torque("push", pin, push)
    return model


def test_a_parting_is_named() -> None:
    told = {"method": ""}
    found = lw.compare(
        moody(told),
        until=1.0,
        dt=0.005,
        methods=["recursive", "hybrid", "absolute"],
        progress=lambda name: told.update(method=name),
    )
    assert not found.agree
    entries = {entry.method: entry for entry in found.entries}
    assert entries["absolute"].parted_at is None
    assert 0.3 < (entries["hybrid"].parted_at or 0.0) < 0.5
    assert entries["hybrid"].parted in ("pin", "rod")
    assert "hybrid PARTS from" in found.verdict
    assert "recursive and absolute agree to" in found.verdict


def test_matched_cost() -> None:
    found = lw.compare(double_four_bar.build(), until=0.3, dt=0.01, methods=["recursive", "hybrid"], matched="cost")
    steps = [entry.dt for entry in found.entries]
    assert min(steps) < max(steps) == pytest.approx(0.01)
    assert found.agree
    assert len(found.time) == len(found.distances["hybrid"]) == 31


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"methods": ["recursive"]}, "two methods or more"),
        ({"methods": ["recursive", "recursive"]}, "each once"),
        ({"methods": ["recursive", "piano"]}, "unknown method 'piano'"),
        ({"matched": "colour"}, "unknown matched 'colour'"),
        ({"until": -1.0}, "until must be a positive number"),
        ({"dt": "soon"}, "dt must be a positive number"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(lw.OptionError, match=words):
        lw.compare(double_four_bar.build(), **({"until": 1.0} | options))


def test_a_model_for_one_method_only() -> None:
    model = lw.Model("geared")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), armature=0.1, friction=0.2)
    words = r"only 'impulse' supports what model 'geared' has \(armature, friction\); nothing to compare"
    with pytest.raises(lw.OptionError, match=words):
        lw.compare(model, until=0.1)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "apart.png"
    words = [
        "compare",
        "double_four_bar",
        "--until",
        "0.2",
        "--dt",
        "0.01",
        "--method",
        "recursive",
        "--method",
        "hybrid",
    ]
    shown = CliRunner().invoke(app, [*words, "--plot", str(picture)])
    assert shown.exit_code == 0
    assert "verdict  " in shown.output
    assert picture.stat().st_size > 10_000
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert document["agree"] is True
    assert [entry["method"] for entry in document["methods"]] == ["recursive", "hybrid"]
    found = lw.Agreement(
        model="bad",
        until=1.0,
        matched="dt",
        reference="recursive",
        entries=[Entry(method="hybrid", distance=1.0, parted_at=0.1, parted="pin")],
        time=np.zeros(1),
        distances={},
    )
    monkeypatch.setattr(lw, "compare", lambda *_, **__: found)
    assert CliRunner().invoke(app, words).exit_code == 1


def test_newton_does_not_hide_the_order() -> None:
    """In steps of microseconds a tolerance of 1e-8 m would be larger than the error of the step."""
    found = lw.compare(lw.gallery.andrews.build(), until=5e-3, dt=2e-5, methods=["recursive", "hybrid"])
    hybrid = found.entries[1]
    assert hybrid.order == pytest.approx(2.0, abs=0.2)
    assert found.agree
