"""A small machine as a STEP file, and a way to read very many damaged ones: each in a fork, which has OCP already."""

import faulthandler
import os
import signal
import time
import traceback
from pathlib import Path

import pytest

import linkwork as lw
from formats.step.cad import Cad, bolt, box, cylinder, joined, moved, torus, without
from linkwork.formats.step import extract, other_process

Z = (0, 0, 1)
PATIENCE = 60.0  # s
CPU = 10  # s of CPU for one file
MEMORY = 3 << 30  # bytes of address space, most of them those of OCP itself


def machine(path: Path) -> Path:
    """A small machine: a shaft in a plate, a bolt, a ring, in two assemblies, with colours and materials."""
    cad = Cad()
    whole, inner = cad.assembly("machine"), cad.assembly("inner")
    plate = without(box((-30, -30, 0), (30, 30, 10)), cylinder((0, 0, -1), Z, 6, 20), cylinder((20, 0, -1), Z, 3, 20))
    shaft = joined(cylinder((0, 0, -20), Z, 6, 60), cylinder((0, 0, 10), Z, 9, 8))
    ring = without(cylinder((0, 0, 0), Z, 12, 8), torus((0, 0, 4), Z, 12, 2))
    cad.put(whole, cad.part("plate", plate, colour="#FF8000", material=("Steel", 7.85)), "plate")
    cad.put(inner, cad.part("shaft", shaft), "shaft")
    cad.put(inner, cad.part("ring", ring), "ring", moved((40, 0, 0), (0, 1, 0), 0.3))
    cad.put(whole, inner, "inner")
    cad.put(whole, cad.part("bolt", bolt(3, 9)), "bolt", moved((20, 0, 10)))
    return cad.write(path)


def seeds(folder: Path) -> dict[str, bytes]:
    """The file whose damaged copies are read."""
    return {"damaged.step": machine(folder / "machine.step").read_bytes()}


def read(path: Path) -> object:
    """The file with joints from its geometry."""
    return lw.read(path, density={"*": 7850}, suggest=True, strict=False)


def reading_in_a_fork(folder: Path):
    """What stands for `read_cad`: the bounds and the words are its own, but no process has to start anew."""
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork, and starting a process for every file takes too long")
    out, errors = folder / "out" / "cad.npz", folder / "out" / "errors"
    out.parent.mkdir()

    def read_cad(path, *, tolerance, timeout):
        for each in (out, errors):
            each.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _extract_and_leave(path, out, errors)
        return other_process.collected(path, out, _waited(child), errors.read_bytes() if errors.exists() else b"")

    return read_cad


def _extract_and_leave(path, out, errors):
    code = 1
    faulthandler.disable()  # a crash here is an answer
    import resource  # where there is fork, there is this

    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
        code = extract.main([str(path), str(out), "", str(MEMORY)])
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _waited(child):
    end = time.monotonic() + PATIENCE
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise lw.ModelError("it was not read in time; give timeout= more seconds, or a smaller assembly")
        time.sleep(0.002)
