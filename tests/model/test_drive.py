import math

from linkwork.model import Body, Constant, Cosine, Joint, Model


def second(model: Model) -> Joint:
    wheel = model.body("wheel", mass=1, inertia=(1, 1, 1))
    return model.revolute("axle", "ground", wheel, at=(1, 0, 0), axis=(0, 0, 1))


def test_motor(model: Model, pin: Joint) -> None:
    motor = model.motor("drive", "pin", velocity=3, max_torque=5)
    assert (motor.joint, motor.velocity, motor.position, motor.max_torque) == (pin, Constant(3), None, 5)
    assert model.drives == {"drive": motor}
    servo = model.motor("servo", pin, position=Cosine(1, 1))
    assert (servo.velocity, servo.position, servo.max_torque) == (None, Cosine(1, 1), math.inf)


def test_repeater(model: Model, pin: Joint) -> None:
    axle = second(model)
    repeater = model.repeater("gear", pin, "axle", ratio=-2)
    assert (repeater.joint, repeater.follower, repeater.ratio) == (pin, axle, -2)
    assert list(model.all_drives()) == [repeater]


def test_refused_motors(model: Model, rod: Body, pin: Joint, refused) -> None:
    with refused("motor 'drive'", "either velocity= or position="):
        model.motor("drive", pin)
    with refused("motor 'drive'", "either velocity= or position="):
        model.motor("drive", pin, velocity=1, position=1)
    with refused("motor 'drive'", "max_torque is 0", "max_torque="):
        model.motor("drive", pin, velocity=1, max_torque=0)
    with refused("motor 'drive'", "velocity", "(t)"):
        model.motor("drive", pin, velocity=lambda t, x, v: 0)
    with refused("motor 'drive'", "position", "not a vector"):
        model.motor("drive", pin, position=(1, 2, 3))
    with refused("motor 'drive'", "velocity", "finite"):
        model.motor("drive", pin, velocity=math.inf)
    with refused("motor 'drive'", "not a joint"):
        model.motor("drive", rod, velocity=1)
    with refused("motor 'drive'", "unknown option speed="):
        model.motor("drive", pin, speed=1)
    ball = model.ball("ball", "ground", rod, at=(0, 0, 0))
    with refused("motor 'drive'", "ball joint 'ball' has 3 coordinates", "revolute, prismatic or screw"):
        model.motor("drive", ball, velocity=1)


def test_refused_repeaters(model: Model, pin: Joint, refused) -> None:
    axle = second(model)
    with refused("repeater 'gear'", "'pin' would follow itself", "two different joints"):
        model.repeater("gear", pin, pin)
    with refused("repeater 'gear'", "ratio is zero", "ratio="):
        model.repeater("gear", pin, axle, ratio=0)
    with refused("repeater 'gear'", "ratio", "finite"):
        model.repeater("gear", pin, axle, ratio=math.nan)
    with refused("repeater 'gear'", "no 'axel'", "'axle'"):
        model.repeater("gear", pin, "axel")
    with refused("repeater 'gear'", "unknown option rate="):
        model.repeater("gear", pin, axle, rate=2)
