"""V06 chapter 2: a hierarchy of components moves as the flat mechanism does, exactly and at every level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from numpy.typing import NDArray

import linkwork as lw
from linkwork.assembly.partition import partition
from linkwork.gallery import car, manipulator
from random_hierarchies import Plan, hierarchies, random_hierarchy

Array = NDArray[np.float64]
DT = 1e-3
EXACT = 1e-9  # relative
quietly = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


# ---- what the rows of a flat mechanism are, in dense numpy -----------------------------------------------------------


def dense_rows(sim: lw.Simulation) -> tuple[Array, Array]:
    """G and M^-1 G^T of all joints on all bodies, from an absolute simulation."""
    cuts, tree, joint_blocks = sim.tables.cuts, sim.tables.tree, sim.workspace.joint_blocks
    G, Y = np.zeros((2, cuts.row_kind.size, sim.moving.nv))
    for c in range(cuts.cut_a.size):
        for side, link in enumerate((cuts.cut_a[c], cuts.cut_b[c])):
            if link < tree.grounds:
                continue
            k = tree.link_v[link]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                G[r, k : k + 6] += joint_blocks.B[r, side]
                Y[r, k : k + 6] += joint_blocks.Y[r, side]
    return G, Y.T


def inverse_masses(sim: lw.Simulation) -> Array:
    """M^-1 of all bodies, world axes, from a component simulation."""
    tree, joint_blocks = sim.tables.tree, sim.workspace.joint_blocks
    M = np.zeros((sim.moving.nv, sim.moving.nv))
    for i in range(tree.grounds, tree.link_parent.size):
        k, J = tree.link_v[i], joint_blocks.inverse_inertia[i]
        M[k : k + 3, k : k + 3] = joint_blocks.inverse_mass[i] * np.eye(3)
        M[k + 3 : k + 6, k + 3 : k + 6] = [[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]]
    return M


def spectrum(sim: lw.Simulation) -> tuple[Array, Array]:
    """Eigenvalues and -vectors of G M^-1 G^T scaled to a unit diagonal."""
    G, Y = dense_rows(sim)
    A = G @ Y
    d = 1.0 / np.sqrt(np.diag(A))
    values, vectors = np.linalg.eigh(A * d[:, None] * d)
    return values, vectors * d[:, None]


def clear(sim: lw.Simulation) -> bool:
    """Rows are dependent or they are not: nothing in between, where two methods may rightly decide differently."""
    values, _ = spectrum(sim)
    return not np.any((values > 1e-13) & (values < 1e-5))


def unique_joints(sim: lw.Simulation) -> list[str]:
    """Joints whose reactions follow from the motion alone: no dependence among the rows takes part in theirs."""
    values, vectors = spectrum(sim)
    free = np.abs(vectors[:, values < 1e-12])
    starts = sim.tables.cuts.cut_row
    return [
        place.name
        for c, place in enumerate(sim.moving.cuts)
        if place.kind != "free" and not np.any(free[starts[c] : starts[c + 1]] > 1e-7)
    ]


def off(found: Array, wanted: Array) -> float:
    """Largest difference, relative to the largest number wanted."""
    if wanted.size == 0:
        return 0.0
    return float(np.max(np.abs(found - wanted)) / max(1.0, np.max(np.abs(wanted))))


# ---- hierarchy = flat ------------------------------------------------------------------------------------------------


def simulations(plan: Plan) -> dict[str, lw.Simulation]:
    model, flat = plan.build(), plan.build(flat=True)
    return {
        "flat": lw.Simulation(flat, lw.Absolute(dt=DT)),
        "absolute": lw.Simulation(model, lw.Absolute(dt=DT)),
        "recursive": lw.Simulation(model, lw.Recursive(dt=DT)),
        "component": lw.Simulation(model, lw.Components(dt=DT)),
        "joint": lw.Simulation(model, lw.Components(dt=DT, coordinates="joint")),
    }


def compare(sims: dict[str, lw.Simulation], plan: Plan) -> None:
    """Accelerations of all bodies and joints, and the number of independent rows."""
    component, joint = sims["component"], sims["joint"]
    assert off(component.state.vd, sims["absolute"].state.vd) < EXACT
    assert off(joint.state.vd, sims["recursive"].state.vd) < EXACT
    # the flat model has its bodies in another order, under shorter names
    place = {name: k for k, name in enumerate(sims["flat"].moving.body_names)}
    order = [place[name.rpartition(".")[2]] for name in component.moving.body_names]
    assert off(component.state.vd.reshape(-1, 6), sims["flat"].state.vd.reshape(-1, 6)[order]) < EXACT
    # joints, by both coordinates; where a joint stands in the tree its coordinates are found there
    rates = {name: joint.state.vd[place.v] for name, place in _tree(joint).items()}
    assert rates or not plan.joints
    parts = sims["joint"].workspace
    for name, acceleration in rates.items():
        cut = next((cut for cut in component.moving.cuts if cut.name == name), None)
        if cut is not None:
            assert off(parts.cut_acceleration[cut.v], acceleration) < EXACT
    ranks = {name: int(sim.state.count[1]) for name, sim in sims.items() if name != "recursive"}
    assert len(set(ranks.values())) == 1, ranks


def _tree(sim: lw.Simulation) -> dict[str, Any]:
    return {place.name: place for place in sim.moving.joints}


@quietly
@given(hierarchies())
def test_hierarchy_is_flat(plan: Plan) -> None:
    """Chains, trees, loops, doubled joints, grounds and moving grounds anywhere, floating ones: the same motion."""
    sims = simulations(plan)
    assume(clear(sims["absolute"]))
    compare(sims, plan)
    for sim in sims.values():
        sim.step(5)
    assume(clear(sims["absolute"]))
    compare(sims, plan)


@quietly
@given(hierarchies())
def test_reactions_of_unique_joints(plan: Plan) -> None:
    model = plan.build()
    flat = lw.Simulation(model, lw.Absolute(dt=DT))
    assume(clear(flat))
    names = unique_joints(flat)
    assume(names)
    columns = [f"{name}.reaction" for name in names]
    options: dict[str, Any] = {"until": 3 * DT, "dt": DT, "record": columns}
    wanted = lw.simulate(model, method="recursive", **options)
    largest = max(1.0, *(float(np.max(np.abs(wanted[column]))) for column in columns))
    for coordinates in ("absolute", "joint"):
        run = lw.simulate(model, method="component", coordinates=coordinates, **options)
        for column in columns:
            assert np.max(np.abs(run[column] - wanted[column])) < 1e-8 * largest, (coordinates, column)


@pytest.mark.long
@pytest.mark.parametrize("law", ["test_hierarchy_is_flat", "test_reactions_of_unique_joints", "test_every_D"])
def test_many_hierarchies(law: str) -> None:
    test = globals()[law].hypothesis.inner_test
    many = settings(quietly, max_examples=200)
    many(given(hierarchies(springs=0) if law == "test_every_D" else hierarchies())(test))()


def test_strategy_makes_what_it_promises() -> None:
    plans = [random_hierarchy(seed, 8, parts=5, loops=seed % 3, doubled=1) for seed in range(30)]
    assert {plan.depth for plan in plans} == {3, 4, 5}  # the model and up to four levels below it
    homes = [{plan.body_home[end] for end in joint.ends if end >= 0} for plan in plans for joint in plan.joints]
    assert any(len(home) == 2 for home in homes)
    owners = [(joint.owner, home) for (joint, home) in zip((j for p in plans for j in p.joints), homes, strict=True)]
    assert any(owner not in home for owner, home in owners)
    assert any(joint.ground > 0 for plan in plans for joint in plan.joints)


# ---- D at every level ------------------------------------------------------------------------------------------------


def responses(sim: lw.Simulation) -> dict[str, tuple[Array, list[str]]]:
    """D of every component and the bodies at its border, by the name of the component ('' is the model)."""
    parts, factors = sim.workspace.parts, sim.workspace.factors
    _, names = partition(sim.moving)
    body_of = {int(link): name for name, link in zip(sim.moving.body_names, sim.tables.tree.body_link, strict=True)}
    found = {}
    for k, name in enumerate(names):
        border = parts.border[parts.border_start[k] : parts.border_start[k + 1]]
        bodies = [body_of[int(parts.node_link[parts.node_start[k] + n])] for n in border]
        size = 6 * len(bodies)
        D = factors.D[parts.D[k] : parts.D[k] + size * size].reshape(size, size)
        found["" if k == len(names) - 1 else name] = (D.copy(), bodies)
    return found


def dense_response(sim: lw.Simulation, flat: lw.Simulation, name: str, bodies: list[str]) -> Array:
    """D of a component by itself: what its own bodies and joints answer at its border (2.14)-(2.17), densely."""
    G, _ = dense_rows(flat)
    M = inverse_masses(sim)
    starts = sim.tables.cuts.cut_row
    own = [
        r
        for c, place in enumerate(sim.moving.cuts)
        if place.name.startswith(name + ".")
        for r in range(starts[c], starts[c + 1])
    ]
    G = G[own]
    response = M - M @ G.T @ np.linalg.pinv(G @ M @ G.T, rcond=1e-10, hermitian=True) @ G @ M
    number = {body: 6 * k for k, body in enumerate(sim.moving.body_names)}
    at = [number[body] + e for body in bodies for e in range(6)]
    return response[np.ix_(at, at)]


@quietly
@given(hierarchies(springs=0))
def test_every_D(plan: Plan) -> None:
    """Symmetric, positive semidefinite, and what the component answers when it is alone."""
    model = plan.build()
    sim, flat = lw.Simulation(model, lw.Components(dt=DT)), lw.Simulation(model, lw.Absolute(dt=DT))
    assume(clear(flat))
    for name, (D, bodies) in responses(sim).items():
        if not bodies:
            continue
        assert name, "nothing stands above the model"
        size = np.max(np.abs(inverse_masses(sim)))
        assert np.array_equal(D, D.T)
        assert np.linalg.eigvalsh(D)[0] > -1e-11 * size
        assert np.max(np.abs(D - dense_response(sim, flat, name, bodies))) < 1e-9 * size


# ---- components that hold themselves ---------------------------------------------------------------------------------


def held(kind: str, *, axis: tuple[float, float, float] = (0.36, 0.48, 0.8)) -> lw.Subsystem:
    """A block held by the ground of its own subsystem through one joint."""
    part = lw.Subsystem()
    block = part.body("block", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3), position=(0.3, 0.1, 0))
    words = {} if kind in ("fixed", "ball") else {"axis": axis}
    getattr(part, kind)("hold", part.ground, block, at=(0.2, 0, 0.1), **words)
    part.port("block", block)
    return part


def both(model: lw.Model, steps: int = 20) -> lw.Simulation:
    """Component and absolute steps of a model that agree; returns the component one."""
    sims = [lw.Simulation(model, method(dt=DT)) for method in (lw.Components, lw.Absolute)]
    sims.append(lw.Simulation(model, lw.Components(dt=DT, coordinates="joint")))
    for _ in range(2):
        assert off(sims[0].state.vd, sims[1].state.vd) < 1e-11
        assert sims[0].state.count[1] == sims[1].state.count[1] == sims[2].state.count[1]
        assert np.max(np.abs(sims[0].state.drift[:2])) < 1e-11
        for sim in sims:
            sim.step(steps)
    options: dict[str, Any] = {"until": 2 * steps * DT, "dt": DT, "record": "part.block.position"}
    runs = [lw.simulate(model, method=method, **options) for method in ("component", "recursive")]
    assert np.max(np.abs(runs[0]["part.block.position"] - runs[1]["part.block.position"])) < 1e-11
    return sims[0]


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic", "ball", "cylindrical"])
def test_held_by_its_own_ground(kind: str) -> None:
    """D^ of the whole is singular (2.23): the whole hangs a rod on a body that its component holds."""
    model = lw.Model("held", gravity=(1.0, 2.0, -9.0))
    part = model.add("part", held(kind), position=(0.5, 0, 0), rotation=(0.8, 0.36, -0.24, 0.42))
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(1.0, 0.2, 0.1))
    model.revolute("pin", part.block, rod, at=(0.9, 0.1, 0.2), axis=(0, 0.6, 0.8))
    sim = both(model)
    D, _ = responses(sim)["part"]
    kept = {"fixed": 0, "revolute": 1, "prismatic": 1, "ball": 3, "cylindrical": 2}[kind]
    assert np.linalg.matrix_rank(D, tol=1e-10) == kept


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic", "ball", "cylindrical"])
def test_held_twice(kind: str) -> None:
    """The whole says once more what the component holds already: all of its rows are dependent, none may count."""
    axis = (0.36, 0.48, 0.8)
    model = lw.Model("held twice", gravity=(1.0, 2.0, -9.0))
    part = model.add("part", held(kind, axis=axis))
    words = {} if kind in ("fixed", "ball") else {"axis": axis}
    getattr(model, kind)("again", model.ground, part.block, at=(0.2, 0, 0.1), **words)
    sim = both(model)
    degrees = {"fixed": 0, "revolute": 1, "prismatic": 1, "ball": 3, "cylindrical": 2}[kind]
    assert sim.state.count[1] == 6 - degrees
    once = lw.Model("held once", gravity=(1.0, 2.0, -9.0))
    once.add("part", held(kind, axis=axis))
    wanted, found = (lw.simulate(m, until=0.2, dt=DT, method="component") for m in (once, model))
    assert np.max(np.abs(found["part.block.position"] - wanted["part.block.position"])) < 1e-11


def test_two_held_parts_joined() -> None:
    """Nothing can move, and the joint between the two has no independent row at all."""
    model = lw.Model("stuck")
    part, other = model.add("part", held("fixed")), model.add("other", held("fixed"), position=(0, 1, 0))
    model.revolute("bridge", part.block, other.block, at=(0.3, 0.5, 0.1), axis=(0, 0.6, 0.8))
    sim = both(model)
    assert np.max(np.abs(sim.state.vd)) < 1e-11
    assert sim.state.count[1] == 12


@pytest.mark.parametrize("method", [lw.Recursive, lw.Absolute, lw.Components])
def test_a_door_on_two_hinges(method: Any) -> None:
    """The second hinge, on the same tilted axis, changes nothing, in any method."""
    axis = np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
    runs = []
    for hinges in (1, 2, 3):
        model = lw.Model("door")
        door = model.body("door", shape=lw.Box((0.8, 0.04, 2.0)), mass=20.0, position=(0.4, 0, 1.0))
        for k in range(hinges):
            model.revolute(f"hinge {k}", model.ground, door, at=0.9 * k * axis, axis=axis)
        runs.append(lw.simulate(model, until=1.0, method=method(dt=1e-2)))
    for run in runs[1:]:
        assert np.max(np.abs(run["door.position"] - runs[0]["door.position"])) < 1e-11
        assert run.certificate.rank_max == runs[0].certificate.rank_max
    assert np.ptp(runs[0]["door.position"][:, 1]) > 0.2


# ---- small cases -----------------------------------------------------------------------------------------------------


def test_no_subsystems() -> None:
    """A flat model is one component."""
    model = lw.gallery.double_four_bar.build()
    sim = lw.Simulation(model, "component")
    assert list(responses(sim)) == [""]
    runs = [lw.simulate(model, until=0.5, dt=1e-3, method=method) for method in ("component", "absolute", "recursive")]
    for run in runs[1:]:
        assert np.max(np.abs(run["coupler 2.position"] - runs[0]["coupler 2.position"])) < 1e-10


def test_an_undivided_model_costs_no_more() -> None:
    """S is factored along the graph inside a component too: what is stored and done grows with the bodies."""
    few, more, many = (
        np.array([graph.shape.below.size, graph.shape.target.size, graph.shape.total, graph.response_total])
        for graph in (lw.Simulation(lw.gallery.chain.build(n=n), "component").workspace.graph for n in (20, 40, 80))
    )
    assert np.all(many - more <= 2.1 * (more - few))
    assert np.all(many <= 4.4 * few)


def test_body_without_a_joint_in_a_part() -> None:
    model = lw.Model("loose")
    part = model.add("part", lw.Subsystem(), position=(0, 0, 2), rotation=(0.8, 0.6, 0, 0))
    part.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1))
    model.body("block", shape=lw.Box((0.1, 0.2, 0.3)), mass=1.0)
    for coordinates in ("absolute", "joint"):
        run = lw.simulate(model, until=0.5, dt=1e-2, method="component", coordinates=coordinates)
        for name in ("part.ball", "block"):
            fall = run[f"{name}.position"] - run[f"{name}.position"][0]
            assert fall[:, 2] == pytest.approx(-0.5 * 9.81 * run.time**2, abs=1e-12)


def test_empty_parts_do_no_harm() -> None:
    model = lw.Model("empty")
    remote_border = model.add("outer", lw.Subsystem())
    inner = remote_border.add("inner", lw.Subsystem())
    inner.add("nothing", lw.Subsystem())
    rod = inner.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", remote_border.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    runs = [lw.simulate(model, until=0.2, method=method, dt=1e-3) for method in ("component", "recursive")]
    assert np.max(np.abs(runs[0]["pin.position"] - runs[1]["pin.position"])) < 1e-11


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4", "adaptive"])
def test_integrators_in_both_coordinates(integrator: str) -> None:
    """Each integrator takes the steps it takes with the flat methods."""
    options: dict[str, Any] = {"until": 0.05, "dt": 1e-3, "integrator": integrator, "record": "*.position"}
    pairs = [("absolute", "absolute"), ("joint", "recursive")]
    for coordinates, method in pairs:
        run = lw.simulate(car.build(), method="component", coordinates=coordinates, **options)
        wanted = lw.simulate(car.build(), method=method, **options)
        for column in ("car body.position", "left wheel.ring.position", "right suspension.damper.piston.position"):
            assert np.max(np.abs(run[column] - wanted[column])) < 1e-11


# ---- the papers' examples --------------------------------------------------------------------------------------------

METHODS: dict[str, dict[str, Any]] = {
    "recursive": {"method": "recursive"},
    "absolute": {"method": "absolute"},
    "component, absolute": {"method": "component", "coordinates": "absolute"},
    "component, joint": {"method": "component", "coordinates": "joint"},
}


def positions(run: lw.Trajectory, model: lw.Model) -> Array:
    return np.stack([run[f"{body.path}.position"] for body in model.all_bodies()])


@pytest.fixture(scope="module")
def cars() -> dict[str, lw.Trajectory]:
    return {
        name: lw.simulate(car.build(), until=1.5, integrator="rk4", dt=1e-3, **options)
        for name, options in METHODS.items()
    }


def test_car_by_all_methods(cars: dict[str, lw.Trajectory]) -> None:
    """V06 7: Runge-Kutta 4, 1 ms, 1.5 s; positions agree to 1e-8 m, as V06 did with other programs."""
    wanted = positions(cars["recursive"], car.build())
    for name, run in cars.items():
        assert np.max(np.abs(positions(run, car.build()) - wanted)) < 1e-8, name


@pytest.mark.parametrize("name", ["component, absolute", "component, joint"])
def test_car_does_not_drift(cars: dict[str, lw.Trajectory], name: str) -> None:
    """Figure 8.13: constant at the level of the computation."""
    drift = cars[name].drift["position"]
    assert np.max(drift) < 1e-14
    assert np.max(drift[-500:]) < 3 * np.max(drift[:500]) + 1e-16
    # the velocities are those of a car that moves at metres a second at most
    assert np.max(cars[name].drift["velocity"]) < 1e-11


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_car_drifts_without_stabilisation(coordinates: str) -> None:
    """Figure 8.12: it grows."""
    run = lw.simulate(
        car.build(), until=1.5, dt=1e-3, method="component", coordinates=coordinates, stabilize=False, every=10
    )
    assert run.drift["position"][-1] > 1e-11


@pytest.mark.parametrize("integrator", ["abm4", "rk4"])
def test_manipulator_by_all_methods(integrator: str) -> None:
    """V06 8, the first 0.3 s; `benchmarks/component_agreement.py` runs all 5 s."""
    model = manipulator.build()
    options: dict[str, Any] = {"until": 0.3, "dt": 1e-4, "integrator": integrator, "every": 50, "record": "*.position"}
    runs = {name: lw.simulate(model, **how, **options) for name, how in METHODS.items()}
    wanted = positions(runs["recursive"], model)
    for name, run in runs.items():
        assert np.max(np.abs(positions(run, model) - wanted)) < 1e-8, name
    assert np.max(runs["component, absolute"].drift["position"]) < 1e-14
