"""Equality constraints of MJCF: joints that close loops, gears, cams and motors that hold. Here they are rigid."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.formats.mjcf.context import MjcfReading
from linkwork.model import Body, Coupling, Curve, Frame, Joint, Term
from linkwork.model.container import put_part
from linkwork.model.joints.coupling import slides

CONNECT, WELD, JOINT, TENDON = 0, 1, 2, 3  # MuJoCo's codes of constraints
BODY_OBJECT = 1  # mjOBJ_BODY


def add_equalities(reading: MjcfReading) -> None:
    """All equality constraints that hold from the start on."""
    m = reading.m
    off = reading.disabled("equality") or reading.disabled("constraint")
    for number in range(m.neq):
        kind = int(m.eq_type[number])
        if off or not m.eq_active0[number]:
            why = "switched off by a flag" if off else "not active at the start"
            reading.ignore("equality", number, f"{why}; it is not in the model", matters=False)
        elif kind in (CONNECT, WELD):
            _closure(reading, number, kind)
        elif kind == JOINT:
            _joints(reading, number)
        elif kind == TENDON:
            _tendons(reading, number)
        else:
            reading.ignore("equality", number, "a constraint of a flexible body has no counterpart")


def _ends(reading: MjcfReading, number: int) -> tuple[int, int, Frame, Frame]:
    """The two bodies and the frames in them: those of sites, or of the bodies."""
    m = reading.m
    first, second = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
    if m.eq_objtype[number] == BODY_OBJECT:
        return first, second, Frame(), Frame()
    frames = [Frame(m.site_pos[site], m.site_quat[site]) for site in (first, second)]
    return int(m.site_bodyid[first]), int(m.site_bodyid[second]), frames[0], frames[1]


def _closure(reading: MjcfReading, number: int, kind: int) -> None:
    """A ball joint or a weld that closes a loop."""
    m, data = reading.m, reading.m.eq_data[number]
    first, second, frame_a, frame_b = _ends(reading, number)
    if reading.still(first) and reading.still(second):
        reading.ignore("equality", number, "neither of its bodies moves", matters=False)
        return
    if m.body_weldid[first] == m.body_weldid[second]:
        reading.ignore("equality", number, "its bodies are one rigid body", matters=False)
        return
    a, b = _end(reading, first), _end(reading, second)
    if m.eq_objtype[number] == BODY_OBJECT:
        if kind == CONNECT:
            frame_a, frame_b = Frame(data[:3]), Frame(data[3:6])
        else:  # data: a point of the second body, then the pose of the second in the first
            frame_a, frame_b = Frame(data[3:6], data[6:10]), Frame()
    if a is reading.model.ground and first:
        frame_a = reading.world_pose(first) @ frame_a
    if b is reading.model.ground and second:
        frame_b = reading.world_pose(second) @ frame_b
    name = reading.new_name("equality", number, "joint", f"{'connect' if kind == CONNECT else 'weld'} {number}")
    if kind == CONNECT:
        reading.model.ball(name, a, b, frame_a=Frame(frame_a.position), frame_b=Frame(frame_b.position), cut=True)
    else:
        reading.model.fixed(name, a, b, frame_a=frame_a, frame_b=frame_b, cut=True)
    reading.understand("equality", number, f"a {'ball joint' if kind == CONNECT else 'weld'} that closes a loop, rigid")


def _end(reading: MjcfReading, body: int) -> Body:
    """The body; the ground for what stands still, so that no loop of fixed joints arises."""
    return reading.model.ground if reading.still(body) else reading.bodies[body]


def _joints(reading: MjcfReading, number: int) -> None:
    """q1 - ref1 is a polynomial of q2 - ref2, or constant."""
    m = reading.m
    first, second = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
    refs = [float(m.qpos0[m.jnt_qposadr[joint]]) if joint >= 0 else 0.0 for joint in (first, second)]
    couple_two(reading, number, (first, 1.0), None if second < 0 else (second, 1.0), refs)


def _tendons(reading: MjcfReading, number: int) -> None:
    """The length of a fixed tendon is constant, or follows another one."""
    m = reading.m
    first, second = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
    terms = [fixed_terms(reading, tendon) for tendon in (first, second) if tendon >= 0]
    if any(each is None for each in terms):
        if second < 0 and len(two_sites(reading, first)) == 2:
            _rod(reading, number, first)
            return
        reading.ignore("equality", number, "it holds the length of a spatial tendon, which has no counterpart")
        return
    lists: list[Any] = terms
    poly = m.eq_data[number][:5]
    if second >= 0 and np.any(poly[2:]):
        if len(lists[0]) == 1 and len(lists[1]) == 1:
            (one, two), rests = (lists[0][0], lists[1][0]), [float(m.tendon_length0[each]) for each in (first, second)]
            couple_two(reading, number, one, two, rests)
        else:
            reading.ignore("equality", number, "a polynomial between tendons over several joints has no counterpart")
        return
    wanted = float(m.tendon_length0[first] + poly[0])
    factors: dict[int, float] = {}
    for joint, factor in lists[0]:
        factors[joint] = factors.get(joint, 0.0) + factor
    if second >= 0:
        wanted -= float(poly[1] * m.tendon_length0[second])
        for joint, factor in lists[1]:
            factors[joint] = factors.get(joint, 0.0) - float(poly[1]) * factor
    factors = {joint: factor for joint, factor in factors.items() if factor}
    if len(factors) == 1:
        (joint, factor) = next(iter(factors.items()))
        _hold(reading, number, joint, wanted / factor)
    elif factors:
        _sum(reading, number, factors, wanted)
    else:
        reading.ignore("equality", number, "it couples nothing", matters=False)


def fixed_terms(reading: MjcfReading, tendon: int) -> list[tuple[int, float]] | None:
    """Joints and coefficients of a fixed tendon; None for a spatial one."""
    m = reading.m
    wraps = range(int(m.tendon_adr[tendon]), int(m.tendon_adr[tendon]) + int(m.tendon_num[tendon]))
    if any(m.wrap_type[wrap] != int(reading.compiled.mujoco.mjtWrap.mjWRAP_JOINT) for wrap in wraps):
        return None
    return [(int(m.wrap_objid[wrap]), float(m.wrap_prm[wrap])) for wrap in wraps]


def two_sites(reading: MjcfReading, tendon: int) -> list[tuple[Body, Frame]]:
    """The ends of a tendon between two sites; nothing for other tendons."""
    m = reading.m
    wraps = range(int(m.tendon_adr[tendon]), int(m.tendon_adr[tendon]) + int(m.tendon_num[tendon]))
    if len(wraps) != 2 or any(m.wrap_type[wrap] != int(reading.compiled.mujoco.mjtWrap.mjWRAP_SITE) for wrap in wraps):
        return []
    sites = [int(m.wrap_objid[wrap]) for wrap in wraps]
    return [(reading.bodies[int(m.site_bodyid[site])], Frame(m.site_pos[site], m.site_quat[site])) for site in sites]


def _rod(reading: MjcfReading, number: int, tendon: int) -> None:
    """A tendon between two sites whose length is held."""
    (a, at_a), (b, at_b) = two_sites(reading, tendon)
    length = float(reading.m.tendon_length0[tendon] + reading.m.eq_data[number][0])
    if length <= 0.0 or a is b:
        reading.ignore("equality", number, "a rod without length, or on one body", matters=length <= 0.0)
        return
    name = reading.new_name("equality", number, "joint", f"rod {number}")
    reading.model.distance(name, a, b, at_a=at_a.position, at_b=at_b.position, length=length)
    reading.understand("equality", number, f"a rod of {length:g} m, rigid")


def couple_two(
    reading: MjcfReading, number: int, first: tuple[int, float], second: tuple[int, float] | None, refs: list[float]
) -> None:
    """f1 q1 - ref1 = polynomial of (f2 q2 - ref2)."""
    m = reading.m
    poly = [float(each) for each in m.eq_data[number][:5]]
    if second is None or not any(poly[1:]):
        _hold(reading, number, first[0], (refs[0] + poly[0]) / first[1])
        return
    lead, led = reading.joints[second[0]], reading.joints[first[0]]
    if not any(poly[2:]):
        _sum(
            reading,
            number,
            {first[0]: first[1], second[0]: -poly[1] * second[1]},
            refs[0] + poly[0] - poly[1] * refs[1],
        )
        return
    # in powers of q2 - ref2 / f2
    scaled = [coefficient * second[1] ** k / first[1] for k, coefficient in enumerate(poly)]
    scaled[0] += refs[0] / first[1]
    curve = Curve([], [scaled], [refs[1] / second[1]])
    name = reading.new_name("equality", number, "cam", f"coupling {number}")
    reading.model.cam(name, lead, led, curve, periodic=False)
    reading.understand("equality", number, f"a cam: '{led.path}' is a polynomial of '{lead.path}'; rigid")


def _hold(reading: MjcfReading, number: int, joint: int, at: float) -> None:
    """A joint that stays where it is told: a motor that holds."""
    held = reading.joints[joint]
    low, high = held.coordinate_limits[0]
    if not low <= at <= high:
        reading.ignore("equality", number, f"it holds joint '{held.path}' at {at:g}, beyond its limits")
        return
    name = reading.new_name("equality", number, "motor", f"hold {number}")
    reading.model.motor(name, held, position=at)
    reading.understand("equality", number, f"a motor holds joint '{held.path}' at {at:g}; rigid")


def _sum(reading: MjcfReading, number: int, factors: dict[int, float], wanted: float) -> None:
    """The sum of factors times coordinates is constant: a gear or rack for two joints."""
    joints = {joint: reading.joints[joint] for joint in factors}
    name = reading.new_name("equality", number, "gear", f"coupling {number}")
    (first, f1), (second, f2), *more = ((joints[joint], factor) for joint, factor in factors.items())
    if more:
        terms = tuple(Term(joints[joint], factor / f1) for joint, factor in factors.items())
        coupling = Coupling(name, reading.model, terms, counted=True, offset=wanted / f1)
        put_part(reading.model, reading.model.drives, coupling)
    else:
        _pair(reading, name, first, second, -f2 / f1, wanted / f1)
    told = " + ".join(f"{factor:g} x '{joints[joint].path}'" for joint, factor in factors.items())
    reading.understand("equality", number, f"a gear: {told} is {wanted:g}; rigid")


def _pair(reading: MjcfReading, name: str, led: Joint, lead: Joint, ratio: float, offset: float) -> None:
    """The position of led is ratio times that of lead, plus the offset."""
    if slides(led) == slides(lead):
        reading.model.gear(name, lead, led, ratio=ratio, offset=offset)
    elif slides(led):
        reading.model.rack(name, lead, led, radius=ratio, offset=offset)
    else:
        reading.model.rack(name, led, lead, radius=1.0 / ratio, offset=-offset / ratio)
