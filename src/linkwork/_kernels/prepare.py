"""Without the library: what a method needs is compiled before its first run, by two processes at once.

This process compiles what every method needs; another one compiles the loop of the method, the longest part. Each
finished entry is kept at once: whoever stops half-way loses only what was not finished.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from linkwork._kernels import store
from linkwork._kernels.code_lookup import code_for, need_numba
from linkwork._kernels.kernel import plain_python
from linkwork._kernels.library import Library, Refused, library

# s on two cores, from nothing compiled to the first result
USUAL = {"impulse.step": 75, "component.component": 45, "absolute.absolute": 40, "natural.global_": 40}
USUAL_OTHERS = 30
_one_thread = threading.Lock()


def prepare(loop: str | None, method: str) -> None:
    """Compile what a method needs where it is not at hand yet; `loop` is the module with its compiled loop."""
    if loop is None or not loop.startswith("linkwork.") or plain_python.note or isinstance(library(), Library):
        return
    with _one_thread:
        if not store.has(f"{loop}.run"):
            need_numba()
            _compile(loop, method)


def _compile(loop: str, method: str) -> None:
    from linkwork._kernels.collect import entries

    run = f"{loop}.run"
    refused = library()
    if isinstance(refused, Refused) and refused.reason and not refused.wanted:
        print(f"note: {refused.reason}; methods are compiled instead", file=sys.stderr)
    usual = next((seconds for name, seconds in USUAL.items() if loop.endswith(name)), USUAL_OTHERS)
    print(
        f"linkwork compiles method '{method}' for this machine: about {usual} s, only once ...",
        end="", file=sys.stderr, flush=True,
    )  # fmt: skip
    begin = time.monotonic()
    other = _start(method, run) if _cores() > 1 and store.cache_folder() is not None else None
    found = entries([method])
    for name in sorted(found, key=lambda name: name == run):  # the loop last
        if name == run and other is not None:
            other.wait()
        code_for(*found[name])  # of the loop: what the other process has kept, or compiled here if it failed
    print(f" done, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(method: str, run: str) -> subprocess.Popen[bytes] | None:
    """Another process that compiles the loop; None where there can be none."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "linkwork._kernels.prepare", method, run],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
    except (OSError, ValueError, TypeError):
        return None


def main() -> None:
    """Compile one entry of a method and keep it."""
    from linkwork._kernels.collect import entries

    method, run = sys.argv[1:]
    code_for(*entries([method])[run])


if __name__ == "__main__":
    main()
