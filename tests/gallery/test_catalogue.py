"""The page of the gallery: what is on it is there, and what failed is named."""

import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork import gallery
from linkwork.gallery import catalogue

Image = pytest.importorskip("PIL.Image", reason="pictures are read by pillow")


def test_the_page_of_one_piece(tmp_path):
    # a browser has a process to itself, apart from those of other tests
    command = [sys.executable, "-m", "linkwork.gallery.catalogue", str(tmp_path), "pendulum"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "index.html") in done.stdout
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    piece = gallery.piece("pendulum")
    for word in ("linkwork run pendulum --view", piece.TITLE, piece.PAPER):
        assert word in text
    for target in re.findall(r'(?:href|src)="([^"]+)"', text):
        assert (tmp_path / target).stat().st_size > 5000
    assert not re.search(r"https?://", text)
    image = np.asarray(Image.open(tmp_path / "pendulum.png").convert("RGB"), dtype=int)
    blue = image[..., 2] > image[..., 0] + 40
    assert blue.sum() > 500  # the bob and its rod
    if "drawn without a browser" in done.stdout:
        return  # such a picture has room for the whole motion
    rows, columns = np.nonzero(blue)
    middle = np.array(image.shape[:2]) / 2
    assert np.all(np.abs([np.ptp(rows) / 2 + rows.min(), np.ptp(columns) / 2 + columns.min()] - middle) < 0.2 * middle)


def test_without_a_browser_it_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with catalogue.cameras() as (camera, way):
        assert way == "drawn without a browser"
        run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
        camera(run, tmp_path / "x.html", tmp_path / "x.png", 0.1)
    assert Image.open(tmp_path / "x.png").size == (880, 660)


def test_a_piece_that_fails_is_named(tmp_path, monkeypatch):
    def build():
        model = lw.Model("bad")
        ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1))
        model.force("push", ball, lambda t: (0.0, 0.0, 1.0 if t < 0.05 else float("nan")))
        return model

    options = {"method": "recursive", "dt": 0.01}
    bad = SimpleNamespace(TITLE="<bad>", PAPER="none", UNTIL=1.0, METHOD=options, build=build)
    monkeypatch.setattr(gallery, "piece", lambda name: bad)
    taken = []
    made = catalogue.exhibit("bad", tmp_path, lambda run, page, file, time: taken.append(time))
    assert "the law of force 'push' failed" in made.wrong
    assert taken == [pytest.approx(0.04)]  # as far as it came
    assert "&lt;bad&gt;" in catalogue.index([made])
    assert made.wrong.split(";")[0].replace("'", "&#x27;") in catalogue.index([made])
