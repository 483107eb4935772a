"""Plots: what stands on which panel, and the sentences when it cannot be drawn."""

import builtins
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from linkwork.errors import OptionError
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.pictures import panels
from linkwork.viewer.pictures.plots import plot_compare


def made(rows: int = 40, size: float = 1.0, **changes):
    time = np.linspace(0, 2, rows)
    facts = {
        "time": time,
        "columns": {
            "pin.position": size * np.sin(3 * time),
            "elbow.position": size * np.cos(3 * time),
            "slider.position": 0.1 * time,
            "rod.position": np.stack([time, 0 * time, time**2], axis=1),
        },
        "units": {"pin.position": "rad", "elbow.position": "rad", "slider.position": "m", "position": "m"},
        "energy": {"kinetic": time, "potential": -time, "springs": 0 * time, "total": 0 * time, "balance": 1e-9 * time},
        "drift": {"position": 1e-15 * time, "velocity": 1e-14 * time},
        "certificate": Certificate(method="recursive", integrator="rk4", dt=0.01),
        "model_name": "sample",
    }
    return Trajectory(**{**facts, **changes})


@pytest.fixture(autouse=True)
def without_windows():
    matplotlib = pytest.importorskip("matplotlib", reason="plots need the extra plot")
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_one_panel_per_unit():
    figure = made().plot("pin.position", "elbow.position", "slider.position")
    angle, position = figure.axes
    assert angle.get_ylabel() == "angle [rad]"
    assert position.get_ylabel() == "position [m]"
    assert [line.get_label() for line in angle.lines] == ["pin", "elbow"]
    assert position.get_xlabel() == "time [s]"
    assert angle.get_title("left") == "sample"
    assert "rk4" in angle.get_title("right")


def test_patterns_and_vectors():
    figure = made().plot("rod.*", title="Rod")
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.lines] == ["rod.position.x", "rod.position.z"]
    assert axes.get_title("left") == "Rod"


def notes(axes):
    return [text.get_text() for text in axes.texts]


def test_components_that_are_zero_are_left_out_and_told():
    (axes,) = made().plot("rod.position").axes
    assert notes(axes) == ["zero throughout:\nrod.position.y"]
    (asked,) = made().plot("rod.position.y").axes  # by its own name it is drawn
    assert [line.get_label() for line in asked.lines] == ["rod.position.y"]
    assert notes(asked) == []
    (still,) = made(columns={"rod.position": np.zeros((40, 3))}).plot("rod.position").axes
    assert len(still.lines) == 3  # nothing but zeros: all are drawn


def test_zeros_of_another_unit_are_told_too():
    reaction = np.zeros((40, 6))
    reaction[:, 2] = 9.81
    run = made(columns={"pin.reaction": reaction}, units={"pin.reaction": "N,N,N,N m,N m,N m"})
    (axes,) = run.plot("pin.reaction").axes
    assert [line.get_label() for line in axes.lines] == ["pin.reaction.force z"]
    (note,) = notes(axes)
    assert "force x" in note
    assert "torque z" in note
    assert "force z" not in note


def test_one_column_over_another():
    run = made()
    (axes,) = run.plot("rod.position.z", x="pin.position").axes
    (line,) = axes.lines
    np.testing.assert_array_equal(line.get_xdata(), run["pin.position"])
    np.testing.assert_array_equal(line.get_ydata(), run["rod.position"][:, 2])
    assert axes.get_xlabel() == "pin.position [rad]"
    with pytest.raises(OptionError, match="take one of them as x: rod.position.x, rod.position.y"):
        run.plot("pin.position", x="rod.position")
    with pytest.raises(OptionError, match="name what to draw over 'pin.position'"):
        run.plot(x="pin.position")


def test_around_an_angle():
    run = made()
    (axes,) = run.plot("slider.position", x="pin.position", polar=True).axes
    assert axes.name == "polar"
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), run["pin.position"])
    with pytest.raises(OptionError, match="is in m; leave polar out"):
        run.plot("pin.position", x="slider.position", polar=True)
    with pytest.raises(OptionError, match="name it"):
        run.plot("pin.position", polar=True)


def test_curves_that_coincide_are_told_apart():
    time = np.linspace(0, 2, 40)
    same = {"a.position": np.sin(time), "b.position": np.sin(time) + 1e-9, "c.position": np.cos(time)}
    (axes,) = made(columns=same, units={"position": "rad"}).plot("*.position").axes
    a, b, c = (line.is_dashed() for line in axes.lines)
    assert (a, b, c) == (False, True, False)


def test_ledgers():
    energy, balance, drift = made().plot("energy", "drift").axes
    assert [line.get_label() for line in energy.lines] == ["kinetic", "potential", "total"]
    assert balance.get_ylabel() == "energy balance [J]"
    assert drift.get_yscale() == "log"


def test_drift_of_exact_zeros_is_drawn_plainly():
    (drift,) = made(drift={"position": np.zeros(40)}).plot("drift").axes
    assert drift.get_yscale() == "linear"


def test_without_names_the_joints_are_drawn():
    assert len(made().plot().axes) == 2
    assert made(columns={}).plot().axes[0].get_ylabel() == "energy [J]"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_are_written(tmp_path, suffix):
    file = tmp_path / f"run.{suffix}"
    made().plot("pin.position", file=file)
    assert file.stat().st_size > 1000
    assert file.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")


def test_refusals(tmp_path):
    with pytest.raises(OptionError, match="did you mean 'pin.position'"):
        made().plot("pin.positon")
    with pytest.raises(OptionError, match=r"known are \.png, \.svg, \.pdf"):
        made().plot("pin.position", file=tmp_path / "run.bmp")
    with pytest.raises(OptionError, match="does not exist"):
        made().plot("pin.position", file=tmp_path / "no" / "run.png")
    with pytest.raises(OptionError, match="no energy ledger"):
        made(energy={}).plot("energy")
    with pytest.raises(OptionError, match="drift"):
        made(drift={}).plot("drift")
    many = {f"rod {k}.position": np.zeros((40, 3)) for k in range(30)}
    with pytest.raises(OptionError, match="90 lines"):
        made(columns=many).plot("*.position")


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    genuine = builtins.__import__

    def missing(name, *rest, **more):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(OptionError) as caught:
        made().plot("pin.position")
    assert str(caught.value) == 'plots need matplotlib: pip install "linkwork[plot]"'


def test_plots_leave_the_users_style_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    made().plot("pin.position")
    assert dict(matplotlib.rcParams) == before


def test_short_and_empty_runs_can_be_drawn():
    for rows in (0, 1):
        assert made(rows).plot("pin.position", "energy", "drift").axes


def test_compare(tmp_path):
    figure = plot_compare({"fine": made(), "rough": made(61, 1.001)}, "pin.position", file=tmp_path / "two.png")
    values, apart = figure.axes
    assert [line.get_label() for line in values.lines] == ["fine", "rough"]
    assert [line.get_label() for line in apart.lines] == ["rough"]
    assert values.lines[1].get_color() == apart.lines[0].get_color()
    assert np.nanmax(apart.lines[0].get_ydata()) == pytest.approx(1e-3, rel=0.05)


def test_compare_of_other_parameters_has_no_distances():
    other = made(size=2.0, certificate=Certificate(method="recursive", model_hash="another"))
    assert len(plot_compare({"one": made(), "two": other}, "pin.position").axes) == 1
    assert len(plot_compare({"one": made(), "two": other}, "pin.position", distance=True).axes) == 2
    assert len(plot_compare({"one": made(), "two": made()}, "pin.position", distance=False).axes) == 1


def test_compare_takes_a_list_and_shorter_runs():
    short = made(time=np.linspace(0, 1, 40))
    figure = plot_compare([made(), short], "rod.position")
    assert len(figure.axes) == 4
    assert figure.axes[-1].lines[0].get_xdata()[-1] <= 1.0


def test_compare_refuses():
    with pytest.raises(OptionError, match="at least two"):
        plot_compare([made()], "pin.position")
    with pytest.raises(OptionError, match="no samples"):
        plot_compare([made(), made(0)], "pin.position")
    other = made(columns={"pin.position": np.zeros((40, 3))}, units={})
    with pytest.raises(OptionError, match="same shape"):
        plot_compare([made(), other], "pin.position")


def test_colours_can_be_told_apart():
    assert len(set(panels.COLOURS)) == len(panels.COLOURS)
    assert panels.line_style(0, over=0) != panels.line_style(len(panels.COLOURS), over=0)


def test_phase_draws_velocity_over_position():
    time = np.linspace(0, 2, 40)
    columns = {
        "pin.position": np.sin(time),
        "pin.velocity": np.cos(time),
        "slider.position": 0.1 * time,
        "slider.velocity": 0.1 + 0 * time,
        "rod.position": np.zeros((40, 3)),
        "rod.velocity": np.zeros((40, 3)),
    }
    units = {"pin.position": "rad", "pin.velocity": "rad/s", "slider.position": "m", "slider.velocity": "m/s"}
    figure = made(columns=columns, units=units).plot("phase")
    turning, sliding = figure.axes
    assert (turning.get_xlabel(), turning.get_ylabel()) == ("angle [rad]", "angular velocity [rad/s]")
    assert (sliding.get_xlabel(), sliding.get_ylabel()) == ("position [m]", "velocity [m/s]")
    (line,) = turning.lines
    np.testing.assert_array_equal(line.get_xdata(), np.sin(time))
    np.testing.assert_array_equal(line.get_ydata(), np.cos(time))
    with pytest.raises(OptionError, match="no joint with a position and a velocity"):
        made().plot("phase")


def test_iterations_of_methods_that_iterate():
    counts = np.arange(40)
    figure = made(solver={"iterations": counts, "residual": 1e-9 * (1.0 + counts)}).plot("iterations")
    assert [axes.get_ylabel() for axes in figure.axes] == ["iterations a step", "residual"]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), counts)
    with pytest.raises(OptionError, match="method 'recursive' does not iterate"):
        made().plot("iterations")


def test_a_path_in_space_has_one_scale():
    figure = made().plot("rod.position.z", x="rod.position.x")
    assert figure.axes[0].get_aspect() == 1.0
    assert made().plot("slider.position", x="rod.position.x").axes[0].get_aspect() == "auto"


def test_curves_that_coincide_on_a_logarithmic_axis_are_told_apart():
    time = np.linspace(0, 2, 40)
    run = made(drift={"position": 1e-12 * (1 + time), "velocity": 1.0001e-12 * (1 + time)})
    one, two = run.plot("drift").axes[0].lines
    assert one.get_linestyle() == "-"
    assert two.get_linestyle() != "-"


def test_notes_stand_below_the_legend():
    columns = {
        f"rod {k}.position": np.stack([0 * np.arange(40.0), np.arange(40.0) * k, 0 * np.arange(40.0)], axis=1)
        for k in range(1, 9)
    }
    figure = made(columns=columns, units={"position": "m"}).plot("rod *.position")
    figure.canvas.draw()
    (axes,) = figure.axes
    (note,) = axes.texts
    assert not note.get_window_extent().overlaps(axes.get_legend().get_window_extent())


def test_a_notebook_shows_a_plot_once(monkeypatch):
    """What a cell returns is shown by the notebook; a figure of the window system would be shown once more."""
    from matplotlib import pyplot

    shown = []
    monkeypatch.setattr(panels, "in_notebook", lambda: True)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=shown.append))
    figure = made().plot("pin.position")
    assert pyplot.get_fignums() == []
    assert not hasattr(figure, "_ipython_display_")
    figure = made().plot("pin.position", show=True)
    assert shown == [figure]
    figure._ipython_display_()  # what the notebook calls for the value of the cell
    assert shown == [figure]
    assert not hasattr(figure, "_ipython_display_")  # shown again when asked for again
