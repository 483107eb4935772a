"""Makers of random mechanisms, written with the public words only.

    random_tree(seed, n)          n bodies on a random tree, every joint kind, frames, inertias and order at random
    random_loops(seed, n, loops)  the same, with further joints that close loops in the reference configuration
    trees(), loops()              hypothesis strategies over both

The same arguments give the same model. Bodies come in any shape a rigid body can have: principal inertias obey the
triangle inequality by construction (they are sums of second moments of a cloud of mass), thin ones included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw

Array = NDArray[np.float64]

ALL = ("revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free", "fixed")
ONE_DEGREE = ("revolute", "prismatic", "screw")
PEER_KINDS = ("revolute", "prismatic", "ball", "free")  # what every other engine has too
DEGREES = {
    "fixed": 0, "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "ball": 3, "planar": 3,
    "free": 6,
}  # fmt: skip


def random_rotation(rng: np.random.Generator) -> Array:
    """A quaternion, uniform over all turns."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_direction(rng: np.random.Generator) -> Array:
    """A unit vector, uniform over the sphere."""
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def random_frame(rng: np.random.Generator, size: float = 0.5) -> lw.Frame:
    """A frame with any turn, within a box of the given half size in metres."""
    return lw.Frame(position=rng.uniform(-size, size, 3), rotation=random_rotation(rng))


def random_inertia(rng: np.random.Generator, mass: float) -> Array:
    """3x3 inertia about the centre of mass in tilted axes, kg m2."""
    spread = rng.uniform(0.05, 0.4, 3) ** 2  # mean squares of the mass cloud along its principal axes
    second = mass * np.diag(spread)
    c = random_rotation(rng)
    R = lw.Frame(rotation=c).matrix
    inertia = R @ (np.trace(second) * np.eye(3) - second) @ R.T
    return 0.5 * (inertia + inertia.T)


def random_body_numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Keywords of `model.body`: mass, inertia and an off-centre centre of mass."""
    mass = float(rng.uniform(0.2, 3.0))
    return {"mass": mass, "inertia": random_inertia(rng, mass), "com": rng.uniform(-0.3, 0.3, 3)}


def perpendicular(rng: np.random.Generator, x: Array) -> Array:
    """A unit vector at right angles to x."""
    y = np.cross(x, random_direction(rng))
    return y / np.linalg.norm(y)


def place(kind: str, rng: np.random.Generator, near: Array) -> dict[str, Any]:
    """Keywords `at=` and `axis=` of a joint of this kind, somewhere near a point of the reference configuration."""
    words: dict[str, Any] = {"at": near + rng.uniform(-0.4, 0.4, 3)}
    if kind == "universal":
        first = random_direction(rng)
        words["axis"] = (first, perpendicular(rng, first))
    elif kind not in ("fixed", "ball", "free"):
        words["axis"] = random_direction(rng)
    return words


def random_tree(
    seed: int,
    n: int,
    kinds: Sequence[str] = ALL,
    *,
    reverse: bool | Sequence[str] = True,
    free_on_ground: bool = False,
    armature: bool = False,
    words: str = "mixed",
    branching: float = 0.5,
    gravity: tuple[float, float, float] | None = None,
    rotors: bool = False,
) -> lw.Model:
    """A random open tree of n bodies.

    kinds           joint kinds to draw from
    reverse         some joints have the outer body first, so that the tree walks them from b to a; True (all but
                    free ones, which are refused that way), False, or kinds
    free_on_ground  free joints only where a body hangs on the ground
    armature        a rotor inertia on every joint with axes of its own (not ball, not free)
    words           how joints are placed: "at" (reference configuration), "frames" (local frames) or "mixed"
    branching       0 makes a chain, 1 draws the inner body among all
    gravity         m/s2; without it a random tilted one
    rotors          spinning rotors on some bodies, and on some rotors
    """
    rng = np.random.default_rng([seed, n])
    if gravity is None:
        g = random_direction(rng) * 9.81
        gravity = (float(g[0]), float(g[1]), float(g[2]))
    model = lw.Model(f"random tree {seed}", gravity=gravity)

    # the plan: who hangs on whom, by which joint, placed by which words
    inner: list[int] = []
    for i in range(n):
        inner.append(i - 1 if rng.random() > branching else int(rng.integers(-1, i)))
    chosen = []
    for i in range(n):
        # a joint of no freedom or of all needs no partner; the free one on the ground only, where asked
        allowed = [kind for kind in kinds if kind != "free" or not free_on_ground or inner[i] == -1]
        chosen.append(str(rng.choice(allowed or ["revolute"])))
    referenced = []
    for i in range(n):
        held = inner[i] == -1 or referenced[inner[i]]
        referenced.append(held and (words == "at" or (words == "mixed" and rng.random() < 0.5)))
    poses = [lw.Frame(position=rng.uniform(-1, 1, 3), rotation=random_rotation(rng)) for _ in range(n)]

    # bodies are declared in any order
    bodies: dict[int, Any] = {}
    for i in rng.permutation(n):
        numbers = random_body_numbers(rng)
        if referenced[i]:
            numbers |= {"position": poses[i].position, "rotation": poses[i].rotation}
        bodies[int(i)] = model.body(f"body {i}", **numbers)
    bodies[-1] = model.ground

    # and so are the joints
    for i in rng.permutation(n):
        i = int(i)
        kind = chosen[i]
        a, b = bodies[inner[i]], bodies[i]
        turned = rng.random() < 0.4
        if turned and kind != "free" and (reverse is True or (reverse and kind in reverse)):
            a, b = b, a
        extra: dict[str, Any] = {}
        if kind == "screw":
            extra["pitch"] = float(rng.uniform(-0.5, 0.5))
        if armature and kind not in ("fixed", "ball", "free"):
            extra["armature"] = float(rng.uniform(0.05, 0.5))
        if referenced[i]:
            extra |= place(kind, rng, poses[i].position)
        else:
            extra |= {"frame_a": random_frame(rng), "frame_b": random_frame(rng)}
        getattr(model, kind)(f"joint {i}", a, b, **extra)
    for i in range(n) if rotors else ():
        spins = {"inertia": float(rng.uniform(0.002, 0.02)), "velocity": float(rng.uniform(-20, 20))}
        if rng.random() < 0.7:
            at, axis = rng.uniform(-1, 1, 3), random_direction(rng)
            rotor = model.rotor(f"rotor {i}", on=bodies[i], axis=axis, at=at, **spins)
            if rng.random() < 0.3:
                model.rotor(f"disc {i}", on=rotor, **spins)
    return model


def random_loops(
    seed: int,
    n: int = 8,
    loops: int = 1,
    kinds: Sequence[str] = ("revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar"),
    *,
    mobility: int = 1,
) -> lw.Model:
    """A random mechanism with closed loops that do close.

    A random tree is laid out in its reference configuration, and further joints are set between bodies that stand
    there: all loops close with every joint at zero. Joints and loops are chosen so that at least `mobility` degrees
    of freedom are left over by the count of rows. Closing joints are named "closing 0", "closing 1" ...
    """
    for attempt in range(100):
        rng = np.random.default_rng([seed, n, loops, attempt])
        inner = [-1] + [int(rng.integers(max(-1, i - 3), i)) for i in range(1, n)]
        chosen = [str(rng.choice(list(kinds))) for _ in range(n)]
        closing = _closing_joints(rng, inner, chosen, kinds, loops, mobility)
        if len(closing) == loops:
            break
    else:
        raise ValueError(f"{n} bodies on {kinds} are too stiff for {loops} loops with mobility {mobility}")
    model = lw.Model(f"random loops {seed}", gravity=random_direction(rng) * 9.81)
    poses = [lw.Frame(position=rng.uniform(-1, 1, 3), rotation=random_rotation(rng)) for _ in range(n)]
    bodies: dict[int, Any] = {-1: model.ground}
    for i in (int(i) for i in rng.permutation(n)):
        stand = {"position": poses[i].position, "rotation": poses[i].rotation}
        bodies[i] = model.body(f"body {i}", **stand, **random_body_numbers(rng))

    joints = [(f"joint {i}", inner[i], i, chosen[i]) for i in range(n)]
    joints += [(f"closing {k}", i, j, kind) for k, (i, j, kind) in enumerate(closing)]
    for k in rng.permutation(len(joints)):
        name, i, j, kind = joints[int(k)]
        extra = place(kind, rng, poses[max(i, j)].position)
        if kind == "screw":
            extra["pitch"] = float(rng.uniform(0.1, 0.5))
        getattr(model, kind)(name, bodies[i], bodies[j], **extra)
    return model


def _closing_joints(
    rng: np.random.Generator, inner: list[int], chosen: list[str], kinds: Sequence[str], loops: int, mobility: int
) -> list[tuple[int, int, str]]:
    """Pairs of bodies whose path is loose enough to be tied by one more joint, and the kind of that joint."""
    closing: list[tuple[int, int, str]] = []
    spare = sum(DEGREES[kind] for kind in chosen) - mobility
    for _ in range(50 * loops):
        if len(closing) == loops:
            break
        i, j = (int(k) for k in rng.choice(np.arange(-1, len(inner)), 2, replace=False))
        kind = str(rng.choice(list(kinds)))
        rows = 6 - DEGREES[kind]
        taken = sum(6 - DEGREES[k] for _, _, k in closing)  # as if all loops shared this path
        adjacent = inner[max(i, j)] == min(i, j)
        if rows <= spare and _path_degrees(inner, chosen, i, j) - rows - taken >= mobility and not adjacent:
            closing.append((i, j, kind))
            spare -= rows
    return closing


def _path_degrees(inner: list[int], chosen: list[str], i: int, j: int) -> int:
    """Degrees of freedom on the path between two bodies of a tree."""

    def to_ground(k: int) -> set[int]:
        path = set()
        while k != -1:
            path.add(k)
            k = inner[k]
        return path

    return sum(DEGREES[chosen[k]] for k in to_ground(i) ^ to_ground(j))


# ---- hypothesis ------------------------------------------------------------------------------------------------------


def trees(max_bodies: int = 7, kinds: Sequence[str] = ALL, **options: Any) -> Any:
    """Strategy of random trees; the tree itself comes from a seed, so that shrinking finds few bodies."""
    from hypothesis import strategies as st

    return st.builds(
        lambda n, seed: random_tree(seed, n, kinds, **options), st.integers(1, max_bodies), st.integers(0, 2**32 - 1)
    )


def loops(max_bodies: int = 9, max_loops: int = 2, **options: Any) -> Any:
    """Strategy of random mechanisms with closed loops."""
    from hypothesis import strategies as st

    return st.builds(
        lambda n, k, seed: random_loops(seed, n, k, **options),
        st.integers(5, max_bodies),
        st.integers(1, max_loops),
        st.integers(0, 2**32 - 1),
    )
