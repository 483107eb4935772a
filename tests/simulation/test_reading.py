"""What is read of a simulation by hand is what a run records: every column, every method, to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

PIECES: list[tuple[str, Any]] = [
    ("double_four_bar", lw.Recursive(dt=2e-3)),
    ("double_four_bar", lw.Absolute(dt=2e-3)),
    ("double_four_bar", lw.Components(dt=2e-3)),
    ("double_four_bar", lw.Components(dt=2e-3, coordinates="joint")),
    ("double_four_bar", lw.Hybrid(dt=2e-3)),
    ("double_four_bar", lw.SemiRecursive(dt=2e-3)),
    ("double_four_bar", lw.Global(dt=2e-3)),
    ("iltis", lw.Hybrid(dt=1e-3)),
    ("car", lw.Recursive(dt=1e-3)),
    ("gripper", lw.Impulse(dt=1e-3)),
    ("gripper", lw.Maximal(dt=1e-3)),
]


def spun() -> lw.Model:
    """A slider-crank whose slide is a tree joint and whose crank pin is a cut that turns many times."""
    model = lw.Model("spun")
    crank = model.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.05, 0, 0))
    rod = model.body("rod", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.25, 0, 0))
    block = model.body("block", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.4, 0, 0))
    model.prismatic("slide", "ground", block, axis=(1, 0, 0))
    model.ball("small end", block, rod, at=(0.4, 0, 0))
    model.universal("big end", rod, crank, at=(0.1, 0, 0), axis=((0, 1, 0), (0, 0, 1)))
    model.revolute("pin", "ground", crank, at=(0, 0, 0), axis=(0, 1, 0), velocity=40.0, cut=True)
    model.spring("spring", "ground", block, at_a=(1, 0, 0), stiffness=10.0, length=0.6)
    return model


def assert_equal_rows(model: lw.Model, method: Any, steps: int) -> None:
    run = lw.simulate(model, until=steps * method.dt, method=method)
    sim = lw.Simulation(model, method)
    reader = sim.reader(["time", *run.columns])
    for row in range(steps + 1):
        if row:
            sim.step()
        kept = sim.state.y.tobytes()
        values = reader()
        assert values is reader.values
        assert values[reader.slices["time"]] == run.time[row] == sim["time"]
        for name in run.columns:
            alone = sim[name]
            assert np.shape(alone) == run[name][row].shape, name
            assert np.asarray(alone).tobytes() == run[name][row].tobytes(), (name, row)
            assert values[reader.slices[name]].tobytes() == run[name][row].tobytes(), (name, row)
        assert sim.state.y.tobytes() == kept  # to look changes nothing


@pytest.mark.parametrize(("piece", "method"), PIECES, ids=[f"{p}-{m.name}-{m.coordinates}" for p, m in PIECES])
def test_every_column_is_that_of_a_run(piece: str, method: Any) -> None:
    assert_equal_rows(getattr(lw.gallery, piece).build(), method, 4)


@pytest.mark.parametrize("method", [lw.Recursive(dt=5e-3), lw.Absolute(dt=5e-3)], ids=["recursive", "absolute"])
def test_turns_of_a_cut_are_counted(method: Any) -> None:
    assert_equal_rows(spun(), method, 60)
    sim = lw.Simulation(spun(), method)
    read = sim.reader("pin.position")
    sim.step(200)
    assert read()[0] == sim["pin.position"]
    assert abs(read()[0]) > 4 * math.pi


def test_a_value_that_was_read_stays() -> None:
    sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
    names = ("foot 0.position", "crank 0.rotation", "foot 0.reaction")
    kept = [np.copy(sim[name]) for name in names]
    held = [sim[name] for name in names]
    sim.step(10)
    for name, one, other in zip(names, kept, held, strict=True):
        assert np.array_equal(one, other)
        assert not np.array_equal(one, sim[name])


def test_readers_follow_the_structure() -> None:
    """A joint that is attached, released and reset; columns as those of a run with the same events."""
    names = ["rope.position", "rope.reaction", "pin.position", "load.position"]

    def crane() -> lw.Model:
        model = lw.Model("crane")
        boom = model.body("boom", mass=20.0, shape=lw.Box((2.0, 0.1, 0.1)), position=(1.0, 0, 0))
        model.revolute("pin", "ground", boom, at=(0, 0, 0), axis=(0, 1, 0))
        load = model.body("load", mass=10.0, shape=lw.Sphere(0.1), position=(2.0, 0, -1.0))
        model.ball("rope", boom, load, at=(2.0, 0, 0))
        return model

    planned = crane()
    planned.release("rope", time=0.02)
    run = lw.simulate(planned, until=0.04, method="recursive", dt=0.01)
    sim = lw.Simulation(crane(), "recursive", dt=0.01)
    reader = sim.reader(names)
    sim.step(2)
    sim.release("rope")
    for row in (2, 3, 4):
        values = reader()
        for name in names:
            assert values[reader.slices[name]].tobytes() == run[name][row].tobytes(), (name, row)
            assert np.asarray(sim[name]).tobytes() == run[name][row].tobytes(), (name, row)
        sim.step()
    assert sim["rope.position"].tolist() == [1.0, 0.0, 0.0, 0.0]
    sim.attach("ground", "load", "fixed", name="clamp")
    clamp = sim.reader(["clamp.reaction"])
    assert np.array_equal(clamp(), sim["clamp.reaction"])
    assert abs(clamp()[2] - 98.1) < 1e-9
    assert clamp.units == {"clamp.reaction": "N,N,N,N m,N m,N m"}
    sim.release("clamp")
    assert not clamp().any()


def test_columns_of_free_bodies_are_not_made_up() -> None:
    """A body that nothing holds has a joint of its own in joint coordinates only."""
    model = lw.Model("stone")
    model.body("stone", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3))
    with pytest.raises(lw.OptionError, match="no column 'stone free.position'"):
        lw.Simulation(model, "absolute", dt=0.01)["stone free.position"]
    assert lw.Simulation(model, "recursive", dt=0.01)["stone free.position"][:3].tolist() == [1, 2, 3]


def test_readers_refuse() -> None:
    sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
    for columns, said in (
        ([], r"a reader needs the names of columns, not \[\]"),
        (3, "a reader needs the names of columns, not 3"),
        (["pin.positon"], "there is no column 'pin.positon' in this simulation; did you mean 'pin.position'"),
        (["pin.position", "pin.position"], "every column once, not 'pin.position' twice"),
        (["pin.*"], "would be many values"),
        ([3], "columns of a simulation are found by name, not by 3"),
    ):
        with pytest.raises(lw.OptionError, match=said):
            sim.reader(columns)  # type: ignore[arg-type]
    for name in (["pin.position"], 3, "pin"):
        with pytest.raises(lw.OptionError, match="column"):
            sim[name]  # type: ignore[index]
