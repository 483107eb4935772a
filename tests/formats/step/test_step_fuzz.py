"""Damaged STEP files and damaged files of joints: a model or one line, never a crash of this process."""

import faulthandler
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import pytest

import linkwork as lw

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.fuzzing import fuzz
from formats.step.cad import Cad, bolt, box, cylinder, joined, moved, torus, without
from linkwork.formats.step import cad_data, extract, other_process, reader

Z = (0, 0, 1)
PATIENCE = 5.0  # s
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


@pytest.fixture
def forked(monkeypatch, tmp_path):
    """Read in a fork of this process, which has OCP already: the bounds and the words are those of `read_cad`."""
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork, and starting a process for every file takes too long")
    out, errors = tmp_path / "out" / "cad.npz", tmp_path / "out" / "errors"
    out.parent.mkdir()

    def read_cad(path, *, tolerance, timeout):
        for each in (out, errors):
            each.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _extract_and_leave(path, out, errors)
        return other_process.collected(path, out, _waited(child), errors.read_bytes() if errors.exists() else b"")

    monkeypatch.setattr(reader, "read_cad", read_cad)


def _extract_and_leave(path, out, errors):
    code = 1
    faulthandler.disable()  # a crash here is an answer
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


def damaged_step(folder, count, first=0):
    content = machine(folder / "machine.step").read_bytes()

    def read(path):
        return lw.read(path, density={"*": 7850}, suggest=True, strict=False)

    found = fuzz(read, {"damaged.step": content}, folder, count, first)
    print(found, file=sys.stderr)
    return found


@pytest.mark.usefixtures("forked")
def test_damaged_files(tmp_path):
    found = damaged_step(tmp_path, 40)
    assert found["read"] > 5
    assert found["refused"] > 3


@pytest.mark.long
@pytest.mark.usefixtures("forked")
def test_many_damaged_files(tmp_path):
    assert sum(damaged_step(tmp_path, 10_000, first=1000).values()) == 10_000


def damaged_joints(folder, monkeypatch, count, first=0):
    path = machine(folder / "machine.step")
    extract.extract(path, folder / "cad.npz", None)
    monkeypatch.setattr(reader, "read_cad", lambda *_, **options: cad_data.load(folder / "cad.npz"))
    lw.suggest_joints(lw.read(path, density=7850)[0]).write()
    content = (folder / "machine.joints.toml").read_bytes()

    def read(file):
        return lw.read(path, density=7850, meshes=False, joints=file, strict=False)

    return fuzz(read, {"damaged.toml": content}, folder, count, first)


def test_damaged_joints(tmp_path, monkeypatch):
    found = damaged_joints(tmp_path, monkeypatch, 300)
    assert found["read"] > 30
    assert found["refused"] > 30


@pytest.mark.long
def test_many_damaged_joints(tmp_path, monkeypatch):
    assert sum(damaged_joints(tmp_path, monkeypatch, 10_000, first=1000).values()) == 10_000
