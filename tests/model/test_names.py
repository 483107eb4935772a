"""Full names: dots in quotes, a body and a joint of one name, a body called ground in a subsystem."""

import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model import names

ROUND = (0.1, 0.1, 0.1)


class Robot(lw.Subsystem):
    def build(self) -> None:
        self.body("ground", mass=1.0, inertia=ROUND)
        self.body("arm", mass=1.0, inertia=ROUND, com=(0, 0, -1))
        self.fixed("base", self.ground, "body:ground")
        self.revolute("arm", "body:ground", "arm", at=(0, 0, 0), axis=(0, 1, 0), position=0.3)


@pytest.mark.parametrize(
    "steps",
    [
        [("", "arm")],
        [("joint", "arm")],
        [("", "left.arm"), ("body", "a.b")],
        [("", "a"), ("", "it's"), ("joint", "b c")],
        [("", ".."), ("", "x:y")],
    ],
)
def test_a_full_name_is_split_into_what_it_was_joined_of(steps) -> None:
    made = [names.PathStep(*step) for step in steps]
    assert names.split(names.joined(made)) == made


def test_a_dot_stands_in_quotes() -> None:
    model = lw.Model("machine")
    arm = model.body("left.arm", mass=1.0, inertia=ROUND)
    assert arm.path == "'left.arm'"
    assert model["'left.arm'"] is arm
    pin = model.revolute("pin", "ground", "left.arm", at=(0, 0, 0), axis=(0, 0, 1))  # as it was given, in here
    assert pin.b is arm
    assert "left.arm" in model


def test_a_dot_that_may_be_two_things_is_refused() -> None:
    model = lw.Model("machine")
    model.add("robot", Robot())
    model.body("robot.base", mass=1.0, inertia=ROUND)
    with pytest.raises(ModelError, match="robot.base"):
        model["robot.base"]
    assert model["'robot.base'"].word == "body"


def test_a_joint_and_a_body_share_a_name() -> None:
    model = lw.Model("machine")
    body = model.body("arm", mass=1.0, inertia=ROUND)
    assert body.path == "arm"
    joint = model.revolute("arm", "ground", "arm", at=(0, 0, 0), axis=(0, 0, 1))  # the verb says that b is a body
    assert (body.path, joint.path) == ("body:arm", "joint:arm")
    assert model["body:arm"] is body
    assert model["joint:arm"] is joint
    assert joint.b is body
    motor = model.motor("drive", "arm", velocity=1.0)  # a motor drives joints
    assert motor.joint is joint
    assert model.force("push", "arm", (0, 0, 1)).body is body
    assert "arm" in model
    with pytest.raises(ModelError, match="'arm': the name is taken by the body 'body:arm'"):
        model.body("arm", mass=1.0, inertia=ROUND)
    with pytest.raises(ModelError, match="taken"):
        model.spring("arm", "ground", "arm", stiffness=1.0)
    with pytest.raises(ModelError, match="taken"):
        model.attach("ground", "arm", "fixed", name="arm", time=1.0)


def test_kinds_are_good_where_nothing_is_shared() -> None:
    model = lw.Model("machine")
    arm = model.body("arm", mass=1.0, inertia=ROUND)
    assert model["body:arm"] is arm
    assert "joint:arm" not in model


def test_a_subsystem_may_have_a_body_called_ground() -> None:
    model = lw.Model("machine")
    robot = model.add("robot", Robot())
    assert robot.ground.path == "robot.ground:ground"
    assert robot["body:ground"].path == "robot.body:ground"
    assert model["robot.body:ground"].mass == 1.0
    with pytest.raises(ModelError, match=r'"robot.body:ground" or "robot.ground:ground"'):
        model.fixed("weld", "ground", "robot.ground")
    with pytest.raises(ModelError, match="kept for the world"):
        model.body("ground", mass=1.0, inertia=ROUND)


def test_all_methods_know_the_parts_of_one_name_apart() -> None:
    model = lw.Model("machine")
    model.add("robot.1", Robot())
    runs = [lw.simulate(model, until=0.1, dt=0.01, method=method) for method in ("recursive", "hybrid")]
    for run in runs:
        assert run["'robot.1'.joint:arm.position"].shape == (11,)
        assert run["'robot.1'.body:arm.position"].shape == (11, 3)
        assert run["'robot.1'.ground.position"] is run["'robot.1'.body:ground.position"]  # no other has a column
        assert run["'robot.1'.arm.rotation"] is run["'robot.1'.body:arm.rotation"]
        assert run["'robot.1'.joint:base.reaction"] is run["'robot.1'.base.reaction"]
        assert run.unit("'robot.1'.joint:arm.velocity") == "rad/s"
        assert len(run.matching("'robot.1'.arm.*")) == 8
    assert runs[0]["'robot.1'.joint:arm.position"][-1] == pytest.approx(
        runs[1]["'robot.1'.joint:arm.position"][-1], abs=1e-4
    )


def test_names_that_nothing_can_show(refused) -> None:
    model = lw.Model("m" * names.LONGEST)
    model.body("b" * names.LONGEST, mass=1.0, inertia=(1, 1, 1))
    for make in (
        lambda: lw.Model("m" * 300),
        lambda: model.body("b" * 300, mass=1.0),
        lambda: model.add("s" * 300, lw.gallery.car.Wheel()),
        lambda: model.revolute("j" * 300, model.ground, model.bodies["b" * names.LONGEST], axis=(0, 0, 1)),
    ):
        with refused("a name has 255 characters at most, not 300"):
            make()
    for name in ("a\0b", "a\x1b[31mb", "a\ud800b"):
        with refused(repr(name)):
            model.body(name, mass=1.0)
        with refused("one line of text"):
            lw.Model(name)


def test_verbs_that_were_misspelt() -> None:
    model = lw.Model("arm")
    with pytest.raises(AttributeError, match="no attribute or part 'revolut'; did you mean 'revolute'?"):
        model.revolut("pin")  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'simulat'; did you mean 'simulate'"):
        lw.simulat(model)  # type: ignore[attr-defined]
    assert not hasattr(model, "__wrapped__")
