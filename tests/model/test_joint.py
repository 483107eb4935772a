import math

import numpy as np
import pytest

from linkwork.model import KINDS, Body, Frame, Model, Motion

PLACED = [kind for kind in KINDS if not KINDS[kind].always_cut]  # whose verbs take at= and axis=
AXES = {"universal": ((1, 0, 0), (0, 1, 0)), "ball": None, "fixed": None, "free": None}


def join(model: Model, kind: str, rod: Body, **options):
    given = {"at": (0, 0, 0), "axis": AXES.get(kind, (0, 1, 0)), **options}
    if kind == "screw":
        given.setdefault("pitch", 0.01)
    return getattr(model, kind)("pin", model.ground, rod, **given)


@pytest.mark.parametrize("kind", PLACED)
def test_every_kind(model: Model, rod: Body, kind: str) -> None:
    joint = join(model, kind, rod)
    assert (joint.kind, joint.name, joint.path, joint.owner) == (kind, "pin", "pin", model)
    assert (joint.a, joint.b) == (model.ground, rod)
    assert (joint.nq, joint.nv) == (KINDS[kind].nq, KINDS[kind].nv)
    assert (joint.position, joint.velocity, joint.limits, joint.cut) == (None, None, None, False)
    assert (joint.friction, joint.damping, joint.stiffness, joint.rest, joint.armature) == (0, 0, 0, 0, 0)
    assert joint.pitch == (0.01 if kind == "screw" else 0)
    assert model.joints == {"pin": joint}
    assert repr(joint) == f"<{kind} 'pin': ground to rod>"


@pytest.mark.parametrize("kind", PLACED)
def test_start_values_have_the_right_length(model: Model, rod: Body, refused, kind: str) -> None:
    nq, nv = KINDS[kind].nq, KINDS[kind].nv
    for option, count in (("position", nq), ("velocity", nv)):
        with refused(f"{kind} joint 'pin'", option, f"{option}="):
            join(model, kind, rod, **{option: [0.5] * (count + 1)})
    if nq:
        joint = join(model, kind, rod, position=[0.5] * nq, velocity=[0.1] * nv)
        assert joint.position == tuple([0.5] * nq)
        assert joint.velocity == tuple([0.1] * nv)


def test_numbers_stand_for_one_coordinate_and_quaternions_are_normalised(model: Model, rod: Body) -> None:
    assert model.revolute("a", "ground", rod, at=(0, 0, 0), axis=(0, 0, 3), position=0.3).position == (0.3,)
    assert model.ball("b", "ground", rod, at=(0, 0, 0), position=(2, 0, 0, 0)).position == (1, 0, 0, 0)
    free = model.free("c", "ground", rod, position=(1, 2, 3, 0, 0, 0, 4))
    assert free.position == (1, 2, 3, 0, 0, 0, 1)


def test_places(model: Model, rod: Body) -> None:
    outer = model.revolute("outer", "ground", "rod", at=(1, 2, 3), axis=(0, 0, 3))
    assert (outer.at.tolist(), outer.axis.tolist()) == ([1, 2, 3], [0, 0, 1])
    assert (outer.frame_a, outer.frame_b) == (None, None)
    local = model.revolute("local", "ground", "rod", frame_b=Frame((1, 0, 0)))
    assert (local.at, local.axis) == (None, None)
    assert (local.frame_a, local.frame_b) == (Frame(), Frame((1, 0, 0)))
    universal = model.universal("u", "ground", rod, at=(0, 0, 0), axis=((2, 0, 0), (0, 0, 3)))
    assert universal.axis.tolist() == [[1, 0, 0], [0, 0, 1]]
    weld = model.fixed("weld", "ground", rod)
    assert (weld.at, weld.frame_a, weld.frame_b) == (None, None, None)
    free = model.free("free", "ground", rod)
    assert (free.at, free.frame_a, free.frame_b) == (None, Frame(), Frame())
    slide = model.prismatic("slide", "ground", rod, axis=(1, 0, 0))
    assert slide.at is None  # on its body


def test_limits(model: Model, rod: Body) -> None:
    one = join(model, "revolute", rod, limits=[-1, 2])
    assert one.limits == (-1.0, 2.0)
    assert one.coordinate_limits == ((-1.0, 2.0),)
    side = model.prismatic("side", "ground", rod, axis=(1, 0, 0), limits=(0, None))
    assert side.limits == (0.0, math.inf)
    two = model.cylindrical("two", "ground", rod, at=(0, 0, 0), axis=(1, 0, 0), limits=(None, (0, 1)))
    assert two.limits == ((-math.inf, math.inf), (0.0, 1.0))
    assert two.coordinate_limits == two.limits
    none = model.planar("none", "ground", rod, at=(0, 0, 0), axis=(1, 0, 0))
    assert none.coordinate_limits == ((-math.inf, math.inf),) * 3


def test_other_options(model: Model, rod: Body) -> None:
    joint = join(
        model, "revolute", rod, friction=1, damping=2, stiffness=3, rest=0.5, armature=0.1, cut=True, position=np.pi
    )
    assert (joint.friction, joint.damping, joint.stiffness, joint.rest, joint.armature) == (1, 2, 3, 0.5, 0.1)
    assert joint.cut is True
    assert model.ball("ball", "ground", rod, at=(0, 0, 0), damping=2).damping == 2


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("revolute", {"axis": None}, ("axis is not known", "give at= and axis=")),
        ("revolute", {"at": None}, ("place is not known", "give at= and axis=")),
        ("revolute", {"at": None, "axis": None}, ("place is not known", "frame_a= and frame_b=")),
        ("ball", {"at": None}, ("place is not known", "give at=, or")),
        ("revolute", {"frame_a": Frame()}, ("at= and frame_a=", "give either")),
        ("revolute", {"at": None, "frame_b": Frame()}, ("axis= and frame_b=", "give either")),
        ("revolute", {"at": None, "axis": None, "frame_a": (0, 0, 0)}, ("frame_a", "frame_a=lw.Frame")),
        ("revolute", {"axis": (0, 0, 0)}, ("axis is zero", "axis=(0, 0, 1)")),
        ("revolute", {"axis": (0, 1)}, ("axis", "3 numbers")),
        ("revolute", {"axis": (0, 1, math.nan)}, ("axis", "finite")),
        ("revolute", {"at": (0, 0)}, ("at", "3 numbers in metres")),
        ("universal", {"axis": (0, 0, 1)}, ("two axes", "axis=((1, 0, 0), (0, 1, 0))")),
        ("universal", {"axis": ((1, 0, 0), (1, 1, 0))}, ("not perpendicular", "right angle")),
        ("universal", {"axis": ((1, 0, 0), (0, 0, 0))}, ("axis is zero",)),
        ("revolute", {"position": math.inf}, ("position", "finite")),
        ("revolute", {"velocity": "fast"}, ("velocity", "rad/s", "velocity=")),
        ("ball", {"position": (0, 0, 0, 0)}, ("position", "zero", "(1, 0, 0, 0)")),
        ("ball", {"velocity": (0, 0, 0, 0)}, ("three rates in rad/s", "got 4")),
        ("revolute", {"limits": (1, -1)}, ("lower limit 1", "limits=(low, high)")),
        ("revolute", {"limits": (1, 1)}, ("lower limit 1", "limits=(low, high)")),
        ("revolute", {"limits": (0, math.nan)}, ("limits", "pair")),
        ("revolute", {"limits": 3}, ("limits", "pair")),
        ("revolute", {"limits": (1, 2, 3)}, ("limits", "pair")),
        ("planar", {"limits": (0, 1)}, ("3 pairs", "limits=")),
        ("revolute", {"limits": (0, 1), "position": 2}, ("starts at 2", "position= or limits=")),
        ("ball", {"limits": (0, 1)}, ("a cone", "lw.Cone")),
        ("free", {"limits": (0, 1)}, ("no limits", "remove limits=")),
        ("fixed", {"limits": (0, 1)}, ("no limits", "remove limits=")),
        ("ball", {"stiffness": 1}, ("stiffness=", "spring()")),
        ("free", {"stiffness": 1}, ("stiffness=", "spring()")),
        ("fixed", {"damping": 1}, ("does not move", "remove damping=")),
        ("free", {"cut": True}, ("closes no loop", "remove cut=")),
        ("revolute", {"damping": -1}, ("damping is -1", "positive damping=")),
        ("revolute", {"stiffness": -1}, ("stiffness is -1", "positive stiffness=")),
        ("revolute", {"friction": -1}, ("friction is -1", "positive friction=")),
        ("revolute", {"armature": -1}, ("armature is -1", "positive armature=")),
        ("revolute", {"damping": math.nan}, ("damping", "finite")),
        ("revolute", {"rest": math.nan}, ("rest", "finite")),
        ("revolute", {"cut": "yes"}, ("cut must be True or False", "cut=")),
        ("revolute", {"dampng": 1}, ("unknown option dampng=", "did you mean 'damping'?")),
        ("revolute", {"zzz": 1}, ("unknown option zzz=", "give one of at=, axis=")),
        ("screw", {"pitch": None}, ("no pitch", "metres per turn")),
        ("screw", {"pitch": 0}, ("no pitch", "revolute()")),
        ("screw", {"pitch": math.nan}, ("pitch", "finite")),
    ],
)
def test_refusals(model: Model, rod: Body, refused, kind, options, words) -> None:
    with refused(f"{kind} joint 'pin'", *words):
        join(model, kind, rod, **options)
    assert not model.joints


def test_refused_bodies(model: Model, rod: Body, refused) -> None:
    place = {"at": (0, 0, 0), "axis": (0, 0, 1)}
    with refused("revolute joint 'pin'", "'rod' to itself", "two different bodies"):
        model.revolute("pin", rod, "rod", **place)
    with refused("revolute joint 'pin'", "no 'rdo'", "did you mean 'rod'"):
        model.revolute("pin", "ground", "rdo", **place)
    with refused("revolute joint 'pin'", "no 'xyz'", "give one of 'ground', 'rod'"):
        model.revolute("pin", "ground", "xyz", **place)
    with refused("revolute joint 'pin'", "None is not a body"):
        model.revolute("pin", None, rod, **place)
    with refused("revolute joint 'pin'", "is a model, not a body"):
        model.revolute("pin", model, rod, **place)
    moving = model.moving_ground("table", Motion())
    with refused("revolute joint 'pin'", "both 'ground' and 'table' are grounds"):
        model.revolute("pin", "ground", moving, **place)
