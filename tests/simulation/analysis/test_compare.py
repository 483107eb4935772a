"""Every method on one model: who agrees, who refuses, who parts and where."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.running import options_of
from linkwork.gallery import double_four_bar
from linkwork.simulation.analysis.comparing import compare as comparing
from linkwork.simulation.analysis.comparing.agreement import Agreement, Entry
from linkwork.simulation.analysis.comparing.judging import _gap, _seen_order
from linkwork.simulation.methods import ALL
from linkwork.targets import find


@pytest.fixture(scope="module")
def through_singular() -> lw.Agreement:
    """Level cranks at 0.69 s."""
    return lw.compare(double_four_bar.build(), until=1.0, dt=0.01)


def test_all_methods_agree(through_singular: lw.Agreement) -> None:
    found = through_singular
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
    standings = {name: entry.standing for name, entry in entries.items()}
    assert standings.pop("semi-recursive") == "refused"
    assert set(standings.values()) == {"agrees"}
    # every two of them: alike both ways, and no farther than by way of the reference
    for a, others in found.pairs.items():
        for b, apart in others.items():
            assert found.pairs[b][a] == apart
            assert apart <= 1.001 * (entries[a].distance + entries[b].distance) + 1e-12


def test_a_method_that_has_not_converged_agrees_with_nobody() -> None:
    """At half the step it leaves the singular position another way: its own error would allow any distance."""
    methods = ["recursive", "absolute", "maximal"]
    found = lw.compare(double_four_bar.build(), until=1.0, dt=0.04, methods=methods)
    assert not found.agree
    assert found.outcome == "not shown"
    assert found.verdict.startswith("not shown: ")
    assert "maximal has NOT CONVERGED at dt = 0.04 s, no statement" in found.verdict
    others = [entry for entry in found.entries if entry.method != "maximal"]
    assert replace(found, entries=others).agree


def test_free_bodies_agree_in_their_steps() -> None:
    """Their joints hold halfway through a step: second order."""
    found = lw.compare(double_four_bar.build(), until=0.2, dt=2e-3, methods=["recursive", "maximal"])
    assert found.agree
    assert found.entries[1].order == pytest.approx(2.0, abs=0.2)


def test_own_errors_are_right(through_singular: lw.Agreement) -> None:
    """What a method says of its error holds against the reference, within the factor of its order."""
    for entry in through_singular.entries:
        if entry.ran and entry.converged and entry.expected_order <= 2.0:
            if entry.order is None:  # its error falls faster than by its order, as steps resolve the position at last
                assert entry.order_hidden
                continue
            true = entry.distance * (2.0**entry.order - 1.0)
            assert entry.error == pytest.approx(true, rel=0.3)


def test_a_refusal_is_told_with_time_and_joint(through_singular: lw.Agreement) -> None:
    (refused,) = [entry for entry in through_singular.entries if not entry.ran]
    assert refused.method == "semi-recursive"
    assert refused.refused_at == pytest.approx(0.69, abs=0.03)
    assert f"semi-recursive refused at t = {refused.refused_at:g} s" in through_singular.verdict
    assert "singular position" in refused.refused
    assert "'" in refused.refused  # the joint


def moody(told: dict[str, str], pushed: str = "hybrid") -> lw.Model:
    """A pendulum pushed after 0.3 s, but only while one method runs: no method is to blame, and they differ."""
    model = lw.Model("moody")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)

    def push(t: float, position: float, velocity: float) -> float:
        return 0.4 * max(0.0, t - 0.3) if told["method"] == pushed else 0.0

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


def test_who_stands_alone_is_named() -> None:
    """`recursive` has the least error of its own, and is the one that differs."""
    told = {"method": ""}
    found = lw.compare(
        moody(told, "recursive"),
        until=1.0,
        dt=0.005,
        methods=["recursive", "absolute", "hybrid"],
        progress=lambda name: told.update(method=name),
    )
    assert found.outcome == "disagree"
    assert [entry.method for entry in found.entries if entry.standing == "parts"] == ["recursive"]


def changed(monkeypatch: pytest.MonkeyPatch, method: str, change: Any) -> Agreement:
    """A pendulum by `recursive` and `hybrid`; `change(run, k)` spoils the k-th of the three runs of `method`."""
    honest, count = comparing.simulate, {"runs": 0}

    def simulate(model: Any, **options: Any) -> lw.Trajectory:
        run = honest(model, **options)
        if options["method"].name == method:
            run = change(run, count["runs"]) or run
            count["runs"] += 1
        return run

    monkeypatch.setattr(comparing, "simulate", simulate)
    return lw.compare(double_four_bar.build(), until=0.2, dt=0.01, methods=["recursive", "hybrid"])


def shifted(*sizes: float) -> Any:
    """Every run is off by another angle."""

    def change(run: lw.Trajectory, k: int) -> None:
        ramp = np.linspace(0.0, sizes[k], len(run))
        run.columns["foot 0.position"] = run.columns["foot 0.position"] + ramp

    return change


def test_an_error_that_does_not_fall_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousandths of the motion, and within ten times the own error: but a smaller step makes it no better."""
    found = changed(monkeypatch, "hybrid", shifted(0.0, 1e-3, -1e-3))
    hybrid = found.entries[1]
    assert hybrid.order == pytest.approx(-1.0, abs=0.1)
    assert hybrid.standing == "not converged"
    assert found.outcome == "not shown"
    assert "does not fall with the step (order -1.0)" in found.verdict


def test_an_order_that_cannot_be_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = changed(monkeypatch, "hybrid", shifted(0.01, 0.0, 0.0))
    hybrid = found.entries[1]
    assert hybrid.order is None
    assert hybrid.order_words == "unclear"
    assert "the order of hybrid is unclear: dt is too coarse for it" in found.verdict
    assert " of 2" not in "\n".join(found.lines())


def test_a_run_that_only_converges_with_smaller_steps_is_not_vouched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With dt itself it is far off; dt / 2 and dt / 4 are fine."""
    found = changed(monkeypatch, "hybrid", shifted(0.5, 0.0, 0.0))
    assert found.entries[1].standing == "not converged"
    assert not found.agree


def test_drift_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(run: lw.Trajectory, _: int) -> None:
        run.certificate = replace(run.certificate, worst_drift_position=0.5, drift_relative=0.5)

    found = changed(monkeypatch, "recursive", torn)
    assert found.reference == "hybrid"
    assert found.entries[0].standing == "in doubt"
    assert found.outcome == "not shown"
    assert "recursive is IN DOUBT, no statement: with dt = 0.01 s the loops drift by 0.5 of the size" in found.verdict


def test_certificates_in_doubt_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def poor(run: lw.Trajectory, _: int) -> None:
        made = run.certificate
        run.certificate = replace(made, energy_balance_worst=0.5 * made.energy_scale)

    found = changed(monkeypatch, "hybrid", poor)
    assert found.agree
    assert "the certificate of hybrid with dt = 0.01 s: the energy balance is off by 0.5 of what moved" in found.verdict


@pytest.mark.parametrize(
    ("coarse", "fine", "order", "hidden"),
    [
        (4e-3, 1e-3, 2.0, False),
        (1e-3, 1e-3, 0.0, False),
        (1e-3, 4e-3, -2.0, False),
        (1e-12, 1e-13, None, False),  # rounding
        (1e-9, 2e-9, None, False),
        (1e-9, 0.0, None, False),
        (8e-1, 1e-4, None, True),  # order 13
        (1e-2, 0.0, None, True),
        (0.0, 1e-2, -math.inf, False),
    ],
)
def test_orders(coarse: float, fine: float, order: float | None, hidden: bool) -> None:
    seen, why = _seen_order(coarse, fine, 1.0 if hidden else 2.0)
    assert seen == (None if order is None else pytest.approx(order))
    assert bool(why) == hidden


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_judged_alike_at_any_size(length: float) -> None:
    """Time goes with the root of the length; parts of the motion stay as they are."""
    methods = ["recursive", "absolute", "hybrid", "semi-recursive", "global", "impulse"]
    found = []
    for size in (1.0, length):
        model = double_four_bar.build(length=size, speed=math.sqrt(size))
        found.append(lw.compare(model, until=0.2 * math.sqrt(size), dt=0.01 * math.sqrt(size), methods=methods))
    assert found[0].outcome == found[1].outcome == "agree"
    for a, b in zip(found[0].entries, found[1].entries, strict=True):
        assert b.standing == a.standing
        assert b.error_relative == pytest.approx(a.error_relative, rel=1e-2)
        assert b.order == pytest.approx(a.order, abs=0.05)


def test_gaps_by_unit() -> None:
    """Angles are the same after a turn and quaternions with the other sign, also in columns that hold lengths too."""
    turn = 2.0 * math.pi
    assert _gap(np.array([[0.1, 3.0]]), np.array([[0.1 + turn, 3.5]]), "rad,m") == pytest.approx(np.array([[0.5, 0.0]]))
    a = np.array([[1.0, 2.0, 2.0, 0.6, 0.8, 0.0, 0.0]])
    b = a * [1, 1, 1, -1, -1, -1, -1] + [0.3, 0.4, 0, 0, 0, 0, 0]
    assert _gap(a, b, "m,m,m,1,1,1,1") == pytest.approx(np.array([[0.5, 0.0]]))
    assert _gap(np.zeros((1, 0)), np.zeros((1, 0)), "").tolist() == [[0.0, 0.0]]


def sticky() -> lw.Model:
    model = lw.Model("sticky")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.5))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=1.0, friction=0.2)
    return model


def test_methods_left_out_are_named() -> None:
    found = lw.compare(sticky(), until=0.1, dt=1e-3)
    assert [entry.method for entry in found.entries] == ["impulse", "maximal"]
    assert found.left_out == {name: ["friction"] for name in ALL if name not in ("impulse", "maximal")}
    words = "left out, as the model has friction: recursive, component, absolute, hybrid, semi-recursive, global"
    assert words in found.verdict
    without = lw.compare(sticky(), until=0.1, dt=1e-3, ignore=["friction"])
    assert without.left_out == {}
    assert len(without.entries) == len(ALL)


def test_all_start_where_they_are_told() -> None:
    """At rest on its spring nothing moves; from its design position it swings."""
    model = lw.Model("scales")
    pan = model.body("pan", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("guide", "ground", pan, at=(0, 0, 0), axis=(0, 0, 1), stiffness=981.0)
    found = lw.compare(model, until=0.1, dt=1e-3, methods=["recursive", "hybrid"], start="equilibrium")
    assert found.agree
    assert max(entry.error for entry in found.entries) < 1e-12
    swinging = lw.compare(model, until=0.1, dt=1e-3, methods=["recursive", "hybrid"])
    assert swinging.entries[1].error > 1e-8


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
        ({"options": {"piano": {}}}, "unknown method 'piano'"),
        ({"options": {"hybrid": {"colour": 1}}}, "method 'hybrid' has no option 'colour'"),
        ({"options": [1]}, "options must be those of single methods"),
        ({"start": "somewhere"}, "start must be 'equilibrium'"),
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
    found = replace(found, entries=[Entry(method="hybrid"), Entry(method="maximal", converged=False)])
    assert found.outcome == "not shown"
    assert CliRunner().invoke(app, words).exit_code == 1
    found = replace(found, entries=[Entry(method="hybrid"), Entry(method="maximal")])
    assert CliRunner().invoke(app, words).exit_code == 0


@pytest.mark.parametrize(
    ("piece", "method", "names"),
    [("iltis", "hybrid", []), ("gripper", "impulse", ["iterations"]), ("manipulator", "recursive", ["integrator"])],
)
def test_the_command_compares_what_the_command_run_runs(
    piece: str, method: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = find(piece).options
    assert (piece == "iltis") == ("start" in own)
    asked: dict[str, Any] = {}
    entries = [Entry(method="hybrid"), Entry(method="maximal")]
    empty = Agreement(model="", until=1.0, matched="dt", reference="", entries=entries, time=np.zeros(0), distances={})
    monkeypatch.setattr(lw, "compare", lambda _, **words: asked.update(words) or empty)
    assert CliRunner().invoke(app, ["compare", piece]).exit_code == 0
    assert (asked["start"], asked["dt"]) == (own.get("start"), own["dt"])
    assert asked["options"] == {method: {name: own[name] for name in names}}
    # by another method the piece starts there as well
    assert options_of(find(piece), {"method": "absolute"}).get("start") == own.get("start")


def test_newton_does_not_hide_the_order() -> None:
    """In steps of microseconds a tolerance of 1e-8 m would be larger than the error of the step."""
    found = lw.compare(lw.gallery.andrews.build(), until=5e-3, dt=2e-5, methods=["recursive", "hybrid"])
    hybrid = found.entries[1]
    assert hybrid.order == pytest.approx(2.0, abs=0.2)
    assert found.agree
