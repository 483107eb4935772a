"""Ctrl-C ends any run soon, also within a long step of the adaptive integrator; what was recorded is kept."""

import math
import signal
import subprocess
import sys

import pytest

import linkwork as lw
from linkwork.simulation.stepping import interrupt

SCRIPT = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
import linkwork as lw
from linkwork.simulation.stepping import interrupt
from linkwork.simulation.stepping import stepper

stepper.MOST_PAUSES = 10**9  # no end of its own, however fast the machine is

model = lw.Model("stiff")
model.body("block", mass=1e-3, inertia=(1e-3, 1e-3, 1e-3))
model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=1e9)
how, options = sys.argv[1], {"method": "recursive", "integrator": "adaptive", "dt": 0.5}
sim = lw.Simulation(model, **options)

def watch():
    # says when the loop listens
    while interrupt.Interrupt.present is None:
        time.sleep(1e-3)
    print("ready", flush=True)

threading.Thread(target=watch, daemon=True).start()
try:
    if how == "step":
        sim.step(1000)
    else:
        lw.simulate(model, until=500.0, **options)
except KeyboardInterrupt:
    print("interrupted", sim.time)
except lw.RunError as error:
    print("interrupted" if "interrupted" in str(error) else error, len(error.run))
"""


@pytest.mark.parametrize("how", ["step", "run"])
def test_a_long_step_of_the_adaptive_integrator_is_interrupted(how: str) -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT, how], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    assert out.startswith("interrupted"), out
    assert process.returncode == 0


def test_pauses_within_a_step_change_nothing() -> None:
    """Some ten thousand parts of one step, and the same in two steps: the same oscillation to the tolerance."""
    model = lw.Model("fast")
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=4e8)
    ends = []
    for steps in (1, 2):
        sim = lw.Simulation(model, "recursive", integrator="adaptive", dt=0.5 / steps, rtol=1e-9, atol=1e-12)
        sim.step(steps)
        assert sim.time == 0.5
        assert sim.steps == steps
        ends.append(float(sim["rail.position"]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    assert ends[0] == pytest.approx(0.1 * math.cos(2e4 * 0.5), abs=1e-5)


def test_a_step_of_no_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.simulation.stepping import stepper

    monkeypatch.setattr(stepper, "MOST_PAUSES", 3)
    model = lw.Model("stiff")
    model.body("block", mass=1e-6, inertia=(1e-3, 1e-3, 1e-3))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=1e9)
    with pytest.raises(lw.RunError, match="rail") as stop:
        lw.simulate(model, until=100.0, method="recursive", integrator="adaptive", dt=1.0)
    assert "hybrid" in str(stop.value)
    assert "adaptive" not in str(stop.value)


def test_noise_is_told_soon() -> None:
    """No step is small enough for a force that is another at every moment: a third of all parts is refused."""
    model = lw.Model("noisy", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), stiffness=100.0, position=0.1)
    model.torque("noise", "rail", lambda t: math.sin(1e9 * math.sin(1e9 * t)))
    with pytest.raises(lw.RunError, match="its steps became too small, with joint 'rail' accelerating most") as stop:
        lw.simulate(model, until=10.0, method="recursive", integrator="adaptive", dt=1.0)
    assert stop.value.run.certificate.evaluations < 200_000


def test_the_first_step_is_reported() -> None:
    """However long a step takes, Ctrl-C has to wait for few of them."""
    model = lw.Model("swing")
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), stiffness=100.0, position=0.1)
    times: list[float] = []
    lw.simulate(model, until=1.0, method="recursive", dt=0.01, progress=times.append)
    assert times[0] == 0.01


def test_a_long_step_is_reported_on_the_way() -> None:
    """Twenty thousand radians in one step."""
    model = lw.Model("fast")
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=4e8)
    times: list[float] = []
    lw.simulate(model, until=1.0, method="recursive", integrator="adaptive", dt=1.0, progress=times.append)
    assert len(times) > 2
    assert 0.0 < times[0] < times[1] < times[-1] == 1.0


@pytest.mark.parametrize("how", ["step", "run"])
def test_ctrl_c_at_the_very_end_is_not_lost(how: str, monkeypatch) -> None:
    """It comes after the last look, before the handler is taken back."""
    leave = interrupt.Interrupt.__exit__

    def late(listening: interrupt.Interrupt, *error: object) -> None:
        listening._note(signal.SIGINT, None)
        leave(listening, *error)

    sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3)
    monkeypatch.setattr(interrupt.Interrupt, "__exit__", late)
    if how == "step":
        with pytest.raises(KeyboardInterrupt):
            sim.step(10, 1e-3)
        assert sim.steps == 10
    else:
        with pytest.raises(lw.RunError, match="interrupted") as caught:
            lw.simulate(lw.gallery.pendulum.build(), until=0.01, dt=1e-3, method="recursive")
        assert len(caught.value.run) == 11
