"""Pictures and films of recorded runs: what is drawn is where the run says, and what cannot be is refused."""

import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.viewer.pictures import film as films
from linkwork.viewer.pictures.browser import Browser, find_browser
from linkwork.viewer.pictures.drawn_film import DrawnFilm
from linkwork.viewer.staging import Stage

DRAWN = {"renderer": "drawing"}
Image = pytest.importorskip("PIL.Image", reason="films need pillow")


def spot(run, point, width):
    """Column and row of a point of the world."""
    drawn = DrawnFilm(Stage(run), (width, round(0.75 * width) // 2 * 2))
    right, up, _ = drawn.camera @ (np.asarray(point) - drawn.middle) * drawn.scale
    return round(drawn.width / 2 + right), round(drawn.height / 2 - up)


def green(image, spot):
    red, g, b = (int(value) for value in image[spot[1], spot[0]])
    return g > 1.15 * red and g > 1.05 * b


def test_a_picture_shows_the_ball_where_it_is(swing, tmp_path):
    run = swing()
    for t, height in ((0.52, 0.9), (1.57, 0.3)):
        run.film(tmp_path / "swing.png", time=t, width=240, **DRAWN)
        image = np.asarray(Image.open(tmp_path / "swing.png"))
        assert image.shape == (180, 240, 3)
        assert green(image, spot(run, (-0.7, 0, height), 240))
        assert not green(image, spot(run, (-0.7, 0, 1.2 - height), 240))


def test_a_gif_moves_and_keeps_time(swing, tmp_path):
    run = swing(rows=41)
    run.film(tmp_path / "swing.gif", fps=5, speed=2.0, width=120, **DRAWN)
    with Image.open(tmp_path / "swing.gif") as image:
        assert image.n_frames == 11  # 4 s at twice the speed, five a second
        assert image.info["duration"] == 200
        assert image.info["loop"] == 0
        frames = []
        for k in range(image.n_frames):
            image.seek(k)
            frames.append(np.asarray(image.convert("RGB"), dtype=int))
    for k in (1, 3, 4):
        height = 0.6 + 0.3 * np.sin(3 * 0.4 * k)
        assert green(frames[k], spot(run, (-0.7, 0, height), 120))


def test_what_cannot_be_drawn_is_refused(swing, tmp_path, monkeypatch):
    run = swing(rows=11)
    for file, options, said in (
        ("a.txt", {}, "txt"),
        ("a.png", {"time": 5.0}, "give another time"),
        ("a.gif", {"speed": 0.0}, "speed of a film"),
        ("a.gif", {"speed": 1e-4}, "more than 3000"),
        ("a.gif", {"view": "behind"}, "azimuth and elevation in degrees, not 'behind'"),
        ("a.gif", {"renderer": "oil"}, "'page' or 'drawing', not 'oil'"),
        ("a_%s_%s.png", {}, "cannot number pictures"),
    ):
        with pytest.raises(lw.OptionError, match=said):
            run.film(tmp_path / file, **options)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(films, "find_spec", lambda name: None)
    with pytest.raises(lw.OptionError, match=r'an mp4 needs ffmpeg: pip install "linkwork\[film\]"'):
        run.film(tmp_path / "a.mp4")


def test_an_mp4_is_what_ffmpeg_is_told(swing, tmp_path, monkeypatch):
    """A program stands for ffmpeg: it gets as many bytes as there are points in the pictures."""
    tool = tmp_path / "ffmpeg"
    tool.write_text('#!/bin/sh\nfor last; do :; done\nwc -c > "$last"\n')
    tool.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(tool))
    swing(rows=11).film(tmp_path / "a.mp4", fps=1, width=100, **DRAWN)
    assert int((tmp_path / "a.mp4").read_text()) == 5 * 100 * 74 * 3
    tool.write_text("#!/bin/sh\necho no codec >&2\nexit 1\n")
    with pytest.raises(lw.RunError, match="no codec"):
        swing(rows=11).film(tmp_path / "a.mp4", fps=1, width=100, **DRAWN)


def test_an_mp4_can_be_played(swing, tmp_path):
    """Read back by ffmpeg: as many pictures as were drawn, with the ball where the run has it."""
    program = films.ffmpeg()
    if program is None:
        pytest.skip("an mp4 needs ffmpeg: pip install imageio-ffmpeg")
    run = swing(rows=41)
    run.film(tmp_path / "swing.mp4", fps=5, speed=2.0, width=160, **DRAWN)
    assert (tmp_path / "swing.mp4").read_bytes()[4:8] == b"ftyp"
    played = [program, "-loglevel", "error", "-i", str(tmp_path / "swing.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24"]
    raw = subprocess.run([*played, "-"], capture_output=True, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, 120, 160, 3)
    assert len(frames) == 11
    for k in (1, 3, 4):
        height = 0.6 + 0.3 * np.sin(3 * 0.4 * k)
        assert green(frames[k], spot(run, (-0.7, 0, height), 160))
        assert not green(frames[k], spot(run, (-0.7, 0, 1.2 - height), 160))


def test_the_command(swing, tmp_path):
    swing(rows=5).save(tmp_path / "run.npz")
    words = ["film", str(tmp_path / "run.npz"), str(tmp_path / "a.png"), "--width", "100", "--renderer", "drawing"]
    done = CliRunner().invoke(app, [*words, "--view=-30,20", "--height", "60"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.png").stat().st_size > 500


def test_a_sequence_of_pictures(swing, tmp_path, capsys):
    swing(rows=5).film(tmp_path / "a_%03d.png", fps=1, width=100, height=60, view=(-60.0, 20.0), progress=True, **DRAWN)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == [f"a_{k:03d}.png" for k in range(5)]
    assert Image.open(tmp_path / "a_004.png").size == (100, 60)
    assert capsys.readouterr().err.endswith("5 of 5 pictures\n")


def test_without_a_browser_it_is_drawn(swing, tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_BROWSER", "none")
    assert find_browser() is None
    swing(rows=5).film(tmp_path / "a.png", width=100)
    with pytest.raises(lw.OptionError, match="needs Chromium or Chrome"):
        swing(rows=5).film(tmp_path / "a.png", renderer="page")


@pytest.fixture(scope="module")
def chromium():
    program = find_browser()
    if program is None:
        pytest.skip("films of the page need a browser: apt-get install chromium")
    return program


def test_a_film_of_the_page_in_full_size(swing, tmp_path, chromium):
    """Read back by ffmpeg: its size, the number of pictures, how long it takes; and the ball moves in it."""
    program = films.ffmpeg()
    if program is None:
        pytest.skip("an mp4 needs ffmpeg: pip install imageio-ffmpeg")
    run = swing(rows=41)
    run.film(tmp_path / "a.mp4", width=1920, height=1080, fps=1, speed=2.0, view="front", renderer="page")
    told = subprocess.run([program, "-i", str(tmp_path / "a.mp4")], capture_output=True, text=True).stderr
    assert "1920x1080" in told
    assert "Duration: 00:00:03.00" in told  # 4 s at twice the speed: t = 0, 2 and 4 s
    played = [program, "-loglevel", "error", "-i", str(tmp_path / "a.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    frames = np.frombuffer(subprocess.run(played, capture_output=True, check=True).stdout, np.uint8)
    frames = frames.reshape(-1, 1080, 1920, 3).astype(int)
    assert len(frames) == 3
    heights = []
    for frame in frames:
        red, green, blue = (frame[..., k] for k in range(3))
        heights.append(np.median(np.argwhere((green > 1.15 * red) & (green > 1.05 * blue))[:, 0]))
    z = [0.6 + 0.3 * np.sin(3 * t) for t in (0.0, 2.0, 4.0)]
    assert np.argsort(heights).tolist() == np.argsort(z)[::-1].tolist()  # rows count downwards


def test_the_clock_and_the_scale_bar_of_a_film(swing, chromium):
    from linkwork.viewer.replay.replay import page

    with Browser(chromium, 640, 480) as browser:
        browser.open(page(swing(rows=41), mode="film"), "window.linkwork?.film")
        browser.ask("linkwork.film.show(1.5)")
        assert browser.ask("document.getElementById('film-clock').textContent") == "t = 1.50 s"
        width = browser.ask("document.getElementById('film-scale').getBoundingClientRect().width")
        assert 0.05 * 640 < width <= 0.23 * 640
        assert browser.ask("document.getElementById('film-clock').checkVisibility()")
        assert browser.ask("document.getElementById('film-scale').textContent").split()[1] in ("m", "cm")
        with pytest.raises(lw.RunError, match="ReferenceError"):
            browser.ask("nothing.there")


def test_a_short_run_is_filmed_in_slow_motion(swing, tmp_path):
    whole = swing()
    part = lw.Trajectory(
        whole.time[:101] * 0.03,
        {name: values[:101] for name, values in whole.columns.items()},
        whole.units,
        certificate=whole.certificate,
        model_name=whole.model_name,
        scene=whole.scene,
    )
    part.film(tmp_path / "short.gif", renderer="drawing", width=160)
    with Image.open(tmp_path / "short.gif") as film:
        assert film.n_frames > 60
