"""Pictures of the gallery that move, for the first page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwork import gallery
from linkwork.simulation.simulate import simulate

PICTURES = "docs/pictures"


def engine_loop(folder: str | Path = PICTURES) -> Path:
    """Four strokes of the engine at idle, as a loop that never ends.

    >>> engine_loop("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/engine.gif')
    """
    engine = gallery.piece("engine")
    poses = ["*.position", "*.rotation"]
    run = simulate(engine.build(), until=engine.UNTIL, method="absolute", integrator="rk4", dt=1e-3, record=poses)
    turn = run["main bearing.position"]
    rows = slice(int(np.searchsorted(turn, turn[-1] - 4.0 * np.pi)), len(turn))
    columns = {name: values[rows] for name, values in run.columns.items()}
    facts: dict[str, Any] = {"certificate": run.certificate, "model_name": run.model_name, "scene": run.scene}
    cycle = type(run)(run.time[rows] - run.time[rows][0], columns, run.units, **facts)
    return _film("engine", folder, cycle, speed=float(cycle.time[-1]) / 2.4, view=(-66, 20))


def car_loop(folder: str | Path = PICTURES) -> Path:
    """The car drops onto its springs, slowly.

    >>> car_loop("build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/car.gif')
    """
    run = simulate(gallery.piece("car").build(), until=0.9, method="recursive", dt=1e-3)
    return _film("car", folder, run, speed=0.4, view=(-66, 12))


def _film(name: str, folder: str | Path, run: Any, **options: Any) -> Path:
    file = Path(folder) / f"{name}.gif"
    file.parent.mkdir(parents=True, exist_ok=True)
    run.film(file, width=440, fps=15, **options)
    return file
