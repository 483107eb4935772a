"""Tree and cuts: short paths, joints depth first as declared, forced cuts, bodies that fly free."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from known_methods import ALL
from random_mechanisms import random_loops, random_tree

SMALL = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def hinge(model: lw.Model, name: str, a: object, b: object, **options: object) -> None:
    model.revolute(name, a, b, at=(0, 0, 0), axis=(0, 0, 1), **options)


def depths(system: lw.System) -> np.ndarray:
    """Joints between each body and the ground."""
    tree = system.tables.tree
    depth = np.zeros(tree.link_parent.size, dtype=int)
    for i in range(tree.grounds, depth.size):
        depth[i] = depth[tree.link_parent[i]] + 1
    return depth[tree.body_link]


def ring(n: int, **cut: bool) -> lw.Model:
    """n bodies in a row, both ends on the ground."""
    model = lw.Model("ring")
    bodies = [model.body(f"b{i}", **SMALL) for i in range(n)]
    for i, (a, b) in enumerate(zip([model.ground, *bodies], [*bodies, model.ground], strict=True)):
        hinge(model, f"j{i}", a, b, cut=cut.get(f"j{i}", False))
    return model


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_a_ring_is_cut_at_its_far_end(n: int) -> None:
    system = lw.assemble(ring(n))
    assert len(system.cut_names) == 1
    assert depths(system).max() == (n + 1) // 2
    assert sorted(system.joint_names + system.cut_names) == sorted(f"j{i}" for i in range(n + 1))


def test_paths_are_as_short_as_the_graph_allows() -> None:
    """Against distances by repeated relaxation, on random mechanisms with many loops."""
    for seed in range(10):
        model = random_loops(seed, 12, 3)
        system = lw.assemble(model)
        far = {"ground": 0, **dict.fromkeys(system.body_names, 99)}
        for _ in far:
            for joint in model.all_joints():
                a, b = joint.a.path, joint.b.path
                far[a], far[b] = min(far[a], far[b] + 1), min(far[b], far[a] + 1)
        parents = dict.fromkeys(system.body_names)
        for place in system.joints:
            a, b = place.joint.a.path, place.joint.b.path
            inner, outer = (b, a) if place.backward else (a, b)
            parents[outer] = inner
        for name in system.body_names:
            steps, body = 0, name
            while body != "ground":
                body, steps = parents[body], steps + 1
            assert steps == far[name]


def test_joints_depth_first_as_declared() -> None:
    model = lw.Model("branches")
    for name in "abcdef":
        model.body(name, **SMALL)
    # two branches on the ground; the second of a's children is declared before the first one's child
    hinge(model, "1", "ground", "a")
    hinge(model, "2", "ground", "b")
    hinge(model, "3", "a", "c")
    hinge(model, "4", "d", "a")
    hinge(model, "5", "b", "e")
    hinge(model, "6", "c", "f")
    system = lw.assemble(model)
    assert system.joint_names == ["1", "3", "6", "4", "2", "5"]
    assert system.body_names == ["a", "c", "f", "d", "b", "e"]
    assert [place.backward for place in system.joints] == [False, False, False, True, False, False]
    # q and v are laid out in that order
    assert [place.v.start for place in system.joints] == list(range(6))


def test_parents_before_children_and_trees_in_one_piece() -> None:
    for seed in range(10):
        tree = lw.assemble(random_tree(seed, 15, branching=0.8)).tables.tree
        n = tree.link_parent.size
        assert all(tree.link_parent[i] < i for i in range(tree.grounds, n))
        for i in range(tree.grounds, n):
            first, last = tree.link_first[i], tree.link_last[i]
            assert first <= i < last
            assert tree.link_parent[first] < tree.grounds
            assert all(tree.link_parent[j] >= first for j in range(first + 1, last))


@pytest.mark.parametrize("name", ["j0", "j1", "j4", "j5"])
def test_forced_cut(name: str) -> None:
    system = lw.assemble(ring(5, **{name: True}))
    assert system.cut_names == [name]
    assert name not in system.joint_names


def test_forced_cut_that_lets_a_body_go() -> None:
    """A body held only by a cut flies free, and the cut holds it."""
    model = lw.Model("held")
    body = model.body("body", **SMALL, com=(0.3, 0, 0))
    model.revolute("pin", model.ground, body, at=(0, 0, 0), axis=(0, 1, 0), cut=True)
    system = lw.assemble(model)
    assert system.floating == ["body"]
    assert system.joint_names == ["body free"]
    assert system.cut_names == ["pin"]
    assert lw.check(model).degrees_of_freedom == 1


def test_a_body_without_a_joint_flies() -> None:
    model = lw.Model("stone")
    model.body("stone", **SMALL, position=(1, 2, 3), rotation=(0.6, 0, 0.8, 0))
    system = lw.assemble(model)
    assert (system.nq, system.nv, system.joint_names) == (7, 6, ["stone free"])
    assert system.q_start == pytest.approx([1, 2, 3, 0.6, 0, 0.8, 0])
    run = lw.simulate(model, until=0.5, dt=0.1)
    # a fall is a quadratic: rk4 has no error in it
    assert run["stone.position"][-1] == pytest.approx([1, 2, 3 - 9.81 / 8], abs=1e-14)


def test_a_group_that_nothing_holds_is_refused() -> None:
    model = lw.Model("adrift")
    a, b = model.body("a", **SMALL), model.body("b", **SMALL)
    hinge(model, "pin", a, b)
    with pytest.raises(lw.ModelError, match="'a' is joined .* none of them to a ground; .*model.free"):
        lw.assemble(model)
    model.free("flight", model.ground, a)
    system = lw.assemble(model)
    assert system.joint_names == ["flight", "pin"]
    assert system.floating == []


def test_what_cannot_be_a_tree_or_a_cut_is_refused() -> None:
    model = four_bar()
    model.free("nothing", model.ground, "rocker bar")
    with pytest.raises(lw.ModelError, match="free joint 'nothing' .* does nothing; remove it"):
        lw.assemble(model)
    model = lw.Model("backward")
    model.body("a", **SMALL)
    model.free("flight", "a", model.ground)
    with pytest.raises(lw.ModelError, match="free joint 'flight': its a, 'a', is held by its b, .*exchange them"):
        lw.assemble(model)
    with pytest.raises(lw.ModelError, match="no body"):
        lw.assemble(lw.Model("empty"))
    with pytest.raises(lw.ModelError, match="model.add"):
        lw.assemble(lw.Subsystem())


def test_a_free_joint_may_be_the_short_way() -> None:
    """Said of a body that others hold, it becomes its place in the tree, and two cuts hold the body as before."""
    plain, short = four_bar(), four_bar()
    short.free("flight", short.ground, "coupler bar")
    assert lw.assemble(short).cut_names == ["coupler", "rocker"]
    assert lw.check(short).degrees_of_freedom == 1
    runs = [lw.simulate(model, until=0.3, dt=1e-3) for model in (plain, short)]
    assert np.max(np.abs(runs[0]["coupler bar.position"] - runs[1]["coupler bar.position"])) < 1e-8


def test_armature_on_a_cut_is_refused_with_the_way_out() -> None:
    def build(cut: bool) -> lw.Model:
        model = ring(3)
        ring_of = lw.Model("with rotor")
        for body in model.bodies:
            ring_of.body(body, **SMALL)
        for name, joint in model.joints.items():
            hinge(ring_of, name, joint.a.name, joint.b.name, armature=0.1 * (name == "j2"), cut=cut and name == "j0")
        return ring_of

    with pytest.raises(lw.ModelError, match="'j2' closes a loop and has an armature.*cut=True at another"):
        lw.assemble(build(False))
    assert lw.assemble(build(True)).cut_names == ["j0"]


def test_names_of_rows_and_degrees() -> None:
    system = lw.assemble(four_bar())
    assert [system.dof_name(k) for k in range(system.nv)] == system.joint_names
    assert {system.row_name(r) for r in range(system.rows)} == set(system.cut_names)
    with pytest.raises(IndexError):
        system.row_name(system.rows)
    assert "3 tree joints, 1 cuts" in repr(system)


def thrown(name: str) -> lw.Model:
    """A box and a bob hinged to it, thrown; the free joint of the box has frames of its own."""
    model = lw.Model("thrown")
    box = model.body("box", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0, 0, 1))
    frames = {"frame_a": lw.Frame((0.1, 0.2, 0.3)), "frame_b": lw.Frame((0.05, 0, 0), (0.8, 0.6, 0, 0))}
    model.free(name, "ground", box, velocity=(1, 0, 2, 0.1, 0.2, 3), **frames)
    bob = model.body("bob", mass=0.2, inertia=(0.001, 0.001, 0.001), position=(0.3, 0, 1))
    model.revolute("hinge", box, bob, at=(0.1, 0, 1), axis=(0, 1, 0))
    return model


@pytest.mark.parametrize("method", sorted(ALL))
@pytest.mark.parametrize("released", [False, True])
def test_a_joint_may_be_called_as_free_motions_are(method: str, released: bool) -> None:
    """Names are the user's: what methods call the motions of their own bodies is never seen."""
    runs = []
    for name in ("throw", "box free"):
        model = thrown(name)
        if released:
            model.release(name, time=0.05)
        runs.append(lw.simulate(model, until=0.1, dt=1e-3, method=method))
    for quantity in ("position", "velocity"):
        assert np.array_equal(runs[0][f"box.{quantity}"], runs[1][f"box.{quantity}"])
        assert np.array_equal(runs[0][f"throw.{quantity}"], runs[1][f"box free.{quantity}"])
