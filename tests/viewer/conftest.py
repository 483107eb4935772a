"""A browser, where one is installed, and a run made by hand, so that what a page shows can be told beforehand."""

import contextlib
import shutil
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery.catalogue import BROWSERS, FLAGS
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.page_bundle import bundle


@pytest.fixture(scope="session")
def bundled():
    """The page's bundle, or a skip that says why there is none."""
    try:
        return bundle()
    except lw.OptionError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="tests of pages need playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("tests of pages need a browser: apt-get install chromium")
    with api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=program, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a page; it notes every address that was asked for, and every error."""
    with visiting(browser) as to:
        yield to


@pytest.fixture(scope="module")
def stay(browser):
    """The same for a page that several tests share."""
    with visiting(browser) as to:
        yield to


@pytest.fixture(scope="session")
def lodge(browser):
    """The same for a page that several files share."""
    with visiting(browser) as to:
        yield to


@contextlib.contextmanager
def visiting(browser):
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.asked, page.errors = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)

    def to(address, width=800, height=600):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("about:blank")  # a page before may have lost its server
        page.asked.clear()
        page.errors.clear()
        page.goto(address)
        if page.locator("#bundle").count():
            wait_until(page, "typeof linkwork === 'object'", 90)
        return page

    yield to
    context.close()


def wait_until(page, expression, seconds=20.0):
    """Wait until something holds in the page; the page's policy forbids the browser's own way of waiting."""
    last = time.monotonic() + seconds
    while not page.evaluate(expression):
        problem = page.evaluate("document.getElementById('problem')?.textContent")
        assert not problem, problem
        assert time.monotonic() < last, f"it did not come to {expression}"
        page.wait_for_timeout(10)


@pytest.fixture(scope="session")
def until():
    return wait_until


def swinging(phase: float = 0.0, rows: int = 401, **changes) -> Trajectory:
    """An arm that swings on a block about y, and a ball on a spring that goes up and down; 4 s, no dynamics."""
    model = lw.Model("swing </script> & <b>")
    block = model.body("block", mass=1, shape=lw.Box((0.4, 0.3, 0.2)), position=(0, 0, 0.1))
    arm = model.body("arm", mass=1, shape=lw.Capsule(0.05, 0.8), position=(0, 0, 0.6))
    ball = model.body("ball", mass=1, shape=lw.Sphere(0.12), position=(-0.7, 0, 0.6))
    model.fixed("foot", model.ground, block, at=(0, 0, 0))
    model.revolute("pin", block, arm, at=(0, 0, 0.2), axis=(0, 1, 0))
    model.spring("spring", block, ball, at_a=(-0.2, 0, 0), stiffness=10, length=0.3)
    t = np.linspace(0, 4, rows)
    half = 0.4 * np.sin(2 * t + phase)
    zero, one = 0 * t, 0 * t + 1
    facts = {
        "time": t,
        "columns": {
            "block.position": np.stack([zero, zero, zero + 0.1], axis=1),
            "block.rotation": np.stack([one, zero, zero, zero], axis=1),
            "arm.position": np.stack([0.4 * np.sin(2 * half), zero, 0.2 + 0.4 * np.cos(2 * half)], axis=1),
            "arm.rotation": np.stack([np.cos(half), zero, np.sin(half), zero], axis=1),
            "ball.position": np.stack([zero - 0.7, zero, 0.6 + 0.3 * np.sin(3 * t + phase)], axis=1),
            "ball.rotation": np.stack([one, zero, zero, zero], axis=1),
        },
        "units": {},
        "energy": {"total": one, "balance": 1e-9 * t},
        "drift": {"position": 1e-12 * t},
        "certificate": Certificate(method="recursive", integrator="rk4", dt=0.01),
        "model_name": model.name,
        "scene": scene_of(model, 4.0),
    }
    return Trajectory(**{**facts, **changes})


@pytest.fixture(scope="session")
def swing():
    return swinging
