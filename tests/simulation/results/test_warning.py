"""Runs whose numbers are in doubt say so, wherever they are looked at; healthy ones are silent."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.samples import ALL_LEFT, STEPS_CUT
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.unsettled import unsettled

HERE = Path(__file__).name


def swing() -> lw.Model:
    model = lw.Model("swing")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=2.0)
    return model


def poor() -> lw.Trajectory:
    """A pendulum in steps much too large for a method of the first order."""
    with pytest.warns(lw.RunWarning):
        return lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")


def pile(n: int = 6) -> lw.Model:
    return lw.gallery.pile.build(n=n)


def test_one_warning_with_reason_remedy_and_the_line_of_the_user() -> None:
    with pytest.warns(lw.RunWarning) as told:
        run = lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")
    (warning,) = told
    assert Path(warning.filename).name == HERE
    text = str(warning.message)
    assert text.startswith("the run of 'swing' reached t = 2 s, but its numbers are in doubt: the energy balance is")
    assert "take a smaller dt" in text
    assert all(doubt in text for doubt in run.certificate.doubts())


def test_several_reasons_are_one_warning() -> None:
    with pytest.warns(lw.RunWarning, match="steps were cut short.*iterations=.* Also: bodies overlap") as told:
        lw.simulate(pile(), until=0.5, dt=2e-2, method="impulse", iterations=2)
    assert len(told) == 1


def test_every_run_of_many_warns() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3):
            lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")
    assert len(told) == 3


def test_a_healthy_run_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lw.simulate(swing(), until=2.0, dt=1e-3, method="recursive")
    assert "DOUBT" not in repr(run)
    assert "DOUBT" not in run._repr_html_()


def test_a_strict_run_is_refused_and_does_not_warn_as_well() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lw.RunError, match="energy balance"):
            lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit", strict=True)


def test_warnings_can_be_made_errors_and_be_silenced() -> None:
    for action in ("error", "ignore"):
        with warnings.catch_warnings():
            warnings.simplefilter(action, lw.RunWarning)  # type: ignore[arg-type]
            if action == "ignore":
                lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")
                continue
            with pytest.raises(lw.RunWarning, match="in doubt"):
                lw.simulate(swing(), until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")


def test_repr_and_notebooks_show_it_also_of_a_file_which_does_not_warn_again(tmp_path: Path) -> None:
    run = poor()
    assert ", IN DOUBT: the energy balance is off by" in repr(run)
    run.save(tmp_path / "run.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = lw.load_run(tmp_path / "run.npz")
    assert repr(again) == repr(run)
    page = again._repr_html_()
    assert "<b>IN DOUBT</b>" in page
    assert "take a smaller dt" in page
    assert "<Trajectory" not in page  # escaped
    assert "color" in page


def test_a_stream_warns(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason='files of long runs need h5py: pip install "linkwork[hdf5]"')
    with pytest.warns(lw.RunWarning, match="in doubt") as told:
        lw.stream(swing(), tmp_path / "run.h5", until=2.0, dt=0.05, method="recursive", integrator="semi-implicit")
    assert Path(told[0].filename).name == HERE
    assert "IN DOUBT" in repr(lw.load_run(tmp_path / "run.h5"))


def test_a_process_of_its_own_warns() -> None:
    code = (
        "import linkwork as lw\n"
        "model = lw.gallery.pendulum.build(angle=2.0)\n"
        "lw.simulate(model, until=2.0, dt=0.05, method='recursive', integrator='semi-implicit')\n"
    )
    paths = {"PYTHONPATH": str(Path(lw.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | paths, capture_output=True, text=True)
    assert done.stderr.count("RunWarning: the run of 'pendulum'") == 1
    assert "<string>:3" in done.stderr


# --- steps that are cut short ---------------------------------------------------------------------------------


def test_stepping_by_hand_warns_once() -> None:
    sim = lw.Simulation(pile(), lw.Impulse(dt=5e-3, iterations=2))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(100):
            sim.step()
    (warning,) = told
    assert "steps of 'pile' are cut short" in str(warning.message)
    assert "give more iterations=" in str(warning.message)
    assert Path(warning.filename).name == HERE
    assert sim.state.solver_stats[5] > 50


@pytest.mark.parametrize("anew", [False, True])
def test_many_copies_warn_once(anew: bool) -> None:
    sim = lw.Simulation(pile(), lw.Impulse(dt=5e-3, iterations=2))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(4):
            copy = sim.copy()
            if anew:
                copy.reset()
            for _ in range(60):
                copy.step()
            assert copy.state.solver_stats[5] > 10
    assert len(told) == 1


def test_stepping_by_hand_is_silent_about_what_does_not_matter() -> None:
    """At the usual number of sweeps some steps are cut short that leave next to nothing."""
    sim = lw.Simulation(pile(16), lw.Impulse(dt=5e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(100):
            sim.step()
    assert sim.state.solver_stats[5] > 0


@pytest.mark.parametrize("budget", [None, 1e-9])
def test_a_budget_cuts_on_purpose(budget: float | None) -> None:
    sim = lw.Simulation(pile(), lw.Impulse(dt=5e-3, iterations=2))
    live = lw.RealTime(sim, rate=1e3, patience=1e3, budget=budget)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        live.run(0.5)
    assert live.pace.cut > 10
    assert len(told) == (1 if budget is None else 0)


@pytest.mark.parametrize("iterations", [2, 50])
def test_what_cut_steps_leave_is_judged_by_their_own_impulses(iterations: int) -> None:
    """The same tower in other masses: what is left in N s is a million times as much, the verdict is the same."""
    parts = []
    for size in (1e-3, 1.0, 1e3):
        model = lw.Model("tower")
        model.plane("floor")
        for k in range(6):
            at = (0.02 * k, 0, 0.11 + 0.2 * k)
            model.body(f"box {k}", shape=lw.Box((0.2, 0.2, 0.2)), mass=size, position=at, material=lw.Material())
        method = lw.Impulse(dt=2e-3, iterations=iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = lw.simulate(model, until=0.4, method=method).certificate
        told = [doubt for doubt in made.doubts() if "cut short" in doubt]
        parts.append(made.unsettled or 0.0)
        if iterations == 2:
            assert made.cut_short > 100
            assert "of all impulses unsettled; give more iterations=" in told[0]
            assert "STEPS CUT SHORT" in str(made)
        else:
            assert told == []
            assert "STEPS CUT SHORT" not in str(made)
    if iterations == 2:  # a tower that falls: rounding decides how
        assert max(parts) < 2.0 * min(parts)
    else:
        assert parts == pytest.approx([parts[1]] * 3, rel=1e-3, abs=1e-12)


def test_cut_steps_between_the_recorded_rows_are_judged_at_their_worst() -> None:
    with pytest.warns(lw.RunWarning, match="cut short"):
        lw.simulate(pile(), until=0.5, dt=5e-3, method="impulse", iterations=2, every=100)


def test_nothing_to_compare_with_is_a_doubt() -> None:
    effort = np.zeros(12)
    assert unsettled(effort, 100) is None
    effort[[STEPS_CUT, ALL_LEFT]] = 3.0, 0.6
    assert unsettled(effort, 100) == pytest.approx(6e-3)
    assert Certificate(method="impulse", cut_short=3, unsettled=float("inf")).doubts()
    assert Certificate(method="impulse", cut_short=3).doubts()  # of a file in which nobody looked
    assert not Certificate(method="impulse", cut_short=3, unsettled=1e-3).doubts()
    assert Certificate(method="impulse", cut_short=3, unsettled=1e-3).broken({"cut": 0.0})
