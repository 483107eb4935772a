"""A slow twin of the tree dynamics, written a second time in plain numpy.

It reads the words of a model (bodies, joints, frames), never the tables of an assembled system, and shares no code
with the kernels. Everything is a 3-vector or a 4x4 pose in world axes:

    poses        compose frame_a, the motion of the joint and the inverse of frame_b along the paths to the ground
    Jacobians    one geometric column per joint coordinate
    mass matrix  M = sum of m Jv^T Jv + Jw^T I Jw over the bodies, plus rotor inertias on the diagonal
    dynamics     Newton and Euler for every body at its centre of mass, gathered by the Jacobians:
                 tau = sum of Jv^T m (a - g) + Jw^T (I alpha + omega x I omega)

Coordinates of a joint between a and b are those of b relative to a, whichever of the two is nearer to the ground
(A: frame_a fixed in a, B: frame_b fixed in b):

    kind         position                              velocity
    revolute     angle about z                         its rate
    prismatic    displacement along z                  its rate
    cylindrical  angle about z, displacement along z   their rates
    screw        angle; displacement = pitch/turn      its rate
    universal    angle about x of A, then y of B       their rates
    ball         quaternion w, x, y, z of B in A       angular velocity in the axes of B
    planar       x and y of A, angle about z           their rates
    free         origin of B in A, quaternion          velocity of that origin, angular velocity, in the axes of A
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

POSITIONS = {
    "fixed": 0, "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "ball": 4, "planar": 3,
    "free": 7,
}  # fmt: skip
VELOCITIES = {**POSITIONS, "ball": 3, "free": 6}

X, Y, Z = np.eye(3)
ZERO = np.zeros(3)


# ---- rotations -------------------------------------------------------------------------------------------------------


def turn(axis: ArrayLike, angle: float) -> Array:
    """Rotation matrix about a unit axis, by Rodrigues' formula."""
    x, y, z = np.asarray(axis, dtype=float)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def matrix_of(quaternion: ArrayLike) -> Array:
    """Rotation matrix of a quaternion w, x, y, z (normalised here)."""
    quaternion = np.asarray(quaternion, dtype=float)
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    u = np.array([x, y, z])
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * K


def hamilton(p: ArrayLike, q: ArrayLike) -> Array:
    """Product of two quaternions."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def quaternion_of(rotation_vector: ArrayLike) -> Array:
    """Quaternion of a turn by |r| about r."""
    r = np.asarray(rotation_vector, dtype=float)
    angle = float(np.linalg.norm(r))
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * r])


def pose(rotation: Array, position: ArrayLike) -> Array:
    """4x4 matrix of a pose."""
    T = np.eye(4)
    T[:3, :3] = rotation
    T[:3, 3] = position
    return T


def pose_of(frame: Any) -> Array:
    """4x4 matrix of a linkwork Frame."""
    return pose(matrix_of(frame.rotation), frame.position)


def inverse(T: Array) -> Array:
    """Inverse of a pose."""
    return pose(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])


# ---- joints ----------------------------------------------------------------------------------------------------------


@dataclass
class Relative:
    """Motion of B relative to A, in the axes of A: pose, velocity columns, and the part of acceleration without a."""

    pose: Array
    angular: Array  # (3, nv)
    linear: Array  # (3, nv), of the origin of B
    angular_bias: Array = field(default_factory=lambda: np.zeros(3))


def relative_motion(kind: str, q: Array, v: Array, pitch: float) -> Relative:
    """What one joint does, from its own coordinates."""
    columns = np.column_stack
    if kind == "fixed":
        return Relative(np.eye(4), np.zeros((3, 0)), np.zeros((3, 0)))
    if kind == "revolute":
        return Relative(pose(turn(Z, q[0]), ZERO), columns([Z]), columns([ZERO]))
    if kind == "prismatic":
        return Relative(pose(np.eye(3), q[0] * Z), columns([ZERO]), columns([Z]))
    if kind == "cylindrical":
        return Relative(pose(turn(Z, q[0]), q[1] * Z), columns([Z, ZERO]), columns([ZERO, Z]))
    if kind == "screw":
        lead = pitch / (2 * np.pi)
        return Relative(pose(turn(Z, q[0]), lead * q[0] * Z), columns([Z]), columns([lead * Z]))
    if kind == "universal":
        first = turn(X, q[0])
        second = first @ Y
        R = first @ turn(Y, q[1])
        return Relative(pose(R, ZERO), columns([X, second]), np.zeros((3, 2)), np.cross(v[0] * X, v[1] * second))
    if kind == "ball":
        R = matrix_of(q)
        return Relative(pose(R, ZERO), R, np.zeros((3, 3)))  # the rate of R w is R w' as w x w = 0
    if kind == "planar":
        return Relative(pose(turn(Z, q[2]), [q[0], q[1], 0]), columns([ZERO, ZERO, Z]), columns([X, Y, ZERO]))
    if kind == "free":
        zero = np.zeros((3, 3))
        return Relative(pose(matrix_of(q[3:]), q[:3]), np.hstack([zero, np.eye(3)]), np.hstack([np.eye(3), zero]))
    raise ValueError(f"unknown joint kind {kind!r}")


@dataclass
class Link:
    """One joint of the tree, with its frames in the bodies it connects."""

    name: str
    kind: str
    a: str  # path of the body, "" for any ground
    b: str
    A: Array  # frame_a in a; in the world when a is a ground
    B: Array
    pitch: float
    armature: float
    q: slice = field(default_factory=lambda: slice(0, 0))
    v: slice = field(default_factory=lambda: slice(0, 0))


def world_of(owner: Any) -> Array:
    """Pose of a container's coordinates in the world."""
    return pose_of(owner.world)


def ground_pose(ground: Any) -> Array:
    """World pose of a ground that rests."""
    return world_of(ground.owner) if ground.reference is None else world_of(ground.owner) @ pose_of(ground.reference)


def reference_of(body: Any, grounds: set[int]) -> Array:
    """World pose of a body in the reference configuration."""
    if id(body) in grounds:
        return np.eye(4)  # a ground's frame is folded into the joint's frame
    if body.reference is None:
        return world_of(body.owner)
    return world_of(body.owner) @ pose_of(body.reference)


def axes_along(axis: ArrayLike) -> Array:
    """Some rotation whose z is the axis: only good where the choice of x does not matter."""
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def link_of(joint: Any, grounds: set[int]) -> Link:
    """Joint words to frames: the joint's own frames, or one common frame in the reference configuration."""
    frames = []
    by_frames = joint.frame_a is not None or joint.frame_b is not None or joint.kind == "free"
    if joint.at is None and joint.axis is None and by_frames:
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            local = np.eye(4) if frame is None else pose_of(frame)
            frames.append(ground_pose(body) @ local if id(body) in grounds else local)
    else:
        at = ZERO if joint.at is None else np.asarray(joint.at, dtype=float)
        if joint.kind == "universal":
            x, y = (np.asarray(axis, dtype=float) / np.linalg.norm(axis) for axis in joint.axis)
            R = np.column_stack([x, y, np.cross(x, y)])
        elif joint.kind in ("ball", "fixed", "free"):
            R = np.eye(3)
        else:  # planar takes the same x as the library, which must choose one: ask Frame for it
            R = axes_along(joint.axis) if joint.kind != "planar" else _planar_axes(joint.axis)
        common = world_of(joint.owner) @ pose(R, at)
        frames = [inverse(reference_of(body, grounds)) @ common for body in (joint.a, joint.b)]
    names = ["" if id(body) in grounds else str(body.path) for body in (joint.a, joint.b)]
    return Link(joint.path, joint.kind, *names, *frames, pitch=joint.pitch or 0.0, armature=joint.armature or 0.0)


def _planar_axes(axis: ArrayLike) -> Array:
    import linkwork as lw

    return matrix_of(lw.Frame.along(axis, (0, 0, 0)).rotation)


# ---- the twin --------------------------------------------------------------------------------------------------------


@dataclass
class Moving:
    """World pose and rates of one body frame, with Jacobians: angular, and linear at the origin."""

    pose: Array
    Jw: Array
    Jv: Array
    omega: Array
    velocity: Array
    alpha: Array
    acceleration: Array


class Twin:
    """Reference dynamics of an open tree, from the words of its model.

    `joint_names` and `body_names` give the order of coordinates and bodies (those of the assembled system);
    without them the joints are taken as declared and the bodies as declared. Joints in `cut_names` close loops.
    """

    def __init__(self, model: Any, joint_names: Any = None, body_names: Any = None, cut_names: Any = ()) -> None:
        self.gravity = np.asarray(model.gravity, dtype=float)
        self.bodies = {body.path: body for body in model.all_bodies()}
        grounds = {id(ground) for ground in model.all_grounds()}
        self.bodies = {path: body for path, body in self.bodies.items() if id(body) not in grounds}
        links = {joint.path: link_of(joint, grounds) for joint in model.all_joints()}
        self.cuts = [links.pop(name) for name in cut_names]
        held = {name for link in links.values() for name in (link.a, link.b)}
        for path in self.bodies:
            if path not in held:  # a body with no joint is free in the world
                links[path] = Link(path, "free", "", path, np.eye(4), np.eye(4), 0.0, 0.0)
        order = list(links) if joint_names is None else [self._named(links, name) for name in joint_names]
        if sorted(order) != sorted(links):
            raise ValueError(f"joint names {order} are not those of the model {list(links)}")
        self.links = [links[name] for name in order]
        self.body_names = (
            list(self.bodies) if body_names is None else [name for name in body_names if name in self.bodies]
        )
        self.nq = self.nv = 0
        for link in self.links:
            link.q = slice(self.nq, self.nq + POSITIONS[link.kind])
            link.v = slice(self.nv, self.nv + VELOCITIES[link.kind])
            self.nq, self.nv = link.q.stop, link.v.stop
        self.walk = self._walk()

    def _named(self, links: dict[str, Link], name: str) -> str:
        """The name of a joint; that of a free joint nobody declared is its body's with the word free behind it."""
        if name in links:
            return name
        return next(path for path in links if name == f"{path} free")

    def _walk(self) -> list[tuple[Link, bool]]:
        """Joints from the ground outward; True where b is the outer body."""
        reached, left, walk = {""}, list(self.links), []
        while left:
            link = next(link for link in left if (link.a in reached) != (link.b in reached))
            left.remove(link)
            walk.append((link, link.a in reached))
            reached |= {link.a, link.b}
        return walk

    def kinematics(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None) -> dict[str, Moving]:
        """Poses, Jacobians, velocities and accelerations of all body frames, world axes."""
        n = self.nv
        q = np.asarray(q, dtype=float)
        v = np.zeros(n) if v is None else np.asarray(v, dtype=float)
        a = np.zeros(n) if a is None else np.asarray(a, dtype=float)
        still = np.zeros((3, n))
        moving = {"": Moving(np.eye(4), still, still, ZERO, ZERO, ZERO, ZERO)}
        for link, forward in self.walk:
            rel = relative_motion(link.kind, q[link.q], v[link.v], link.pitch)
            inner = moving[link.a if forward else link.b]
            T_A = inner.pose @ link.A if forward else inner.pose @ link.B @ inverse(rel.pose)
            T_B = T_A @ rel.pose
            T_outer = T_B @ inverse(link.B) if forward else T_A @ inverse(link.A)
            R, o = T_A[:3, :3], T_B[:3, 3]  # relative motion is known in the axes of A at the origin of B
            Jw, Jv = np.zeros((3, n)), np.zeros((3, n))
            Jw[:, link.v], Jv[:, link.v] = R @ rel.angular, R @ rel.linear
            w, u = Jw @ v, Jv @ v
            # everything at o: outer minus inner is the relative motion, with the sign of the walk
            sign = 1.0 if forward else -1.0
            r = o - inner.pose[:3, 3]
            Jw_outer = inner.Jw + sign * Jw
            Jv_o = inner.Jv - _cross_columns(r, inner.Jw) + sign * Jv
            omega = inner.omega + sign * w
            velocity_o = inner.velocity + np.cross(inner.omega, r) + sign * u
            omega_a = inner.omega if forward else omega  # the body that carries A
            wd = Jw @ a + R @ rel.angular_bias + np.cross(omega_a, w)
            ud = Jv @ a + 2 * np.cross(omega_a, u)
            alpha = inner.alpha + sign * wd
            # points of both bodies at o: the Coriolis term belongs to the motion seen from the body that carries A
            inner_o = inner.acceleration + np.cross(inner.alpha, r) + np.cross(inner.omega, np.cross(inner.omega, r))
            acceleration_o = inner_o + sign * ud
            # from o to the origin of the outer body
            s = T_outer[:3, 3] - o
            moving[link.b if forward else link.a] = Moving(
                pose=T_outer,
                Jw=Jw_outer,
                Jv=Jv_o - _cross_columns(s, Jw_outer),
                omega=omega,
                velocity=velocity_o + np.cross(omega, s),
                alpha=alpha,
                acceleration=acceleration_o + np.cross(alpha, s) + np.cross(omega, np.cross(omega, s)),
            )
        return moving

    def poses(self, q: ArrayLike) -> dict[str, Array]:
        """World pose (4x4) of every body frame by its path."""
        return {name: m.pose for name, m in self.kinematics(q).items() if name}

    def jacobian(self, q: ArrayLike, body: str, point: ArrayLike = (0, 0, 0)) -> tuple[Array, Array]:
        """Angular and linear Jacobian (3, nv) of a point given in the body frame, world axes."""
        m = self.kinematics(q)[body]
        return m.Jw, m.Jv - _cross_columns(m.pose[:3, :3] @ np.asarray(point, dtype=float), m.Jw)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """(nv, nv)."""
        M = np.diag(self.armature)
        for name, m in self.kinematics(q).items():
            if not name:
                continue
            body, R = self.bodies[name], m.pose[:3, :3]
            Jc = m.Jv - _cross_columns(R @ np.asarray(body.com), m.Jw)
            M = M + body.mass * Jc.T @ Jc + m.Jw.T @ (R @ np.asarray(body.inertia) @ R.T) @ m.Jw
        return M

    @property
    def armature(self) -> Array:
        """Rotor inertia of every velocity coordinate."""
        return np.array([link.armature for link in self.links for _ in range(VELOCITIES[link.kind])], dtype=float)

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Joint forces (nv,) that give accelerations a, gravity included."""
        tau = self.armature * np.asarray(a, dtype=float)
        for name, m in self.kinematics(q, v, a).items():
            if not name:
                continue
            body, R = self.bodies[name], m.pose[:3, :3]
            c = R @ np.asarray(body.com)
            inertia = R @ np.asarray(body.inertia) @ R.T
            a_com = m.acceleration + np.cross(m.alpha, c) + np.cross(m.omega, np.cross(m.omega, c))
            force = body.mass * (a_com - self.gravity)
            moment = inertia @ m.alpha + np.cross(m.omega, inertia @ m.omega)
            tau = tau + (m.Jv - _cross_columns(c, m.Jw)).T @ force + m.Jw.T @ moment
        return tau

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Joint accelerations (nv,) under joint forces tau and gravity."""
        bias = self.inverse_dynamics(q, v, np.zeros(self.nv))
        return np.linalg.solve(self.mass_matrix(q), np.asarray(tau, dtype=float) - bias)

    def closed_forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, positions: dict[str, Any]) -> Array:
        """Joint accelerations (nv,) with the loops held by multipliers, at a state where they are closed.

        `positions` are the coordinates of the cut joints. What a cut joint forbids is the part of the relative motion
        of its two bodies that no rates of its own coordinates can give; multipliers are the smallest that hold it.
        """
        v = np.asarray(v, dtype=float)
        moving = self.kinematics(q, v)
        rows, rates = [], []
        for link in self.cuts:
            a, b = moving[link.a], moving[link.b]
            T_A, T_B = a.pose @ link.A, b.pose @ link.B
            R, o = T_A[:3, :3], T_B[:3, 3]
            position = np.atleast_1d(np.asarray(positions[link.name], dtype=float))
            at_rest = relative_motion(link.kind, position, np.zeros(VELOCITIES[link.kind]), link.pitch)
            if not np.allclose(inverse(T_A) @ T_B, at_rest.pose, atol=1e-7):
                raise ValueError(f"the loop of {link.name!r} is not closed at {position}")
            ends = [_at_point(body, o) for body in (a, b)]
            J = np.vstack([R.T @ (b.Jw - a.Jw), R.T @ (ends[1][0] - ends[0][0])])
            w, u = b.omega - a.omega, ends[1][1] - ends[0][1]
            S = np.vstack([at_rest.angular, at_rest.linear])
            rate = np.linalg.lstsq(S, J @ v, rcond=None)[0]
            if not np.allclose(S @ rate, J @ v, atol=1e-6):
                raise ValueError(f"the bodies of {link.name!r} move as that joint cannot")
            bias = relative_motion(link.kind, position, rate, link.pitch).angular_bias
            angular = R.T @ (b.alpha - a.alpha - np.cross(a.omega, w)) - bias
            linear = R.T @ (ends[1][2] - ends[0][2] - 2 * np.cross(a.omega, u))
            forbidden = np.eye(6) - S @ np.linalg.pinv(S)
            rows.append(forbidden @ J)
            rates.append(forbidden @ np.concatenate([angular, linear]))
        G, gamma = np.vstack(rows), np.concatenate(rates)
        M_inverse = np.linalg.inv(self.mass_matrix(q))
        open_tree = self.forward_dynamics(q, v, tau)
        multipliers = np.linalg.pinv(G @ M_inverse @ G.T, rcond=1e-11, hermitian=True) @ (gamma + G @ open_tree)
        return open_tree - M_inverse @ G.T @ multipliers

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float:
        """From body velocities, J."""
        v = np.asarray(v, dtype=float)
        total = 0.5 * float(self.armature @ v**2)
        for name, m in self.kinematics(q, v).items():
            if name:
                body, R = self.bodies[name], m.pose[:3, :3]
                velocity = m.velocity + np.cross(m.omega, R @ np.asarray(body.com))
                spin = R.T @ m.omega
                total += 0.5 * body.mass * float(velocity @ velocity) + 0.5 * float(
                    spin @ np.asarray(body.inertia) @ spin
                )
        return total

    def potential_energy(self, q: ArrayLike) -> float:
        """Of gravity, zero at the world origin, J."""
        total = 0.0
        for name, T in self.poses(q).items():
            body = self.bodies[name]
            total -= body.mass * float(self.gravity @ (T[:3, 3] + T[:3, :3] @ np.asarray(body.com)))
        return total

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float) -> Array:
        """Positions after moving with constant joint velocity for dt."""
        q, v = np.array(q, dtype=float), np.asarray(v, dtype=float)
        for link in self.links:
            x, dx = q[link.q], v[link.v] * dt
            if link.kind == "ball":  # velocity in the axes of B: the turn comes on the right
                q[link.q] = hamilton(x, quaternion_of(dx))
            elif link.kind == "free":  # velocity in the axes of A: the turn comes on the left
                q[link.q] = np.concatenate([x[:3] + dx[:3], hamilton(quaternion_of(dx[3:]), x[3:])])
            else:
                q[link.q] = x + dx
        return q

    def random_state(self, rng: np.random.Generator, spread: float = 1.0) -> tuple[Array, Array]:
        """Some q (quaternions of unit length) and v."""
        q, v = spread * rng.normal(size=self.nq), spread * rng.normal(size=self.nv)
        for link in self.links:
            if link.kind in ("ball", "free"):
                part = slice(link.q.stop - 4, link.q.stop)
                q[part] = rng.normal(size=4)
                q[part] /= np.linalg.norm(q[part])
        return q, v


def _at_point(body: Moving, o: Array) -> tuple[Array, Array, Array]:
    """Linear Jacobian, velocity and acceleration of the point of the body that is now at o."""
    r = o - body.pose[:3, 3]
    acceleration = body.acceleration + np.cross(body.alpha, r) + np.cross(body.omega, np.cross(body.omega, r))
    return body.Jv - _cross_columns(r, body.Jw), body.velocity + np.cross(body.omega, r), acceleration


def _cross_columns(r: Array, J: Array) -> Array:
    """r x J, column by column."""
    return np.cross(r, J, axisb=0).T if J.shape[1] else J
