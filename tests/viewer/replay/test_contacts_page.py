"""Contacts and the support polygon on the page of a replay; where they were not recorded it says so."""

import numpy as np
import pytest

import linkwork as lw


def opened(visit, file):
    """Paused, and drawn plainly."""
    page = visit(file.as_uri(), 700, 520)
    page.evaluate("linkwork.pause(), linkwork.plain(true)")
    return page


@pytest.fixture(scope="module")
def standing(tmp_path_factory, bundled):
    """A block of 3 kg with a post beside its middle: it stands, and falls when the post is heavier."""

    def made(post):
        model = lw.Model("block")
        model.plane("floor")
        shape = lw.Box((0.4, 0.2, 0.1))
        block = model.body("block", mass=3.0, shape=shape, position=(0, 0, 0.05), material=lw.Material())
        arm = model.body("post", mass=post, shape=lw.Box((0.05, 0.05, 0.3)), position=(0.3, 0, 0.25))
        model.free("flies", model.ground, block)
        model.fixed("weld", block, arm)
        file = tmp_path_factory.mktemp("standing") / "block.html"
        run = lw.simulate(model, until=0.1, method="impulse", dt=0.002)
        run.replay(file)
        return run, file

    return made


def test_contacts_and_the_support_polygon_are_in_the_replay(visit, standing):
    run, file = standing(1.0)
    page = opened(visit, file)
    page.evaluate("linkwork.panel.open('Show')")
    page.check("#contacts")
    page.check("#polygon")
    page.evaluate("linkwork.seek(0.1)")
    table = np.array(page.evaluate("linkwork.draw(), Array.from(linkwork.stage.runs[0].frame.contacts)")).reshape(-1, 7)
    assert table[:, 5].sum() == pytest.approx(4.0 * 9.81, rel=1e-2)
    assert table[:, 5].sum() == pytest.approx(run["block.contact_force"][-1, 2], rel=1e-2)
    assert page.evaluate("linkwork.arrows.made[0].contact.filter((one) => one.visible).length") == len(table)
    # the polygon is the face of the block, and the centre of mass, at x = 0.075 m, is above it
    support = "linkwork.marks.support"
    corners = page.evaluate(f"{support}.around")
    assert len(corners) == 4
    area = 0.5 * abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, corners[1:] + corners[:1], strict=True)))
    assert area == pytest.approx(0.4 * 0.2, rel=1e-2)
    assert page.evaluate(f"{support}.steady") is True
    np.testing.assert_allclose(page.evaluate(f"{support}.ball.position.toArray()")[:2], [0.075, 0.0], atol=1e-3)
    red, green, blue = page.evaluate("linkwork.pixel(...linkwork.screenOf([0.075, 0, 0]))")
    assert green > red + 40  # the ball is seen through the block
    assert page.text_content("#scale").endswith("N at a contact")
    red, green, blue = page.evaluate(f"linkwork.pixel(...linkwork.screenOf({table[0, :3].tolist()}))")
    assert red > 1.5 * blue  # the point
    assert page.errors == []


def test_a_block_that_topples_is_not_steady(visit, standing):
    page = opened(visit, standing(30.0)[1])
    page.evaluate("linkwork.marks.set('polygon', true), linkwork.seek(0.01), linkwork.draw()")
    assert page.evaluate("linkwork.marks.support.steady") is False


def test_where_contacts_were_not_recorded_the_page_says_so(visit, swing, standing, tmp_path):
    swing().replay(tmp_path / "swing.html")
    assert opened(visit, tmp_path / "swing.html").text_content("#untouched") == "Nothing touches in this run."
    run, _ = standing(1.0)
    del run.scene["contacts"]
    run.replay(tmp_path / "old.html")
    other = opened(visit, tmp_path / "old.html")
    assert other.text_content("#untouched") == "This run did not record where bodies touch."
    assert other.locator("#contacts").count() == 0
