"""A replay page in a browser: where things are on it, and what is drawn there."""

import numpy as np

SIZE = (700, 520)


def opened(visit, file):
    """Paused, and drawn plainly: where shadows are not looked at they only take time."""
    page = visit(file.as_uri(), *SIZE)
    page.set_default_timeout(20_000)
    page.evaluate("linkwork.pause(), linkwork.plain(true)")
    return page


def resize(page, width=SIZE[0], height=SIZE[1]):
    page.set_viewport_size({"width": width, "height": height})


def seek(page, t):
    page.evaluate(f"linkwork.seek({t})")


def colour(page, x, y):
    return np.array(page.evaluate(f"linkwork.pixel({x}, {y})"), dtype=float)


def spot(page, name):
    return page.evaluate(f"linkwork.screen('{name}')")
