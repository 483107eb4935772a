"""Bodies without mass: welded ones move with their neighbours in every method, and their welds tell true loads."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.massless import loans

TURNED = lw.Frame.along((1.0, 0.2, 0.0)).rotation


def robot(scale: float = 1.0, weight: float = 1.0) -> lw.Model:
    """Base, flange and adapter have no mass; one weld leads from outside in. A spring pulls at the flange."""

    def at(*point):
        return tuple(scale * x for x in point)

    model = lw.Model("robot")
    base = model.body("base", mass=0, position=at(0.1, 0.2, 0))
    model.fixed("base weld", "ground", base, at=at(0.1, 0.2, 0))
    inertia = weight * scale**2 * np.array([0.1, 0.2, 0.15])
    arm = model.body("arm", mass=2.0 * weight, inertia=inertia, com=at(0.2, 0.1, -0.3), position=at(0, 0, 0.5))
    model.revolute("shoulder", base, arm, at=at(0, 0, 0.5), axis=(0, 1, 0), position=0.4, velocity=1.0)
    flange = model.body("flange", mass=0, position=at(0.3, 0, 0), rotation=TURNED)
    model.fixed("flange weld", arm, flange)
    adapter = model.body("adapter", mass=0, position=at(0.4, 0.1, 0))
    model.fixed("adapter weld", adapter, flange)
    tool = model.body("tool", mass=0.5 * weight, inertia=inertia / 10, com=at(0, 0, -0.2), position=at(0.4, 0.1, 0))
    model.revolute("wrist", adapter, tool, at=at(0.4, 0.1, 0), axis=(1, 0, 0), position=0.3)
    stiffness = 20.0 * weight
    model.spring("cord", "ground", flange, stiffness=stiffness, length=scale * 0.2, at_b=at(0.1, 0.1, 0.1))
    return model


def agree(model: lw.Model, method: str, dt: float, tolerance: float) -> None:
    first = lw.simulate(model, until=100 * dt, dt=dt, method="recursive")
    other = lw.simulate(model, until=100 * dt, dt=dt, method=method)
    for name in first.names:  # by the largest of its kind, as some stand still
        size = max(np.abs(first[each]).max(initial=0.0) for each in first.matching(f"*.{name.rpartition('.')[2]}"))
        assert np.abs(other[name] - first[name]).max() < tolerance * size, name
    balance = np.abs(first.energy["kinetic"]).max()
    assert np.abs(other.energy["total"] - first.energy["total"]).max() < tolerance * balance


@pytest.mark.parametrize("method", ["absolute", "component"])
@pytest.mark.parametrize(("scale", "weight"), [(1.0, 1.0), (1e-3, 1e-6), (1e3, 1e6)])
def test_welded_bodies_without_mass_move_with_their_neighbours(method, scale, weight):
    agree(robot(scale, weight), method, 1e-3 * min(1.0, scale**0.5), 1e-7)


@pytest.mark.parametrize("method", ["hybrid", "global"])
def test_implicit_methods_know_them_too(method):
    agree(robot(), method, 1e-3, 1e-4)


def rack() -> lw.Model:
    """A point mass that slides in a turning arm, with a thin rod welded to it; another on the ground; a spring."""
    model = lw.Model("rack")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0.2, 0.1, -0.3), rotation=TURNED)
    model.ball("socket", "ground", arm, at=(0, 0, 0.5), velocity=(0.5, 1.0, 2.0))
    slider = model.body("rack", mass=0.7, inertia=0, com=(0.1, 0, 0), position=(0.3, 0.1, 0))
    model.prismatic("rail", slider, arm, at=(0.3, 0, 0), axis=(0, 1, 0.3), stiffness=40.0)
    rod = model.body("rod", mass=0.2, inertia=(0.01, 0.01, 0.0), position=(0.4, 0, 0))
    model.fixed("weld", slider, rod)
    block = model.body("block", mass=1.0, inertia=0, position=(2, 0, 0))
    model.prismatic("bed", "ground", block, axis=(1, 0, 1), stiffness=50.0)
    model.spring("cord", block, rod, stiffness=20.0, length=0.2, at_b=(0.1, 0.1, 0.1))
    return model


@pytest.mark.parametrize("method", ["absolute", "component"])
def test_a_point_mass_that_slides_in_a_body_turns_with_it(method):
    agree(rack(), method, 1e-3, 1e-7)


def test_their_welds_carry_what_hangs_on_them():
    """A lamp of 2 kg on a bracket without mass at the wall, at 0.5 m: 19.62 N up, and the torque of that."""
    model = lw.Model("lamp")
    bracket = model.body("bracket", mass=0, position=(0.3, 0, 1))
    model.fixed("wall", "ground", bracket, at=(0, 0, 1))
    lamp = model.body("lamp", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.2), position=(0.5, 0, 1))
    model.ball("hook", bracket, lamp, at=(0.5, 0, 1))
    for method in ("recursive", "absolute", "component", "maximal"):
        run = lw.simulate(model, until=0.01, dt=1e-3, method=method)
        assert run["wall.reaction"][-1] == pytest.approx([0, 0, 19.62, 0, -9.81, 0], abs=1e-6), method
        assert run["bracket.position"][-1] == pytest.approx([0.3, 0, 1])
        assert run.energy["potential"][0] == pytest.approx(2.0 * 9.81 * 0.8)


def test_check_tells_of_them():
    notes = lw.check(robot()).notes
    assert any("'flange' has no mass; it moves with 'arm', welded to it by 'flange weld'" in note for note in notes)
    assert [(loan.body.path, loan.lender.path, len(loan.joints)) for loan in loans(robot())] == [
        ("base", "ground", 1),
        ("flange", "arm", 1),
        ("adapter", "arm", 2),
    ]


def test_a_ring_without_mass_between_two_hinges_is_a_universal_joint():
    def top(ring: bool) -> lw.Model:
        model = lw.Model("top")
        body = model.body("body", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0, 0, -0.3))
        if not ring:
            model.universal("cross", "ground", body, at=(0, 0, 0), axis=((1, 0, 0), (0, 1, 0)), position=(0.2, 0.3))
            return model
        middle = model.body("ring", mass=0)
        model.revolute("outer", "ground", middle, at=(0, 0, 0), axis=(1, 0, 0), position=0.2)
        model.revolute("inner", middle, body, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
        return model

    runs = [lw.simulate(top(ring), until=1.0, dt=0.01, method="recursive") for ring in (True, False)]
    assert runs[0]["body.rotation"] == pytest.approx(runs[1]["body.rotation"], abs=1e-12)


def test_welds_that_come_and_go_in_a_run():
    ends = []
    for method in ("recursive", "absolute"):
        sim = lw.Simulation(robot(), method, dt=1e-3)
        sim.step(50)
        sim.attach("ground", "adapter", "fixed", name="clamp")
        sim.step(20)
        sim.release("clamp")
        sim.step(20)
        ends.append([sim["tool.position"], sim["flange weld.reaction"]])
    assert ends[1][0] == pytest.approx(ends[0][0], abs=1e-9)
    assert ends[1][1] == pytest.approx(ends[0][1], abs=1e-6)


def test_a_shape_without_mass_is_no_ground():
    model = lw.Model("plate")
    model.body("plate", mass=0, shape=lw.Box((1, 1, 0.1)))
    with pytest.raises(lw.ModelError, match="is no ground"):
        model.plane("top", on="plate")


def test_a_weld_that_closes_a_loop_tells_its_load_or_is_refused():
    def leg(cut: bool) -> lw.Model:
        model = lw.Model("leg")
        thigh = model.body("thigh", mass=1.0, inertia=(0.1, 0.2, 0.1), com=(0, 0, -0.5))
        model.revolute("hip", "ground", thigh, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
        knee = model.body("knee", mass=0, position=(0, 0, -1))
        model.fixed("weld", thigh, knee, cut=cut)
        shank = model.body("shank", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.3), position=(0, 0, -1))
        model.revolute("hinge", knee, shank, at=(0, 0, -1), axis=(0, 1, 0))
        return model

    first = lw.simulate(leg(False), until=0.1, dt=1e-3, method="recursive")
    other = lw.simulate(leg(True), until=0.1, dt=1e-3, method="absolute")
    assert other["weld.reaction"] == pytest.approx(first["weld.reaction"], abs=1e-9)
    with pytest.raises(lw.OptionError, match="'weld' closes a loop"):
        lw.simulate(leg(True), until=0.1, method=lw.Components(coordinates="joint", dt=1e-3))
    same = lw.simulate(leg(False), until=0.1, method=lw.Components(coordinates="joint", dt=1e-3))
    assert same["weld.reaction"] == pytest.approx(first["weld.reaction"], abs=1e-9)
