"""STEP files of the tests, and a reader that stays in this process."""

import pytest


@pytest.fixture
def here(monkeypatch, tmp_path):
    """Read in this process: other tests start the other one, which takes a second."""
    from linkwork.formats.step import cad_data, extract, reader

    def read_cad(path, *, tolerance, timeout):
        extract.extract(path, tmp_path / "cad.npz", tolerance)
        return cad_data.load(tmp_path / "cad.npz")

    monkeypatch.setattr(reader, "read_cad", read_cad)
