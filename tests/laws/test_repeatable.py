"""The same run gives the same bits, however it is cut into pieces and whatever is recorded of it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from known_mechanisms import four_bar
from known_methods import EXPLICIT
from linkwork.simulation.methods import ALL
from random_mechanisms import random_loops, random_tree

OPTIONS = [
    {"method": method, "integrator": integrator}
    for method in EXPLICIT
    for integrator in ("semi-implicit", "rk2", "rk4", "abm4", "adaptive")
]


def driven(which: str) -> lw.Model:
    if which == "tree":
        return random_tree(4, 6)
    model = random_loops(2, 7, 2)
    model.force("wind", "body 3", lw.Cosine(2.0, frequency=3.0), axis=(1, 0, 0))
    model.spring("cord", "ground", "body 1", stiffness=10.0, damping=0.5)
    return model


def same_bits(a: lw.Trajectory, b: lw.Trajectory) -> None:
    assert a.names == b.names
    for name in (*a.names, "time", "energy.total", "energy.work", "energy.dissipated", "drift.position"):
        assert a[name].tobytes() == b[name].tobytes(), name


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: f"{o['method']} {o['integrator']}")
@pytest.mark.parametrize("which", rest_long(["tree", "loop"], ["loop"]))
def test_twice(which: str, options: dict[str, Any]) -> None:
    runs = [lw.simulate(driven(which), until=0.1, dt=1e-3, **options) for _ in range(2)]
    same_bits(*runs)
    # what is recorded, and how often, does not touch the motion
    thin = lw.simulate(driven(which), until=0.1, dt=1e-3, every=7, record=["body 2.*"], **options)
    assert thin["body 2.position"].tobytes() == runs[0]["body 2.position"][::7].tobytes()
    assert thin.energy["total"].tobytes() == runs[0].energy["total"][::7].tobytes()


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: f"{o['method']} {o['integrator']}")
@pytest.mark.parametrize("which", rest_long(["tree", "loop"], ["loop"]))
def test_steps_by_hand_are_those_of_simulate(which: str, options: dict[str, Any]) -> None:
    run = lw.simulate(driven(which), until=0.06, dt=1e-3, **options)
    sim = lw.Simulation(driven(which), dt=1e-3, **options)
    assert sim.time == 0.0
    for count in (1, 1, 5, 30, 23):
        sim.step(count)
    assert sim.steps == 60
    assert sim.time == run.time[-1] == 60 * 1e-3
    body = lw.Simulation(driven(which), dt=1e-3, **options)
    body.step(60)
    assert sim.state.y.tobytes() == body.state.y.tobytes()
    if options["method"] == "recursive":
        for place in sim.system.joints:
            if place.q.stop > place.q.start:
                assert np.ravel(run[f"{place.name}.position"][-1]).tobytes() == sim.q[place.q].tobytes()
                assert np.ravel(run[f"{place.name}.velocity"][-1]).tobytes() == sim.v[place.v].tobytes()


PROGRAM = """
import sys
sys.path[:0] = {paths!r}
import test_repeatable
for method in sys.argv[1:]:
    print(method, test_repeatable.fingerprint(method))
"""


def fingerprint(method: str) -> str:
    run = lw.simulate(four_bar(), until=0.2, dt=1e-3, method=method)
    return hashlib.sha256(b"".join(run[name].tobytes() for name in run.names)).hexdigest()


def test_in_other_processes() -> None:
    """This process may have compiled the kernels, others load them, in any order: the same bits in all."""
    wanted = {method: fingerprint(method) for method in ALL}
    here = Path(__file__).parent
    program = PROGRAM.format(paths=[str(here), str(here.parent), str(Path(lw.__file__).parent.parent)])
    for methods in (list(ALL), list(ALL)[::-1]):
        said = subprocess.run(
            [sys.executable, "-c", program, *methods], capture_output=True, text=True, check=True
        ).stdout
        assert dict(line.split() for line in said.splitlines()) == wanted
