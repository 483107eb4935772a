"""A chain of any number of links, fixed at one end and released from the horizontal; friction brings it to rest.

The five-link chain of MST17 (figure 4): links on hinges with friction, the first on a fixed column, start horizontal;
in time it hangs straight down. The paper prints no numbers of the mechanism: length, mass, thickness and friction of
the links are our own assumptions. Its friction is dry. Here it is viscous (`damping`), which every method supports;
`friction` adds dry friction for methods that support it.

What it must show: energy at the start = energy now + dissipated energy. The energy never rises, and ends at that of the
hanging chain, sooner with more damping. Without friction it stays constant.
"""

from __future__ import annotations

import math

import linkwork as lw
from linkwork.model.checked import whole

TITLE = "chain of any number of links, swinging down from the horizontal"
PAPER = "MST17 figure 4"
UNTIL = 10.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["hinge *.position", "energy"]

RADIUS = 0.06  # of a link, as part of its length


def build(
    *,
    n: int = 5,
    length: float = 0.3,
    mass: float = 1.0,
    damping: float = 0.2,
    friction: float = 0.0,
    angle: float = math.pi / 2,
    gravity: float = 9.81,
) -> lw.Model:
    """A chain of `n` links, each a rod of `length` (m) and `mass` (kg), "link 1" to "link n" on "hinge 1" to "hinge n".

    `damping` of every hinge in N m s/rad, dry `friction` in N m; `angle` in rad lifts the whole chain from hanging
    towards +x, where it starts at rest; `gravity` in m/s2.

    >>> len(lw.gallery.chain.build(n=100).joints)
    100
    """
    n = whole(n, "chain", "n", "links")
    model = lw.Model("chain", gravity=(0, 0, -gravity))
    radius = RADIUS * length
    above: lw.Body = model.ground
    for k in range(1, n + 1):
        link = model.body(
            f"link {k}",
            mass=mass,
            shape=lw.Capsule(radius, length - 2 * radius, pose=lw.Frame((0, 0, -length / 2))),
            position=(0, 0, -(k - 1) * length),
        )
        # about -y: counter-clockwise for who looks along +y, with x to the right and z up
        model.revolute(
            f"hinge {k}",
            above,
            link,
            at=(0, 0, -(k - 1) * length),
            axis=(0, -1, 0),
            position=angle if k == 1 else 0.0,
            damping=damping,
            friction=friction,
        )
        above = link
    return model
