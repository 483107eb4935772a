"""The tool that draws the gallery."""

import numpy as np
import pytest

from linkwork.gallery import pictures

pytest.importorskip("matplotlib")
matplotlib_image = pytest.importorskip("matplotlib.image")


def ink(file):
    """How much of a picture is not white."""
    return float(np.mean(matplotlib_image.imread(file)[..., :3].min(axis=-1) < 0.97))


def test_tool_draws_what_it_is_asked_for(tmp_path, capsys):
    pictures.main([str(tmp_path), "pendulum", "gallery"])
    assert (tmp_path / "pendulum.png").stat().st_size > 5000
    assert ink(tmp_path / "gallery.png") > 0.005  # a sheet of one
    assert "pendulum.png" in capsys.readouterr().out
