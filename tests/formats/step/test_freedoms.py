"""Kinds of joints from the shapes of two or three parts."""

import math

import numpy as np
import pytest

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.step.cad import ball, bodies_of, bolt, box, cylinder, joined, nut, prism, without
from linkwork.formats.step.search import Search

X, Y, Z = np.eye(3)


def search(**shapes):
    return Search(bodies_of(**shapes))


def only_joint(**shapes):
    """The one joint between the groups."""
    found = search(**shapes)
    assert len(found.hinges) == 1
    return found.hinges[0].freedom


def welds(found):
    return {frozenset((found.bodies[each.a].path, found.bodies[each.b].path)) for each in found.welds if each.needed}


def plate(*holes, high=10, low=0):
    return without(box((-30, -30, low), (30, 30, high)), *holes)


def test_a_shaft_in_a_bore_is_cylindrical():
    joint = only_joint(plate=plate(cylinder((5, 0, -1), Z, 6, 20)), rod=cylinder((5, 0, -40), Z, 6, 100))
    assert joint.kind == "cylindrical"
    assert joint.axis.tolist() == [0, 0, 1]
    assert np.allclose(joint.at, (0.005, 0, 0.005), atol=1e-12)
    assert joint.confidence >= 0.8


def test_a_shoulder_on_one_side_leaves_it_cylindrical():
    shaft = joined(cylinder((0, 0, -40), Z, 6, 60), cylinder((0, 0, 10), Z, 9, 8))
    joint = only_joint(plate=plate(cylinder((0, 0, -1), Z, 6, 20)), rod=shaft)
    assert joint.kind == "cylindrical"
    assert "one side only" in joint.reason


def test_shoulders_on_both_sides_make_it_revolute():
    ends = [cylinder((0, 0, 10), Z, 9, 8), cylinder((0, 0, -8), Z, 9, 8)]
    shaft = joined(cylinder((0, 0, -20), Z, 6, 60), *ends)
    joint = only_joint(plate=plate(cylinder((0, 0, -1), Z, 6, 20)), rod=shaft)
    assert joint.kind == "revolute"
    assert joint.confidence >= 0.9


@pytest.mark.parametrize(("radius", "held"), [(5.95, True), (5.6, False), (6.05, True)])
def test_radii_must_fit(radius, held):
    found = search(plate=plate(cylinder((0, 0, -1), Z, 6, 20)), rod=cylinder((0, 0, -40), Z, radius, 100))
    assert bool(found.hinges) == held


def test_a_shaft_beside_its_bore_is_no_joint():
    found = search(plate=plate(cylinder((0, 0, -1), Z, 6, 20)), rod=cylinder((0, 0, 12), Z, 6, 100))
    assert not found.hinges


def test_a_ball_in_a_socket():
    stem = joined(ball((0, 0, 10), 8), cylinder((0, 0, 10), Z, 3, 40))
    joint = only_joint(socket=without(plate(), ball((0, 0, 10), 8)), stem=stem)
    assert joint.kind == "ball"
    assert np.allclose(joint.at, (0, 0, 0.01), atol=1e-12)


def test_a_plane_on_a_plane():
    joint = only_joint(table=plate(), puck=box((-5, -5, 10), (5, 5, 15)))
    assert joint.kind == "planar"
    assert abs(joint.axis @ Z) == pytest.approx(1.0)
    assert joint.at[2] == pytest.approx(0.01)


def test_planes_that_face_each_other_at_a_distance_do_not_touch():
    assert not search(table=plate(), puck=box((-5, -5, 10.5), (5, 5, 15))).hinges
    assert not search(table=plate(), puck=box((35, -5, 10), (45, 5, 15))).hinges


def test_a_slider_in_a_guide():
    guide = without(box((-50, -20, 0), (50, 20, 20)), box((-60, -8, 10), (60, 8, 30)))
    joint = only_joint(guide=guide, slider=box((-10, -8, 10), (10, 8, 18)))
    assert joint.kind == "prismatic"
    assert joint.axis.tolist() == [1, 0, 0]


def test_a_slider_at_the_end_of_its_way_still_slides():
    guide = without(box((-50, -20, 0), (50, 20, 20)), box((-30, -8, 10), (60, 8, 30)))
    joint = only_joint(guide=guide, slider=box((-30, -8, 10), (-10, 8, 18)))
    assert joint.kind == "prismatic"
    assert joint.axis.tolist() == [1, 0, 0]
    assert "stop" in joint.reason


def test_two_rods_guide_a_carriage():
    bores = [cylinder((-40, y, 5), X, 4, 80) for y in (-15, 15)]
    rods = joined(box((-60, -20, 0), (-50, 20, 10)), *(cylinder((-55, y, 5), X, 4, 110) for y in (-15, 15)))
    joint = only_joint(carriage=plate(*bores), rails=rods)
    assert joint.kind == "prismatic"
    assert joint.axis.tolist() == [1, 0, 0]


def test_a_flat_on_a_shaft_takes_it_along():
    flat = box((4, -10, -100), (10, 10, 100))
    bore = without(cylinder((0, 0, -1), Z, 6, 20), flat)
    joint = only_joint(wheel=plate(bore), shaft=without(cylinder((0, 0, -40), Z, 6, 100), flat))
    assert joint.kind == "prismatic"
    assert joint.axis.tolist() == [0, 0, 1]


def test_a_stop_far_from_the_hinge_does_not_lock_it():
    door = without(box((-10, -4, 0), (80, 4, 40)), cylinder((0, 0, -1), Z, 2, 60))
    frame = joined(
        cylinder((0, 0, -10), Z, 2, 60),
        box((-10, -4, -10), (80, 4, 0)),
        box((-10, -4, 40), (4, 4, 50)),
        box((60, 4, -10), (80, 10, 40)),
    )
    joint = only_joint(frame=frame, door=door)
    assert joint.kind == "revolute"


def test_two_dowels_and_a_plane_fix_a_cover():
    pegs = [cylinder((x, 0, 5), Z, 3, 15) for x in (-20, 20)]
    cover = without(box((-30, -30, 10), (30, 30, 15)), *(cylinder((x, 0, 0), Z, 3, 30) for x in (-20, 20)))
    found = search(base=joined(plate(), *pegs), cover=cover)
    assert not found.hinges
    assert welds(found) == {frozenset(("base", "cover"))}


def test_bolts_are_known_by_their_hexagon():
    found = search(part_7=bolt(3, 30), part_8=nut(3, 5), part_9=cylinder((100, 0, 0), Z, 3, 10))
    assert found.fasteners == {0, 1}


def test_a_socket_screw_is_known_by_its_hexagon():
    hexagon = [(2.5 * math.cos(k * math.pi / 3), 2.5 * math.sin(k * math.pi / 3), 2) for k in range(6)]
    head = joined(cylinder((0, 0, -20), Z, 3, 20), cylinder((0, 0, 0), Z, 5, 6))
    assert search(part=without(head, prism(hexagon, (0, 0, 6)))).fasteners == {0}


@pytest.mark.parametrize(
    ("name", "fastener"),
    [("M6x20", True), ("DIN_912_screw", True), ("Nut_M8", True), ("minute_hand", False), ("lead_screw", False)],
)
def test_fasteners_are_known_by_name(name, fastener):
    assert (search(**{name: cylinder((0, 0, 0), Z, 3, 20)}).fasteners == {0}) == fastener


def test_two_bolts_fix_plates_and_give_no_hinges():
    holes = [cylinder((x, 0, -1), Z, 3.3, 60) for x in (-20, 20)]
    tapped = [cylinder((x, 0, -1), Z, 3, 60) for x in (-20, 20)]
    upper = without(box((-30, -30, 10), (30, 30, 20)), *holes)
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform

    from formats.step.cad import moved

    bolts = [BRepBuilderAPI_Transform(bolt(3, 18), moved((x, 0, 20)), True).Shape() for x in (-20, 20)]
    found = search(base=plate(*tapped), upper=upper, left=bolts[0], right=bolts[1])
    assert not found.hinges
    assert welds(found) == {frozenset(pair) for pair in (("base", "left"), ("base", "right"), ("base", "upper"))}
    assert [each.confidence for each in found.welds if "clamped by 2" in each.reason] == [0.95]


def test_a_pin_belongs_to_the_fork_and_the_rod_turns_on_it():
    fork = without(box((-10, -20, -10), (10, 20, 10)), box((-20, -6, -20), (5, 6, 20)), cylinder((0, -30, 0), Y, 3, 60))
    rod = without(box((-40, -6, -5), (4, 6, 5)), cylinder((0, -30, 0), Y, 3, 60))
    found = search(fork=fork, rod=rod, pin=cylinder((0, -20, 0), Y, 3, 40))
    assert welds(found) == {frozenset(("fork", "pin"))}
    assert [each.freedom.kind for each in found.hinges] == ["revolute"]


def test_a_bearing_of_one_solid_stands_in_its_seat():
    ring = without(cylinder((0, 0, 0), Z, 12, 8), cylinder((0, 0, -1), Z, 6, 20))
    seat = without(box((-20, -20, 0), (20, 20, 8)), cylinder((0, 0, -1), Z, 12, 20))
    found = search(seat=seat, bearing_6001=ring, shaft=cylinder((0, 0, -30), Z, 6, 60))
    assert welds(found) == {frozenset(("seat", "bearing 6001"))}
    assert [each.freedom.kind for each in found.hinges] == ["revolute"]


def test_a_bearing_with_balls():
    from formats.step.cad import torus

    groove = torus((0, 0, 4), Z, 9, 2)
    outer = without(cylinder((0, 0, 0), Z, 12, 8), cylinder((0, 0, -1), Z, 10, 20), groove)
    inner = without(cylinder((0, 0, 0), Z, 8, 8), cylinder((0, 0, -1), Z, 6, 20), groove)
    balls = {f"b{k}": ball((9 * math.cos(k), 9 * math.sin(k), 4), 2) for k in range(3)}
    seat = without(box((-20, -20, 0), (20, 20, 8)), cylinder((0, 0, -1), Z, 12, 20))
    found = search(seat=seat, p=outer, q=inner, shaft=cylinder((0, 0, -30), Z, 6, 60), **balls)
    pairs = [("seat", "p"), ("shaft", "q"), ("p", "b0"), ("p", "b1"), ("p", "b2")]
    assert welds(found) == {frozenset(pair) for pair in pairs}
    assert [each.freedom.kind for each in found.hinges] == ["revolute"]
    assert found.hinges[0].freedom.reason == "a bearing"


def test_a_roller_between_two_plates_turns():
    plates = joined(
        without(box((-30, -30, 0), (30, 30, 5)), cylinder((0, 0, -1), Z, 4, 100)),
        without(box((-30, -30, 50), (30, 30, 55)), cylinder((0, 0, -1), Z, 4, 100)),
        box((20, -30, 0), (30, 30, 55)),
    )
    roller = joined(cylinder((0, 0, 0), Z, 4, 55), cylinder((0, 0, 5), Z, 10, 45))
    joint = only_joint(frame=plates, roller=roller)
    assert joint.kind == "revolute"
    assert joint.axis.tolist() == [0, 0, 1]
