"""A run that fails says when, where and what to do, and keeps what it recorded."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, pendulum
from linkwork.formulations.status import NOT_FINITE
from linkwork.simulation.stepping.failures import failure_of

EVERY_INTEGRATOR = ("semi-implicit", "rk2", "rk4", "abm4", "adaptive")


def failure(model: lw.Model, **options: Any) -> lw.RunError:
    with pytest.raises(lw.RunError) as caught:
        lw.simulate(model, **options)
    error = caught.value
    assert "\n" not in str(error)
    return error


def rows_are_whole(error: lw.RunError, model: lw.Model, **options: Any) -> None:
    """What is kept is the beginning of the run that would have been."""
    run = error.run
    assert run.stopped is not None
    assert not run.certificate.complete
    assert run.certificate.reached == run.time[-1]
    assert all(len(run[name]) == len(run) for name in run.names)
    assert all(np.all(np.isfinite(run[name])) for name in run.names)
    good = lw.simulate(model, **options)
    for name in run.names:
        assert run[name].tobytes() == good[name][: len(run)].tobytes(), name


def stiff() -> lw.Model:
    """A mass on a spring of 1 MHz: no explicit step of a millisecond can follow it."""
    model = lw.Model("stiff")
    model.body("block", mass=1e-3, inertia=(1e-3, 1e-3, 1e-3))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=1e9)
    return model


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4"])
def test_a_step_too_long(integrator: str) -> None:
    error = failure(stiff(), until=1.0, dt=1e-3, integrator=integrator)
    assert error.culprit == "rail"
    for word in ("'stiff'", "too large for joint 'rail'", "take dt of", "'hybrid'", f"{len(error.run)} samples"):
        assert word in str(error)
    assert "adaptive" not in str(error)  # it would take steps as small
    assert error.step >= 1
    assert error.time == pytest.approx(error.step * 1e-3)
    assert len(error.run) == error.step + 1
    # the last good state: position, velocity and the accounts of the last row
    assert np.all(np.isfinite(error.state))
    assert error.state[0] == error.run["rail.position"][-1]
    assert error.state[1] == error.run["rail.velocity"][-1]


def driven(law: Any) -> lw.Model:
    model = pendulum(position=0.5)
    model.torque("drive", "pin", law)
    return model


def unlucky(t: float) -> float:
    if t > 0.1:
        raise ValueError("no fuel")
    return math.sin(t)


@lw.compiled
def unlucky_compiled(t):
    return math.sin(t) if t <= 0.1 else math.nan


@pytest.mark.parametrize("integrator", EVERY_INTEGRATOR)
@pytest.mark.parametrize(
    ("law", "words"),
    [
        (unlucky, ("ValueError", "no fuel")),
        (lambda t: math.sin(t) if t <= 0.1 else math.nan, ("nan",)),
        (lambda t: math.sin(t) if t <= 0.1 else math.inf, ()),
        (unlucky_compiled, ()),
    ],
    ids=["raises", "nan", "infinite", "compiled nan"],
)
def test_a_law_that_fails(law: Any, words: tuple[str, ...], integrator: str) -> None:
    options = {"dt": 0.01, "integrator": integrator}
    error = failure(driven(law), until=1.0, **options)
    assert error.step == 10
    assert error.time == pytest.approx(0.1)
    assert "drive" in error.culprit
    for word in ("'drive'", "0.1", *words):
        assert word in str(error), str(error)
    assert len(error.run) == 11
    rows_are_whole(error, driven(math.sin), until=0.1, **options)


def test_the_next_run_of_the_same_model_starts_clean() -> None:
    """A law that failed once, and has been mended, does not haunt the next run."""
    broken = True

    def law(t: float) -> float:
        if broken and t > 0.05:
            raise RuntimeError("still broken")
        return 0.0

    model = driven(law)
    failure(model, until=0.1, dt=0.01)
    broken = False
    assert lw.simulate(model, until=0.1, dt=0.01).stopped is None
    sim = lw.Simulation(model, dt=0.01)
    sim.step(10)
    broken = True
    with pytest.raises(lw.RunError, match="still broken"):
        sim.step(1)
    assert sim.steps == 10


def test_a_law_that_fails_at_the_start_is_a_wrong_model() -> None:
    def law(t: float) -> float:
        raise KeyError("table")

    with pytest.raises(lw.ModelError, match="'drive'"):
        lw.simulate(driven(law), until=1.0)
    with pytest.raises(lw.ModelError, match="'drive'"):
        lw.simulate(driven(lambda t: math.nan), until=1.0)


def test_a_moving_ground_that_fails() -> None:
    def x(t: float) -> float:
        if t > 0.1:
            raise ValueError("off the map")
        return 0.0

    model = lw.Model("ride")
    table = model.moving_ground("table", lw.Motion(position=(x, 0, 0)))
    model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    model.revolute("pin", table, "bob", at=(0, 0, 0), axis=(0, 1, 0))
    error = failure(model, until=1.0, dt=0.01)
    assert "table" in error.culprit
    assert "off the map" in str(error)
    assert 8 <= error.step <= 10  # its rates are looked for a little ahead


@pytest.mark.parametrize(
    ("build", "word"),
    [
        (lambda m: m.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 0, 1)), "'pin'"),
        (lambda m: m.ball("pin", "ground", "bob", at=(1, 0, 0)), "'pin'"),
        (lambda m: m.universal("pin", "ground", "bob", at=(0, 0, 0), axis=((1, 0, 0), (0, 1, 0))), "'pin'"),
        (lambda m: None, "'bob'"),
    ],
    ids=["on its axis", "ball", "universal", "free"],
)
def test_no_inertia_is_a_wrong_model(build: Any, word: str) -> None:
    """A point mass on the axis it turns about has no acceleration; check and simulate say so before any step."""
    model = lw.Model("point")
    model.body("bob", mass=1.0, inertia=0.0)
    build(model)
    for verb in (lw.check, lambda m: lw.simulate(m, until=1.0)):
        with pytest.raises(lw.ModelError) as caught:
            verb(model)
        assert word in str(caught.value)
        assert "inertia" in str(caught.value)


def test_inertia_that_vanishes_on_the_way() -> None:
    """A point mass slides along its arm to the very axis it turns about."""
    model = lw.Model("vanishing", gravity=(0, 0, 0))
    model.body("arm", mass=1.0, inertia=0.0)
    model.body("bead", mass=1.0, inertia=0.0, position=(0, 0, 1))
    model.revolute("pin", "ground", "arm", at=(0, 0, 0), axis=(1, 0, 0))
    model.prismatic("rail", "arm", "bead", axis=(0, 0, 1), velocity=-1.0)
    # sixteen steps to the axis; turned axes and sums as in rk4 may be rounded, and end beside it
    error = failure(model, until=2.0, dt=0.0625, integrator="semi-implicit")
    assert error.culprit == "pin"
    assert "'pin'" in str(error)
    assert error.run["rail.position"][-1] == pytest.approx(-1.0, abs=0.07)


def test_stiffer_than_the_smallest_step() -> None:
    """A law with a jump of kicks in every interval, however small: the adaptive integrator gives up, and says so."""
    noise = np.random.default_rng(1)
    model = driven(lambda t: 1e9 * float(noise.normal()))
    error = failure(model, until=1.0, dt=0.1, integrator="adaptive", rtol=1e-12, atol=1e-14)
    assert error.culprit == "pin"
    assert "rtol" in str(error)
    assert error.step == 0
    assert len(error.run) == 1


# ---- interrupts ------------------------------------------------------------------------------------------------------


def test_interrupted_by_the_one_who_is_told() -> None:
    def progress(t: float) -> None:
        if t > 0.5:
            raise KeyboardInterrupt

    options = {"dt": 1e-4}
    error = failure(four_bar(), until=5.0, progress=progress, **options)
    assert "interrupt" in str(error)
    assert 0.5 < error.time < 5.0
    assert error.run.time[-1] == pytest.approx(error.time)
    assert len(error.run) == error.step + 1
    rows_are_whole(error, four_bar(), until=float(error.run.time[-1]), **options)


def test_ctrl_c() -> None:
    """The signal itself, in the middle of compiled code: the run stops soon, and every row up to there is kept."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("somebody else listens to Ctrl-C here")
    lw.simulate(four_bar(), until=0.01, dt=1e-4)  # kernels are ready
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    error = failure(four_bar(), until=1e4, dt=1e-4, every=100)
    assert time.perf_counter() - begin < 5.0
    assert "interrupt" in str(error)
    assert len(error.run) == error.step // 100 + 1
    assert error.time - error.run.time[-1] < 100 * 1e-4 + 1e-9
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_progress_that_fails_stops_the_run_and_is_named() -> None:
    def progress(t: float) -> None:
        raise OSError("screen is gone")

    error = failure(pendulum(), until=10.0, dt=1e-4, progress=progress)
    assert "screen is gone" in str(error)
    assert len(error.run) > 1


def test_strict_refuses_a_run_beyond_its_bounds() -> None:
    """A hundred times the step of a good run: the energy tells, and the rows are kept."""
    model = lw.gallery.chain.build(n=3)
    good = lw.simulate(model, until=1.0, dt=1e-3, method="recursive", strict=True)
    assert good.certificate.broken() == []
    with pytest.raises(
        lw.RunError, match=r"energy balance is off by .* of what moved, more than 1e-15; take"
    ) as caught:
        lw.simulate(model, until=1.0, dt=0.01, method="recursive", strict={"energy": 1e-15})
    assert len(caught.value.run) == 101
    for wrong, words in (
        ("yes", "strict must be"),
        ({"colour": 1.0}, "no bound 'colour'"),
        ({"drift": -1}, "from 0 up"),
    ):
        with pytest.raises(lw.OptionError, match=words):
            lw.simulate(model, until=0.1, dt=0.01, method="recursive", strict=wrong)  # type: ignore[arg-type]


def test_strict_is_checked_before_the_run() -> None:
    def never(t: float) -> None:
        raise AssertionError

    with pytest.raises(lw.OptionError, match="no bound 'enery'"):
        lw.simulate(pendulum(), until=1e3, dt=1e-4, strict={"enery": 1.0}, progress=never)


def hurled(at: float = 0.0) -> lw.Model:
    """Nearly nothing, pushed at some time so hard that a step makes it 5e182 m/s fast: its energy is no number."""
    model = lw.Model("hurled")
    grain = model.body("grain", mass=1e-90, inertia=(1e-90, 1e-90, 1e-90))
    model.prismatic("rail", model.ground, grain, axis=(1, 0, 0))
    model.force("push", grain, lambda t: 5e95 if t >= at else 0.0, axis=(1, 0, 0))
    return model


@pytest.mark.parametrize("method", ["impulse", "recursive"])
@pytest.mark.parametrize(("at", "rows"), [(0.0, 1), (0.0095, 10)])
def test_a_row_that_is_not_finite_stops_the_run(method: str, at: float, rows: int) -> None:
    error = failure(hurled(at), until=1.0, dt=1e-3, method=method)
    assert "are not finite, with 'rail' moving fastest" in str(error)
    assert error.culprit == "rail"
    assert len(error.run) == pytest.approx(rows, abs=1)
    for name in error.run.names:
        assert np.isfinite(error.run[name]).all()
    assert np.isfinite(error.run.energy["balance"]).all()


def test_a_file_of_a_run_holds_no_row_that_is_not_finite(tmp_path: Any) -> None:
    pytest.importorskip("h5py", reason="long runs need the extra hdf5")
    file = tmp_path / "run.h5"
    with pytest.raises(lw.RunError, match="are not finite, with 'rail' moving fastest"):
        lw.stream(hurled(0.0095), file, until=1.0, dt=1e-3, method="recursive")
    run = lw.load_run(file)
    assert len(run) == pytest.approx(10, abs=1)
    assert np.isfinite(run.energy["total"]).all()
    assert "not finite" in str(run.certificate.stopped)


@pytest.mark.parametrize("size", [1e60, 1e100, 1e160, 1e200])
def test_a_body_too_far_away_for_its_inertia_to_be_a_number(size: float) -> None:
    """What stopped the run is looked for in its last state, which may be anything."""
    model = lw.Model("flown", gravity=(0, 0, 0))
    model.body("arm", mass=1.0, inertia=(1, 1, 1), com=(0.3, 0, 0))
    model.body("bead", mass=1.0, inertia=(1, 1, 1))
    model.revolute("pin", "ground", "arm", at=(0, 0, 0), axis=(0, 0, 1))
    model.free("throw", "arm", "bead")
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step()
    place = sim.stepper.moving.joints[-1].q
    sim.stepper.state.last[place.start : place.start + 3] = size
    assert "grew beyond all bounds" in str(failure_of(sim.stepper, NOT_FINITE))
