"""Random mechanisms by every method and integrator: no crash, hang or NaN, no wrong energy unseen."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np

import linkwork as lw
from attacks.workers import alive, counted
from random_mechanisms import random_loops, random_tree

INTEGRATORS = ("semi-implicit", "rk2", "rk4", "abm4", "adaptive", "trapezoidal")
EXPLICIT = ("recursive", "absolute", "component")
METHODS = (*EXPLICIT, "hybrid", "semi-recursive", "global", "impulse", "maximal")
AT_ONCE = 4  # workers, of which each loads all methods
WRONG = 0.05  # of the energy that moved, missing or new, without a doubt in the certificate
ROUNDED = 1e-11  # of the energy that is there


def _options(rng: np.random.Generator) -> dict[str, object]:
    method = str(rng.choice(METHODS))
    options: dict[str, object] = {"method": method, "dt": float(10.0 ** rng.uniform(-4, -1))}
    if method in EXPLICIT:
        options["integrator"] = str(rng.choice(INTEGRATORS))
    return options


def _mechanism(rng: np.random.Generator) -> lw.Model:
    seed, n = int(rng.integers(1 << 30)), int(rng.integers(1, 7))
    model = random_loops(seed, n + 2, 1) if rng.random() < 0.5 else random_tree(seed, n)
    bodies = [body.path for body in model.all_bodies()]
    for k in range(int(rng.integers(0, 3))):
        a, b = rng.choice(["ground", *bodies], 2)
        if a != b:
            stiffness = float(10.0 ** rng.uniform(0, 7))
            model.spring(f"spring {k}", a, b, at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=stiffness)
    return model


def _attack(seed: int) -> str:
    rng = np.random.default_rng(seed)
    model, options = _mechanism(rng), _options(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = lw.simulate(model, until=30 * options["dt"], progress=alive, **options)  # type: ignore[arg-type,operator]
        except (lw.RunError, lw.ModelError, lw.OptionError) as error:
            return f"refused: {type(error).__name__}"
    tables = {**run.columns, **run.energy, **run.drift}
    if not all(np.isfinite(values).all() for values in tables.values()):
        return "not finite"
    if run.certificate.doubts():
        return "in doubt"
    # nothing here feeds energy in or takes it: the total must stay
    kinetic, potential = energies(model, run)
    total = kinetic + potential
    scale = max(float(kinetic.max()), float(np.ptp(potential)))
    least = 1e-9 + ROUNDED * float(np.abs(potential).max())
    total = total[:-1] if run.certificate.energy_left is not None else total  # the last row has no next one
    return "wrong energy" if np.abs(total - total[0]).max() > WRONG * scale + least else "good"


def energies(model: lw.Model, run: lw.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy (J) of weight and springs by the recorded motion of the bodies, row by row.

    Nothing of the run's own accounts is used. Methods with impulses have velocities half a step before the positions;
    their mean energy with that of the next row belongs to the positions.
    """
    kinetic, potential = np.zeros(len(run)), np.zeros(len(run))
    turns = {}
    for body in model.all_bodies():
        R = turns[body.path] = np.array([lw.Frame(rotation=q).matrix for q in run[f"{body.path}.rotation"]])
        omega = run[f"{body.path}.angular_velocity"]
        arm = R @ body.com
        v = run[f"{body.path}.velocity"] + np.cross(omega, arm)
        inside = np.einsum("tji,tj->ti", R, omega)
        kinetic += 0.5 * body.mass * (v**2).sum(axis=1) + 0.5 * np.einsum("ti,ij,tj->t", inside, body.inertia, inside)
        potential -= body.mass * (run[f"{body.path}.position"] + arm) @ np.asarray(model.gravity)
    if run.certificate.energy_left is not None:  # velocities of half a step before the positions
        kinetic = 0.5 * (kinetic + np.append(kinetic[1:], kinetic[-1]))
    for spring in model.all_forces():
        ends = [
            at if body.path not in turns else run[f"{body.path}.position"] + turns[body.path] @ at
            for body, at in ((spring.a, spring.at_a), (spring.b, spring.at_b))
        ]
        potential += 0.5 * spring.stiffness * (np.linalg.norm(ends[1] - ends[0], axis=-1) - spring.length) ** 2
    return kinetic, potential


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` mechanisms, each by one method and integrator drawn by its seed."""
    return counted(_attack, range(count), warm=100, at_once=min(AT_ONCE, 1 + count // 200))
