"""PUMA 560: torques, mass matrix and accelerations printed in the tests of the Robotics Toolbox for Python.

Parameters: P. Corke and B. Armstrong-Helouvry, "A search for consensus among model parameters reported for the PUMA 560
robot" (1994), as collected in petercorke/robotics-toolbox-python, models/DH/Puma560.py; values: its
tests/test_DHRobot.py. Standard Denavit-Hartenberg frames: link frame k is link frame k-1 followed by a turn q about z,
a slide d along z, a slide a along x and a turn alpha about x.

Two of the published links are not bodies that could exist, and a model in words refuses them rightly:

- link 1 has no mass and the inertia (0, 0.35, 0). It only ever turns about its own y (the axis of joint 1), so a ring
  of the same Iyy and of any mass on that axis moves alike.
- link 3 has (0.066, 0.086, 0.0125): 0.066 + 0.0125 < 0.086 breaks the triangle inequality by 0.0075. Joints 2 and 3
  turn about one horizontal direction, the y of link 3, so that the x and z parts of its angular velocity have the
  constant sum of squares q1'^2. Adding 0.00375 to Ixx and Izz and taking 0.00375 off Iyy of link 1 changes no equation.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from twins import Twin

PI = np.pi
RING = 0.00375  # kg m2, moved from link 1 to link 3, see above

# d, a, alpha, mass, centre of mass, principal inertias, motor inertia, gear ratio, viscous, Coulomb + and -
LINKS = [
    (0.67183, 0.0, PI / 2, 1.0, (0, 0, 0), (0.175, 0.35 - RING, 0.175), 200e-6, -62.6111, 1.48e-3, 0.395, -0.435),
    (0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815, 0.817e-3, 0.126, -0.071),
    (0.15005, 0.0203, -PI / 2, 4.8, (-0.0203, -0.0141, 0.070), (0.066 + RING, 0.086, 0.0125 + RING),
     200e-6, -53.7063, 1.38e-3, 0.132, -0.105),
    (0.4318, 0.0, PI / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364, 71.2e-6, 11.2e-3, -16.9e-3),
    (0.0, 0.0, -PI / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923, 82.6e-6, 9.26e-3, -14.5e-3),
    (0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686, 36.7e-6, 3.96e-3, -10.5e-3),
]  # fmt: skip

QN = np.array([0, PI / 4, PI, 0, PI / 4, 0])
ZERO, ONE = np.zeros(6), np.ones(6)
QD = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0])
TORQUE = np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])


def puma(gravity: float = 9.81) -> lw.Model:
    """The arm; every body frame is its Denavit-Hartenberg link frame."""
    model = lw.Model("puma 560", gravity=(0, 0, -gravity))
    inner = model.ground
    for k, (d, a, alpha, mass, com, inertia, rotor, gear, *_) in enumerate(LINKS, start=1):
        link = model.body(f"link {k}", mass=mass, inertia=inertia, com=com)
        after_turn = lw.Frame(position=(a, 0, d), rotation=(np.cos(alpha / 2), np.sin(alpha / 2), 0, 0))
        model.revolute(f"joint {k}", inner, link, frame_b=after_turn.inverse(), armature=gear**2 * rotor)
        inner = link
    return model


def friction(qd: np.ndarray) -> np.ndarray:
    """Viscous and Coulomb friction of motors, on the joint side; a torque against the motion."""
    result = []
    for rate, (*_, gear, viscous, plus, minus) in zip(qd, LINKS, strict=True):
        result.append(gear**2 * viscous * rate + abs(gear) * (plus if rate > 0 else minus if rate < 0 else 0.0))
    return np.array(result)


def printed(value: float, digits: int = 6) -> float:
    """Half a unit of the last printed digit, and a hair for the rounding of the reference."""
    return 0.51 * 10.0 ** (np.floor(np.log10(abs(value))) + 1 - digits) if value else 5.1e-5


def assert_printed(computed: np.ndarray, table: list[float], digits: int = 6) -> None:
    """Agreement with every printed digit."""
    for k, (ours, theirs) in enumerate(zip(computed, table, strict=True)):
        assert abs(ours - theirs) <= printed(theirs, digits), f"entry {k + 1}: {ours!r}, printed {theirs}"


@pytest.fixture(scope="module")
def system() -> object:
    return lw.assemble(puma())


@pytest.fixture(scope="module", params=["linkwork", "twin"])
def arm(request: pytest.FixtureRequest) -> object:
    """The library and its slow twin, under the same three names."""
    return LinkworkArm() if request.param == "linkwork" else Twin(puma())


class LinkworkArm:
    def __init__(self, gravity: float = 9.81) -> None:
        self.system = lw.assemble(puma(gravity))

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return lw.inverse_dynamics(self.system, q, v, a)

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return lw.forward_dynamics(self.system, q, v, tau)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        return lw.mass_matrix(self.system, q)


@pytest.mark.parametrize(
    ("v", "a", "table"),
    [
        (ZERO, ONE, [3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133]),
        (ONE, ONE, [32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781]),
        (ONE, ZERO, [29.1421, 56.5044, 16.3528, 1.26448, 1.12392, 0.519648]),
    ],
)
def test_torques_at_the_nominal_position(arm, v, a, table) -> None:
    """The toolbox counts motor friction into the torques of a moving arm."""
    assert_printed(arm.inverse_dynamics(QN, v, a) + friction(v), table)


def test_gravity_load(arm) -> None:
    tau = arm.inverse_dynamics(QN, ZERO, ZERO)
    assert tau == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=5.1e-5)


def test_torques_without_gravity() -> None:
    weightless = LinkworkArm(gravity=0.0)
    tau = weightless.inverse_dynamics(QN, ONE, ONE) + friction(ONE)
    assert_printed(tau, [32.4952, 29.2271, 11.7085, 1.45452, 1.27086, 0.713781])


def test_mass_matrix(arm) -> None:
    M = np.asarray(arm.mass_matrix(QN))
    assert np.diag(M) == pytest.approx([3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], abs=5.1e-5)
    entries = {(1, 2): -0.4044, (1, 3): 0.1006, (1, 4): -0.0025, (2, 3): 0.3509, (2, 5): 0.0024, (3, 5): 0.0015}
    for (i, j), value in entries.items():
        assert M[i - 1, j - 1] == pytest.approx(value, abs=5.1e-5)
        assert M[j - 1, i - 1] == pytest.approx(value, abs=5.1e-5)


def test_accelerations(arm) -> None:
    """With motor friction as printed by the toolbox; without it from an independent recursion."""
    with_friction = arm.forward_dynamics(QN, QD, TORQUE - friction(QD))
    assert with_friction == pytest.approx([-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228], abs=5.1e-5)
    without = arm.forward_dynamics(QN, QD, TORQUE)
    assert without == pytest.approx(
        [-0.35404757, -6.39892628, -2.06849425, 0.51124354, 4.02122316, 23.69845407], abs=5.1e-9
    )


def test_coriolis_row(arm) -> None:
    """Centrifugal and Coriolis torque of joint 1: the printed first row of the Coriolis matrix times the rates."""
    rates = np.array([1.0, 2, 3, 1, 2, 3])
    row = np.array([-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001])
    bias = arm.inverse_dynamics(QN, rates, ZERO) - arm.inverse_dynamics(QN, ZERO, ZERO)
    assert bias[0] == pytest.approx(row @ rates, abs=5e-5 * np.sum(rates))


def test_tip_wrench(system) -> None:
    """A wrench the tip exerts, in the axes and at the origin of link 6, needs its share of torque at every joint."""
    wrench = np.array([1.0, 2, 3, 1, 2, 3])
    twin = Twin(puma())
    Jw, Jv = twin.jacobian(QN, "link 6")
    R = twin.poses(QN)["link 6"][:3, :3]
    tau = lw.inverse_dynamics(system, QN, ZERO, ZERO) + Jv.T @ R @ wrench[:3] + Jw.T @ R @ wrench[3:]
    assert_printed(tau, [0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3.0])


def test_published_links_are_refused() -> None:
    model = lw.Model("impossible")
    with pytest.raises(lw.ModelError, match="link 3.*inertia"):
        model.body("link 3", mass=4.8, inertia=(0.066, 0.086, 0.0125), com=(-0.0203, -0.0141, 0.070))
    with pytest.raises(lw.ModelError, match="link 1"):
        model.body("link 1", mass=0.0, inertia=(0, 0.35, 0))
