"""Draws the pictures of the gallery: `python -m linkwork.gallery.pictures [FOLDER] [PIECE ...]`.

The folder is docs/pictures when not given. One PNG for each piece, taken from the page; or the mechanism at an instant
with faint poses before and after and the path of a point, where that tells more. `engine_loop` and `car_loop` move.
Then the curves of papers: `engine_speed`, `engine_drift` (VK figures 3 and 4), `puma_torques` and `iltis_drive` (CD03
sections 4.3 and 4.4); `cam_push` and `fmu_coupling` of pages. Last `gallery`, a sheet of all pieces, put together from
the pictures that are in the folder.
"""

from __future__ import annotations

import importlib
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork import gallery
from linkwork.errors import RunError
from linkwork.gallery.loops import car_loop, engine_loop
from linkwork.simulation.simulate import simulate
from linkwork.simulation.storage.files import writing

FOLDER = "docs/pictures"
COLUMNS = 4  # of the sheet
PALETTE = 200  # colours of a picture taken from the page
UNTIL = 1.0  # s of the coupled FMUs
NOTHING = 1e-18  # m: below all rounding, so that an error of nothing has a place on a logarithmic axis
FIRST = (
    "car",
    "rover",
    "tracked_vehicle",
    "humanoid",
    "gripper",
    "manipulator",
    "engine",
    "kuka",
    "stewart",
    "toggle_press",
    "peaucellier",
    "andrews",
    "chain",
)

# what to draw of each piece: parameters of build(), and options of still()
SCENES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "andrews": ({}, {"time": 0.0092, "ghosts": (0.003, 0.0115, 0.0135), "dt": 1e-5}),
    "cam_valve": ({}, {"time": 0.0185, "ghosts": (0.0,), "view": (-68, 12), "dt": 1e-4}),
    "car": ({}, {"time": 0.35, "view": (-66, 12), "floor": 0.0, "dt": 1e-3}),
    "chain": (
        {},
        {"time": 0.5, "ghosts": (0.0, 0.12, 0.22, 0.31, 0.4), "trace": [("link 5", (0, 0, -0.3))], "dt": 1e-3},
    ),
    "double_four_bar": ({}, {"time": 0.5, "ghosts": (0.0, 0.3, 0.8), "trace": ["coupler 1"], "dt": 1e-3}),
    "engine": ({}, {"time": 0.434, "view": (-66, 20), "method": "absolute", "integrator": "rk4", "dt": 1e-3}),
    "excavator": (
        {},
        {
            "time": 8.9,
            "ghosts": (0.0, 5.9),
            "trace": [("bucket", (-0.225, 0, -0.575))],
            "view": (-68, 10),
            "floor": 0.0,
            "method": "hybrid",
            "dt": 2e-3,
        },
    ),
    "friction_damper": (
        {},
        {"time": 0.24, "ghosts": (0.0, 0.76), "trace": [("pendulum", (0, 0, -0.9))], "view": "front", "dt": 5e-4},
    ),
    "furuta": (
        {},
        {
            "time": 5.5,
            "ghosts": (0.0, 1.4, 1.92),
            "trace": [("pendulum", (0.008, 0, 0.3))],
            "view": (-62, 16),
            "floor": 0.0,
            "method": "hybrid",
            "dt": 5e-4,
        },
    ),
    "gearbox": ({}, {"time": 0.05, "view": (-70, 16), "dt": 1e-3}),
    "gripper": (
        {},
        {
            "time": 2.9,
            "ghosts": (0.0, 5.2),
            "trace": ["block"],
            "view": (-20, 20),
            "floor": 0.0,
            "method": "impulse",
            "dt": 1e-3,
        },
    ),
    "humanoid": (
        {},
        {
            "time": 4.4,
            "ghosts": (2.6,),
            "trace": ["stone"],
            "view": (-66, 10),
            "floor": 0.0,
            "method": "impulse",
            "dt": 1e-3,
        },
    ),
    "iltis": (
        {},
        {
            "time": 3.92,
            "ghosts": (3.4,),
            "view": (-60, 12),
            "method": "hybrid",
            "dt": 5e-3,
            "start": "equilibrium",
        },
    ),
    "iltis_suspension": ({}, {"time": 3.06, "ghosts": (2.9,), "view": (-25, 14), "method": "hybrid", "dt": 5e-3}),
    "kuka": (
        {"swing": 1.5},
        {
            "time": 0.6,
            "ghosts": (0.0,),
            "trace": ["gripper.flange"],
            "view": (-55, 16),
            "floor": 0.0,
            "method": "absolute",
            "dt": 1e-3,
        },
    ),
    "manipulator": (
        {},
        {
            "time": 0.3,
            "ghosts": (0.0, 0.15),
            "trace": [("link 3.beam.bar", (0, 0, 0.5))],
            "view": (-40, 16),
            "floor": -1.5,
            "dt": 1e-3,
        },
    ),
    "n_four_bar": ({"n": 6}, {"time": 0.5, "ghosts": (0.0, 0.3, 0.8), "trace": ["coupler 1"], "dt": 1e-3}),
    "peaucellier": ({}, {"time": 1.3, "ghosts": (0.0, 0.4, 0.85), "trace": ["left far", "left near"], "dt": 1e-3}),
    "pendulum": ({}, {"time": 0.35, "ghosts": (0.0, 0.2, 0.28, 0.45, 0.57), "trace": ["bob"], "dt": 1e-3}),
    "pile": ({}, {"time": 1.8, "view": (-60, 24), "floor": 0.0, "method": "maximal", "dt": 5e-3}),
    "puma": (
        {},
        {
            "time": 2.5,
            "ghosts": (0.0, 5.9),
            "trace": [("hand", (0, 0, 0.15))],
            "view": (-62, 14),
            "floor": 0.0,
            "method": "hybrid",
            "dt": 0.01,
        },
    ),
    "rover": (
        {},
        {
            "time": 5.9,
            "ghosts": (1.8,),
            "trace": ["hull"],
            "view": (-48, 16),
            "floor": 0.0,
            "method": "impulse",
            "dt": 5e-3,
        },
    ),
    "stewart": (
        {},
        {"time": 0.5, "ghosts": (1.57,), "view": (-60, 14), "floor": 0.0, "dt": 1e-3},
    ),
    "tracked_vehicle": (
        {},
        {"time": 3.0, "view": (-52, 16), "floor": 0.0, "method": "impulse", "dt": 2e-3},
    ),
    "toggle_press": ({}, {"time": 0.42, "ghosts": (0.0,), "view": "front", "floor": 0.0, "dt": 1e-3}),
}


# taken from the page; of the others the way and the poses before and after tell more
FROM_PAGE = (
    "car", "engine", "excavator", "gearbox", "gripper", "humanoid", "iltis", "iltis_suspension", "kuka", "manipulator",
    "pile", "puma", "rover", "stewart", "toggle_press", "tracked_vehicle",
)  # fmt: skip
RUN = ("method", "integrator", "dt", "start")


def draw(piece: str, folder: str | Path = FOLDER) -> Path:
    """Draw one piece into the folder; returns the file.

    >>> draw("pendulum", "build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/pendulum.png')
    """
    # pictures stand beside the gallery, not below it: they are fetched when somebody asks for them
    still = importlib.import_module("linkwork.viewer.pictures.still").still
    parameters, options = SCENES[piece]
    file = Path(folder) / f"{piece}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    model = gallery.piece(piece).build(**parameters)
    if piece in FROM_PAGE:
        run = simulate(model, until=options["time"], **{key: options[key] for key in RUN if key in options})
        run.film(file, width=720, view=options.get("view"))
        image = importlib.import_module("PIL.Image")
        with image.open(file) as whole, writing(file) as beside:
            whole.convert("RGB").quantize(PALETTE).save(beside, "png", optimize=True)
    else:
        still(model, file=file, **options)
    return file


def engine_speed(folder: str | Path = FOLDER) -> Path:
    """Figure 3 of VK: the speed of the crankshaft with all, two and one cylinder firing.

    >>> engine_speed("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/engine_speed.png')
    """
    engine = gallery.piece("engine")
    lines = {}
    for firing, word in ((1, "one cylinder"), (2, "two cylinders"), (4, "four cylinders")):
        run = simulate(engine.build(firing=firing), until=engine.UNTIL, record="main bearing.*", **engine.PRINTED)
        lines[word] = (run.time, engine.speed(run))
    title, note = "engine: speed of the crankshaft", "absolute, rk2, dt = 0.002 s"
    return _lines("engine_speed", folder, {"speed [rpm]": lines}, title=title, note=note)


def engine_drift(folder: str | Path = FOLDER) -> Path:
    """Figure 4 of VK: the drift of the engine, for every way to hold it.

    >>> engine_drift("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/engine_drift.png')
    """
    engine = gallery.piece("engine")
    panels: dict[str, dict[str, Any]] = {"positions [m, rad]": {}, "velocities [m/s, rad/s]": {}}
    for way in (None, "baumgarte", "standard", "successive"):
        # 50/s would let the engine jam within two seconds
        options = {**engine.PRINTED, "stabilization": way, "baumgarte": 200.0, "record": "main bearing.position"}
        try:
            run = simulate(engine.build(), until=5.0, **options)
        except RunError as failure:  # what drifts freely does not last
            run = failure.run
        for level, panel in zip(("position", "velocity"), panels.values(), strict=True):
            drift = run.drift[level]
            panel[way or "none"] = (run.time[drift < 1.0], drift[drift < 1.0])
    title, note = "engine: drift by stabilization", "absolute, rk2, dt = 0.002 s"
    return _lines("engine_drift", folder, panels, title=title, note=note, logarithmic=True)


def puma_torques(folder: str | Path = FOLDER) -> Path:
    """The manoeuvre of CD03 section 4.3: the torques of the robot, and the force of the pin on its hand.

    >>> puma_torques("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/puma_torques.png')
    """
    puma = gallery.piece("puma")
    model = puma.build()
    run = simulate(model, until=puma.UNTIL, record="pin.reaction", **puma.METHOD)
    motors = {link.joint: model[f"{link.joint} motor"].law for link in puma.LINKS}
    panels = {
        "torque [N m]": {name: (law.times, law.values) for name, law in motors.items()},
        "force of the pin [N]": {f"pin {axis}": (run.time, run["pin.reaction"][:, k]) for k, axis in enumerate("xyz")},
    }
    return _lines("puma_torques", folder, panels, title="puma: pinned from 2 to 6 s", note="hybrid, dt = 0.01 s")


def iltis_drive(folder: str | Path = FOLDER) -> Path:
    """The drive of CD03 4.4: how high the car goes, and how the road pushes its left tyres.

    >>> iltis_drive("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/iltis_drive.png')
    """
    iltis = gallery.piece("iltis")
    run = simulate(iltis.build(), until=iltis.UNTIL, **iltis.METHOD)
    x = run["chassis.position"][:, 0]
    panels = {
        "height [m]": {
            "centre of mass": (run.time, run["chassis.position"][:, 2]),
            "road below it": (run.time, [iltis.STAIRS(place) for place in x]),
        },
        "tyre load [N]": {axle: (run.time, run[f"{axle} left tyre.load"]) for axle in ("front", "rear")},
    }
    return _lines("iltis_drive", folder, panels, title="iltis: ramp and stairs at 5 m/s", note="hybrid, dt = 0.002 s")


def cam_push(folder: str | Path = FOLDER) -> Path:
    """How the cam pushes the valve in a turn, at three speeds: at the highest its spring is too weak.

    >>> cam_push("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/cam_push.png')
    """
    valve = gallery.piece("cam_valve")
    lines = {}
    for part in (0.4, 0.8, 1.2):
        speed = part * valve.nose_speed()
        run = simulate(valve.build(speed=speed), until=2 * math.pi / speed, **valve.METHOD)
        lines[f"{speed:.0f} rad/s"] = (run.time, run["lobe.effort"])
    title, note = "cam_valve: push of the cam in a turn", "recursive, rk4, dt = 0.0001 s"
    return _lines("cam_push", folder, {"push [N]": lines}, title=title, note=note)


def fmu_coupling(folder: str | Path = FOLDER) -> Path:
    """The car as three FMUs, coupled exactly and as ordinary co-simulation: how far each is from the whole car.

    >>> fmu_coupling("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/fmu_coupling.png')
    """
    car = importlib.import_module("linkwork.gallery.coupled_car")
    with tempfile.TemporaryDirectory() as parts:
        files = car.exported(parts)
        whole, exact, stepped = car.whole(UNTIL), car.exact(files, UNTIL), car.co_simulated(files, UNTIL)
    ports = {"body.body": "body.body", "left.bar": "left.bar", "left.cylinder": "left.damper.cylinder"}
    lines = {
        "co-simulation": [stepped[port] - whole[f"{name}.position"] for port, name in ports.items()],
        "exact coupling": [exact[f"{port}.position"] - whole[f"{name}.position"] for port, name in ports.items()],
    }
    errors = {name: (whole.time, np.abs(found).max(axis=(0, 2)) + NOTHING) for name, found in lines.items()}
    title, note = "a car of three FMUs", "distance from the whole car; both exchange every 1 ms"
    return _lines("fmu_coupling", folder, {"error [m]": errors}, title=title, note=note, logarithmic=True)


def _lines(name: str, folder: str | Path, panels: dict[str, Any], **options: Any) -> Path:
    file = Path(folder) / f"{name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    importlib.import_module("linkwork.viewer.pictures.plots").plot_lines(panels, file=file, **options)
    return file


def sheet(folder: str | Path = FOLDER) -> Path:
    """All pieces side by side, from their pictures in the folder; those of the papers first.

    >>> sheet("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/gallery.png')
    """
    figures, images = importlib.import_module("matplotlib.figure"), importlib.import_module("matplotlib.image")
    found = [name for name in (*FIRST, *sorted(set(SCENES) - set(FIRST))) if (Path(folder) / f"{name}.png").exists()]
    rows = math.ceil(len(found) / COLUMNS)
    figure = figures.Figure(figsize=(3.0 * COLUMNS, 2.48 * rows), dpi=150, facecolor="white")
    for k, name in enumerate(found):
        left, low = (k % COLUMNS) / COLUMNS, 1 - (k // COLUMNS + 0.9) / rows
        axes = figure.add_axes((left, low, 0.97 / COLUMNS, 0.88 / rows))
        axes.imshow(images.imread(Path(folder) / f"{name}.png"))
        axes.set_axis_off()
        axes.text(0.5, 0.0, name, transform=axes.transAxes, ha="center", va="top", fontsize=9, color="#222222")
    file = Path(folder) / "gallery.png"
    with writing(file) as beside:
        figure.savefig(beside, dpi=150)
    return file


CURVES = {
    "engine_loop": engine_loop,
    "car_loop": car_loop,
    "engine_speed": engine_speed,
    "engine_drift": engine_drift,
    "puma_torques": puma_torques,
    "iltis_drive": iltis_drive,
    "cam_push": cam_push,
    "fmu_coupling": fmu_coupling,
}


def main(arguments: Sequence[str]) -> None:
    """Draw the pieces and curves that are named, or all; "gallery" is the sheet of them."""
    folder = arguments[0] if arguments else FOLDER
    others = {**CURVES, "gallery": sheet}
    for name in arguments[1:] or (*SCENES, *others):
        print(others[name](folder) if name in others else draw(name, folder))


if __name__ == "__main__":
    main(sys.argv[1:])
