"""Required forces of mechanisms in space: every kind of joint, in the tree and closing the loop; a Stewart platform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import loop_of
from linkwork.model.joints.joint_kinds import KINDS

MOVING = [kind for kind in KINDS if not KINDS[kind].always_cut and kind not in ("fixed", "free")]


@pytest.mark.parametrize("cut", [None, "joint 0", "joint 3"])
@pytest.mark.parametrize("kind", MOVING)
def test_torques_are_found_again_in_every_kind_of_joint(kind: str, cut: str | None) -> None:
    model = loop_of(kind, cut)
    rng = np.random.default_rng(1)
    torques = [(joint.name, k) for joint in model.all_joints() for k in range(joint.nv)]
    for joint, k in torques:
        model.torque(f"torque {joint} {k}", joint, float(rng.normal()), coordinate=k)
    motion = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    joints = list(dict.fromkeys(joint for joint, _ in torques))
    # all of them together share by least norm and do the same work
    shared = lw.required_forces(model, motion, at=joints)
    power = sum(motion[f"torque {joint} {k}.power"] for joint, k in torques)
    assert sum(shared[f"{joint}.power"] for joint in joints) == pytest.approx(power, abs=1e-9 * np.abs(power).max())
    # so many as there are freedoms are unique: those that joint 0 has, and others
    names = [f"torque {joint} {k}" for joint, k in torques]
    chosen = names[: shared.certificate.degrees_of_freedom]
    found = lw.required_forces(model, motion, at=chosen)
    for name in chosen:
        assert found[f"{name}.effort"] == pytest.approx(motion[f"{name}.torque"], abs=1e-9)
    for joint in joints:
        wanted = motion[f"{joint}.reaction"]
        assert found[f"{joint}.reaction"] == pytest.approx(wanted, abs=1e-9 * max(1.0, np.abs(wanted).max()))


def stewart(**jack: Any) -> lw.Model:
    """A plate of 20 kg on six legs: universal, prismatic "leg 0" …, ball. `jack` says what acts in the legs."""
    model = lw.Model("stewart")
    model.body("plate", mass=20.0, shape=lw.Cylinder(0.4, 0.05), position=(0, 0, 1))
    for k in range(6):
        side = 1 if k % 2 else -1
        low, high = (math.radians(120 * (k // 2) + side * degrees) for degrees in (10, 50))
        A = np.array([0.8 * math.cos(low), 0.8 * math.sin(low), 0.0])
        B = np.array([0.4 * math.cos(high), 0.4 * math.sin(high), 1.0])
        e = (B - A) / np.linalg.norm(B - A)
        across = np.cross((0, 0, 1), e)
        half = math.asin(np.linalg.norm(across)) / 2
        turn = (math.cos(half), *(math.sin(half) * across / np.linalg.norm(across)))
        model.body(f"barrel {k}", mass=2.0, shape=lw.Cylinder(0.03, 0.5), position=A + 0.25 * e, rotation=turn)
        model.body(f"rod {k}", mass=1.0, shape=lw.Cylinder(0.02, 0.5), position=B - 0.25 * e, rotation=turn)
        first = np.cross(e, (0, 1, 0)) / np.linalg.norm(np.cross(e, (0, 1, 0)))
        model.universal(f"foot {k}", "ground", f"barrel {k}", at=A, axis=(first, np.cross(e, first)))
        model.prismatic(f"leg {k}", f"barrel {k}", f"rod {k}", at=A, axis=e)
        model.ball(f"head {k}", f"rod {k}", "plate", at=B)
        if "position" in jack:
            model.motor(f"jack {k}", f"leg {k}", position=jack["position"](k))
        if "tables" in jack:
            model.torque(f"jack {k}", f"leg {k}", jack["tables"][k])
    return model


def test_stewart_platform_retraces_its_motion() -> None:
    """Six jacks: the motion that they give, the efforts that takes, and the motion by these efforts."""
    model = stewart(position=lambda k: lw.Cosine(-0.02 - 0.004 * k, 1.0, offset=0.02 + 0.004 * k))
    motion = lw.kinematics(model, until=0.5, dt=4e-3)
    assert motion.certificate.drift_relative < 1e-12
    jacks = [f"jack {k}" for k in range(6)]
    loads = lw.required_forces(model, motion, at=jacks)
    assert loads.certificate.degrees_of_freedom == 6
    assert loads.certificate.energy_balance_relative < 1e-8
    tables = [lw.Table(loads.time, loads[f"{jack}.effort"], kind="cubic") for jack in jacks]
    run = lw.simulate(stewart(tables=tables), until=0.5, dt=4e-3, method="recursive")
    assert run["plate.position"] == pytest.approx(motion["plate.position"], abs=1e-8)
    assert run["plate.rotation"] == pytest.approx(motion["plate.rotation"], abs=1e-8)
