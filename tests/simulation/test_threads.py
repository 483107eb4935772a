"""Simulations in several threads at once, each with its own state."""

from __future__ import annotations

import subprocess
import sys
import threading

import linkwork as lw

SCRIPT = """
import sys
import threading
import linkwork as lw

sys.setswitchinterval(1e-6)  # they get into each other's way while rooms are entered for the first time

ends = {}

def work(k):
    model = lw.gallery.chain.build() if k % 2 else lw.gallery.peaucellier.build(drive="motor")
    lw.Simulation, lw.Impulse
    sys.setswitchinterval(5e-3)
    sim = lw.Simulation(model, lw.Impulse(dt=1e-3))
    for _ in range(200):
        sim.step()
    ends[k] = sim.q.tobytes()

threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ends[0] == ends[2] and ends[1] == ends[3], "threads disturb each other"
print("well")
"""


def test_threads_neither_wait_for_ever_nor_disturb_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=500)
    assert done.stdout.strip() == "well", done.stderr


def test_one_simulation_in_two_threads_is_refused() -> None:
    """Both would write to the same memory: the second is told, and the first goes on as if alone."""
    model = lw.gallery.chain.build(n=40)
    sims = [lw.Simulation(model, "recursive", dt=1e-4) for _ in range(2)]
    refusals: list[str] = []
    begun = threading.Event()

    def work() -> None:
        begun.set()
        sims[0].step(20000)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    while thread.is_alive():
        try:
            sims[0].step()
        except lw.OptionError as error:
            refusals.append(str(error))
            break
    thread.join()
    assert refusals
    assert "stepped by another thread" in refusals[0]
    sims[1].step(sims[0].steps)
    assert sims[0].state.y.tobytes() == sims[1].state.y.tobytes()
