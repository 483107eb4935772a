"""URDF out: what is written reads back as the same mechanism, here and in Pinocchio; what cannot be said is named."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import names

KINDS = ["revolute", "revolute", "prismatic", "fixed", "universal", "cylindrical", "planar", "free"]
TURN = {"revolute": 1, "prismatic": 1, "universal": 2, "cylindrical": 2, "planar": 3}


def random_inertia(rng):
    points = rng.normal(size=(8, 3))
    I = sum(float(p @ p) * np.eye(3) - np.outer(p, p) for p in points)
    return I / 8


def random_frame(rng):
    return lw.Frame(rng.uniform(-1, 1, 3), rng.normal(size=4))


def random_tree(seed):
    """A tree of all kinds of joints that URDF can say, placed in both ways and walked in both directions."""
    rng = np.random.default_rng(seed)
    model = lw.Model(f"tree {seed}")
    part = model.add("part", lw.Subsystem(), position=rng.uniform(-1, 1, 3), rotation=rng.normal(size=4))
    bodies = [model.ground]
    for k in range(int(rng.integers(4, 10))):
        frame, near = random_frame(rng), bodies[int(rng.integers(len(bodies)))]
        owner = part if k and rng.random() < 0.3 else model
        options = {"mass": rng.uniform(0.5, 3), "inertia": random_inertia(rng), "com": rng.uniform(-0.3, 0.3, 3)}
        kind = KINDS[int(rng.integers(len(KINDS)))]
        placed = rng.random() < 0.5 and near.reference is not None and kind != "free"
        if placed:
            options |= {"position": frame.position, "rotation": frame.rotation}
        body = owner.body(f"b{k}", **options)
        backward = rng.random() < 0.4 and kind not in ("planar", "free")
        place = {"frame_a": random_frame(rng), "frame_b": random_frame(rng)}
        if placed:
            axes = random_frame(rng).matrix
            place = {"at": rng.uniform(-1, 1, 3), "axis": axes[:2] if kind == "universal" else axes[0]}
            place = {"at": place["at"]} if kind == "fixed" else place
        getattr(model, kind)(f"j{k}", *((body, near) if backward else (near, body)), **place)
        bodies.append(body)
    return model


def configuration(model, rng):
    """Random coordinates by joint: one number each, or a quaternion at the end."""
    found = {}
    for name in lw.assemble(model).joint_names:
        kind = model[name].kind if name in model else "free"
        if kind == "free":
            turn = rng.normal(size=4)
            found[name] = np.concatenate([rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn)])
        elif kind in TURN:
            found[name] = rng.uniform(-1, 1, TURN[kind])
    return found


def by_parts(values):
    """Coordinates under the names that they have in the file: two joints for a cylindrical or universal one."""
    found = {}
    for name, q in values.items():
        plain = names.without_kinds(name)
        if len(q) == 2:
            found |= {f"{plain} {k + 1}": q[k : k + 1] for k in range(2)}
        else:
            found[plain] = q
    return found


def written_and_read(model, tmp_path, **options):
    file = tmp_path / "robot.urdf"
    receipt = model.write(file, **options)
    again, read = lw.read(file)
    assert not read.lost
    return file, receipt, again


def matrices(model, again, values):
    """The mass matrices of a model and of what was read back, rows in the same order."""
    first, rows = _matrix(model, values)
    parts = by_parts(values)
    read = {name: parts[_plain(name)] for name in lw.assemble(again).joint_names if _plain(name) in parts}
    second, others = _matrix(again, read)
    there = {(_plain(name), k): row for row, (name, k) in enumerate(others)}
    order = []
    for name, k in rows:
        plain = names.without_kinds(name)
        two = len(values[name]) == 2
        order.append(there[(f"{plain} {k + 1}", 0) if two else (plain, k)])
    return first, second[np.ix_(order, order)]


def _plain(name):
    """The name of a joint of a model that was read, as it stands in the file."""
    return names.split(names.without_kinds(name))[-1].name


def _matrix(model, values):
    system = lw.assemble(model)
    joints = [name for name in system.joint_names if name in values]
    q = np.concatenate([values[name] for name in joints])
    assert len(q) == system.nq
    rows = [(name, k) for name in joints for k in range(6 if len(values[name]) == 7 else len(values[name]))]
    return lw.mass_matrix(system, q), rows


def pinocchio_matrix(file, model, values):
    """Pinocchio's mass matrix of a file, in the order and the velocities of the model."""
    pin = pytest.importorskip("pinocchio")
    other = pin.buildModelFromUrdf(str(file))
    q, parts = pin.neutral(other), by_parts(values)
    T = np.zeros((other.nv, other.nv))  # velocities there from those here
    start = {}
    for k in range(1, other.njoints):
        name, joint = other.names[k], other.joints[k]
        value, at, v = parts[name], joint.idx_q, joint.idx_v
        start[name] = v
        R = np.eye(3)
        if joint.nq == 7:
            q[at : at + 7] = [*value[:3], *value[4:], value[3]]
            R = lw.Frame((0, 0, 0), value[3:]).matrix.T  # in the axes of the link
            T[v : v + 3, v : v + 3] = T[v + 3 : v + 6, v + 3 : v + 6] = R
        elif joint.nq == 4:
            x, y, angle = value
            q[at : at + 4] = [x, y, math.cos(angle), math.sin(angle)]
            R[:2, :2] = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
            T[v : v + 3, v : v + 3] = R
        else:
            q[at : at + joint.nq] = value if joint.nq == 1 else [math.cos(value[0]), math.sin(value[0])]
            T[v, v] = 1.0
    M = T.T @ pin.crba(other, other.createData(), q) @ T
    M = np.triu(M) + np.triu(M, 1).T if not np.allclose(M, M.T) else M
    order = []
    for name in (each for each in lw.assemble(model).joint_names if each in values):
        plain, size = names.without_kinds(name), len(values[name])
        count = 6 if size == 7 else size
        order += (
            [start[f"{plain} {k + 1}"] for k in range(2)] if size == 2 else [start[plain] + k for k in range(count)]
        )
    return M[np.ix_(order, order)]


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(tmp_path, seed):
    model = random_tree(seed)
    file, _, again = written_and_read(model, tmp_path)
    rng = np.random.default_rng(1000 + seed)
    assert sum(body.mass for body in again.all_bodies()) == pytest.approx(
        sum(body.mass for body in model.all_bodies()), rel=1e-14
    )
    for _ in range(3):
        values = configuration(model, rng)
        if not values:
            continue
        M, read = matrices(model, again, values)
        scale = np.abs(M).max()
        assert np.abs(read - M).max() < 1e-12 * scale
        assert np.abs(pinocchio_matrix(file, model, values) - M).max() < 1e-9 * scale


@pytest.mark.parametrize("piece", ["chain", "puma", "manipulator", "humanoid", "pendulum"])
def test_gallery_trees(tmp_path, piece):
    model = getattr(lw.gallery, piece).build()
    armature = {joint.path: joint.armature for joint in model.all_joints() if joint.armature}
    file, _, again = written_and_read(model, tmp_path, lossy=True)
    rng = np.random.default_rng(7)
    for _ in range(3):
        values = configuration(model, rng)
        M, read = matrices(model, again, values)
        _, rows = _matrix(model, values)
        bare = M - np.diag([armature.get(name, 0.0) for name, _ in rows])  # rotors are not in the file
        scale = np.abs(M).max()
        assert np.abs(read - bare).max() < 1e-12 * scale
        assert np.abs(pinocchio_matrix(file, model, values) - bare).max() < 1e-9 * scale


def arm():
    model = lw.Model("arm")
    upper = model.body("upper", shape=lw.Capsule(0.05, 0.4), mass=2.0, position=(0, 0, 0.2))
    lower = model.body("lower", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0.1, 0, 0), position=(0.3, 0, 0.4))
    tip = model.body("tip", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), position=(0.5, 0, 0.4))
    model.revolute("shoulder", "ground", upper, at=(0, 0, 0), axis=(0, 1, 0), limits=(-1, 2), damping=0.3, friction=0.1)
    model.revolute("elbow", upper, lower, at=(0, 0, 0.4), axis=(0, 1, 0), position=0.2)
    model.prismatic("slide", lower, tip, axis=(1, 0, 0), limits=(0, None))
    return model


def test_limits_damping_and_shapes(tmp_path):
    model = arm()
    triangles = lw.Hull([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]).triangles
    model.visual("cover", "lower", lw.Mesh(triangles=triangles), colour="#FF8000")
    model.visual("lid", "tip", lw.Mesh(triangles=triangles, pose=lw.Frame((1, 2, 3))), colour="#FF8000")
    model.collider("pad", "tip", lw.Box((0.1, 0.2, 0.3), pose=lw.Frame((0, 0, 0.1))))
    model.collider("step", "ground", lw.Cylinder(0.3, 0.1))
    file, receipt, again = written_and_read(model, tmp_path)
    shoulder, elbow, slide = (again[name] for name in ("shoulder", "elbow", "slide"))
    assert (shoulder.limits, shoulder.damping, shoulder.friction) == ((-1.0, 2.0), 0.3, 0.1)
    assert elbow.limits is None
    assert slide.limits == (0.0, math.inf)
    root = ET.parse(file).getroot()
    kinds = {joint.get("name"): joint.get("type") for joint in root.findall("joint")}
    assert kinds == {"shoulder": "revolute", "elbow": "continuous", "slide": "prismatic"}
    assert len(root.find("link[@name='upper']").findall("visual")) == 3  # a capsule is a cylinder and two balls
    assert sorted(path.name for path in (tmp_path / "meshes").iterdir()) == ["robot_1.obj"]  # equal meshes share a file
    mesh = next(each for each in again.visuals.values() if each.body.name == "lower")
    assert np.array_equal(mesh.shape.triangles, triangles)
    assert mesh.colour == (1.0, 128 / 255, 0.0, 1.0)
    assert [type(each.shape).__name__ for each in again.all_colliders()] == ["Cylinder", "Box"]
    pad = next(each for each in again.all_colliders() if each.body.name == "tip")
    assert np.allclose((pad.body.owner.world @ pad.shape.pose).position, (0, 0, 0.1))
    assert [line.what for line in receipt.ignored] == ["start of joint 'elbow'"]
    assert not receipt.lost
    lw.check(again)


def test_the_link_frame_is_at_its_joint(tmp_path):
    file, _, _ = written_and_read(arm(), tmp_path)
    root = ET.parse(file).getroot()
    elbow = root.find("joint[@name='elbow']")
    assert elbow.find("origin").get("xyz") == "0 0 0.4"  # from the shoulder to the elbow
    assert root.find("link[@name='lower']/inertial/origin").get("xyz") == "0.4 0 0"
    assert root.find("link[@name='world']") is not None


def gears(**options):
    model = lw.Model("gears")
    for k, name in enumerate(("one", "two", "three")):
        body = model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        model.revolute(f"{name} axle", "ground", body, at=(k, 0, 0), axis=(0, 0, 1), **options.get(name, {}))
    return model


def test_gears_are_mimics(tmp_path):
    model = gears(one={"position": 0.5})
    model.gear("first", "one axle", "two axle", ratio=-2.0)  # counted from the start: q2 = -2 q1 + 1
    model.gear("second", "one axle", "three axle", ratio=3.0, offset=0.25)
    file, _, again = written_and_read(model, tmp_path)
    told = {joint.get("name"): joint.find("mimic").attrib for joint in ET.parse(file).getroot().findall("joint")[1:]}
    assert told == {
        "two axle": {"joint": "one axle", "multiplier": "-2", "offset": "1"},
        "three axle": {"joint": "one axle", "multiplier": "3", "offset": "0.25"},
    }
    again.motor("drive", "one axle", velocity=1.0)
    run = lw.simulate(again, until=0.1, dt=1e-3, method="recursive")
    q = run["one axle.position"]
    assert np.abs(run["two axle.position"] - (1 - 2 * q)).max() < 1e-12
    assert np.abs(run["three axle.position"] - (3 * q + 0.25)).max() < 1e-12


def test_a_joint_follows_one_other(tmp_path):
    model = gears()
    model.gear("first", "one axle", "three axle", ratio=2.0)
    model.gear("second", "two axle", "three axle", ratio=4.0)  # three follows one already: so two follows three
    file, _, _ = written_and_read(model, tmp_path)
    mimic = ET.parse(file).getroot().find("joint[@name='two axle']/mimic")
    assert mimic.attrib == {"joint": "three axle", "multiplier": "0.25"}


def four_bar():
    return lw.gallery.double_four_bar.build()


def with_ball():
    model = lw.Model("m")
    model.ball("socket", "ground", model.body("b", mass=1.0, inertia=(1, 1, 1)), at=(0, 0, 0))
    return model


def test_what_urdf_cannot_say_is_named(tmp_path, refused):
    file = tmp_path / "robot.urdf"
    with refused("ball joint 'socket'", "no counterpart in URDF"):
        with_ball().write(file, lossy=True)
    with pytest.raises(lw.ModelError, match="it closes a loop, and URDF has trees alone"):
        four_bar().write(file)
    assert list(tmp_path.iterdir()) == []  # nothing is written
    model = arm()
    model.motor("drive", "elbow", velocity=1.0, max_torque=5.0)
    model.spring("coil", "ground", "tip", stiffness=10.0, length=0.1)
    model.revolute(
        "wheel", "tip", model.body("w", mass=1.0, inertia=(1, 1, 1)), at=(0, 0, 0), axis=(0, 0, 1), armature=2
    )
    with pytest.raises(lw.ModelError, match="armature of joint 'wheel'.*spring 'coil'.*motor 'drive'"):
        model.write(file)
    receipt = model.write(file, lossy=True)
    assert [line.what for line in receipt.lost] == ["armature of joint 'wheel'", "spring 'coil'", "motor 'drive'"]
    limit = ET.parse(file).getroot().find("joint[@name='elbow']/limit")
    assert limit.get("effort") == "5"  # known from its motor
    moon = lw.Model("moon", gravity=(0, 0, -1.6))
    moon.body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(lw.ModelError, match="gravity: 0 0 -1.6 m/s2"):
        moon.write(file)


def test_names_that_meet(tmp_path):
    model = lw.Model("a & b")
    model.body("world", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3))
    hand = model.body("<hand>", mass=1.0, inertia=(1, 1, 1))
    model.revolute("<hand>", "world", hand, at=(0, 0, 0), axis=(0, 0, 1))
    model.free("fly", "ground", "world")
    file, _, again = written_and_read(model, tmp_path)
    assert again.name == "a & b"
    assert {link.get("name") for link in ET.parse(file).getroot().findall("link")} == {"ground", "world", "<hand>"}
    assert sorted(again.bodies) == ["<hand>", "world"]


def test_stl_and_options(tmp_path):
    model = lw.Model("m")
    block = lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    model.body("block", shape=block, mass=1.0)
    model.write(tmp_path / "robot.urdf", meshes="stl")
    assert lw.Mesh(tmp_path / "meshes" / "robot_1.stl").volume == pytest.approx(1 / 6, rel=1e-6)
    with pytest.raises(lw.OptionError, match='meshes is .dae.; give "obj"'):
        model.write(tmp_path / "robot.urdf", meshes="dae")


def test_rotors_have_mass_of_their_carriers(tmp_path):
    """Read back, the machine has the same mass matrix: what the carrier lends moves with it."""
    model = lw.Model("rotors")
    arm = model.body("arm", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
    model.revolute("hip", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.rotor("first", inertia=0.01, on=arm, axis=(0, 1, 1), at=(0.1, 0.2, 0.3))
    model.rotor("second", inertia=0.02, on="hip", axis=(1, 0, 0), ratio=5.0)
    receipt = model.write(tmp_path / "rotors.urdf")
    assert not receipt.lost
    systems = [lw.assemble(each) for each in (model, lw.read(tmp_path / "rotors.urdf")[0])]
    q = {"hip": 0.3, "first shaft": 1.0, "second shaft": 1.5}
    found = []
    for system in systems:
        order = [next(name for name in q if name == place.name) for place in system.joints]
        M = lw.mass_matrix(system, np.array([q[name] for name in order]))
        turn = [order.index(name) for name in q]
        found.append(M[np.ix_(turn, turn)])
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    heavy = lw.Model("heavy")
    heavy.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    heavy.revolute("hip", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0))
    heavy.rotor("heavy", inertia=50.0, on="rod", axis=(1, 0, 0))
    with pytest.raises(lw.ModelError, match="rotor 'heavy'"):
        heavy.write(tmp_path / "heavy.urdf")
