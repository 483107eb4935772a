"""Simulations in several threads at once, each with its own state."""

from __future__ import annotations

import subprocess
import sys

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
