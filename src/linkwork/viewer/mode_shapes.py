"""Modes made ready to be shown: how far each body swings, as a run of one period, and for the page.

A mode moves the centre of mass of a body by Re(u e^i phase) and turns the body by Re(w e^i phase).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.quaternions import product, turned
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.staging import Stage

if TYPE_CHECKING:
    from linkwork.simulation.analysis.linear.modes import Modes

FAR = 0.12  # of the radius of what is seen: how far a centre of mass swings at most
TURN = 0.3  # rad: how far a body turns at most
STILL, LIVELY = (0.604, 0.643, 0.690), (0.839, 0.251, 0.169)  # colours by energy; page/source/panel/modes.js has them
ROWS = 61  # poses of one period


class ModeShapes:
    """All modes of a model with the scene that they move.

    >>> linear = lw.linearise(lw.gallery.pendulum.build())
    >>> ModeShapes(linear.modes()).facts()["list"][0]["text"]
    '0.4985 Hz'
    """

    def __init__(self, modes: Modes) -> None:
        linear = modes.linear
        self.modes, self.bodies = modes, linear.bodies
        q, time = linear.place[1:]
        places = forward_kinematics(linear.place[0], q, time=time)
        columns: dict[str, Any] = {}
        for name, (position, rotation) in places.items():
            name = name.removeprefix("body:")
            columns |= {f"{name}.position": [position], f"{name}.rotation": [rotation]}
        self.still = Trajectory(
            [0.0],
            columns,
            {"position": "m", "rotation": ""},
            certificate=Certificate(method=f"modes about {linear.about}"),
            model_name=modes.model_name,
            scene=scene_of(linear.place[0].model, time),
        )
        self.stage = Stage(self.still)
        self.centres = {body["name"]: np.asarray(body["com"], dtype=float) for body in self.stage.scene["bodies"]}

    def shape(self, k: int) -> dict[str, Any]:
        """Of every body that mode k moves its displacement and turn, 6 complex numbers, as large as can be seen."""
        moved = {name: motion @ self.modes.shapes[:, k] for name, motion in self.bodies.items()}
        far = max((float(np.linalg.norm(d[:3])) for d in moved.values()), default=0.0) / (FAR * self.stage.radius)
        turn = max((float(np.linalg.norm(d[3:])) for d in moved.values()), default=0.0) / TURN
        size = max(far, turn)
        return {name: d / size for name, d in moved.items()} if size > 0.0 else moved

    def swing(self, k: int, seconds: float) -> Trajectory:
        """One period of mode k as a run that lasts so many seconds."""
        shape, phases = self.shape(k), np.linspace(0.0, 2.0 * np.pi, ROWS)
        poses = self.stage.start
        columns: dict[str, Any] = {}
        for name, index in self.stage.index.items():
            position, rotation = np.tile(poses[index, :3], (ROWS, 1)), np.tile(poses[index, 3:], (ROWS, 1))
            if name in shape:
                moved = np.real(np.exp(1j * phases)[:, None] * shape[name])
                arm = np.tile(self.stage.frame(name, poses).direction(self.centres[name]), (ROWS, 1))
                turns = _turns(moved[:, 3:])
                position = position + arm + moved[:, :3] - turned(turns, arm)
                rotation = product(turns, rotation)
            columns |= {f"{name}.position": position, f"{name}.rotation": rotation}
        return Trajectory(
            phases / (2.0 * np.pi) * seconds,
            columns,
            self.still.units,
            certificate=self.still.certificate,
            model_name=f"{self.modes.model_name}: mode {k + 1}",
            scene={**self.stage.scene, "bodies": [self._coloured(body, k) for body in self.stage.scene["bodies"]]},
        )

    def _coloured(self, body: dict[str, Any], k: int) -> dict[str, Any]:
        """A body of the scene in the colour of its part of the kinetic energy."""
        energy = self.modes.energy.get(body["name"])
        part = 0.0 if energy is None else float(energy[k])
        colour = [low + math.sqrt(part) * (high - low) for low, high in zip(STILL, LIVELY, strict=True)]
        bare = {"shape": _bare(body["shape"]), "more": [*map(_bare, body["more"])]}
        return {**body, **bare, "visuals": [*map(_bare, body["visuals"])], "colour": colour}

    def facts(self) -> dict[str, Any]:
        """For the page: where all that moves stands, and of every mode its words, its shape and who has its energy."""
        modes, names = self.modes, self.stage.names
        found = []
        for k in range(len(modes)):
            shape = self.shape(k)
            none = np.zeros(6, dtype=complex)
            moved = np.array([shape.get(name, none) for name in names])
            found.append(
                {
                    "text": _pace(modes, k),
                    "more": f"{_fate(modes, k)}{modes.movers(k + 1)}",
                    "shape": np.round(np.hstack([moved.real, moved.imag]), 7).ravel().tolist(),
                    "energy": [round(float(modes.energy[name][k]), 4) if name in modes.energy else 0 for name in names],
                }
            )
        return {
            "names": names,
            "at": self.stage.poses([0])[0].ravel().tolist(),
            "about": modes.linear.about,
            "list": found,
        }


def number_of(modes: Modes, mode: int | None) -> int:
    """The row of a mode by its number from 1 on; the slowest that swings when not given."""
    if not len(modes):
        raise OptionError(f"'{modes.model_name}' has no modes")
    if mode is None:
        return int(np.argmin(modes.rigid)) if not np.all(modes.rigid) else 0
    if not isinstance(mode, int) or not 1 <= mode <= len(modes):
        raise OptionError(f"modes of '{modes.model_name}' are numbered from 1 to {len(modes)}, not {shown(mode)}")
    return mode - 1


def _pace(modes: Modes, k: int) -> str:
    if modes.rigid[k]:
        return "rigid"
    return f"{modes.frequencies[k]:.4g} Hz" if modes.frequencies[k] > 0.0 else "creeps"


def _fate(modes: Modes, k: int) -> str:
    time = modes.decay_times[k]
    if not np.isfinite(time):
        return ""
    if time < 0.0:
        return f"grows in {-time:.3g} s; "
    damping = f"damping {modes.damping[k]:.3g}, " if modes.frequencies[k] > 0.0 else ""
    return f"{damping}decays in {time:.3g} s; "


def _bare(shape: Any) -> Any:
    """A shape without a colour of its own."""
    return shape if shape is None else {key: fact for key, fact in shape.items() if key != "colour"}


def _turns(w: Any) -> Any:
    """Quaternions that turn by the vectors w (rows, 3), rad."""
    half = 0.5 * np.linalg.norm(w, axis=1, keepdims=True)
    return np.hstack([np.cos(half), 0.5 * np.sinc(half / np.pi) * w])
