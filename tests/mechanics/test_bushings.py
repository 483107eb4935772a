"""The force of a bushing against the differences of its energy, and its rates against those of rotation vectors.

Kernels run in plain Python here; every simulation runs them compiled.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.mechanics.forces.bushings import bushing_energy, bushing_wrench, rotation_vector
from linkwork.mechanics.tree.workspace import TreeWork, tree_work

STEP = 1e-6


def vectors(R, found):
    for k in range(R.shape[0]):
        x = rotation_vector((R[k, 0], R[k, 1], R[k, 2], R[k, 3], R[k, 4], R[k, 5], R[k, 6], R[k, 7], R[k, 8]))
        for j in range(3):
            found[k, j] = x[j]


def act(forces, work, found):
    p, n, f, wasted, fed, d, phi = bushing_wrench(forces, work, 0)
    for j in range(3):
        found[j] = p[j]
        found[3 + j] = n[j]
        found[6 + j] = f[j]
        found[9 + j] = d[j]
        found[12 + j] = phi[j]
    found[15] = wasted
    found[16] = fed
    found[17] = bushing_energy(forces, work, 0)


def mounted(rng: np.random.Generator, damping: bool = False) -> lw.Model:
    """A body on another by a bushing whose axes are coupled; both are links of their own."""
    A, B = rng.normal(size=(2, 6, 6))
    model = lw.Model("mounted")
    for name in "ab":
        model.body(name, mass=1.0, inertia=(1, 1, 1))
    frame_a, frame_b = (lw.Frame(rng.normal(size=3), rng.normal(size=4)) for _ in range(2))
    amounts = {"stiffness": A @ A.T, **({"damping": B @ B.T} if damping else {})}
    model.bushing("mount", "a", "b", frame_a=frame_a, frame_b=frame_b, **amounts)
    return model


def placed(system: lw.System, rng: np.random.Generator, angle: float) -> TreeWork:
    """Both links somewhere, turned against each other by `angle`."""
    work, forces = tree_work(system.tables), system.tables.forces
    a, b = int(forces.bushing_a[0]), int(forces.bushing_b[0])
    R_a, R_b = forces.bushing_Ra[0].reshape(3, 3), forces.bushing_Rb[0].reshape(3, 3)
    axis = rng.normal(size=3)
    turn = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    X = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    work.pose_R[a], work.pose_R[b] = X.ravel(), (X @ R_a @ turn @ R_b.T).ravel()
    work.pose_p[[a, b]] = rng.normal(size=(2, 3))
    work.pose_v[[a, b]] = rng.normal(size=(2, 6))
    return work


def moved(work: TreeWork, i: int, k: int, step: float) -> None:
    """Turn or shift link i by `step` about or along an axis of the world through its origin."""
    if k < 3:
        turn = Rotation.from_rotvec(step * np.eye(3)[k]).as_matrix()
        work.pose_R[i] = (turn @ work.pose_R[i].reshape(3, 3)).ravel()
    else:
        work.pose_p[i, k - 3] += step


def acting(system: lw.System, work: TreeWork) -> np.ndarray:
    found = np.zeros(18)
    act(system.tables.forces, work, found)
    return found


def test_rotation_vectors() -> None:
    rng = np.random.default_rng(1)
    axes = rng.normal(size=(40, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    angles = np.concatenate([[0.0, 1e-300, 1e-12, 1e-9, 1e-8, 3e-8, 1e-4, np.pi - 1e-9], rng.uniform(0, np.pi, 32)])
    wanted = angles[:, None] * axes
    found = np.zeros((40, 3))
    vectors(Rotation.from_rotvec(wanted).as_matrix().reshape(40, 9).copy(), found)
    assert np.allclose(found, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.0499, 0.0501, 1.0, 2.5, 3.1])
def test_the_wrench_is_the_gradient_of_the_energy(angle: float) -> None:
    """On b and, with the opposite sign, on a; at turns of any size."""
    rng = np.random.default_rng(7)
    system = lw.assemble(mounted(rng))
    work, forces = placed(system, rng, angle), system.tables.forces
    found = acting(system, work)
    p, n, f = found[:3], found[3:6], found[6:9]
    assert np.linalg.norm(found[12:15]) == pytest.approx(angle, abs=1e-14)
    for sign, i in ((1.0, int(forces.bushing_b[0])), (-1.0, int(forces.bushing_a[0]))):
        wrench = sign * np.concatenate([n + np.cross(p - work.pose_p[i], f), f])
        slopes = np.zeros(6)
        for k in range(6):
            ends = []
            for step in (STEP, -STEP):
                moved(work, i, k, step)
                ends.append(acting(system, work)[17])
                moved(work, i, k, -step)
            slopes[k] = (ends[0] - ends[1]) / (2 * STEP)
        assert np.allclose(wrench, -slopes, rtol=0, atol=1e-8 * np.max(np.abs(wrench)))


@pytest.mark.parametrize("angle", [0.0, 0.02, 1.0, 3.0])
def test_power_is_what_it_stores_and_wastes(angle: float) -> None:
    """Both bodies move along for a moment: the energy grows by minus the power that is fed in, less what is wasted."""
    rng = np.random.default_rng(11)
    system = lw.assemble(mounted(rng, damping=True))
    work, forces = placed(system, rng, angle), system.tables.forces
    before = acting(system, work)
    energies = []
    for step in (STEP, -STEP):
        for i in (int(forces.bushing_a[0]), int(forces.bushing_b[0])):
            turn = Rotation.from_rotvec(step * work.pose_v[i, :3]).as_matrix()
            work.pose_R[i] = (turn @ work.pose_R[i].reshape(3, 3)).ravel()
            work.pose_p[i] += step * work.pose_v[i, 3:]
        energies.append(acting(system, work)[17])
        for i in (int(forces.bushing_a[0]), int(forces.bushing_b[0])):
            turn = Rotation.from_rotvec(-step * work.pose_v[i, :3]).as_matrix()
            work.pose_R[i] = (turn @ work.pose_R[i].reshape(3, 3)).ravel()
            work.pose_p[i] -= step * work.pose_v[i, 3:]
    grows = (energies[0] - energies[1]) / (2 * STEP)
    assert before[15] > 0.0
    assert before[16] == pytest.approx(-grows - before[15], rel=1e-7)
