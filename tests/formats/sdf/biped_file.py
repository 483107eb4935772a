"""A biped of SDF 1.9 in the manner of running robots: per leg two loops of four bars and three geared motors.

The rod from the thigh to the heel and the plantar rod from the crank to the foot close the loops; each rotor turns in
the link that holds it and drives the next one by a gearbox.
"""

import math

# place of each joint in the plane of its leg: x, z in metres
HIP, KNEE, ANKLE, TOE = (0.0, 0.9), (0.12, 0.6), (-0.06, 0.42), (0.03, 0.1)
HEEL, ROD_TOP, CRANK, CRANK_TIP, FOOT_BACK = (-0.14, 0.40), (-0.03, 0.88), (-0.02, 0.33), (-0.07, 0.32), (-0.03, 0.09)
SPIN = 25.0  # turns of a rotor for one of its link


def _numbers(values):
    return " ".join(f"{value:.12g}" for value in values)


def _link(name, place, far, y, mass, thick=0.02):
    """A bar from one point to another, its frame at the first, z along it."""
    length = math.dist(place, far)
    pitch = math.atan2(far[0] - place[0], far[1] - place[1])
    across = mass * (length**2 / 12 + thick**2 / 4)
    return (
        f"<link name='{name}'><pose relative_to='__model__'>{_numbers((place[0], y, place[1], 0, pitch, 0))}</pose>"
        f"<inertial><pose>0 0 {length / 2:.12g} 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{across:.12g}</ixx>"
        f"<iyy>{across:.12g}</iyy><izz>{mass * thick**2 / 2:.12g}</izz></inertia></inertial></link>\n"
    )


def _rotor(name, place, y):
    return (
        f"<link name='{name}'><pose>{_numbers((place[0], y, place[1], 0, 0, 0))}</pose><inertial><mass>0.1</mass>"
        "<inertia><ixx>4e-5</ixx><iyy>6e-5</iyy><izz>4e-5</izz></inertia></inertial></link>\n"
    )


def _hinge(name, parent, child, place, y, dynamics=""):
    pose = _numbers((place[0], y, place[1], 0, 0, 0))
    return (
        f"<joint name='{name}' type='revolute'><pose relative_to='__model__'>{pose}"
        f"</pose><parent>{parent}</parent><child>{child}</child><axis><xyz>0 1 0</xyz><dynamics>{dynamics}</dynamics>"
        "</axis></joint>\n"
    )


def _gearbox(name, rotor, child, holder):
    return (
        f"<joint name='{name}' type='gearbox'><parent>{rotor}</parent><child>{child}</child>"
        f"<gearbox_reference_body>{holder}</gearbox_reference_body><gearbox_ratio>{1 / SPIN}</gearbox_ratio>"
        "<axis><xyz expressed_in='__model__'>0 1 0</xyz></axis><axis2><xyz expressed_in='__model__'>0 1 0</xyz></axis2>"
        "</joint>\n"
    )


def _leg(side, y):
    def n(word):
        return f"{side}-{word}"

    damped = "<damping>0.4</damping>"
    spring = "<damping>0.1</damping><spring_reference>0.02</spring_reference><spring_stiffness>400</spring_stiffness>"
    rod = (HEEL[0] - ROD_TOP[0], HEEL[1] - ROD_TOP[1])
    text = _link(n("thigh"), HIP, KNEE, y, 5.0) + _link(n("shin"), KNEE, ANKLE, y, 1.0)
    text += _link(n("tarsus"), ANKLE, TOE, y, 0.8) + _link(n("rod"), ROD_TOP, HEEL, y, 0.2)
    text += _link(n("crank"), CRANK, CRANK_TIP, y, 0.1) + _link(n("plantar"), CRANK_TIP, FOOT_BACK, y, 0.1)
    text += _link(n("foot"), TOE, (0.12, 0.02), y, 0.3)
    text += _hinge(n("hip"), "pelvis", n("thigh"), HIP, y, damped) + _hinge(n("knee"), n("thigh"), n("shin"), KNEE, y)
    text += _hinge(n("ankle"), n("shin"), n("tarsus"), ANKLE, y, spring)
    text += _hinge(n("toe"), n("tarsus"), n("foot"), TOE, y) + _hinge(n("pivot"), n("tarsus"), n("crank"), CRANK, y)
    text += _hinge(n("tip"), n("crank"), n("plantar"), CRANK_TIP, y)
    text += (
        f"<joint name='{n('rod top')}' type='universal'><pose relative_to='__model__'>"
        f"{_numbers((ROD_TOP[0], y, ROD_TOP[1], 0, 0, 0))}</pose><parent>{n('thigh')}</parent><child>{n('rod')}</child>"
        f"<axis><xyz>0 1 0</xyz></axis><axis2><xyz>{_numbers((-rod[1], 0, rod[0]))}</xyz></axis2></joint>\n"
    )
    for name, parent, child, place in (
        ("heel", "tarsus", "rod", HEEL),
        ("back", "foot", "plantar", FOOT_BACK),
    ):  # each child has a parent already: these close the loops
        text += (
            f"<joint name='{n(name)}' type='ball'><pose relative_to='__model__'>"
            f"{_numbers((place[0], y, place[1], 0, 0, 0))}</pose><parent>{n(parent)}</parent><child>{n(child)}</child>"
            "</joint>\n"
        )
    for word, holder, child, place in (
        ("hip", "pelvis", n("thigh"), HIP),
        ("knee", n("thigh"), n("shin"), KNEE),
        ("crank", n("tarsus"), n("crank"), CRANK),
    ):
        text += _rotor(n(f"{word} rotor"), place, y) + _hinge(n(f"{word} axle"), holder, n(f"{word} rotor"), place, y)
        text += _gearbox(n(f"{word} box"), n(f"{word} rotor"), child, holder)
    return text


def biped():
    """The file."""
    pelvis = (
        "<link name='pelvis'><pose>0 0 1 0 0 0</pose><inertial><mass>10</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy>"
        "<izz>0.1</izz></inertia></inertial></link>\n"
    )
    legs = _leg("left", 0.13) + _leg("right", -0.13)
    return f"<sdf version='1.9'>\n<model name='biped' canonical_link='pelvis'>\n{pelvis}{legs}</model>\n</sdf>\n"
