"""What the page says and what it sends: sliders, keys, pads, toasts, colours of words, the plain mode."""

import json
import re

import numpy as np
import pytest

from linkwork.viewer.replay.replay import page as page_of

INPUTS = [
    {"name": "left.drive", "unit": "rad/s", "value": 0.0, "low": -6.0, "high": 6.0, "step": 0.06},
    {"name": "left.brake", "unit": "N m", "value": 1.0, "low": 0.0, "high": 2.0, "step": 0.01},
    {"name": "lift", "unit": "m", "value": 0.1, "low": 0.0, "high": 0.5, "step": 0.0025},
]
KEYS = {"I": {"left.drive": 6.0}, "K": {"left.drive": -6.0}, "L": {"lift": 0.5}}


@pytest.fixture(scope="module")
def page(stay, swing, tmp_path_factory, bundled):
    """A page with inputs, which keeps what it would send."""
    file = tmp_path_factory.mktemp("page") / "drive.html"
    more = f'"mode":"replay","inputs":{json.dumps(INPUTS)},"keys":{json.dumps(KEYS)}'
    text = page_of(swing(rows=51), playing=False).replace('"mode":"replay"', more, 1)
    file.write_text(text, encoding="utf-8")
    page = stay(file.as_uri(), 1100, 700)
    page.set_default_timeout(8_000)
    page.evaluate("window.sent = [], linkwork.source.send = (...words) => sent.push(words), linkwork.plain(true)")
    page.evaluate("linkwork.panel.open('Drive')")
    return page


def sent(page):
    return page.evaluate("sent.splice(0)")


def test_sliders_are_grouped_and_send_what_they_are_set_to(page):
    assert page.locator(".drive legend").all_text_contents() == ["Keys", "left", "Inputs"]
    slider = page.locator(".slider input[type=range]").first
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("-6", "6")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert sent(page) == [["input", "left.drive", pytest.approx(0.06)]]
    number = page.locator(".slider input[type=number]").nth(2)
    number.fill("0.25")
    number.press("Enter")
    assert sent(page) == [["input", "lift", 0.25]]
    assert "m" in page.locator(".unit").nth(2).text_content()
    page.evaluate("linkwork.changed('inputs', {'left.drive': -3})")
    assert slider.input_value() == "-3"
    page.evaluate("linkwork.changed('inputs', {'left.drive': -2.22e-16})")  # rounding
    assert page.locator(".slider input[type=number]").first.input_value() == "0"


def test_keys_go_down_and_up_and_two_at_once(page):
    page.evaluate("document.activeElement.blur()")
    page.keyboard.down("i")
    page.keyboard.down("l")
    assert sent(page) == [["key", "I", True], ["key", "L", True]]
    assert page.locator(".pad.held").all_text_contents() == ["I", "L"]
    page.keyboard.up("i")
    assert sent(page) == [["key", "I", False]]
    page.evaluate("window.dispatchEvent(new Event('blur'))")  # another window: nothing stays pressed
    assert sent(page) == [["key", "L", False]]
    page.keyboard.up("l")
    assert sent(page) == []


def test_pads_are_keys_for_fingers(page):
    box = page.locator(".pad", has_text="K").bounding_box()
    assert min(box["width"], box["height"]) >= 44
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    assert sent(page) == [["key", "K", True]]
    page.mouse.up()
    assert sent(page) == [["key", "K", False]]


PAD = """(pad) => { window.pad = { id: "fake", connected: true, axes: pad.axes || [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, (_, k) => ({ pressed: (pad.buttons || []).includes(k), value: 0 })) };
    Object.defineProperty(navigator, "getGamepads", { configurable: true, value: () => [null, window.pad] });
    linkwork.gamepad.when = 0; linkwork.gamepad.look(1e9); }"""


def test_a_gamepad_drives_what_keys_drive(page):
    """Sticks lean by how far they are pushed, the directional pad pushes them fully; start plays."""
    page.evaluate("linkwork.gamepad.release(), sent.splice(0)")
    page.evaluate(PAD, {"axes": [0.05, 0.1, 0, 0]})  # within the dead zone
    assert sent(page) == []
    assert "drives what keys drive" in page.text_content(".toast")
    assert page.locator(".pad small").all_text_contents() == ["left stick ↑", "left stick ↓", "left stick →"]
    page.evaluate(PAD, {"axes": [0, -1, 0, 0]})
    assert sent(page) == [["lean", "left.drive", 6.0]]
    page.evaluate(PAD, {"axes": [0, 0.575, 0, 0]})  # half of the way that is left beyond the dead zone
    assert sent(page) == [["lean", "left.drive", pytest.approx(-3.0)]]
    page.evaluate(PAD, {"axes": [1, 0, 0, 0]})  # both at once: one goes back, the other comes
    assert sorted(sent(page)) == [["lean", "left.drive", 0], ["lean", "lift", 0.5]]
    page.evaluate(PAD, {"buttons": [12]})
    assert sorted(sent(page)) == [["lean", "left.drive", 6.0], ["lean", "lift", 0]]
    page.evaluate("window.pad = null")
    page.evaluate("linkwork.gamepad.look(2e9)")  # it was pulled out: nothing stays pressed
    assert sent(page) == [["lean", "left.drive", 0]]
    page.evaluate(PAD, {"buttons": [9]})
    assert page.evaluate("linkwork.playing") is True
    page.evaluate(PAD, {})
    page.evaluate(PAD, {"buttons": [9]})
    assert page.evaluate("linkwork.playing") is False
    page.evaluate("window.pad = null, linkwork.gamepad.look(3e9)")


def test_keys_that_lie_nowhere_on_a_stick_are_buttons(page):
    page.evaluate(
        "linkwork.gamepad.keys = { G: { 'left.drive': 2 } }, linkwork.gamepad.layout = [{ key: 'I', button: 0 }]"
    )
    page.evaluate(PAD, {"buttons": [0]})
    assert sent(page) == [["key", "I", True]]
    page.evaluate(PAD, {})
    assert sent(page) == [["key", "I", False]]
    page.evaluate("window.pad = null, linkwork.gamepad.look(4e9)")
    page.evaluate("document.getElementById('toasts').replaceChildren()")
    page.evaluate("linkwork.help.open()")
    assert "left stick ↑" in page.text_content("#help")
    page.keyboard.press("Escape")


def test_toasts_and_the_banner(page, until):
    page.evaluate("linkwork.source.changed('error', 'the loop cannot be closed')")
    assert page.text_content(".toast.error").startswith("the loop cannot be closed")
    page.click(".toast.error button")
    assert page.locator(".toast").count() == 0
    page.evaluate("linkwork.source.changed('lost')")
    assert "server is gone" in page.text_content("#banner")
    page.evaluate("linkwork.source.changed('back')")
    assert page.is_hidden("#banner")


def test_slow_frames_switch_to_the_plain_mode(page):
    page.evaluate("linkwork.plain(false), linkwork.quality = null, linkwork.slow = 0, linkwork.drawn = 9")
    page.evaluate("for (let k = 0; k < 3; k++) linkwork.watch(200)")
    page.evaluate("linkwork.watch(20)")  # one quick frame: it begins to count again
    assert page.evaluate("linkwork.slow = 0, linkwork.stage.plain") is False
    page.evaluate("for (let k = 0; k < 4; k++) linkwork.watch(81)")
    assert page.evaluate("[linkwork.stage.plain, linkwork.stage.renderer.shadowMap.enabled]") == [True, False]


def luminance(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_have_enough_contrast(page, theme):
    """WCAG AA: 4.5 to 1 for words, on every surface they stand on."""
    page.evaluate(f"linkwork.theme.choose('{theme}')")
    names = ("ink", "soft", "accent", "good", "watch", "poor", "on-accent", "sheet", "back", "hover")
    style = "getComputedStyle(document.documentElement)"
    found = {name: page.evaluate(f"{style}.getPropertyValue('--{name}').trim()") for name in names}
    pairs = [(word, surface) for word in names[:3] for surface in ("sheet", "back", "hover")]
    for word, surface in [*pairs, ("on-accent", "accent"), ("good", "sheet"), ("watch", "sheet"), ("poor", "sheet")]:
        light, dark = sorted((luminance(found[word]), luminance(found[surface])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (word, surface)
    page.evaluate("linkwork.theme.choose(null)")


def test_the_focus_goes_from_the_scene_to_the_controls(page):
    page.evaluate("document.getElementById('toasts').replaceChildren(), document.getElementById('scene').focus()")
    order = []
    for _ in range(3):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert order[0] == "trust"
    assert re.match("pad|number|part", order[1])
