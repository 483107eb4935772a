"""Where joints go: reversed joints keep the meaning of their coordinates, subsystems their place, however deep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, again, loop_of
from random_mechanisms import random_body_numbers, random_frame, random_rotation
from twins import inverse, matrix_of, pose, pose_of, relative_motion

EPS = np.finfo(float).eps
START: dict[str, Any] = {
    "revolute": ((0.7,), (2.0,)),
    "prismatic": ((0.3,), (-1.0,)),
    "cylindrical": ((0.5, -0.2), (1.0, 0.4)),
    "screw": ((1.5,), (3.0,)),
    "universal": ((0.4, -0.6), (1.0, 2.0)),
    "ball": ((0.8, 0.4, -0.4, 0.2), (1.0, -2.0, 0.5)),
    "planar": ((0.2, -0.3, 0.8), (0.5, 0.3, -1.0)),
}


def hanging(kind: str, backward: bool) -> lw.Model:
    """One body on the ground, by a joint said from the ground to the body or from the body to the ground."""
    rng = np.random.default_rng([*kind.encode()])
    model = lw.Model("hanging", gravity=(0.5, 1.0, -9.0))
    body = model.body("body", **random_body_numbers(rng))
    extra = {"pitch": 0.4} if kind == "screw" else {}
    position, velocity = START[kind]
    ends = (body, model.ground) if backward else (model.ground, body)
    frames = {"frame_a": random_frame(rng), "frame_b": random_frame(rng)}
    getattr(model, kind)("joint", *ends, **frames, position=position, velocity=velocity, **extra)
    return model


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("kind", START)
def test_coordinates_are_those_of_b_relative_to_a(kind: str, backward: bool) -> None:
    """At every moment the recorded position puts frame b where it is in frame a, and velocity is how it moves."""
    model = hanging(kind, backward)
    run = lw.simulate(model, until=0.2, dt=1e-3)
    joint = model.joints["joint"]
    A, B = pose_of(joint.frame_a), pose_of(joint.frame_b)
    for k in (0, 57, 200):
        world = pose(matrix_of(run["body.rotation"][k]), run["body.position"][k])
        T_A, T_B = (world @ A, B) if backward else (A, world @ B)
        q, v = np.atleast_1d(run["joint.position"][k]), np.atleast_1d(run["joint.velocity"][k])
        found = relative_motion(kind, q, v, 0.4)
        assert found.pose == pytest.approx(inverse(T_A) @ T_B, abs=100 * EPS)
        # the body moves against the ground: with the sign of the walk
        omega, velocity = run["body.angular_velocity"][k], run["body.velocity"][k]
        at_b = velocity + np.cross(omega, T_B[:3, 3] - run["body.position"][k])
        sign, R = (-1.0, T_A[:3, :3]) if backward else (1.0, T_A[:3, :3])
        assert R @ found.angular @ v == pytest.approx(sign * omega, abs=1e-12)
        assert R @ found.linear @ v == pytest.approx(sign * at_b, abs=1e-12)


@pytest.mark.parametrize("kind", START)
def test_start_values_are_taken(kind: str) -> None:
    position, velocity = START[kind]
    for backward in (False, True):
        run = lw.simulate(hanging(kind, backward), until=1e-3, dt=1e-3)
        assert np.atleast_1d(run["joint.position"][0]) == pytest.approx(position, abs=4 * EPS)
        assert np.atleast_1d(run["joint.velocity"][0]) == pytest.approx(velocity, abs=4 * EPS)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("kind", START)
def test_reaction_is_what_b_feels_from_a(kind: str, backward: bool) -> None:
    """The ground's end of the joint carries the body: its weight less what accelerates it, about the joint's point."""
    model = hanging(kind, backward)
    body, joint = model.bodies["body"], model.joints["joint"]
    system = lw.assemble(model)
    h = 1e-4
    run = lw.simulate(model, until=2 * h, dt=h)
    # momentum of the body, about the world's origin, by central differences around the second row
    moments = []
    for k in range(3):
        R, x = matrix_of(run["body.rotation"][k]), run["body.position"][k]
        omega = run["body.angular_velocity"][k]
        c = R @ body.com
        linear = body.mass * (run["body.velocity"][k] + np.cross(omega, c))
        moments.append((linear, R @ body.inertia @ R.T @ omega + np.cross(x + c, linear)))
    force = (moments[2][0] - moments[0][0]) / (2 * h) - body.mass * model.gravity
    R, x = matrix_of(run["body.rotation"][1]), run["body.position"][1]
    torque = (moments[2][1] - moments[0][1]) / (2 * h) - np.cross(x + R @ body.com, body.mass * model.gravity)
    on_b = joint.frame_b.position if backward else x + R @ joint.frame_b.position
    sign = -1.0 if backward else 1.0
    wanted = sign * np.concatenate([force, torque - np.cross(on_b, force)])
    # third derivatives of the momenta times h^2 / 6, and rounding over h
    size = np.max(np.abs(np.concatenate(moments)))
    assert run["joint.reaction"][1] == pytest.approx(wanted, abs=size * (1e3 * h**2 + 10 * EPS / h))
    assert system.joints[0].backward is backward


@pytest.mark.parametrize("kind", [kind for kind in CLOSING if kind != "fixed"])
def test_a_reversed_joint_in_a_loop(kind: str) -> None:
    """The ring's other joints do not notice; the reversed joint, cut or not, reads the inverse and pushes back."""
    model = loop_of(kind)
    plain = lw.simulate(again(model, cuts=("joint 4",)), until=0.1, dt=2e-3)
    for cuts in (("joint 4",), ("joint 0",)):
        turned = lw.simulate(again(model, cuts=cuts, reverse=("joint 0",)), until=0.1, dt=2e-3)
        for name in plain.names:
            if not name.startswith("joint 0"):
                size = np.max(np.abs(plain[name]), initial=1.0)
                # the cut differs, so the two differ by the integrator's error
                assert np.max(np.abs(plain[name] - turned[name])) < 1e-8 * size, name
        q, p = (np.atleast_1d(run["joint 0.position"][-1]) for run in (plain, turned))
        zero = np.zeros(model.joints["joint 0"].nv)
        if kind == "universal":  # its frame stands otherwise, x and y exchanged
            assert p == pytest.approx(-q[::-1], abs=1e-8)
        else:
            there, back = (relative_motion(kind, x, zero, 0.3).pose for x in (q, p))
            assert there @ back == pytest.approx(np.eye(4), abs=1e-8)
        size = np.max(np.abs(plain["joint 0.reaction"]))
        assert np.max(np.abs(plain["joint 0.reaction"][:, :3] + turned["joint 0.reaction"][:, :3])) < 1e-7 * size


# ---- subsystems ------------------------------------------------------------------------------------------------------


class Arm(lw.Subsystem):
    """Two bodies; the first stands on its own ground, the second is offered to the outside."""

    def build(self, *, mass: float = 1.0) -> None:
        lower = self.body("lower", mass=mass, inertia=(0.1, 0.2, 0.15), com=(0.2, 0, 0.1), position=(0.3, 0, 0.2))
        upper = self.body(
            "upper", mass=2.0, inertia=(0.1, 0.1, 0.2), com=(0, 0.1, 0), position=(1, 0, 0), rotation=(0.6, 0, 0.8, 0)
        )
        self.revolute("shoulder", self.ground, lower, at=(0, 0, 0), axis=(0, 1, 1), velocity=1.0, damping=0.1)
        self.universal("elbow", lower, upper, at=(0.7, 0, 0), axis=((1, 0, 0), (0, 0, 1)))
        self.spring("cord", self.ground, upper, at_a=(0, 0, 1), at_b=(0, 0.2, 0), stiffness=20.0, length=0.5)
        self.port("hand", upper)


class Pair(lw.Subsystem):
    """Two arms, tilted, and a rod between their hands."""

    def build(self) -> None:
        left = self.add("left", Arm(mass=1.5), position=(0, 1, 0))
        right = self.add("right", Arm(), position=(0, -1, 0.2), rotation=(0.8, 0.6, 0, 0))
        self.body("rod", mass=0.5, inertia=(0.05, 0.05, 0.01), position=(1, 0, 0))
        self.ball("left grip", left.hand, "rod", at=(1, 1, 0))
        self.ball("right grip", right.hand, "rod", at=(1, -1, 0), cut=True)


def flat(poses: dict[str, lw.Frame]) -> lw.Model:
    """The same, said in one model with everything in the world's coordinates; `poses` of the subsystems."""
    model = lw.Model("flat")
    for name, mass in (("left", 1.5), ("right", 1.0)):
        place = poses[name]
        for body, numbers, frame in (
            ("lower", {"mass": mass, "inertia": (0.1, 0.2, 0.15), "com": (0.2, 0, 0.1)}, lw.Frame((0.3, 0, 0.2))),
            (
                "upper",
                {"mass": 2.0, "inertia": (0.1, 0.1, 0.2), "com": (0, 0.1, 0)},
                lw.Frame((1, 0, 0), (0.6, 0, 0.8, 0)),
            ),
        ):
            world = place @ frame
            model.body(f"{name} {body}", position=world.position, rotation=world.rotation, **numbers)
        axis = place.direction((0, 1, 1))
        shoulder = {"at": place.point((0, 0, 0)), "axis": axis, "velocity": 1.0, "damping": 0.1}
        model.revolute(f"{name} shoulder", "ground", f"{name} lower", **shoulder)
        axes = (place.direction((1, 0, 0)), place.direction((0, 0, 1)))
        model.universal(f"{name} elbow", f"{name} lower", f"{name} upper", at=place.point((0.7, 0, 0)), axis=axes)
        cord = {"at_a": place.point((0, 0, 1)), "at_b": (0, 0.2, 0), "stiffness": 20.0, "length": 0.5}
        model.spring(f"{name} cord", "ground", f"{name} upper", **cord)
    pair = poses["pair"]
    rod = pair @ lw.Frame((1, 0, 0))
    model.body("rod", mass=0.5, inertia=(0.05, 0.05, 0.01), position=rod.position, rotation=rod.rotation)
    model.ball("left grip", "left upper", "rod", at=pair.point((1, 1, 0)))
    model.ball("right grip", "right upper", "rod", at=pair.point((1, -1, 0)), cut=True)
    return model


def test_nested_subsystems_stand_where_they_are_put() -> None:
    rng = np.random.default_rng(5)
    place = lw.Frame(rng.normal(size=3), random_rotation(rng))
    model = lw.Model("nested")
    model.add("pair", Pair(), position=place.position, rotation=place.rotation)
    poses = {
        "pair": place,
        "left": place @ lw.Frame((0, 1, 0)),
        "right": place @ lw.Frame((0, -1, 0.2), (0.8, 0.6, 0, 0)),
    }
    nested = lw.simulate(model, until=0.2, dt=2e-3)
    other = lw.simulate(flat(poses), until=0.2, dt=2e-3)
    assert len(nested.names) == len(other.names)
    for name in nested.names:
        there = name.replace("pair.left.", "left ").replace("pair.right.", "right ").replace("pair.", "")
        if "grip" in there and not there.endswith(".reaction"):
            continue  # a ball's frame is that of its owner: along the pair's axes here, along the world's there
        size = np.max(np.abs(other[there]), initial=1.0)
        # the same sums about other axes: a hundred steps of rounding
        assert np.max(np.abs(nested[name] - other[there])) < 1e-11 * size, name
    assert nested.energy["total"][-1] == pytest.approx(other.energy["total"][-1], rel=1e-11)


def test_bodies_without_a_pose_follow_from_local_frames() -> None:
    """Along a chain of local frames, joints at zero, from the ground outward or from a body that was placed."""
    rng = np.random.default_rng(6)
    frames = [random_frame(rng) for _ in range(4)]
    model = lw.Model("chain")
    for name in "abc":
        model.body(name, **random_body_numbers(rng))
    model.ball("2", "a", "b", frame_a=frames[2], frame_b=frames[3])
    model.ball("1", "ground", "a", frame_a=frames[0], frame_b=frames[1])
    model.ball("3", "b", "c", frame_a=frames[0], frame_b=frames[1])
    system = lw.assemble(model)
    poses = lw.forward_kinematics(system, system.q_start)
    a = frames[0] @ frames[1].inverse()
    b = a @ frames[2] @ frames[3].inverse()
    for name, wanted in (("a", a), ("b", b), ("c", b @ frames[0] @ frames[1].inverse())):
        position, rotation = poses[name]
        assert position == pytest.approx(wanted.position, abs=20 * EPS)
        assert matrix_of(rotation) == pytest.approx(wanted.matrix, abs=20 * EPS)
