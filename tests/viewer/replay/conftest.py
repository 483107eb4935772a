"""One replay page for many tests."""

import numpy as np
import pytest

from linkwork.simulation.results.judging.certificate import Certificate
from replayed_page import SIZE, opened, resize

NO_IMPULSE = {"impulse": [0.0] * 6, "energy": 0.0}
EVENTS = [
    {"time": 1.0, "what": "released", "joint": "pin", "kind": "revolute", "a": "block", "b": "arm", **NO_IMPULSE},
    {"time": 2.0, "what": "attached", "joint": "hold", "kind": "ball", "a": "block", "b": "ball", **NO_IMPULSE}
    | {"position": [-0.35, 0.0, 0.3], "axis": [0.0, 0.0, 1.0]},
]


@pytest.fixture(scope="session")
def replayed(lodge, swing, tmp_path_factory, bundled):
    """The arm is released at 1 s; at 2 s the ball is attached. A motor has a torque."""
    file = tmp_path_factory.mktemp("page") / "replay.html"
    loads = {"pin.reaction": np.tile([0, 0, -19.62, 0, 3.0, 0], (401, 1)), "motor.torque": np.linspace(0.0, 8.0, 401)}
    certificate = Certificate(method="recursive", integrator="rk4", dt=0.01, events=EVENTS)
    units = {"motor.torque": "N m"}
    swing(certificate=certificate, columns={**swing().columns, **loads}, units=units).replay(file)
    return opened(lodge, file)


@pytest.fixture
def page(replayed):
    """Each test finds it paused, at its first view, with nothing selected."""
    if (replayed.viewport_size["width"], replayed.viewport_size["height"]) != SIZE:
        resize(replayed)
    replayed.evaluate("linkwork.pause(), linkwork.select(), linkwork.selection.showAll(), linkwork.look('home')")
    replayed.evaluate("linkwork.panel.open(null), linkwork.fit(), linkwork.seek(0)")
    return replayed
