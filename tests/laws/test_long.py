"""Large and long: a chain of a thousand links, a million steps, and no memory taken by any of them."""

from __future__ import annotations

import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python as counters
from numba.core.runtime import rtsys

import linkwork as lw
from known_mechanisms import four_bar, pendulum
from known_methods import EXPLICIT
from random_mechanisms import random_loops, random_tree


def chain(n: int) -> lw.Model:
    """n links of a tenth of a metre, axes in turn about y and x, laid out along x."""
    model = lw.Model("chain")
    inner = model.ground
    for i in range(n):
        link = model.body(f"link {i}", mass=0.1, inertia=(1e-5, 1e-4, 1e-4), com=(0.05, 0, 0), position=(0.1 * i, 0, 0))
        axis = (0, 1, 0) if i % 2 == 0 else (0, 0.6, 0.8)
        model.revolute(f"pin {i}", inner, link, at=(0.1 * i, 0, 0), axis=axis)
        inner = link
    return model


def test_a_thousand_links() -> None:
    run = lw.simulate(chain(1000), until=0.02, dt=1e-3, record=["link 999.position"])
    # the ends fly as free: a fall of the loose part, energy kept to (rate dt)^4
    assert run.certificate.energy_balance_relative < (20 * 1e-3) ** 4
    assert run["link 999.position"][-1, 2] == pytest.approx(-9.81 * 0.02**2 / 2, rel=1e-3)


def test_cost_grows_with_the_number_of_links() -> None:
    """Ten times the links, about ten times the time; an algorithm in n^2 would take a hundred times."""
    sims = [lw.Simulation(chain(n), dt=1e-4, integrator="semi-implicit") for n in (100, 1000)]
    spent = [np.inf, np.inf]
    for _ in range(20):  # in turns, by the clock of this thread: whatever else the machine does
        for k, sim in enumerate(sims):
            begin = time.thread_time()
            sim.step(5)
            spent[k] = min(spent[k], time.thread_time() - begin)
    assert spent[1] / spent[0] < 25


@pytest.fixture
def counted():
    """numba's own count of allocations."""
    enabled = counters.memsys_stats_enabled()
    counters.memsys_enable_stats()
    yield lambda: rtsys.get_allocation_stats().alloc
    if not enabled:
        counters.memsys_disable_stats()


MODELS = {
    "tree": lambda: random_tree(4, 8),
    "loops": lambda: random_loops(2, 7, 2),
    "redundant": four_bar,
    "spring": lambda: _sprung(),
}


def _sprung() -> lw.Model:
    model = random_loops(2, 7, 2)
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.05, frequency=2.0), 0, 0)))
    model.spring("cord", table, "body 1", stiffness=10.0, damping=0.5)
    model.force("wind", "body 3", ([0.0, 1.0], [2.0, 3.0]), axis=(1, 0, 0))
    return model


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk4", "abm4", "adaptive"])
@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("which", MODELS)
def test_steps_allocate_nothing(which: str, method: str, integrator: str, counted) -> None:
    sim = lw.Simulation(MODELS[which](), method, dt=1e-4, integrator=integrator)
    sim.step(10)
    before = counted()
    sim.step(1)
    one = counted() - before
    sim.step(500)
    assert counted() - before - one == one  # what a call costs, if anything, a step does not


def test_the_count_counts(counted) -> None:
    @numba.njit
    def wasteful(n: int) -> float:
        total = 0.0
        for k in range(n):
            total += np.full(k + 1, 1.0).sum()
        return total

    wasteful(1)
    before = counted()
    wasteful(50)
    assert counted() - before >= 50


def resident() -> int:
    """Bytes of memory in use by this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to see the memory in use")
def test_a_million_steps_take_no_memory() -> None:
    sim = lw.Simulation(pendulum(position=1.0), dt=1e-4, integrator="semi-implicit")
    sim.step(1000)
    before = resident()
    sim.step(1_000_000)
    # one byte a step would be a million
    assert resident() - before < 300_000
    assert sim.steps == 1_001_000
    assert np.isfinite(sim.q).all()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to see the memory in use")
def test_recording_keeps_what_it_says_and_no_more() -> None:
    """Rows that are not kept cost nothing: a long run with few rows stays small."""
    model = pendulum(position=1.0)
    lw.simulate(model, until=1.0, dt=1e-3, every=100)
    before = resident()
    run = lw.simulate(model, until=300.0, dt=1e-3, every=3000)
    assert len(run) == 101
    assert resident() - before < 3_000_000
