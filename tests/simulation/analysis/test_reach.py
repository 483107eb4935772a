"""Inverse kinematics against closed forms: open arms, loops, platforms, floating bases; limits, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of
from linkwork.gallery import puma
from posed_mechanisms import LOWER, UPPER, arm, jack_lengths, stewart, two_link, wrist_angles
from random_mechanisms import random_tree

TIP = {"hand": (LOWER, 0, 0)}
SCALES = (1e-3, 1.0, 1e3)


def crank_tip(angle: float) -> tuple[float, float, float]:
    """Where the coupler of `four_bar` begins."""
    return 0.4 * math.cos(angle), 0.0, 0.4 * math.sin(angle)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bend", [1.0, -1.0])
def test_two_links_reach_a_point_on_the_branch_nearby(scale: float, bend: float) -> None:
    target = {"hand": (0.5 * scale, 0, 0.3 * scale)}
    pose = lw.reach(arm(scale), target, at={"hand": (LOWER * scale, 0, 0)}, near={"joint 1": bend})
    assert [pose["joint 0"], pose["joint 1"]] == pytest.approx(two_link(0.5, 0.3, bend), abs=1e-13)
    assert pose.iterations <= 8
    assert pose.error < 1e-12
    assert pose.bodies["hand"].point((LOWER * scale, 0, 0)) == pytest.approx(target["hand"], abs=1e-13 * scale)


def test_every_pose_of_the_puma_is_found_from_a_neighbour() -> None:
    system = lw.assemble(puma.arm())
    hand = lw.Frame(*lw.forward_kinematics(system, [0.4, -1.1, -0.8, -0.5, -0.6, 0.3])["hand"])
    for exact in wrist_angles(hand):
        near = dict(zip(system.joint_names, exact + 0.2 * np.cos(np.arange(6)), strict=True))
        pose = lw.reach(system, {"hand": hand}, near=near)
        assert np.abs(pose.q - exact).max() < 1e-13
        assert pose.iterations <= 8


def test_convergence_is_quadratic() -> None:
    system = lw.assemble(puma.arm())
    hand = lw.Frame(*lw.forward_kinematics(system, [0.4, -1.1, -0.8, -0.5, -0.6, 0.3])["hand"])
    counts = []
    for far in (1e-1, 1e-3, 1e-6):
        exact = wrist_angles(hand)[0]
        near = dict(zip(system.joint_names, exact + far * np.cos(np.arange(6)), strict=True))
        counts.append(lw.reach(system, {"hand": hand}, near=near).iterations)
    assert counts[1] <= 3
    assert counts[2] <= 2
    assert counts[0] <= 5


@pytest.mark.parametrize("cut", ["rocker", "crank", "foot"])
def test_a_four_bar_goes_where_its_coupler_is_led(cut: str) -> None:
    """Whichever joint closes the loop; all hinges are at zero where the crank stands at 1 rad."""
    model, pose = four_bar(cut=cut), None
    for angle in (1.2, 1.6, 2.2, 2.8, 3.4):
        pose = lw.reach(model, {"coupler bar": crank_tip(angle)}, near=pose)
        assert pose["crank"] == pytest.approx(angle - 1.0, abs=1e-12)
        bars = lw.gallery, pose.bodies["rocker bar"], pose.bodies["coupler bar"]
        assert np.linalg.norm(bars[1].point((0.8, 0, 0)) - bars[2].point((1.1, 0, 0))) < 1e-12
        assert pose.iterations <= 8


@pytest.mark.parametrize("scale", SCALES)
def test_a_platform_on_six_jacks(scale: float) -> None:
    system, rng, pose = lw.assemble(stewart(scale)), np.random.default_rng(4), None
    rest = jack_lengths(lw.Frame((0, 0, scale)), scale)
    for _ in range(6):
        frame = lw.Frame((np.array([0, 0, 1.05]) + rng.uniform(-0.15, 0.15, 3)) * scale, (1, *rng.normal(0.0, 0.1, 3)))
        pose = lw.reach(system, {"top": frame}, near=pose)
        found = rest + [pose[f"jack {k}"] for k in range(6)]
        assert found == pytest.approx(jack_lengths(frame, scale), rel=1e-13)
        assert pose.iterations <= 8
        assert pose.error < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_go_back_to_where_they_were(seed: int) -> None:
    system, rng = lw.assemble(random_tree(seed, 5)), np.random.default_rng(seed)
    near = lw.reach(
        system, {system.body_names[0]: lw.forward_kinematics(system, system.q_start)[system.body_names[0]][0]}
    )
    there = lw.integrate(system, near.q, rng.uniform(-0.2, 0.2, system.nv), 1.0)
    frames = {name: lw.Frame(*pose) for name, pose in lw.forward_kinematics(system, there).items()}
    pose = lw.reach(system, frames, near=near)
    assert pose.iterations <= 8
    for name, frame in frames.items():
        assert pose.bodies[name].position == pytest.approx(frame.position, abs=1e-11)
        assert pose.bodies[name].matrix == pytest.approx(frame.matrix, abs=1e-11)


@pytest.mark.parametrize("kind", CLOSING)
def test_loops_around_every_kind_of_joint(kind: str) -> None:
    model = loop_of(kind, "joint 0")
    run = lw.simulate(model, until=0.1, dt=1e-3, method="recursive")
    name = "body 1"
    frame = lw.Frame(run[f"{name}.position"][-1], run[f"{name}.rotation"][-1])
    pose = lw.reach(model, {name: frame}, tolerance=1e-8)
    assert pose.iterations <= 10
    again = lw.simulate(model, until=1e-3, dt=1e-3, method="recursive", start=pose)
    assert again["drift.position"][0] < 1e-11
    if kind != "fixed":
        assert again["joint 0.position"][0] == pytest.approx(pose["joint 0"], abs=1e-11)


def test_far_from_the_origin_rounding_decides() -> None:
    model = lw.Model("far")
    model.body("bar", mass=1.0, inertia=(1, 1, 1), position=(1e4, 0, 0))
    model.revolute("pin", "ground", "bar", at=(1e4 - 1e-2, 0, 0), axis=(0, 0, 1))
    pose = lw.reach(model, {"bar": (1e4 - 1e-2, 1e-2, 0)}, near={"pin": 1.2})
    assert pose["pin"] == pytest.approx(math.pi / 2, abs=1e-9)


def test_a_floating_base_moves_too_unless_it_is_held() -> None:
    model = arm(base=True)
    target = {"hand": (0.3, 0.0, 0.6)}
    held = lw.reach(model, target, at=TIP, hold=["float"])
    assert np.array_equal(held["float"], [0, 0, 0, 1, 0, 0, 0])
    assert [held["joint 0"], held["joint 1"]] == pytest.approx(two_link(0.3, 0.6, 1.0), abs=1e-12)
    away = lw.reach(model, {"hand": (3.0, 2.0, 1.0)}, at=TIP)
    assert away.bodies["hand"].point(TIP["hand"]) == pytest.approx([3, 2, 1], abs=1e-12)
    stiff = lw.reach(model, target, at=TIP, hold=["joint 0", model.joints["joint 1"]])
    assert (stiff["joint 0"], stiff["joint 1"]) == (0.3, 0.3)
    body = lw.reach(model, target, at=TIP, hold=[model.bodies["base"]])
    assert body.bodies["base"].position == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_body_without_joints_is_held_by_its_name() -> None:
    model = arm()
    model.body("stone", mass=1.0, inertia=(1, 1, 1), position=(1, 1, 1))
    pose = lw.reach(model, {"hand": (0.5, 0, 0.3)}, at=TIP, hold=["stone"])
    assert np.array_equal(pose["stone free"][:3], [1, 1, 1])
    pose = lw.reach(model, {"hand": (0.5, 0, 0.3), "stone": lw.Frame((2, 0, 0), (0, 1, 0, 0))}, at=TIP)
    assert pose.bodies["stone"].point((0, 1, 0)) == pytest.approx([2, -1, 0], abs=1e-12)


def test_held_joints_of_a_loop_keep_their_coordinates() -> None:
    near = lw.reach(stewart(), {"top": lw.Frame((0.05, 0, 1.02))})
    for held in (["jack 1", "jack 4"], ["head 3"]):
        pose = lw.reach(stewart(), {"top": (0.1, 0.05, 1.05)}, hold=held, near=near)
        for joint in held:
            assert pose[joint] == pytest.approx(near[joint], abs=1e-13)
        assert pose.bodies["top"].position == pytest.approx([0.1, 0.05, 1.05], abs=1e-12)


def test_redundant_joints_move_by_the_least() -> None:
    model, shift = arm(links=4), 1e-6
    near = lw.reach(model, {"hand": (0.7, 0, 0.9)}, at=TIP)
    pose = lw.reach(model, {"hand": (0.7 + shift, 0, 0.9)}, at=TIP, near=near)
    J = lw.jacobian(lw.assemble(model), near.q, "hand", TIP["hand"])[3:]
    assert pose.q - near.q == pytest.approx(np.linalg.pinv(J, rcond=1e-9) @ [shift, 0, 0], abs=1e-11)


def test_limits_are_kept_and_other_joints_take_over() -> None:
    free, kept = (
        lw.reach(arm(links=4, **limits), {"hand": (0.2, 0, 0.5)}, at=TIP) for limits in ({}, {"limits": (-1.45, 1.45)})
    )
    assert max(free[f"joint {k}"] for k in (1, 2, 3)) > 1.5
    assert max(kept[f"joint {k}"] for k in (1, 2, 3)) <= 1.45 + 1e-12
    assert kept.error < 1e-12


def test_a_limit_that_keeps_the_hand_away_is_named() -> None:
    model = arm(limits=(0.2, 1.0))
    nearest = math.sqrt(UPPER**2 + LOWER**2 + 2 * UPPER * LOWER * math.cos(1.0))
    away = nearest - math.hypot(0.5, 0.3)
    with pytest.raises(lw.RunError, match=rf"'hand'.* stays {away:.3g} m .*'joint 1' is at its limit 1 rad") as caught:
        lw.reach(model, {"hand": (0.5, 0, 0.3)}, at=TIP)
    assert caught.value.culprit == "hand"
    with pytest.raises(lw.RunError, match="'jack 0', 'jack 1', .* are at their limits"):
        lw.reach(stewart(stroke=(-0.1, 0.1)), {"top": lw.Frame((0, 0, 1.3))})


def test_limits_of_a_joint_that_closes_a_loop() -> None:
    free = lw.reach(four_bar(), {"coupler bar": crank_tip(1.5)})
    system = lw.assemble(four_bar())
    assert system.cut_names == ["rocker"]
    assert free["rocker"] > 0.2
    model = four_bar(cut="rocker", start={"rocker": {"limits": (-0.2, 0.2)}})
    assert lw.reach(model, {"coupler bar": crank_tip(1.3)})["crank"] == pytest.approx(0.3, abs=1e-12)
    with pytest.raises(lw.RunError, match="joint 'rocker' is at its limit 0.2 rad"):
        lw.reach(model, {"coupler bar": crank_tip(1.5)})


def test_out_of_reach_says_how_far() -> None:
    with pytest.raises(lw.RunError, match="'hand' of 'arm' stays 0.1 m away .* out of reach"):
        lw.reach(arm(), {"hand": (UPPER + LOWER + 0.1, 0, 0)}, at=TIP)
    with pytest.raises(lw.RunError, match=r"0\.0001 m"):
        lw.reach(arm(), {"hand": (0, 0, UPPER + LOWER + 1e-4)}, at=TIP)
    with pytest.raises(lw.RunError, match="only a point"):
        lw.reach(arm(), {"hand": lw.Frame((0.5, 0, 0.1), (1, 1, 0, 0))})
    with pytest.raises(lw.RunError, match="all joints are held"):
        lw.reach(arm(), {"hand": (0.5, 0, 0.3)}, hold=["joint 0", "joint 1"])
    loose = lw.reach(arm(), {"hand": (UPPER + LOWER + 1e-4, 0, 0)}, at=TIP, tolerance=1e-3)
    assert 1e-5 < loose.error < 1e-3


def test_a_stretched_arm_folds() -> None:
    """Laid out flat it shows no way inwards."""
    pose = lw.reach(arm(), {"hand": (0.5, 0, 0)}, at=TIP, near={"joint 0": 0.0, "joint 1": 0.0})
    assert abs(pose["joint 1"]) == pytest.approx(two_link(0.5, 0.0, 1.0)[1], abs=1e-12)


def test_a_loop_that_cannot_close_is_named() -> None:
    model = lw.Model("lift")
    model.moving_ground("shaft", lw.Motion(position=(0, 0, lambda t: 5.0 * t)))
    model.body("rod", mass=1.0, inertia=(1, 1, 1), position=(0.5, 0, 0))
    model.body("link", mass=1.0, inertia=(1, 1, 1), position=(1.5, 0, 0))
    model.ball("low", "ground", "rod", at=(0, 0, 0))
    model.ball("mid", "rod", "link", at=(1, 0, 0))
    model.ball("high", "shaft", "link", at=(1, 1, 0), cut=True)
    near = lw.reach(model, {"rod": (0.5, 0, 0)})
    with pytest.raises(lw.RunError, match="the loop that joint 'high' closes cannot close there"):
        lw.reach(model, {"rod": (0.5, 0, 0)}, near=near, time=1.0)
    z = (0.925 + math.sqrt(0.925**2 + 5 * 0.104375)) / 2.5  # the end of the rod, 1 m from (1, 1, 0.5)
    lifted = lw.reach(model, {"rod": (0.4625 - 0.25 * z, 0.1, 0.5 * z)}, near=near, time=0.1)
    assert lifted.bodies["link"].point((-0.5, 1.0, 0.0)) == pytest.approx([1, 1, 0.5], abs=1e-12)


def test_followers_of_repeaters_follow() -> None:
    model = arm(links=3)
    model.repeater("belt", "joint 1", "joint 2", ratio=-0.5)
    pose = lw.reach(model, {"hand": (0.9, 0, 0.5)}, at=TIP)
    assert pose["joint 2"] - 0.3 == pytest.approx(-0.5 * (pose["joint 1"] - 0.3), abs=1e-12)


def test_a_pose_is_a_start_and_a_neighbour() -> None:
    model = four_bar(start={"rocker": {"position": 0.1}})  # a start value of the loop's joint does not hold there
    pose = lw.reach(model, {"coupler bar": crank_tip(1.8)})
    for method in ("recursive", "absolute"):
        sim = lw.Simulation(model, method, start=pose)
        for joint in pose:
            assert sim[f"{joint}.position"] == pytest.approx(pose[joint], abs=1e-12)
    sim = lw.Simulation(model, "recursive")
    sim.reset(joints=pose)
    assert sim["crank.position"] == pytest.approx(0.8, abs=1e-12)
    run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive", start=pose)
    assert run["coupler bar.position"][0] == pytest.approx(crank_tip(1.8), abs=1e-12)
    assert lw.reach(model, {"coupler bar": crank_tip(1.8)}, near=pose).iterations == 0
    assert lw.reach(model, {"coupler bar": crank_tip(1.8)}, near=lw.equilibrium(model)).error < 1e-12


def test_a_pose_reads_like_a_dictionary() -> None:
    model = stewart()
    pose = lw.reach(model, {model.bodies["top"]: lw.Frame((0, 0, 1.05))})
    assert set(pose) == set(model.joints)
    assert pose[model.joints["jack 2"]] == pose["jack 2"] == pose.positions["jack 2"]
    assert pose["head 1"].shape == (4,)
    assert "'stewart'" in repr(pose)
    assert len({pose, pose}) == 1


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"targets": {"hannd": (0, 0, 0)}}, "no body 'hannd'; did you mean 'hand'"),
        ({"targets": {}}, "targets must be"),
        ({"targets": lw.Frame()}, "targets must be"),
        ({"targets": {"hand": (math.nan, 0, 0)}}, "target of body 'hand' must be a lw.Frame or a point"),
        ({"targets": {"hand": "there"}}, "target of body 'hand' must be"),
        ({"at": {"link 0": (0, 0, 0)}}, "'link 0', which has no target"),
        ({"at": {"hand": (0, math.inf, 0)}}, "point of body 'hand'"),
        ({"at": (0, 0, 0)}, "correct at="),
        ({"hold": ["joint 7"]}, "no joint or body 'joint 7'; did you mean"),
        ({"hold": "joint 0"}, "hold must list"),
        ({"near": {"joint 7": 1.0}}, "near: there is no joint 'joint 7'"),
        ({"near": {"joint 1": math.nan}}, "near of joint 'joint 1'"),
        ({"near": 3.0}, "near must be"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"time": math.nan}, "time"),
    ],
)
def test_bad_input(options: dict, match: str) -> None:
    with pytest.raises((lw.OptionError, lw.ModelError), match=match):
        lw.reach(arm(), **{"targets": {"hand": (0.5, 0, 0.3)}} | options)


def test_a_pose_of_another_model_is_refused() -> None:
    pose = lw.reach(arm(), {"hand": (0.4, 0, 0.3)})
    with pytest.raises(lw.OptionError, match="a pose of 'arm', which does not fit model 'stewart'"):
        lw.reach(stewart(), {"top": (0, 0, 1)}, near=pose)
    with pytest.raises(lw.OptionError, match="near is an equilibrium of another model"):
        lw.reach(stewart(), {"top": (0, 0, 1)}, near=lw.equilibrium(four_bar()))
    with pytest.raises(lw.OptionError, match=r"lw\.reach"):
        lw.Simulation(stewart(), start=pose)
