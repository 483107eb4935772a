"""Natural coordinates: what is shared, how many are left, that bodies and their energy are linear in them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.assembly.natural.natural import Natural, natural
from linkwork.gallery import andrews, chain, double_four_bar, kuka, n_four_bar
from linkwork.spatial import codes
from random_mechanisms import random_loops, random_tree
from twins import matrix_of


def coordinates(model: lw.Model) -> tuple[Natural, lw.System]:
    system = lw.assemble(model, absolute=True)
    return natural(system.tables), system


def counts(model: lw.Model) -> tuple[int, int, int, int]:
    """Nodes that move, rows of bodies, rows of dependent nodes, rows that joints have kept."""
    nat, _ = coordinates(model)
    kinds = nat.row_kind[: nat.equations]
    return nat.free, *(int(np.sum(kinds == kind)) for kind in (codes.KEPT, codes.TIED, codes.PART))


def test_the_papers_six_coordinates() -> None:
    """CD03 4.1: the double four-bar has six in the plane, two of each of three points; the third is held by rows."""
    assert counts(double_four_bar.build()) == (3, 10, 0, 0)
    assert counts(n_four_bar.build(n=40)) == (41, 162, 0, 0)


def test_andrews() -> None:
    """Seven bodies that turn about one direction: the four points where they meet are all."""
    assert counts(andrews.build()) == (4, 14, 0, 0)


@pytest.mark.parametrize(
    ("kind", "free", "parts"),
    [
        ("revolute", 1, 0),
        ("prismatic", 1, 2),
        ("cylindrical", 2, 2),
        ("screw", 2, 3),
        ("universal", 3, 1),
        ("ball", 3, 0),
        ("planar", 2, 1),
        ("fixed", 0, 0),
        ("free", 4, 0),
    ],
)
def test_one_body_on_the_ground(kind: str, free: int, parts: int) -> None:
    """What a joint shares with the ground is given; a hinged body with nothing else has a direction of its own."""
    model = random_tree(0, 1, (kind,), words="at")
    found = counts(model)
    assert (found[0], found[3]) == (free, parts)


def test_welded_bodies_are_one() -> None:
    model = lw.Model("welded")
    for k in range(4):
        model.body(f"part {k}", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(k, 0, 0))
    model.ball("socket", "ground", "part 0", at=(0, 0, 0.5))
    for k in range(3):
        model.fixed(f"weld {k}", f"part {k}", f"part {k + 1}", at=(k + 0.5, 0.1 * k, 0))
    assert counts(model)[0] == 3  # three directions about a given point
    model.fixed("weld again", "part 0", "part 3", at=(1, 1, 1))  # says nothing new
    assert counts(model) == (3, 6, 0, 0)


def test_sliders_turn_together() -> None:
    """A telescope: three bodies of one orientation on a ball; two points more, and two rows of each slide."""
    model = lw.Model("telescope")
    for k in range(3):
        model.body(f"tube {k}", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(0, 0, -k))
    model.ball("socket", "ground", "tube 0", at=(0, 0, 0))
    for k in range(2):
        model.prismatic(f"slide {k}", f"tube {k}", f"tube {k + 1}", axis=(0, 0, 1), at=(0, 0, -k))
    assert counts(model) == (3 + 2, 6, 0, 4)


def test_contradictions_keep_their_rows() -> None:
    """One body, two balls to one point of another body at different places of its own: nothing to be shared twice."""
    model = lw.Model("torn")
    a, b = (model.body(name, mass=1.0, inertia=(0.1, 0.2, 0.25)) for name in "ab")
    model.ball("one", a, b, frame_a=lw.Frame((1, 0, 0)), frame_b=lw.Frame((0, 1, 0)))
    model.ball("two", a, b, frame_a=lw.Frame((1, 0, 0)), frame_b=lw.Frame((0, 1.1, 0)))
    model.free("flight", "ground", a)
    assert counts(model)[3] == 3


MODELS = {
    **{f"loop of {kind}": loop_of(kind) for kind in CLOSING},
    "tree": random_tree(2, 6),
    "loops": random_loops(1, 8, 2),
    "andrews": andrews.build(),
    "chain": chain.build(n=5),
    "kuka": kuka.build(),
}


def moving(system: lw.System, rng: np.random.Generator):
    """Any rigid motion of all bodies in which what is shared is not: each body by itself."""
    links = len(system.tables.tree.link_parent)
    grounds = system.tables.tree.grounds
    R = [np.eye(3)] * grounds + [matrix_of(e / np.linalg.norm(e)) for e in rng.normal(size=(links - grounds, 4))]
    p = np.vstack([np.zeros((grounds, 3)), rng.normal(size=(links - grounds, 3))])
    return R, p


@pytest.mark.parametrize("name", MODELS)
def test_places_axes_and_energy_are_linear_in_the_nodes(name: str) -> None:
    nat, system = coordinates(MODELS[name])
    tree = system.tables.tree
    rng = np.random.default_rng(3)
    R, p = moving(system, rng)
    run = lw.Simulation(MODELS[name], "absolute")  # a consistent place of all bodies
    for k in range(tree.grounds, len(R)):
        q = run.q[tree.link_q[k] : tree.link_q[k] + 7]
        R[k], p[k] = matrix_of(q[3:]), q[:3]
    w, v = rng.normal(size=(len(R), 3)), rng.normal(size=(len(R), 3))
    w[: tree.grounds] = v[: tree.grounds] = 0.0
    for i in range(tree.grounds, len(R)):
        count = nat.link_slots[i]
        nodes = nat.slot_node[i, :count]
        u = np.zeros(3)
        turn, shift = w[i], v[i]
        if nat.link_normal[i] >= 0:
            # a body with a normal moves about and across it
            u = nat.node_local[nat.link_normal[i]]
            turn, shift = (turn @ u) * u, shift - (shift @ u) * u
        S = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        # slots of this link, as it places them itself
        x, xd = np.zeros((count, 3)), np.zeros((count, 3))
        for k, node in enumerate(nodes):
            home = nat.node_link[node]
            at = R[home] @ nat.node_local[node]
            x[k] = p[home] + at if nat.node_is_point[node] else at
            lever = x[k] - p[i] if nat.node_is_point[node] else x[k]
            xd[k] = np.cross(turn, lever) + (shift if nat.node_is_point[node] else 0.0)
        for q in range(4):
            wanted = p[i] if q == 0 else R[i][:, q - 1]
            rate = shift if q == 0 else np.cross(turn, wanted)
            blocks = [nat.slot_a[i, q, k] * np.eye(3) + nat.slot_b[i, q, k] * S for k in range(count)]
            assert sum(block @ each for block, each in zip(blocks, x, strict=True)) == pytest.approx(wanted, abs=1e-9)
            assert sum(block @ each for block, each in zip(blocks, xd, strict=True)) == pytest.approx(rate, abs=1e-9)
        T = 0.0
        for k in range(count):
            for m in range(count):
                block = nat.mass_1[i, k, m] * np.eye(3) + nat.mass_S[i, k, m] * S + nat.mass_u[i, k, m] * np.outer(u, u)
                T += 0.5 * xd[k] @ block @ xd[m]
        xx, yy, zz, xy, xz, yz = tree.link_I[i]
        I = R[i] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R[i].T
        assert pytest.approx(0.5 * tree.link_mass[i] * shift @ shift + 0.5 * turn @ I @ turn, rel=1e-9, abs=1e-12) == T
