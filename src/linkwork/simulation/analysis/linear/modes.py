"""Modes of a linear model: natural frequencies, damping, shapes, and which bodies move."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.tables import Floats
from linkwork.simulation.results.judging.notebook import lines_in_cell
from linkwork.simulation.storage.files import save_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.analysis.linear.linear_model import LinearModel
    from linkwork.simulation.results.trajectory import Trajectory

Complexes = NDArray[np.complex128]
STILL = 1e-6  # of the fastest: a slower one may be zero, as rounding takes half of the digits of a double root
BALANCED = 1e-6  # of the forces on a coordinate: what is left of them is none
ROUNDING = 2e-16
NOISE = 1e-14  # of the largest: smaller forces are rounding
FEW_DIGITS = 1e-6  # relative error of an eigenvalue, by its condition number: beyond it is told
DEFECTIVE = 1e6  # condition of an eigenvalue, from which on it is told
APART = 1e-4  # of the largest entry: shapes that differ by less are one
ENDLESS = 1e-12  # of the critical damping: less is rounding, and no time of decay is printed
MOVERS = 3  # bodies that are named for each mode


@dataclass(frozen=True)
class Modes:
    """Modes of a model, slowest first; of two conjugate ones that with the positive frequency.

    `frequencies` (Hz) are those of the swinging motion, 0 for one that only creeps back or away; `damping` its part of
    the critical one, negative where it grows; `decay_times` (s) to 1/e, infinite where nothing decays.
    `shapes[:, k]` are the displacements of the independent coordinates, complex; `motions[:, k]` those of all joints.
    `energy` is each body's part of the kinetic energy, `strain_energy` the part of each spring, stiff joint, bushing
    and tyre of the energy that they store; weight stores none. `condition` says how much each eigenvalue magnifies
    small changes of the model: where it is large the mode is defective.
    """

    model_name: str
    eigenvalues: Complexes
    shapes: Complexes
    motions: Complexes
    joints: list[str]
    coordinates: list[str]
    energy: dict[str, Floats]
    strain_energy: dict[str, Floats]
    condition: Floats
    uncertain: Any = field(repr=False)  # (mode,) bool: the eigenvalue has few digits left
    rigid: Any = field(repr=False)  # (mode,) bool: motions that nothing brings back
    hints: list[str] = field(repr=False)
    """What to know of single modes: undetermined, defective, not seen by the outputs, not moved by the inputs."""
    linear: LinearModel = field(repr=False)

    @property
    def frequencies(self) -> Floats:
        """Hz, of the swinging motion."""
        return np.where(self.rigid, 0.0, np.abs(self.eigenvalues.imag) / (2.0 * np.pi))

    @property
    def natural_frequencies(self) -> Floats:
        """Hz, as they would be without damping."""
        return np.where(self.rigid, 0.0, np.abs(self.eigenvalues) / (2.0 * np.pi))

    @property
    def damping(self) -> Floats:
        """Part of the critical damping; 1 and more does not swing, negative grows, 0 for rigid motions."""
        size = np.abs(self.eigenvalues)
        return np.where(self.rigid, 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0))

    @property
    def decay_times(self) -> Floats:
        """Seconds to 1/e; negative where it grows, infinite where it stays."""
        real = np.where(self.rigid, 0.0, self.eigenvalues.real)
        with np.errstate(divide="ignore"):
            return np.where(real == 0.0, np.inf, -1.0 / real)

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return not bool(np.any(self.eigenvalues.real > STILL * np.abs(self.eigenvalues).max(initial=0.0)))

    def movers(self, mode: int) -> str:
        """Which bodies move most in a mode, by their kinetic energy; its number in the table."""
        shares = sorted(((float(part[mode - 1]), name) for name, part in self.energy.items()), reverse=True)
        return ", ".join(f"{name} {share:.0%}" for share, name in shares[:MOVERS] if share >= 0.01)

    def strained(self, mode: int) -> str:
        """Which springs, stiff joints, bushings and tyres store most in a mode; its number in the table.

        >>> lw.linearise(lw.gallery.car.build()).modes().strained(5)
        'left suspension.damper.coil 48%, right suspension.damper.coil 48%, right wheel.tyre 2%'
        """
        shares = sorted(((float(part[mode - 1]), name) for name, part in self.strain_energy.items()), reverse=True)
        return ", ".join(f"{name} {share:.0%}" for share, name in shares[:MOVERS] if share >= 0.01)

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
        """Frequency and decay of every mode, and which bodies move; written to `file` (.png, .svg, .pdf)."""
        from linkwork.viewer.pictures.mode_plot import plot_modes

        return plot_modes(self, file, show)

    def motion(self, mode: int | None = None, seconds: float = 2.0) -> Trajectory:
        """One swing of a mode as a run that lasts so many seconds, as far as can be seen well; to film or to plot.

        `mode` is its number in the table, from 1 on; the slowest that swings when not given.
        """
        from linkwork.viewer.mode_shapes import ModeShapes, number_of

        return ModeShapes(self).swing(number_of(self, mode), seconds)

    def animate(self, file: str | PathLike[str], mode: int | None = None, **look: Any) -> None:
        """Film one swing of a mode, by its number: `.gif` or `.mp4`. `look` is as of `Trajectory.film`."""
        self.motion(mode).film(file, **look)

    def replay(self, file: str | PathLike[str], mode: int | None = None) -> None:
        """Write all modes to one `.html` file: a list to choose from, the mode that is chosen swings.

        Bodies are coloured by their part of the kinetic energy. `mode` is the one that is shown first.
        """
        from linkwork.viewer.replay.mode_page import write_modes

        write_modes(self, file, mode)

    def view(self, mode: int | None = None, *, inline: bool = False, height: int = 520, **place: Any) -> Any:
        """Show the modes in a browser until Ctrl-C, as `replay` does; prints the address. Needs the extra `view`.

        `inline=True` returns the page for the cell of a notebook. `place` is host, port, … as of `Simulation.view`.
        """
        from linkwork.viewer.replay.mode_page import view_modes

        return view_modes(self, mode, inline, height, **place)

    def to_csv(self, file: str | PathLike[str]) -> None:
        """Write a table to `.csv`: a row for each mode, with the kinetic energy of every body."""
        columns = {
            "mode": np.arange(1, len(self) + 1),
            "frequency [Hz]": self.frequencies,
            "natural frequency [Hz]": self.natural_frequencies,
            "damping": self.damping,
            "decay time [s]": self.decay_times,
            "rigid": self.rigid.astype(int),
            **{f"{name} energy": part for name, part in self.energy.items()},
        }
        save_table(file, list(columns), list(columns.values()))

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: what is infinite is null."""
        return {
            "model": self.model_name,
            "coordinates": self.coordinates,
            "modes": [
                {
                    "eigenvalue": [float(value.real), float(value.imag)],
                    "frequency": float(self.frequencies[k]),
                    "natural_frequency": float(self.natural_frequencies[k]),
                    "damping": float(self.damping[k]),
                    "decay_time": float(self.decay_times[k]) if np.isfinite(self.decay_times[k]) else None,
                    "rigid": bool(self.rigid[k]),
                    "condition": float(self.condition[k]) if np.isfinite(self.condition[k]) else None,
                    "energy": {name: float(part[k]) for name, part in self.energy.items()},
                    "strain_energy": {name: float(part[k]) for name, part in self.strain_energy.items()},
                    "shape": [[float(x.real), float(x.imag)] for x in self.shapes[:, k]],
                }
                for k, value in enumerate(self.eigenvalues)
            ],
            "hints": self.hints,
        }

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __str__(self) -> str:
        lines = [f"modes of '{self.model_name}'", f"{'mode':>4} {'Hz':>10} {'damping':>9} {'decay':>10}  moves"]
        for k in range(len(self)):
            lines.append(f"{k + 1:4d} " + self._line(k))
        return "\n".join(lines)

    def _line(self, k: int) -> str:
        if self.rigid[k]:
            return f"{'rigid':>10} {'':>9} {'':>10}  {self.movers(k + 1)}"
        decay = self.decay_times[k]
        time = (
            "never" if abs(self.damping[k]) < ENDLESS else f"grows {-decay:.3g} s" if decay < 0.0 else f"{decay:.3g} s"
        )
        found = f"{self.frequencies[k]:10.4g} {self.damping[k]:9.3g} {time:>10}  {self.movers(k + 1)}"
        return found + ("  (few digits: defective, or much slower than others)" if self.uncertain[k] else "")

    def _repr_html_(self) -> str:
        return lines_in_cell(str(self).splitlines())


def find_modes(linear: LinearModel) -> Modes:
    """The modes of a linear model, in coordinates that make lengths and angles comparable."""
    from scipy.linalg import eig, qr  # here, because it takes a third of a second

    p = linear.positions
    scaled, scale = _scaled(linear)
    values, left, right = eig(scaled, left=True, right=True)
    lengths = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    condition = np.divide(lengths, overlap, out=np.full(values.size, np.inf), where=overlap > 0.0)
    largest = float(np.abs(values).max(initial=0.0))
    stiff = scaled[p:, :p]
    rigid = np.array([abs(values[k]) <= STILL * largest and _is_free(stiff, right[:p, k]) for k in range(values.size)])
    error = ROUNDING * float(np.linalg.norm(scaled)) * condition
    order = [int(k) for k in np.argsort(np.abs(values), kind="stable") if values[k].imag >= 0.0 or rigid[k]]
    # a motion that nothing brings back has one root, or two alike where nothing slows it either
    slow = [k for k in order if rigid[k]]
    if slow:
        _, sizes, first = qr(right[:p, slow] / _largest(right[:p, slow]), mode="economic", pivoting=True)
        slow = sorted(slow[j] for j, size in zip(first, np.abs(np.diag(sizes)), strict=False) if size > APART)
    kept = [*slow, *(k for k in order if not rigid[k])]
    shapes = scale[:, None] * right
    states = shapes[:p, kept]
    states = states / _largest(states / linear.unit[:p, None])
    uncertain = (error > FEW_DIGITS * np.abs(values))[kept] & ~rigid[kept]
    names = [name.removesuffix(".position") for name in linear.states[:p]]
    hints = [_undetermined(k, states[:, k] / linear.unit[:p], names) for k in range(len(kept)) if rigid[kept[k]]]
    hints += [
        _defective(k, condition[kept[k]], uncertain[k])
        for k in range(len(kept))
        if not rigid[kept[k]] and (uncertain[k] or condition[kept[k]] > DEFECTIVE)
    ]
    hints += _unseen(linear, shapes[:, kept], (left / scale[:, None])[:, kept])
    return Modes(
        linear.model_name,
        values[kept],
        states,
        linear.moves @ states,
        linear.joints,
        names,
        _energies(linear, states),
        _shares({name: strain.energy(states) for name, strain in linear.strains.items()}),
        condition[kept],
        uncertain,
        rigid[kept],
        hints,
        linear,
    )


def _scaled(linear: LinearModel) -> tuple[Floats, Floats]:
    """A without what is only rounding, in states by which kinetic energies are of one size; and their scales.

    What rounding leaves of a force that is none must go: solvers balance rows and columns, which makes it large.
    """
    p, own = linear.positions, np.sqrt(np.diag(linear.M))
    names = [name.removesuffix(".velocity") for name in linear.states[p:]]
    velocities = dict(zip(names, 1.0 / own, strict=True))
    # for places that no velocity of their own leads to
    usual = float(np.median(1.0 / (own * linear.unit[p:]))) if own.size else 1.0
    places = [
        velocities.get(name.removesuffix(".position"), usual * unit)
        for name, unit in zip(linear.states[:p], linear.unit[:p], strict=True)
    ]
    ways = np.array([*places, *(1.0 / own)])
    mass, forces = linear.M / np.outer(own, own), linear.M @ linear.A[p:] * ways / own[:, None]
    mass[np.abs(mass) < NOISE] = 0.0
    levers = linear.unit / ways
    for part in (slice(0, p), slice(p, None)):
        some = forces[:, part]
        sizes = np.abs(some) * np.outer(levers[p:], levers[part])
        some[(np.abs(some) < NOISE * np.abs(some).max(initial=0.0)) | (sizes < NOISE * sizes.max(initial=0.0))] = 0.0
    upper = linear.A[:p] * ways / ways[:p, None]
    fastest = np.sqrt(np.abs(forces[:, :p]).max(initial=0.0)) or 1.0
    paces = np.concatenate([np.full(p, fastest), np.ones(own.size)])
    scaled = np.vstack([upper, np.linalg.solve(mass, forces)]) / paces * paces[:, None]
    return scaled, ways / paces


def _undetermined(k: int, shape: Complexes, names: list[str]) -> str:
    moving = [name for name, x in zip(names, np.abs(shape), strict=True) if x >= 0.1 * np.abs(shape).max()]
    return (
        f"mode {k + 1} is undetermined: nothing brings {', '.join(moving[:MOVERS])} back; hold it by a spring or a "
        "joint unless it is meant to move freely"
    )


def _defective(k: int, condition: float, uncertain: bool) -> str:
    why = "it has few digits" if uncertain else "it is defective, or nearly so"
    return (
        f"mode {k + 1}: small changes of the model change its eigenvalue {condition:.1e} times as much, so that {why}"
    )


def _unseen(linear: LinearModel, right: Complexes, left: Complexes) -> list[str]:
    """Modes that the outputs do not show, and those that the inputs do not move; each a column."""
    found = []
    for k in range(right.shape[1]):
        if linear.outputs and _cancels(linear.C, right[:, k], linear.unit):
            found.append(f"mode {k + 1} is not observable: it does not show in {', '.join(linear.outputs[:MOVERS])}")
        if linear.inputs and _cancels(linear.B.T, left[:, k].conj(), 1.0 / linear.unit):
            found.append(f"mode {k + 1} is not controllable: nothing of {', '.join(linear.inputs[:MOVERS])} moves it")
    return found


def _cancels(rows: Floats, x: Complexes, unit: Floats) -> bool:
    """Whether every row gives nothing with x, as its parts vanish or add up to nothing."""
    size = np.abs(rows) @ unit * float(np.abs(x / unit).max(initial=0.0))
    return bool(np.all(np.abs(rows @ x) <= BALANCED * size))


def _is_free(stiff: Floats, x: Complexes) -> bool:
    """Whether nothing brings a displacement back: what its parts do to each coordinate adds up to nothing."""
    size = float(np.abs(x).max(initial=0.0))
    parts = np.abs(stiff) @ np.abs(x)
    counts = parts > BALANCED * size * np.abs(stiff).max(axis=1)  # else it is rounding that moves what pushes
    return size > 0.0 and bool(np.all(np.abs(stiff @ x)[counts] <= BALANCED * parts[counts]))


def _largest(states: Complexes) -> Complexes:
    """The largest entry of each column, 1 where all vanish."""
    found = states[np.argmax(np.abs(states), axis=0), np.arange(states.shape[1])]
    return np.where(found == 0.0, 1.0, found)


def _energies(linear: LinearModel, states: Complexes) -> dict[str, Floats]:
    """Each body's part of the kinetic energy of every mode."""
    found = {}
    for name, motion in linear.bodies.items():
        mass, inertia = linear.masses[name]
        u, w = motion[:3] @ states, motion[3:] @ states
        found[name] = np.real(mass * np.sum(u.conj() * u, axis=0) + np.sum(w.conj() * (inertia @ w), axis=0))
    return _shares(found)


def _shares(parts: dict[str, Floats]) -> dict[str, Floats]:
    """Each as a part of all."""
    if not parts:
        return parts
    total = np.sum(list(parts.values()), axis=0)
    none = total <= BALANCED * BALANCED * total.max(initial=0.0)  # what is left of it is rounding
    whole = np.where(none, np.inf, total)
    return {name: energy / whole for name, energy in parts.items()}
