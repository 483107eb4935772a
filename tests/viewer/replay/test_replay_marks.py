"""What the replay page draws besides bodies: trails, arrows, centres of mass; its words and controls."""

import numpy as np
import pytest

import linkwork as lw
from replayed_page import colour, opened, resize, seek, spot


def test_a_trail_is_the_way_of_the_centre(page):
    seek(page, 1.047)
    x, y = spot(page, "ball")
    seek(page, 0.52)  # the ball is away

    def redness():
        near = page.evaluate(f"linkwork.pixels([-1, 0, 1].map((d) => [{x} + d, {y}]))")
        return max(red - blue for red, _, blue in near)

    assert redness() < 12
    page.evaluate("linkwork.panel.open('Show'), linkwork.panel.open(null)")
    page.evaluate("linkwork.marks.trail('ball')")
    assert redness() > 40  # a line one point wide, smoothed
    page.evaluate("linkwork.marks.clearTrails()")


def test_forces_are_arrows_to_scale(page):
    page.evaluate("linkwork.panel.open('Show')")
    page.check("#forces")
    page.check("#torques")
    page.evaluate("linkwork.draw()")
    legend = page.evaluate("linkwork.arrows.legend(linkwork.view.pointsPerMetre())")
    assert [one["text"] for one in legend] == ["10 N", "3 N m"]
    assert page.text_content("#scale").split() == ["10", "N", "3", "N", "m"]
    box = page.locator("#scale").bounding_box()
    for kind in ("force", "torque"):  # each with a bar as long as the arrow
        bar = page.locator(f"#scale i.{kind}").bounding_box()
        assert bar["width"] > 20
        assert box["x"] <= bar["x"] < bar["x"] + bar["width"] <= box["x"] + box["width"]
        assert box["y"] <= bar["y"] < box["y"] + box["height"]
    kinds = "linkwork.source.runs[0].joints.findIndex((joint) => joint.name === 'pin')"
    arrow = page.evaluate(
        f"linkwork.arrows.made[0].force[{kinds}].children[1].getWorldPosition(linkwork.view.target.clone())"
    )
    pin = page.evaluate(f"linkwork.stage.runs[0].bodies.world(0, linkwork.source.runs[0].joints[{kinds}].at)")
    assert arrow["z"] - pin["z"] == pytest.approx(-19.62 * legend[0]["length"] / 10, rel=1e-3)  # the load points down
    assert arrow["x"] == pytest.approx(pin["x"], abs=1e-6)
    page.uncheck("#forces")
    page.uncheck("#torques")
    page.evaluate("linkwork.draw()")
    assert page.is_hidden("#scale")


def test_the_scale_of_arrows_goes_with_the_zoom(page):
    """The bar is always as long as an arrow of its force where the camera looks, and never cut."""
    page.evaluate("linkwork.panel.open('Show')")
    page.check("#forces")
    for by in (1.0, 0.4, 0.1, 3.0):
        page.evaluate(
            "((by) => { const { view } = linkwork, { position } = view.camera; linkwork.look('home');"
            " position.sub(view.target).multiplyScalar(by).add(view.target); view.update(); linkwork.draw(); })"
            f"({by})"
        )
        text, _ = page.text_content("#scale").split()
        ends = page.evaluate(
            "(() => { const { camera, target } = linkwork.view, way = target.clone().set(1e-3, 0, 0);"
            " return [target.clone(), way.applyQuaternion(camera.quaternion).add(target)]"
            ".map((point) => linkwork.screenOf(point.toArray())); })()"
        )
        metre = np.hypot(*np.subtract(*ends))
        wanted = float(text) * page.evaluate("linkwork.arrows.scale('force')") * 1e3 * metre
        bar = page.locator("#scale i.force").bounding_box()["width"]
        assert bar == pytest.approx(wanted, rel=0.03, abs=0.6)
        assert 6 < bar < 201
    page.uncheck("#forces")
    page.evaluate("linkwork.look('home'), linkwork.draw()")


def hung():
    """A ball on a string, and a post that is pushed against a strut; both are distances."""
    model = lw.Model("rope and rod")
    ball = model.body("ball", mass=1, shape=lw.Sphere(0.1), position=(0.6, 0, -0.8))
    model.distance("string", model.ground, ball, length=1.0)
    post = model.body("post", mass=2, shape=lw.Box((0.1, 0.1, 0.6)), position=(-1, 0, -0.3))
    model.revolute("hinge", model.ground, post, at=(-1, 0, -0.6), axis=(0, 1, 0))
    model.distance("strut", model.ground, post, at_a=(-0.7, 0, -0.6), at_b=(0, 0, 0.3))
    model.force("push", post, (20.0, 0, 0))
    return lw.simulate(model, until=0.5, dt=2e-3, method="recursive", every=5)


def test_what_only_pulls_is_a_rope_and_what_pushes_is_a_rod(visit, tmp_path, bundled):
    run = hung()
    run.replay(tmp_path / "hung.html")
    page = opened(visit, tmp_path / "hung.html")
    page.evaluate("linkwork.draw()")
    rods = page.evaluate(
        "linkwork.stage.runs[0].joints.rods.map((rod) => [rod.name, rod.bar.visible, rod.strands.visible])"
    )
    assert rods == [["string", False, True], ["strut", True, False]]
    seek(page, 0.0)
    rope = colour(page, *page.evaluate("linkwork.screenOf([0.3, 0, -0.4])"))  # hemp
    assert rope[0] > rope[2] + 25
    rod = colour(page, *page.evaluate("linkwork.screenOf([-0.85, 0, -0.3])"))
    assert rod.max() < 110
    free = page.evaluate("linkwork.view.free")
    for end in ([0, 0, 0], [-0.7, 0, -0.6]):  # both ends are in the picture
        x, y = page.evaluate(f"linkwork.screenOf({end})")
        assert free["x"] + 10 < x < free["x"] + free["width"] - 10
        assert free["y"] + 10 < y < free["y"] + free["height"] - 10
    page.mouse.click(*page.evaluate("linkwork.screenOf([0.3, 0, -0.4])"))
    assert page.evaluate("linkwork.selection.selected.name") == "string"
    assert page.evaluate("linkwork.stage.runs[0].joints.rods[0].lit") is True
    assert page.errors == []


def test_centres_of_mass_and_the_trust_badge(page):
    page.evaluate("linkwork.marks.set('com', true), linkwork.draw()")
    whole = page.evaluate("linkwork.marks.made.com.children[3].position.toArray()")  # of three bodies of 1 kg
    places = page.evaluate("Object.values(linkwork.poses()).map((pose) => pose.slice(0, 3))")
    np.testing.assert_allclose(whole, np.mean(places, axis=0), atol=1e-6)
    page.evaluate("linkwork.marks.set('com', false)")
    assert page.text_content("#trust") == "good"
    page.click("#trust")
    assert "can be trusted" in page.text_content("#reasons h2")
    assert page.locator("#reasons .spark polyline").count() == 1
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")


def test_controls_have_names_and_are_large_enough_for_fingers(page):
    resize(page, 390, 844)
    page.evaluate("linkwork.panel.open('Parts')")
    for box in page.evaluate(
        "[...document.querySelectorAll('#dock button, .part, .eye')].filter((one) => one.offsetParent)"
        ".map((one) => [one.textContent + (one.ariaLabel || one.title), one.offsetWidth, one.offsetHeight])"
    ):
        assert box[0]
        if "left:" not in box[0]:
            assert min(box[1:]) >= 44 or box[0].startswith(("pin", "hold")), box
