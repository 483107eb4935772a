"""A lid that falls shut flat, beside its hinge too: forces are no larger than momentum over a step explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
MASS, LENGTH, THICK = 2.0, 1.0, 0.04
INERTIA = MASS * (LENGTH**2 + THICK**2) / 12 + MASS * (LENGTH**2 + THICK**2) / 4  # about the hinge

# rims by the places and sizes of their boxes, and the farthest lever at which they hold the lid
RIMS = {
    "plate": ([(0.5, 0.0, 1.2, 0.6)], 1.0),
    "frame": ([(0.02, 0, 0.04, 0.4), (0.98, 0, 0.04, 0.4), (0.5, 0.18, 1.0, 0.04), (0.5, -0.18, 1.0, 0.04)], 1.0),
    "hinge side": ([(0.05, 0, 0.1, 0.6)], 0.1),
}


def lid(rim: str, start: float) -> lw.Model:
    """A plate of 1 m x 0.4 m on a hinge at the lower edge of its end, level with the rim below."""
    model = lw.Model("lid")
    steel = lw.Material(friction=0.3)
    for k, (x, y, long, wide) in enumerate(RIMS[rim][0]):
        model.collider(f"rim {k}", "ground", lw.Box((long, wide, 0.2), pose=lw.Frame((x, y, -0.1))), material=steel)
    plate = lw.Box((LENGTH, 0.4, THICK))
    body = model.body("lid", mass=MASS, shape=plate, position=(LENGTH / 2, 0, THICK / 2), material=steel)
    model.revolute("hinge", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), position=start)
    return model


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("start", [0.02, 0.5, 1.5])
@pytest.mark.parametrize("rim", RIMS)
@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=lambda kind: kind.name)
def test_a_lid_falls_shut(kind: Any, rim: str, start: float, dt: float) -> None:
    """I w / l is the impulse that stops it at the lever l, the farthest of the rim; at rest the rim carries its half.

    Nearer points may take a part: twice that impulse, and the weight at that lever, is what mechanics can explain.
    """
    run = lw.simulate(lid(rim, start), until=2.0, method=kind(dt=dt))
    lever = RIMS[rim][1]
    fastest = np.abs(run["hinge.velocity"]).max()
    most = 2.0 * (INERTIA * fastest / dt + MASS * G * LENGTH / 2) / lever
    assert np.linalg.norm(run["lid.contact_force"], axis=1).max() < most
    assert np.linalg.norm(run["hinge.reaction"][:, :3], axis=1).max() < most
    # a hundredth of the touch may be left open: 1/2500 of the radius of the smaller shape, of this rim 0.32 m
    hovers = 1e-2 * 4e-4 * 0.32 / lever
    loose = kind is lw.Maximal and rim == "hinge side"  # the joint is a row beside the contacts
    assert abs(run["hinge.position"][-1]) < (1e-4 if loose else max(1e-5, hovers))
    rests = run["lid.contact_force"][-50:, 2]
    assert (rests > 0.95 * MASS * G * LENGTH / 2 / lever).all()
    assert (rests < 1.3 * MASS * G * LENGTH / 2 / lever).all()  # points nearer than the farthest carry more
