"""A flywheel to step, and a stand-in for the page, for several tests of the live page."""

import linkwork as lw
from linkwork.viewer.live.shared_frame import SharedFrame

MOMENT = 0.5 * 2.0 * 0.3**2


def flywheel():
    """A flywheel on a torque that is a number, so that it is an input."""
    model = lw.Model("flywheel")
    wheel = model.body("wheel", mass=2.0, shape=lw.Cylinder(0.3, 0.1))
    pin = model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", pin, 0.0)
    return model


def make(method=None, dt=None):
    return lw.Simulation(flywheel(), method or "recursive", dt=dt or 1e-3)


class PageStub:
    """Stands for the page: keeps what is sent to it."""

    alive = True

    def __init__(self, stage):
        self.frame, self.sent = SharedFrame(len(stage.names), len(stage.joints())), []

    def send(self, *message):
        self.sent.append(message)
