"""Random scenes with contact, judged by what the run itself does not know: its motion, and MuJoCo's narrow phase.

    python tests/random_contact_scenes.py 300 [--first 0] [--method maximal] [--mild] [--json scenes.json]

Masses of 1e-3 to 1e3 kg, sizes of 1e-2 to 10 m, thin plates, rods, stones, meshes, soft surfaces, joints between bodies
that touch, steps of 0.5 to 20 ms; `--mild` draws healthy ones: similar masses, nothing thin, steps that resolve a fall,
soft surfaces so stiff that what falls on them from seven sizes sinks in by less than half of its thickness.
A scene is wrong if its certificate has no doubt although

- the energy of the bodies rises by 5 % of what moved in it, more than half a step of falling explains;
- two rigid bodies overlap in the end, or in some rows before, by half of the thinner one and more than the certificate
  tells;
- a body has passed through the floor.

Energy is that of the recorded motion (`attacks.mechanisms.energies`); overlaps are MuJoCo's, where it is installed.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import warnings
from typing import Any

import numpy as np

import linkwork as lw
from attacks.mechanisms import energies

KINDS = ("box", "ball", "capsule", "cylinder", "plate", "rod", "stone", "mesh")
MILD = ("box", "ball", "capsule", "cylinder", "stone")
WRONG = 0.05  # of the energy that moved in the scene
THIN = 0.5  # of the thinner of two bodies: they may not overlap by more
TOLD = 2.0  # times the overlap that the certificate tells
MOST_STEPS = 600
LOOKS = 12  # rows of a run in which overlaps are looked for, the last one among them


class Scene:
    """A model with what its judges need: shapes, thicknesses, step and length of the run."""

    def __init__(self, seed: int, mild: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.model, self.mild = lw.Model(f"scene {seed}"), mild
        self.size = float(10.0 ** (rng.uniform(-1, 0.5) if mild else rng.uniform(-1.7, 0.7)))
        self.mass = float(10.0 ** (rng.uniform(-1, 1) if mild else rng.uniform(-2, 2)))
        fall = math.sqrt(self.size / 9.81)  # s, in which something falls by half a size
        self.dt = float(10.0 ** rng.uniform(-3.3, math.log10(0.02)))
        if mild:
            self.dt = min(self.dt, fall / 50.0)
        self.thin: dict[str, float] = {}
        self.shapes: dict[str, Any] = {}
        self.soft = bool(rng.random() < 0.3)
        self.material = self._material(rng)
        self.until = self.dt * min(MOST_STEPS, max(30, round(8.0 * fall / self.dt)))
        self._floor(rng)
        self.joined: set[tuple[str, str]] = set()
        self.places: dict[str, Any] = {}
        self.chained = bool(rng.random() < 0.4)
        n = int(rng.integers(2, 7))
        for k in range(n):
            self._body(rng, k)

    def _material(self, rng: Any) -> lw.Material:
        friction = float(rng.choice([0.0, rng.uniform(0.0, 1.0)]))
        if not self.soft:
            return lw.Material(friction=friction, restitution=float(rng.choice([0.0, 0.0, 0.5, 1.0])))
        sink = self.size * 10.0 ** (rng.uniform(-4.0, -3.0) if self.mild else rng.uniform(-3, -1.3))  # under the weight
        if self.mild:
            self.dt = min(self.dt, 0.15 * math.sqrt(sink / 9.81))
        k = self.mass * 9.81 / sink
        ratio = float(rng.choice([0.0, rng.uniform(0.0, 1.0)]))
        softness = [
            lw.Soft(stiffness=k, damping=2.0 * ratio * math.sqrt(k * self.mass)),
            lw.Soft(hertz=math.sqrt(9.81 / sink) / (2 * math.pi), damping_ratio=ratio),
            lw.Soft(bedding=k / (0.3 * self.size) ** 2, damping_ratio=ratio),
        ]
        return lw.Material(friction=friction, softness=softness[int(rng.integers(0, 3))])

    def _floor(self, rng: Any) -> None:
        """A plane, or a slab that may be thin; its top is at z = 0."""
        self.slab = 0.0
        if rng.random() < 0.5:
            self.model.plane("floor", material=self.material)
            self.shapes["floor"] = "plane"
            return
        self.slab = self.size * (0.5 if self.mild else float(10.0 ** rng.uniform(-1.5, 0)))
        wide = 30.0 * self.size
        shape = lw.Box((wide, wide, self.slab), pose=lw.Frame((0, 0, -0.5 * self.slab)))
        self.model.collider("floor", "ground", shape, material=self.material)
        self.shapes["floor"] = shape

    def _shape(self, rng: Any, kind: str) -> tuple[Any, float]:
        """A shape and its thickness, m."""
        a, b, c = self.size * rng.uniform(0.3, 1.0, size=3)
        thin = self.size * float(10.0 ** rng.uniform(-1.7, -1.0))
        if kind == "ball":
            return lw.Sphere(a / 2), a
        if kind == "capsule":
            return lw.Capsule(a / 4, b / 2), a / 2
        if kind == "cylinder":
            return lw.Cylinder(a / 2, b), min(a, b)
        if kind == "plate":
            return lw.Box((a, b, thin)), thin
        if kind == "rod":
            return (lw.Cylinder(thin / 2, b), thin) if rng.random() < 0.5 else (lw.Box((b, thin, thin)), thin)
        if kind in ("stone", "mesh"):
            points = rng.normal(size=(int(rng.integers(4, 9)), 3))
            points = 0.5 * self.size * points / np.linalg.norm(points, axis=1)[:, None]
            hull = lw.Hull(np.concatenate([points, -points]))
            spread = np.linalg.norm(hull.triangles.mean(axis=1), axis=1).min()
            return (hull if kind == "stone" else lw.Mesh(triangles=hull.triangles)), float(spread)
        return lw.Box((a, b, c)), min(a, b, c)

    def _body(self, rng: Any, k: int) -> None:
        kind = str(rng.choice(MILD if self.mild else KINDS))
        shape, thickness = self._shape(rng, kind)
        name = f"{kind} {k}"
        mass = self.mass * float(10.0 ** (rng.uniform(-0.5, 0.5) if self.mild else rng.uniform(-1.5, 1.5)))
        place = self.size * np.array([rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), 0.8 + 1.2 * k])
        body = self.model.body(
            name, shape=shape, mass=mass, position=place, rotation=rng.normal(size=4), material=self.material
        )
        self.shapes[name], self.thin[name] = shape, thickness
        self.places[name] = place
        before = list(self.thin)[k - 1]
        if k > 0 and self.chained and rng.random() < 0.5:
            self._joint(rng, before, name)
            return
        v = 0.3 * math.sqrt(9.81 * self.size) * rng.normal(size=3)
        self.model.free(f"throw {k}", "ground", body, velocity=(*v, *(rng.normal(size=3) * 2.0)))

    def _joint(self, rng: Any, a: str, b: str) -> None:
        """A ball joint or a hinge halfway between two bodies, which may still meet others."""
        at = 0.5 * (self.places[a] + self.places[b])
        if rng.random() < 0.5:
            self.model.ball(f"{a} to {b}", a, b, at=at)
        else:
            self.model.revolute(f"{a} to {b}", a, b, at=at, axis=rng.normal(size=3))
        self.joined.add((a, b))


def geom(name: str, shape: Any) -> tuple[str, str]:
    """A shape as a geom of MuJoCo, and the mesh that it needs; its pose is that of its body."""
    label = name.replace(" ", "_")
    if shape == "plane":
        return f'<geom name="{label}" type="plane" size="1 1 1"/>', ""
    if isinstance(shape, lw.Box):
        half, at = _text(np.array(shape.size) / 2), _text(shape.pose.position)
        return f'<geom name="{label}" type="box" size="{half}" pos="{at}"/>', ""
    if isinstance(shape, lw.Sphere):
        return f'<geom name="{label}" type="sphere" size="{shape.radius!r}"/>', ""
    if isinstance(shape, lw.Cylinder):
        return f'<geom name="{label}" type="cylinder" size="{_text((shape.radius, shape.length / 2))}"/>', ""
    if isinstance(shape, lw.Capsule):
        return f'<geom name="{label}" type="capsule" size="{_text((shape.radius, shape.length / 2))}"/>', ""
    corners = np.unique(np.asarray(shape.triangles).reshape(-1, 3), axis=0)
    mesh = f'<mesh name="{label}" vertex="{_text(corners.ravel())}"/>'
    return f'<geom name="{label}" type="mesh" mesh="{label}"/>', mesh


def _text(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def overlaps(scene: Scene, run: lw.Trajectory, rows: Any) -> dict[tuple[str, str], float]:
    """Deepest overlap (m) of each pair of bodies that no joint holds together, by MuJoCo, in these rows of a run."""
    import mujoco

    made = {name: geom(name, shape) for name, shape in scene.shapes.items()}
    bodies = "".join(
        each if name == "floor" else f'<body name="{name.replace(" ", "_")}"><freejoint/>{each}</body>'
        for name, (each, _) in made.items()
    )
    meshes = "".join(mesh for _, mesh in made.values())
    head = '<compiler boundmass="1e-9" boundinertia="1e-12"/><option><flag nativeccd="enable"/></option>'
    peer = mujoco.MjModel.from_xml_string(
        f"<mujoco>{head}<asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>"
    )
    peer.geom_margin[:] = 0.0
    data, names = mujoco.MjData(peer), list(scene.thin)
    labels = {peer.geom(name.replace(" ", "_")).id: name for name in scene.shapes}
    found: dict[tuple[str, str], float] = {}
    for row in rows:
        for k, name in enumerate(names):
            data.qpos[7 * k : 7 * k + 3] = run[f"{name}.position"][row]
            data.qpos[7 * k + 3 : 7 * k + 7] = run[f"{name}.rotation"][row]
        mujoco.mj_kinematics(peer, data)
        mujoco.mj_comPos(peer, data)
        mujoco.mj_collision(peer, data)
        for c in data.contact[: data.ncon]:
            pair = tuple(sorted((labels[int(c.geom1)], labels[int(c.geom2)])))
            found[pair] = max(found.get(pair, 0.0), -float(c.dist))  # type: ignore[index, arg-type]
    return {pair: d for pair, d in found.items() if pair not in scene.joined and pair[::-1] not in scene.joined}


def has_mujoco() -> bool:
    """Whether the peer is there."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


def wrong(scene: Scene, run: lw.Trajectory, peer: bool) -> list[str]:
    """What is wrong with a run, in words, whatever its certificate says."""
    told = []
    kinetic, potential = energies(scene.model, run)
    total = kinetic + potential
    if not np.isfinite(total).all():
        return ["not finite"]
    moved = max(float(kinetic.max()), float(np.ptp(potential)))
    # velocities are half a step ahead: the power of gravity in half a step, and what a free fall gains on it
    weight = sum(body.mass for body in scene.model.all_bodies()) * 9.81
    fastest = max(float(np.abs(run[f"{name}.velocity"][:, 2]).max()) for name in scene.thin)
    offset = scene.dt * weight * fastest
    least = total[0] if scene.soft else np.minimum.accumulate(total)
    gain = float((total - least).max())
    if gain > WRONG * moved + offset:
        told.append(f"energy rises by {gain / moved:.2g} of what moved")
    wide = 15.0 * scene.size
    for name in scene.thin:
        at = run[f"{name}.position"]
        deep = scene.slab or (math.inf if scene.soft else 0.0)  # a soft plane pushes up from any depth
        below = at[:, 2] < -deep - 0.5 * scene.thin[name]
        first = int(below.argmax())
        if below.any() and np.abs(at[: first + 1, :2]).max() < wide - scene.size:
            told.append(f"{name} is below the floor")
    if peer and not scene.soft:
        rows = np.unique(np.linspace(0, len(run) - 1, LOOKS).astype(int))
        for (a, b), depth in overlaps(scene, run, rows).items():
            thinner = min(scene.thin.get(each, scene.slab or math.inf) for each in (a, b))
            if depth > max(THIN * thinner, TOLD * run.certificate.worst_overlap):
                told.append(f"{a} and {b} overlap by {depth / thinner:.2g} of the thinner one, {depth:.2g} m")
    return told


def judge(seed: int, method: str = "maximal", mild: bool = False) -> dict[str, Any]:
    """What became of a scene."""
    scene = Scene(seed, mild)
    told: dict[str, Any] = {"seed": seed, "dt": scene.dt, "error": None, "soft": scene.soft}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = lw.simulate(scene.model, until=scene.until, method=method, dt=scene.dt)
        except (lw.RunError, lw.ModelError) as error:
            return told | {"error": str(error), "doubts": [], "wrong": []}
        doubts = run.certificate.doubts()
        return told | {"doubts": doubts, "wrong": wrong(scene, run, has_mujoco())}


def main() -> None:
    """Run so many, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--method", choices=("maximal", "impulse"), default="maximal")
    parser.add_argument("--mild", action="store_true")
    parser.add_argument("--json", default=None)
    given = parser.parse_args()
    found = [judge(seed, given.method, given.mild) for seed in range(given.first, given.first + given.count)]
    clean = [each for each in found if not each["error"] and not each["doubts"]]
    silent = [each for each in clean if each["wrong"]]
    words = collections.Counter(doubt.split(";")[0][:60] for each in found for doubt in each["doubts"])
    print(f"{given.method}{', mild' if given.mild else ''}: {len(found)} scenes, {len(clean)} without a doubt,")
    print(f"{sum(each['error'] is not None for each in found)} errors, {len(silent)} wrong without a doubt")
    for each in found:
        if each["error"] or each["wrong"]:
            quiet = "WRONG" if not each["doubts"] and not each["error"] else "told"
            print(f"  scene {each['seed']} ({each['dt'] * 1e3:.2g} ms): {quiet} {each['error'] or each['wrong']}")
    for doubt, often in words.most_common(20):
        print(f"  {often} x {doubt}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(found, file)


if __name__ == "__main__":
    main()
