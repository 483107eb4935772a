"""Slopes of whole runs with parameters of the model: closed forms, and extrapolated differences of runs."""

import inspect
import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError
from linkwork.simulation.analysis.linear.parameters import varied

pytest.importorskip("numba")


def mass_on_a_spring(stiffness=900.0, mass=2.0, start=0.1, damping=0.0):
    model = lw.Model("mass", gravity=(0, 0, 0))
    body = model.body("body", mass=mass, inertia=(1, 1, 1))
    model.prismatic(
        "rail", model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), position=start, stiffness=stiffness, damping=damping
    )
    return model


def test_a_mass_on_a_spring():
    """x = s cos(w t), w^2 = k / m."""
    values = {"stiffness": 900.0, "mass": 2.0, "start": 0.1}
    found = lw.sensitivity(mass_on_a_spring, values, until=1.0, dt=1e-4, every=100)
    w, t = math.sqrt(450.0), found.time
    by_w = -0.1 * t * np.sin(w * t)
    assert np.allclose(found.slope("rail.position", "start"), np.cos(w * t), atol=1e-9)
    assert np.allclose(found.slope("rail.position", "stiffness"), by_w * w / 1800.0, atol=1e-11)
    assert np.allclose(found.slope("rail.position", "mass"), -by_w * w / 4.0, atol=1e-9)
    assert np.allclose(found.columns["rail.position"], 0.1 * np.cos(w * t), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_light_and_heavy_ones(scale):
    """Slopes with a stiffness of 1e9 N/m are as good as with 1e-3 N/m, of columns and of measures."""
    values = {"stiffness": 900.0 * scale, "mass": 2.0 * scale}
    found = lw.sensitivity(mass_on_a_spring, values, until=1.0, dt=1e-4, every=100)
    w, t = math.sqrt(450.0), found.time
    by_w = -0.1 * t * np.sin(w * t)
    assert np.allclose(scale * found.slope("rail.position", "stiffness"), by_w * w / 1800.0, rtol=0.0, atol=1e-11)
    slope = found.measure(lambda run: run["rail.position"][-1])["stiffness"]
    assert slope == pytest.approx(found.slope("rail.position", "stiffness")[-1], rel=1e-7)
    squared = found.measure(lambda run: run["rail.position"][-1] ** 2)["mass"]
    last = found.columns["rail.position"][-1]
    assert squared == pytest.approx(2.0 * last * found.slope("rail.position", "mass")[-1], rel=1e-6)


def by_differences(build, values, name, column, h, **options):
    def central(h):
        ends = [
            lw.simulate(build(**{**values, name: values[name] + side * h}), method="recursive", **options)[column]
            for side in (-1.0, 1.0)
        ]
        return (ends[1] - ends[0]) / (2 * h)

    coarse, fine, finest = central(h), central(h / 2), central(h / 4)
    first, second = (4 * fine - coarse) / 3, (4 * finest - fine) / 3
    return (16 * second - first) / 15


@pytest.mark.parametrize(
    ("piece", "name", "value", "column", "h"),
    [
        ("pendulum", "length", 1.0, "pin.position", 1e-2),
        ("pendulum", "length", 1.0, "bob.velocity", 1e-2),
        ("peaucellier", "length", 1.0, None, 1e-3),
        ("n_four_bar", "length", 1.0, None, 1e-3),
    ],
)
def test_gallery_against_differences_of_runs(piece, name, value, column, h):
    build = getattr(lw.gallery, piece).build
    known = inspect.signature(build).parameters
    if name not in known:
        name = next(n for n, p in known.items() if isinstance(p.default, float))
    value = float(known[name].default)
    options = {"until": 0.3, "dt": 1e-3}
    found = lw.sensitivity(build, {name: value}, **options)
    column = column or next(each for each in found.columns if each.endswith(".velocity"))
    wanted = by_differences(build, {name: value}, name, column, h * abs(value), **options)
    size = max(1e-3, np.abs(wanted).max())
    assert np.abs(found.slope(column, name) - wanted).max() < 1e-7 * size


@pytest.mark.parametrize("name", ["beta", "torque", "stiffness", "spring_length"])
def test_andrews_squeezer(name):
    """Stiff and fast: 0.05 s of it."""
    build, column, options = lw.gallery.andrews.build, "O.position", {"until": 0.05, "dt": 5e-5}
    value = float(inspect.signature(build).parameters[name].default)
    found = lw.sensitivity(build, {name: value}, columns=column, **options)
    wanted = by_differences(build, {name: value}, name, column, 1e-3 * abs(value), **options)
    assert np.abs(found.slope(column, name) - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_ten_seconds_through_singular_positions():
    """The double four-bar folds flat again and again, and goes on as before with other lengths too."""
    build, column, options = lw.gallery.double_four_bar.build, "foot 0.position", {"until": 10.0, "dt": 1e-3}
    found = lw.sensitivity(build, {"length": 1.0}, columns=column, **options)
    wanted = by_differences(build, {"length": 1.0}, "length", column, 1e-4, **options)
    assert np.abs(found.slope(column, "length") - wanted).max() < 1e-6 * np.abs(wanted).max()


def test_a_law_in_stairs_is_told():
    def build(stiffness):
        model = mass_on_a_spring(stiffness)
        model.torque("jump", "rail", lw.PythonLaw(lambda t, x, rate: -5.0 * round(5e3 * x) / 5e3))
        return model

    with pytest.warns(lw.ModelWarning, match="law of .*'jump' has no certain slope"):
        lw.sensitivity(build, {"stiffness": 900.0}, until=0.2)


def test_measures_and_who_matters():
    values = {"stiffness": 900.0, "mass": 2.0, "start": 0.1, "damping": 3.0}
    found = lw.sensitivity(mass_on_a_spring, values, until=0.5, dt=1e-3)
    slopes = found.measure(lambda run: run["rail.position"][-1])
    assert slopes["start"] == pytest.approx(found.slope("rail.position", "start")[-1], rel=1e-9)
    effects = found.tornado(lambda run: float(np.max(np.abs(run["rail.velocity"]))))
    assert effects[0][0] == "start"
    assert effects[0][1] == pytest.approx(np.abs(found.columns["rail.velocity"]).max(), rel=1e-6)  # linear in the start


def swinging_rods():
    """A double pendulum with a spring, a damper and a force: all of it by names."""
    model = lw.Model("rods")
    upper = model.body("upper", mass=1.2, inertia=(0.02, 0.1, 0.1), com=(0.4, 0, 0))
    lower = model.body("lower", mass=0.7, inertia=(0.01, 0.05, 0.05), com=(0.3, 0, 0), position=(0.8, 0, 0))
    model.revolute("top", model.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), position=0.4, velocity=0.3, damping=0.1)
    model.revolute("pin", upper, lower, at=(0.8, 0, 0), axis=(0, 1, 0), position=-0.2)
    model.spring(
        "spring", model.ground, lower, at_a=(0.2, 0, -1), at_b=(0.5, 0, 0), stiffness=30.0, damping=0.8, length=0.6
    )
    model.force("push", lower, (2.0, 0, 0.5), at=(0.1, 0, 0))
    model.torque("turn", "pin", 0.7)
    return model


NAMES = [
    "upper.mass", "lower.com.x", "upper.inertia.y.y", "top.position", "top.velocity", "top.damping", "spring.stiffness",
    "spring.damping", "spring.length", "spring.at_a.z", "push.law.x", "push.at.x", "turn.law", "lower.mass",
]  # fmt: skip


def test_numbers_of_a_model_by_their_names():
    """Fourteen of them, in two batches of eight, against differences of runs; the model itself stays."""
    model = swinging_rods()
    options = {"until": 0.5, "dt": 1e-3}
    run = lw.sensitivity(model, NAMES, columns=["lower.position", "turn.torque", "spring.force"], **options)
    build = lambda **values: varied(model, values)  # noqa: E731
    for name in NAMES:
        for column in run.columns:
            wanted = by_differences(build, run.parameters, name, column, 1e-2, **options)
            size = max(1e-3, float(np.abs(wanted).max()))
            assert np.abs(run.slope(column, name) - wanted).max() < 1e-8 * size
    assert model["spring"].stiffness == 30.0
    alone = lw.simulate(model, method="recursive", **options)
    assert np.allclose(run["lower.position"], alone["lower.position"], rtol=0.0, atol=1e-12)  # the first row too


def test_pictures_and_who_matters(tmp_path):
    measures = {"way": lambda run: float(np.ptp(run["lower.position"][:, 2]))}
    run = lw.sensitivity(swinging_rods(), NAMES, until=0.3, dt=1e-3, measures=measures)
    tornado = run.tornado("way")
    assert len(tornado) == len(NAMES)
    assert [abs(effect) for _, effect in tornado] == sorted((abs(effect) for _, effect in tornado), reverse=True)
    assert str(tornado).startswith("'rods': way for each 10 % more of\n" + tornado[0][0])
    tornado.plot(tmp_path / "tornado.svg")
    run.plot("lower.position", tmp_path / "bands.svg", share=0.05)
    assert tornado[0][0] in (tmp_path / "tornado.svg").read_text()
    assert "spring.length by 5%" in (tmp_path / "bands.svg").read_text()
    with pytest.raises(OptionError, match="no measure 'wa'; did you mean 'way'"):
        run.tornado("wa")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spring.stifness", "'spring' has no number 'stifness'; did you mean 'stiffness'"),
        ("sprin.stiffness", "it has no part 'sprin'"),
        ("upper.com", "does not name one number of 'rods'; add x, y or z, as in 'upper.com.x'"),
        ("pin.velocity", "'pin' has no number 'velocity'"),
        ("upper.density", "'upper' has no number 'density'"),
        ("top.friction", "nothing in a run of 'rods' depends on|has friction"),
    ],
)
def test_names_that_are_no_numbers(name, words):
    with pytest.raises(OptionError, match=words):
        lw.sensitivity(swinging_rods(), name, until=0.1)


def test_what_is_refused():
    with pytest.raises(OptionError, match="name the parameters"):
        lw.sensitivity(mass_on_a_spring, {}, until=1.0)

    def chain(links=2.0):
        model = lw.Model("chain")
        before = model.ground
        for k in range(int(links)):
            body = model.body(f"link {k}", mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0))
            model.revolute(f"hinge {k}", before, body, at=(k, 0, 0), axis=(0, 1, 0))
            before = body
        return model

    with pytest.raises(OptionError, match="change with 'links'"):
        lw.sensitivity(chain, {"links": 2.0}, until=0.1)
    found = lw.sensitivity(mass_on_a_spring, {"mass": 2.0}, until=0.1, dt=1e-2)
    with pytest.raises(OptionError, match="'mas' was not varied; did you mean 'mass'"):
        found.slope("rail.position", "mas")
    with pytest.raises(OptionError, match="no column 'rail.positio'"):
        found.slope("rail.positio", "mass")
