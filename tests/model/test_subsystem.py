import copy
import pickle
import time

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.model import Body, Cosine, Frame, Model, Motion, Sphere, Subsystem


class Damper(Subsystem):
    def build(self, *, stiffness: float = 5e4, mass: float = 1.0) -> None:
        cylinder = self.port("cylinder", self.body("cylinder", mass=mass, inertia=0))
        piston = self.body("inner tube", mass=mass, inertia=0)
        self.port("piston", piston)
        self.prismatic("slide", cylinder, piston, axis=(0, 0, 1))
        self.spring("coil", "cylinder", "piston", stiffness=stiffness, length=0.3)


class Axle(Subsystem):
    def build(self) -> None:
        beam = self.port("beam", self.body("beam", mass=10, shape=Sphere(0.2)))
        for side, y in (("left", 0.5), ("right", -0.5)):
            damper = self.add(side, Damper(), position=(0, y, 0))
            self.ball(side + " ball", beam, damper.piston, at=(0, y, 0))


def car() -> Model:
    model = Model("car")
    model.body("hull", mass=100, shape=Sphere(1))
    for end, x in (("front", 1.0), ("rear", -1.0)):
        axle = model.add(end, Axle(), position=(x, 0, 0), rotation=(0, 0, 0, 1))
        model.fixed(end + " weld", "hull", axle.beam)
    model.ball("joint", "hull", "front.left.cylinder", at=(1, 0, 0))
    model.force("wind", "hull", (1, 0, 0))
    return model


def test_names_nest() -> None:
    model = car()
    tube = model["front.left.inner tube"]
    assert tube.path == "front.left.inner tube"
    assert model["front.left.piston"] is tube
    assert model.front.left.piston is tube
    assert model.front["left.slide"].path == "front.left.slide"
    assert model.front.path == "front"
    assert model.path == ""
    assert model.front.left.ground.path == "front.left.ground"
    assert "front.left.piston" in model
    assert "front.left.piston.more" not in model
    assert 3 not in model


def test_walks_own_parts_first_then_subsystems() -> None:
    model = car()
    names = [body.path for body in model.all_bodies()]
    assert names[:4] == ["hull", "front.beam", "front.left.cylinder", "front.left.inner tube"]
    assert len(names) == 11
    joints = [joint.path for joint in model.all_joints()]
    assert joints[:4] == ["front weld", "rear weld", "joint", "front.left ball"]
    assert [force.path for force in model.all_forces()][:2] == ["wind", "front.left.coil"]
    assert [ground.path for ground in model.all_grounds()][:3] == ["ground", "front.ground", "front.left.ground"]
    assert list(model.all_drives()) == []


def test_placements_compose() -> None:
    model = car()
    damper = model["front.left"]
    assert damper.placement == Frame((0, 0.5, 0))
    assert np.allclose(damper.world.position, (1, -0.5, 0))
    assert model.world == Frame()


def test_parameters_reach_build() -> None:
    assert Damper(stiffness=7).coil.stiffness == 7
    plain = Subsystem()
    plain.body("a", mass=1, inertia=0)
    assert Model("m").add("plain", plain).a.path == "plain.a"


def test_equal_models_have_equal_content() -> None:
    assert car() == car()
    other = car()
    other.body("extra", mass=1, inertia=0)
    assert car() != other
    assert Model("a") != Model("b")
    assert Model("a") != Model("a", gravity=(0, 0, 0))
    assert Model("a") != "a"

    def small(**options) -> Model:
        model = Model("small")
        rod = model.body("rod", mass=1, inertia=0)
        model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 0, 1), **options)
        model.torque("drive", "pin", Cosine(1, 2))
        model.moving_ground("table", Motion(angle=Cosine(1, 2)))
        return model

    assert small() == small()
    assert small() != small(damping=1)


def test_models_can_be_copied_and_pickled() -> None:
    model = car()
    assert copy.deepcopy(model) == model
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again["front.left.piston"].owner is again.front.left


def test_short_repr_and_outline() -> None:
    model = car()
    assert repr(model) == "<Model 'car': 11 bodies, 11 joints, 5 forces, 6 subsystems>"
    assert repr(Model("nothing")) == "<Model 'nothing': empty>"
    assert repr(model.front) == "<Axle 'front': 5 bodies, 4 joints, 2 forces, 2 subsystems>"
    lines = model.outline().splitlines()
    assert lines[0] == "model 'car', gravity (0, 0, -9.81)"
    assert "  body   hull        100 kg" in lines
    assert "  subsystem front (Axle)" in lines
    assert "    subsystem left (Damper)" in lines
    assert "      port piston is front.left.inner tube" in lines
    assert model.front.left.outline().startswith("subsystem front.left (Damper)")


def test_outline_tells_every_kind_of_part(model: Model, rod: Body, pin) -> None:
    table = model.moving_ground("table", Motion())
    disk = model.body("disk", mass=1, inertia=0)
    axle = model.revolute("axle", table, disk, at=(0, 0, 0), axis=(0, 0, 1))
    model.torsion_spring("coil", pin, stiffness=1)
    model.torque("turn", disk, (0, 0, 1))
    model.force("push", disk, (0, 0, 1))
    model.motor("drive", pin, velocity=1)
    model.repeater("gear", pin, axle, ratio=2)
    text = model.outline()
    for line in ("table  moves as given", "coil   in pin", "turn   on disk", "drive  in pin", "gear   axle = 2 x pin"):
        assert line in text


def test_thousand_links_are_built_at_once() -> None:
    start = time.perf_counter()
    model = Model("chain")
    last: Body = model.ground
    for k in range(1000):
        link = model.body(f"link {k}", mass=1, inertia=(1, 1, 0.1), position=(k, 0, 0))
        model.revolute(f"pin {k}", last, link, at=(k, 0, 0), axis=(0, 1, 0))
        last = link
    assert time.perf_counter() - start < 1.0


def test_deep_nesting_does_not_meet_the_stack() -> None:
    model = Model("deep")
    here: Model | Subsystem = model
    for _ in range(1500):
        here = here.add("in", Subsystem())
    body = here.body("core", mass=1, inertia=0)
    assert body.path.count(".") == 1500
    assert here.world == Frame()
    assert list(model.all_bodies()) == [body]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ("non-empty",)),
        ("  ", ("non-empty",)),
        (3, ("non-empty text", "3")),
        ("a.b's", ("a.b's", "remove the quote")),
        ("ground", ("'ground'", "choose another name")),
        (" a", ("blanks", "remove")),
        ("a\nb", ("blanks", "remove")),
    ],
)
def test_refused_names(model: Model, refused, name, words) -> None:
    with refused("body in model 'test'", *words):
        model.body(name, mass=1, inertia=0)


def test_names_are_unique_across_kinds(model: Model, rod: Body, pin, refused) -> None:
    with refused("body 'rod'", "taken by the body", "choose another name"):
        model.body("rod", mass=1, inertia=0)
    with refused("revolute joint 'pin'", "taken by the revolute", "choose another name"):
        model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 0, 1))
    with refused("spring 'rod'", "taken by the body", "choose another name"):
        model.spring("rod", "ground", rod, stiffness=1)
    with refused("spring 'pin'", "taken by the revolute", "choose another name"):
        model.spring("pin", "ground", rod, stiffness=1)
    with refused("motor 'pin'", "taken by the revolute"):
        model.motor("pin", pin, velocity=1)
    with refused("subsystem 'pin'", "taken by the revolute"):
        model.add("pin", Damper())
    with refused("moving ground 'pin'", "taken by the revolute"):
        model.moving_ground("pin", Motion())


def test_refused_ports(model: Model, rod: Body, pin, refused) -> None:
    model.port("rod", rod)
    model.port("handle", "rod")
    with refused("port 'handle'", "already taken", "choose another name"):
        model.port("handle", rod)
    with refused("port 'pin'", "already taken", "choose another name"):
        model.port("pin", rod)
    with refused("port 'x'", "not a body"):
        model.port("x", pin)
    with refused("port", "a.b's", "remove the quote"):
        model.port("a.b's", rod)
    with refused("revolute joint 'handle'", "taken by the body 'rod'"):
        model.revolute("handle", "ground", rod, at=(0, 0, 0), axis=(0, 0, 1))
    with refused("body 'handle'", "taken by the body 'rod'"):
        model.body("handle", mass=1, inertia=0)


def test_parts_from_elsewhere_are_refused(model: Model, rod: Body, refused) -> None:
    place = {"at": (0, 0, 0), "axis": (0, 0, 1)}
    other = Model("other").body("rod", mass=1, inertia=0)
    with refused("revolute joint 'x'", "'rod' belongs to another model, 'other'"):
        model.revolute("x", rod, other, **place)
    loose = Damper()
    with refused("revolute joint 'x'", "'Damper.inner tube'", "put it there with add() first"):
        model.revolute("x", rod, loose.piston, **place)
    damper = model.add("left", loose)
    with refused("revolute joint 'left.x'", "'rod' lies outside 'left'", "through a port"):
        damper.revolute("x", rod, damper.piston, **place)
    with refused("spring 'x'", "'left' is a subsystem, not a body", "ports"):
        model.spring("x", rod, "left", stiffness=1)
    with refused("spring 'x'", "'left' is a subsystem, not a body", "ports"):
        model.spring("x", rod, damper, stiffness=1)
    with refused("revolute joint 'x'", "no 'left.pistn'", "did you mean 'left.piston'"):
        model.revolute("x", rod, "left.pistn", **place)
    with refused("motor 'x'", "belongs to another model"):
        Model("third").motor("x", damper.slide, velocity=1)


def test_refused_subsystems(model: Model, refused) -> None:
    damper = model.add("left", Damper())
    with refused("subsystem 'right'", "already in use as 'left'", "second object"):
        model.add("right", damper)
    with refused("subsystem 'right'", "Damper is a class", "Damper()"):
        model.add("right", Damper)
    with refused("subsystem 'right'", "not a subsystem", "lw.Subsystem"):
        model.add("right", Model("inner"))
    with refused("subsystem 'right'", "position", "3 numbers"):
        model.add("right", Damper(), position=(0, 0))
    with refused("subsystem 'right'", "unknown option at=", "position="):
        model.add("right", Damper(), at=(0, 0, 0))
    alone = Damper()
    with refused("subsystem 'Damper.self'", "cannot hold itself"):
        alone.add("self", alone)
    with refused("subsystem Damper", "unknown option stifness=", "'stiffness'"):
        Damper(stifness=1)
    with refused("subsystem Subsystem", "unknown option stiffness=; remove it"):
        Subsystem(stiffness=1)
    with refused("body 'Damper.cylinder'", "mass is -1"):
        Damper(mass=-1)

    class Needy(Subsystem):
        def build(self, *, length: float) -> None:
            pass

    with refused("subsystem Needy", "'length'", "by keyword"):
        Needy()

    class Hasty(Subsystem):
        def __init__(self) -> None:
            self.body("a", mass=1, inertia=0)

    with refused("Hasty", "super().__init__()"):
        Hasty()


def test_a_failed_add_leaves_the_subsystem_free(model: Model) -> None:
    damper = Damper()
    with pytest.raises(ModelError):
        model.add("left", damper, rotation=(0, 0, 0, 0))
    assert model.add("left", damper) is damper


def test_unknown_lookups(model: Model, rod: Body, refused) -> None:
    with refused("there is no 'rdo'", "model 'test'", "did you mean 'rod'"):
        _ = model["rdo"]
    with refused("found by name", "model['left damper.piston']"):
        _ = model[0]
    with pytest.raises(AttributeError, match="did you mean 'rod'"):
        _ = model.rodd
    assert not hasattr(model, "nothing")


def test_refused_models(refused) -> None:
    with refused("Model", "name", "'slider crank'"):
        Model("")
    with refused("model 'm'", "gravity", "3 numbers in m/s2"):
        Model("m", gravity=-9.81)
    with refused("model 'm'", "gravity", "finite"):
        Model("m", gravity=(0, 0, float("nan")))
    with refused("model 'm'", "unknown option graviti=", "'gravity'"):
        Model("m", graviti=(0, 0, 0))


def test_models_are_not_hashable() -> None:
    with pytest.raises(TypeError):
        hash(Model("m"))


def test_a_class_that_holds_itself_without_end() -> None:
    class Russian(Subsystem):
        def build(self) -> None:
            self.add("inner", Russian())

    with pytest.raises(ModelError, match=r"subsystem Russian: its parts hold parts without end.* Let a parameter end"):
        Russian()
