"""Rows and coordinates of closing joints against finite differences: joints, a distance, guides, rolling wheels.

Each is looked at where its rows hold, and where they do not. Angles about an axis that two bodies share are angles only
where they share it: their rates, and the value of a screw's row, are compared where the rows hold.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.mechanics.rows.constraint_rows import measure_accelerations, measure_cuts
from linkwork.mechanics.rows.rows import joint_rows, measure_directions, row_accelerations, row_rates, row_values
from linkwork.mechanics.tree.articulated import outward_velocities
from linkwork.mechanics.tree.kinematics import outward_poses, world_velocities
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.simulation.starts.start import OF_VELOCITIES
from linkwork.spatial.codes import (
    ACROSS,
    ALONG,
    ATTITUDE,
    COUPLE,
    CROSSED,
    DISTANCE,
    ON_SURFACE,
    RIM,
    SLIP,
    TANGENT,
)

H = 1e-5  # s, of the differences
ANGLES = np.linspace(0.0, 5.0, 25)
GRID = np.linspace(-4.0, 4.0, 12)
CURVES = {
    "line": lw.GuideCurve.line((-5, 1, 0), (5, -2, 3)),
    "ellipse": lw.GuideCurve.ellipse((2.0, 0, 0), (0, 1.0, 1.0), center=(0.1, 0.2, 0.3)),
    "arc": lw.GuideCurve.ellipse((1.5, 0, 0), (0, 0, 1.0), angles=(-2.0, 2.0)),
    "spline": lw.GuideCurve(np.column_stack([2 * np.cos(ANGLES), 2 * np.sin(ANGLES), 0.3 * ANGLES**1.5])),
    "closed spline": lw.GuideCurve(
        [(2 * np.cos(x), 1.5 * np.sin(x), np.sin(2 * x)) for x in np.linspace(0, 2 * np.pi, 30)], closed=True
    ),
}
SURFACES = {
    "plane": lw.GuideSurface.plane((1, 2, 3), center=(0.1, 0, 0)),
    "cylinder": lw.GuideSurface.cylinder(1.5, (1, 1, 0)),
    "sphere": lw.GuideSurface.sphere(2.0, center=(0.3, 0, 0)),
    "heights": lw.GuideSurface.heights(GRID, 1.1 * GRID, 0.3 * np.sin(GRID)[:, None] * np.cos(0.7 * GRID)),
}
GUIDES = {**CURVES, **SURFACES}
ALWAYS = ("distance", *GUIDES, "rolling", "rolling_pair")  # what is always a cut
# two wheels 0.5 m apart, across their axes
AXIS = (0.1, 0.2, 1.0)
WHEELS = (("wheel 0", (0.2, 0.1, 0.3)), ("wheel 1", (0.2 + 0.5 * 2 / 5**0.5, 0.1 - 0.5 / 5**0.5, 0.3)))
ON = {
    "plane": (2.1, -1.0, 0.0),
    "cylinder": (0.0, 0.0, 1.5),
    "sphere": (0.3, 2.0, 0.0),
    "heights": (0.3, 0.4, SURFACES["heights"].height(0.3, 0.4)),
}
TURN = (0.1, 0.7, -0.1, 0.7)


def rows_at(tables, work, state, found):
    """In plain Python: methods run the same kernels compiled."""
    q, v, a, cut_q = state
    outward_velocities(tables.tree, work, q, v)
    outward_poses(tables.tree, work)
    world_velocities(tables.tree, work)
    inverse_dynamics(tables.tree, work, q, a, found[0])  # sets the links' accelerations
    measure_cuts(tables.cuts, work, cut_q, found[1])
    row_values(tables.cuts, work, cut_q, found[2], found[5])
    row_rates(tables.cuts, work, found[3])
    row_accelerations(tables.cuts, work, found[4])
    joint_rows(tables.tree, tables.cuts, work, found[5], found[6])
    measure_accelerations(tables.cuts, work, found[7])
    measure_directions(tables.tree, tables.cuts, work, found[8])


def look(system, q, v, a, cut_q):
    """All that the kernels say of the rows at one state."""
    tables = system.tables
    rows, rates = tables.cuts.row_kind.size, int(max(tables.cuts.measure_rate, default=0)) + 4
    work = tree_work(tables)
    found = tuple(
        np.zeros(shape)
        for shape in (system.nv, rates, rows, rows, rows, (rows, 6), (rows, system.nv), rates, (rates, system.nv))
    )
    cut_q = cut_q.copy()
    rows_at(tables, work, (q, v, a, cut_q), found)
    _, cut_rate, g, gd, gdd, W, G, second, D = found
    return SimpleNamespace(cut_q=cut_q, cut_rate=cut_rate, g=g, gd=gd, gdd=gdd, W=W, G=G, second=second, D=D, work=work)


def model_of(kind):
    if kind not in ALWAYS:
        return loop_of(kind, cut="joint 0")
    model = loop_of("ball")
    if kind in GUIDES:
        hold, guide = (model.slot, CURVES) if kind in CURVES else (model.surface, SURFACES)
        # the guide stands so that the point is on it
        first, second = (model.bodies[name].reference for name in ("body 0", "body 2"))
        on = CURVES[kind].point(0.3 * CURVES[kind].length) if kind in CURVES else ON[kind]
        place = first.inverse().point(second.point((0.0, -0.2, 0.4))) - lw.Frame(rotation=TURN).point(on)
        hold("guide", "body 0", "body 2", guide[kind], at_b=(0.0, -0.2, 0.4), frame_a=lw.Frame(place, TURN))
        return model
    if kind == "rolling":  # on a plane that moves as well
        plane = {"at_a": (0.1, 0.2, -0.3), "normal": (0.2, -0.1, 1.0)}
        model.rolling("wheel", "body 0", "body 2", radius=0.3, at_b=(0.1, 0.0, 0.2), axis=(1.0, 0.3, 0.2), **plane)
        return model
    if kind == "rolling_pair":
        wheels = [model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=at) for name, at in WHEELS]
        for wheel, (_, at) in zip(wheels, WHEELS, strict=True):
            model.revolute(f"shaft of {wheel.name}", "body 0", wheel, at=at, axis=AXIS)
        model.rolling_pair("rims", *wheels, axis_a=AXIS, axis_b=AXIS, radius_a=0.3, radius_b=0.2)
        return model
    model.distance("rod", "body 0", "body 2", at_a=(0.3, 0.1, 0.0), at_b=(0.0, -0.2, 0.4))
    return model


@pytest.fixture(params=[(kind, off) for kind in (*CLOSING, *ALWAYS) for off in (0.0, 0.2)], ids=str)
def moving(request):
    """A system at random velocities and accelerations, on its rows or off them; and a moment before and after."""
    kind, off = request.param
    model = model_of(kind)
    system = lw.assemble(model)
    rng = np.random.default_rng([7, *kind.encode()])
    q = lw.integrate(system, lw.Simulation(model, method="recursive").q, rng.normal(size=system.nv), off)
    v, a = rng.normal(size=system.nv), rng.normal(size=system.nv)
    now = look(system, q, v, a, system.cut_start)
    # q + h v without h^2 a / 2: what is even in h drops out of the differences
    before, after = (look(system, lw.integrate(system, q, v, h), v + h * a, a, now.cut_q) for h in (-H, H))
    return SimpleNamespace(off=off > 0.0, system=system, v=v, now=now, before=before, after=after)


def test_the_kinds_of_joints_have_all_kinds_of_rows():
    kinds = [set(lw.assemble(model_of(kind)).tables.cuts.row_kind.tolist()) for kind in (*CLOSING, *ALWAYS)]
    assert set.union(*kinds) == {ALONG, CROSSED, COUPLE, DISTANCE, ACROSS, ON_SURFACE, RIM, SLIP, TANGENT}


def test_first_rates_of_rows(moving):
    difference = (moving.after.g - moving.before.g) / (2 * H)
    kinds = moving.system.tables.cuts.row_kind
    compared = ((kinds != COUPLE) | (not moving.off)) & ~np.isin(kinds, OF_VELOCITIES)
    assert not moving.now.g[np.isin(kinds, OF_VELOCITIES)].any()
    assert moving.now.gd[compared] == pytest.approx(difference[compared], abs=1e-8)
    assert np.abs(moving.now.g).max() > 1e-3 if moving.off else np.abs(moving.now.g).max() < 1e-9


def test_second_rates_of_rows(moving):
    difference = (moving.after.gd - moving.before.gd) / (2 * H)
    assert moving.now.gdd == pytest.approx(difference, abs=1e-7)


def test_joint_rows_give_the_rates(moving):
    assert moving.now.G @ moving.v == pytest.approx(moving.now.gd, abs=1e-12)


def test_wrenches_give_the_rates(moving):
    """gd = W . (V_b - V_a), velocities taken at the world's origin."""
    cuts, work = moving.system.tables.cuts, moving.now.work
    at_origin = work.pose_v.copy()
    at_origin[:, 3:] -= np.cross(work.pose_v[:, :3], work.pose_p)
    cut_of = np.repeat(np.arange(cuts.cut_a.size), np.diff(cuts.cut_row))
    relative = at_origin[cuts.cut_b[cut_of]] - at_origin[cuts.cut_a[cut_of]]
    assert np.einsum("re,re->r", moving.now.W, relative) == pytest.approx(moving.now.gd, abs=1e-12)


def test_coordinates_of_closing_joints(moving):
    """Rates, second rates and directions of the coordinates that a closing joint keeps."""
    cuts, now = moving.system.tables.cuts, moving.now
    assert now.D @ moving.v == pytest.approx(now.cut_rate, abs=1e-12)
    assert now.second == pytest.approx((moving.after.cut_rate - moving.before.cut_rate) / (2 * H), abs=1e-7)
    for kind, at, rate in zip(cuts.measure_kind, cuts.measure_q, cuts.measure_rate, strict=True):
        if kind < ATTITUDE and not moving.off:
            difference = (moving.after.cut_q[at] - moving.before.cut_q[at]) / (2 * H)
            assert now.cut_rate[rate] == pytest.approx(difference, abs=1e-8)


def test_a_rod_without_length_has_no_direction():
    model = lw.Model("one point")
    bead = model.body("bead", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.free("flight", model.ground, bead)
    model.distance("rod", model.ground, bead, length=1.0)
    system = lw.assemble(model)
    found = look(system, np.array([0.0, 0, 0, 1, 0, 0, 0]), np.ones(6), np.zeros(6), system.cut_start)
    assert found.g == pytest.approx([-1.0])
    assert not found.W.any()
    assert not found.gd.any()


def test_a_disc_that_lies_flat_has_no_lowest_point():
    """Its rows are finite, and do not say where it touches."""
    model = lw.Model("flat")
    coin = model.body("coin", mass=1.0, inertia=(0.1, 0.1, 0.2))
    model.free("flight", model.ground, coin)
    model.rolling("table", model.ground, coin, radius=0.5)
    system = lw.assemble(model)
    found = look(system, np.array([0.0, 0, 0, 1, 0, 0, 0]), np.ones(6), np.zeros(6), system.cut_start)
    assert all(np.isfinite(part).all() for part in (found.g, found.gd, found.gdd, found.W))
