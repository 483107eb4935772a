"""Damaged STEP files and damaged files of joints: a model or one line, never a crash of this process."""

import pytest

import linkwork as lw

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.fuzzing import fuzz
from formats.step.damaged_step import machine, read, reading_in_a_fork, seeds
from linkwork.formats.step import cad_data, extract, reader


@pytest.fixture
def forked(monkeypatch, tmp_path):
    monkeypatch.setattr(reader, "read_cad", reading_in_a_fork(tmp_path))


@pytest.mark.usefixtures("forked")
def test_damaged_files(tmp_path):
    found = fuzz(read, seeds(tmp_path), tmp_path, 25)
    assert found["read"] > 5
    assert found["refused"] > 3


@pytest.mark.long
@pytest.mark.usefixtures("forked")
def test_many_damaged_files(tmp_path):
    assert fuzz(read, seeds(tmp_path), tmp_path, 10_000, first=1000).total() == 10_000


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
    found = damaged_joints(tmp_path, monkeypatch, 100)
    assert found["read"] > 10
    assert found["refused"] > 10


@pytest.mark.long
def test_many_damaged_joints(tmp_path, monkeypatch):
    assert sum(damaged_joints(tmp_path, monkeypatch, 10_000, first=1000).values()) == 10_000
