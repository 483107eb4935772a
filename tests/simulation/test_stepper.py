"""The stepper by itself: clock, steps, present state, going back, copies. Users of it need no `Simulation`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.samples import make_samples
from linkwork.simulation.inputs import Inputs
from linkwork.simulation.stepping.stepper import Stepper

DT = 1e-3


def driven_pendulum() -> lw.Model:
    model = lw.gallery.pendulum.build()
    model.torque("drive", "pin", 0.5)
    return model


def stepper_of(model: lw.Model, method: Any) -> Stepper:
    system = lw.assemble(model)
    stepper = Stepper(method, system, Inputs({}, np.zeros((0, 1)), model))
    stepper.begin(stepper.first.start, 0.0)
    stepper.settle()
    return stepper


@pytest.fixture
def stepper() -> Stepper:
    return stepper_of(driven_pendulum(), lw.Recursive(dt=DT))


def take(stepper: Stepper, steps: int) -> None:
    done, _, status = stepper.advance(steps, steps + 1, stepper.spare)
    assert (done, status) == (steps, 0)


def test_steps_are_those_of_a_simulation(stepper: Stepper) -> None:
    take(stepper, 30)
    sim = lw.Simulation(driven_pendulum(), lw.Recursive(dt=DT))
    sim.step(30)
    assert stepper.state.y.tobytes() == sim.state.y.tobytes()
    assert (stepper.steps, stepper.time) == (sim.steps, sim.time)


def test_the_clock(stepper: Stepper) -> None:
    assert (stepper.steps, stepper.time, stepper.time_after(3)) == (0, 0.0, 3 * DT)
    take(stepper, 10)
    stepper.set_step(2 * DT)
    assert stepper.time_after() == pytest.approx(stepper.time, abs=1e-15)
    take(stepper, 5)
    assert stepper.time == pytest.approx(20 * DT, abs=1e-15)
    assert stepper.method.dt == DT
    stepper.set_method_step(4 * DT)
    assert stepper.h == stepper.method.dt == 4 * DT


def test_rows_are_kept_every_so_many_steps(stepper: Stepper) -> None:
    rows = make_samples(stepper.state, 8)
    assert stepper.advance(12, 3, rows) == (12, 4, 0)
    assert rows.t[:4, 0] == pytest.approx(DT * np.array([3, 6, 9, 12]), abs=1e-15)
    present = stepper.present()
    assert present.y[0].tobytes() == rows.y[3].tobytes() == stepper.state.y.tobytes()
    take(stepper, 1)
    assert present.y[0].tobytes() == rows.y[3].tobytes() != stepper.state.y.tobytes()  # a copy


def test_refresh_computes_accelerations_with_new_inputs(stepper: Stepper) -> None:
    take(stepper, 3)
    before, y = stepper.state.vd.copy(), stepper.state.y.copy()
    stepper.inputs["drive"] = 2.0
    assert stepper.inputs.changed
    stepper.refresh()
    assert not stepper.inputs.changed
    inertia = lw.mass_matrix(stepper.system, stepper.q.copy())[0, 0]
    assert stepper.state.vd[0] - before[0] == pytest.approx(1.5 / inertia, rel=1e-9)
    assert stepper.state.y.tobytes() == y.tobytes()


def test_going_back_is_as_if_nobody_had_tried(stepper: Stepper) -> None:
    take(stepper, 5)
    kept, system = stepper.kept(), lw.assemble(driven_pendulum())
    stepper.switch_system(system, stepper.q.copy(), stepper.v.copy(), stepper.state.cut_q.copy())
    stepper.set_step(2 * DT)
    stepper.inputs["drive"] = 9.0
    assert stepper.moving is system
    stepper.go_back(kept)
    assert (stepper.moving, stepper.h, stepper.inputs["drive"]) == (stepper.system, DT, 0.5)
    twin = stepper_of(driven_pendulum(), lw.Recursive(dt=DT))
    take(twin, 10)
    take(stepper, 5)
    assert stepper.state.y.tobytes() == twin.state.y.tobytes()


def test_a_copy_goes_on_by_itself(stepper: Stepper) -> None:
    take(stepper, 5)
    other = stepper.copied()
    other.inputs["drive"] = 9.0
    take(other, 5)
    assert (stepper.steps, stepper.inputs["drive"]) == (5, 0.5)
    ahead = stepper.copied()
    take(ahead, 5)
    take(stepper, 5)
    assert ahead.state.y.tobytes() == stepper.state.y.tobytes() != other.state.y.tobytes()


def test_taking_back_a_step(stepper: Stepper) -> None:
    take(stepper, 4)
    turns = stepper.state.cut_q.copy()
    before = stepper.state.y.copy()
    stepper.state.last[:] = before
    stepper.state.y[:] = np.nan
    stepper.take_back(turns)
    assert stepper.state.y.tobytes() == before.tobytes()
    take(stepper, 1)
    assert np.isfinite(stepper.state.y).all()


def test_coordinates_cannot_be_written_to(stepper: Stepper) -> None:
    with pytest.raises(ValueError, match="read-only"):
        stepper.q[0] = 1.0
    place = stepper.place()
    place.q[0] += 1.0
    assert stepper.q[0] == place.q[0] - 1.0


def test_the_parts_of_a_simulation_share_one_stepper() -> None:
    """The parts of a simulation look at one stepper, also after it was reset, copied, or refused to be reset."""
    sim = lw.Simulation(driven_pendulum(), lw.Recursive(dt=DT))
    stepper = sim.stepper
    sim.step(3)
    sim.reset(joints={"pin": 0.2})
    with pytest.raises(lw.OptionError):
        sim.reset(joints={"nothing": 0.2})
    for each in (sim, sim.copy()):
        parts = {id(part.stepper) for part in (each.structure, each.events, each.readings)}
        assert parts == {id(each.stepper)}
        assert each.inputs is each.stepper.inputs
        assert each.events.structure is each.structure
    assert sim.stepper is stepper
