"""The trajectory's promises: names, units, rows, refusals, equality."""

import numpy as np
import pytest

from linkwork.errors import OptionError
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.columns.units import component_names, joint_units, split_unit
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.trajectory import Trajectory

NINE = ["fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free"]
POSITION_WIDTH = dict(zip(NINE, [0, 1, 1, 2, 1, 2, 4, 3, 7], strict=True))
VELOCITY_WIDTH = dict(zip(NINE, [0, 1, 1, 2, 1, 2, 3, 3, 6], strict=True))


def made(rows: int = 5, **changes):
    time = np.linspace(0.0, 1.0, rows)
    facts = {
        "time": time,
        "columns": {
            "pin.position": np.sin(time),
            "strut.position": np.stack([time, 2 * time], axis=1),
            "pin.reaction": np.arange(6.0 * rows).reshape(rows, 6),
            "left damper.piston.position": np.zeros((rows, 3)),
            "left damper.piston.rotation": np.tile([1.0, 0, 0, 0], (rows, 1)),
        },
        "units": {
            "pin.position": "rad",
            "strut.position": "rad,m",
            "reaction": "N,N,N,N m,N m,N m",
            "position": "m",
            "rotation": "1",
        },
        "energy": {"kinetic": time, "total": np.ones(rows)},
        "drift": {"position": np.zeros(rows), "velocity": np.zeros(rows)},
        "certificate": Certificate(method="recursive", integrator="rk4", dt=0.25, until=1.0, reached=1.0),
        "model_name": "sample",
    }
    return Trajectory(**{**facts, **changes})


def test_columns_by_name():
    run = made()
    assert run["pin.position"].shape == (5,)
    assert run["left damper.piston.position"].shape == (5, 3)
    assert np.array_equal(run["time"], run.time)
    assert np.array_equal(run["energy.kinetic"], run.energy["kinetic"])
    assert "pin.position" in run
    assert "pin.colour" not in run
    assert 3 not in run
    assert list(run) == run.names
    assert len(run) == 5


def test_unknown_column_names_the_nearest():
    with pytest.raises(OptionError, match=r"no column 'pin.positon'; did you mean 'pin.position'"):
        made()["pin.positon"]
    with pytest.raises(OptionError, match="run.names"):
        made()["zzzzzz"]


def test_patterns():
    assert made().matching("*.position") == ["pin.position", "strut.position", "left damper.piston.position"]
    assert made().matching("pin.position") == ["pin.position"]
    with pytest.raises(OptionError, match="fits this pattern"):
        made().matching("*.colour?")


def test_units_and_components():
    run = made()
    assert [(label, unit) for label, unit, _ in run.components("strut.position")] == [
        ("strut.position.turn", "rad"),
        ("strut.position.slide", "m"),
    ]
    labels = [label for label, _, _ in run.components("pin.reaction")]
    assert labels[0] == "pin.reaction.force x"
    assert labels[5] == "pin.reaction.torque z"
    assert run.unit("left damper.piston.position") == "m"
    assert run.unit("energy.total") == "J"
    assert run.unit("time") == "s"
    assert np.array_equal(run.components("strut.position")[1][2], run["strut.position"][:, 1])
    with pytest.raises(OptionError):
        run.unit("pin.colour")


@pytest.mark.parametrize("kind", NINE)
def test_units_cover_every_joint(kind):
    units = joint_units(kind)
    if kind == "fixed":
        assert units["position"] == ""
        return
    assert len(split_unit(units["position"], POSITION_WIDTH[kind])) == POSITION_WIDTH[kind]
    for name in ("velocity", "acceleration"):
        assert len(split_unit(units[name], VELOCITY_WIDTH[kind])) == VELOCITY_WIDTH[kind]
        names = component_names(name, units[name], VELOCITY_WIDTH[kind])
        assert len(set(names)) == VELOCITY_WIDTH[kind]


def test_unit_of_the_wrong_width_is_refused():
    with pytest.raises(ValueError, match="2 components"):
        split_unit("rad,m", 3)


def test_rows_must_agree():
    with pytest.raises(ValueError, match="3 samples for 5 times"):
        made(columns={"pin.position": np.zeros(3)})
    with pytest.raises(ValueError, match="full name"):
        made(columns={"pin": np.zeros(5)})
    with pytest.raises(ValueError, match="numbers"):
        made(columns={"pin.position": np.array(["a"] * 5)})
    with pytest.raises(ValueError, match="one row per time"):
        made(columns={"pin.position": 3.0})


def test_columns_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        made()["pin.position"][0] = 1.0


def test_the_given_array_stays_writable():
    mine = np.zeros(5)
    made(columns={"pin.position": mine})
    mine[0] = 1.0
    assert mine[0] == 1.0


def test_equality_is_bit_for_bit():
    assert made() == made()
    assert made() != made(stopped="interrupted")
    assert made() != made(columns={"pin.position": np.zeros(5)})
    assert made() != "a run"
    spoilt = {"pin.position": np.full(5, np.nan)}
    assert made(columns=spoilt) == made(columns=spoilt)
    broken = Certificate(method="recursive", energy_balance_worst=float("nan"))
    assert made(certificate=broken) == made(certificate=broken)


def test_repr_says_what_it_is():
    assert repr(made()) == "<Trajectory 'sample': 5 samples, 5 columns, t = 0 to 1 s>"
    assert "stopped: interrupted" in repr(made(stopped="interrupted"))


def test_a_run_that_stopped_at_once_can_be_read():
    empty = Trajectory([], {"a.position": np.zeros((0, 3))}, {}, certificate=Certificate(method="m"), model_name="e")
    assert "empty" in repr(empty)
    assert [len(values) for _, _, values in empty.components("a.position")] == [0, 0, 0]


def test_certificate_lines():
    good = Certificate(
        method="recursive",
        integrator="rk4",
        dt=0.001,
        until=1.5,
        reached=1.5,
        steps=1500,
        evaluations=6000,
        wall_seconds=0.3,
        energy_balance_worst=1e-6,
        energy_scale=1e3,
        rank_min=12,
        rank_max=12,
        redundant_rows=["a row 3"],
        ignored=["friction"],
        versions={"linkwork": "0.1.0"},
        model_hash="0123456789abcdef",
    )
    lines = good.lines()
    assert len(lines) == 5
    assert all("\n" not in line for line in lines)
    text = str(good)
    for fact in ("rk4", "1500 steps", "1.0e-09", "rank 12", "a row 3", "friction", "complete", "0123456789ab"):
        assert fact in text
    assert good.complete
    assert good.real_time_factor == pytest.approx(5.0)
    assert "STOPPED, interrupted" in str(Certificate(method="m", stopped="interrupted"))
    assert "rank 3 to 4" in str(Certificate(method="m", rank_min=3, rank_max=4))


def test_certificate_is_plain_data():
    odd = Certificate(method="m", steps=np.int64(3), settings={"atol": np.float64(1e-6), "order": (1, 2), "x": object})
    facts = odd.as_dict()
    assert type(facts["steps"]) is int
    assert type(facts["settings"]["atol"]) is float
    assert facts["settings"]["order"] == [1, 2]
    assert Certificate.from_dict({**facts, "unheard of": 1}).steps == 3


def test_shortened():
    assert shortened([]) == ""
    assert shortened(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
