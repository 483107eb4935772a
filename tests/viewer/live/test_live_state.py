"""What the page shows of a simulation: its size, and the methods that can run it."""

import linkwork as lw
from flywheel import flywheel, make
from linkwork.viewer.live.live_state import methods_for, preview


def test_methods_that_can():
    assert "recursive" in methods_for(make())
    model = flywheel()
    model.motor("motor", model["pin"], velocity=1.0, max_torque=1.0)
    assert set(methods_for(lw.Simulation(model, "recursive", ignore=["motors"]))) == {"impulse", "maximal"}


def test_a_preview_is_as_large_as_the_motion():
    """The pendulum starts at x = -1 and swings over to +1."""
    stage = preview(lambda: lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3))
    assert stage.low[0] < -0.99
    assert stage.high[0] > 0.9
