"""Tendons of MJCF: those between two sites are springs; fixed ones over one joint act as its spring."""

from __future__ import annotations

import numpy as np

from linkwork.formats.mjcf.constraints import fixed_terms, two_sites
from linkwork.formats.mjcf.context import MjcfReading


def add_tendons(reading: MjcfReading) -> None:
    """All tendons."""
    for tendon in range(reading.m.ntendon):
        terms = fixed_terms(reading, tendon)
        if terms is not None:
            _fixed(reading, tendon, terms)
        else:
            _spatial(reading, tendon)
        _lost(reading, tendon)


def _forces(reading: MjcfReading, tendon: int) -> tuple[float, float]:
    """Stiffness and damping that act."""
    m = reading.m
    return (
        0.0 if reading.disabled("spring") else float(m.tendon_stiffness[tendon]),
        0.0 if reading.disabled("damper") else float(m.tendon_damping[tendon]),
    )


def _lost(reading: MjcfReading, tendon: int) -> None:
    m = reading.m
    constrained = not reading.disabled("constraint")
    if m.tendon_limited[tendon] and constrained and not reading.disabled("limit"):
        low, high = m.tendon_range[tendon]
        reading.ignore("tendon", tendon, f"its length is limited to {low:g} to {high:g}, which has no counterpart")
    if m.tendon_frictionloss[tendon] and constrained and not reading.disabled("frictionloss"):
        reading.ignore("tendon", tendon, "friction of a tendon has no counterpart")
    if m.tendon_actfrclimited[tendon]:
        reading.approximate("tendon", tendon, "actuatorfrcrange: the forces of its actuators are not bounded here")
    if m.tendon_armature[tendon]:
        reading.ignore("tendon", tendon, "armature of a tendon has no counterpart")
    if np.any(m.tendon_stiffnesspoly[tendon]) or np.any(m.tendon_dampingpoly[tendon]):
        reading.ignore("tendon", tendon, "a stiffness or damping that grows with the length has no counterpart")
    if m.tendon_springyield[tendon]:
        reading.ignore("tendon", tendon, "springyield: springs that yield have no counterpart")


def _fixed(reading: MjcfReading, tendon: int, terms: list[tuple[int, float]]) -> None:
    stiffness, damping = _forces(reading, tendon)
    if not stiffness and not damping:
        reading.understand("tendon", tendon, f"a sum over {len(terms)} joints, without a force of its own")
        return
    low, high = (float(each) for each in reading.m.tendon_lengthspring[tendon])
    joint = reading.joints[terms[0][0]]
    if len(terms) > 1 or (stiffness and low != high) or joint.kind != "revolute":
        reading.ignore("tendon", tendon, "a spring or damper over several joints, or with a dead band, is not there")
        return
    coefficient = terms[0][1]
    reading.model.torsion_spring(
        reading.new_name("tendon", tendon, "torsion spring", f"tendon {tendon}"),
        joint,
        stiffness=stiffness * coefficient**2,
        damping=damping * coefficient**2,
        angle=low / coefficient if stiffness else 0.0,
    )
    reading.understand("tendon", tendon, f"a spring in joint '{joint.path}'")


def _spatial(reading: MjcfReading, tendon: int) -> None:
    m = reading.m
    stiffness, damping = _forces(reading, tendon)
    if not stiffness and not damping:
        reading.understand("tendon", tendon, "a path between sites, without a force of its own")
        return
    ends = two_sites(reading, tendon)
    if not ends:
        reading.ignore("tendon", tendon, "a spring along a path of several points or around a geom has no counterpart")
        return
    low, high = (float(each) for each in m.tendon_lengthspring[tendon])
    if stiffness and low != high:
        reading.ignore("tendon", tendon, f"a spring that is slack from {low:g} to {high:g} m has no counterpart")
        return
    (a, at_a), (b, at_b) = ends
    if a is b:
        reading.ignore("tendon", tendon, "both its ends are on one body", matters=False)
        return
    reading.model.spring(
        reading.new_name("tendon", tendon, "spring", f"tendon {tendon}"),
        a,
        b,
        at_a=at_a.position,
        at_b=at_b.position,
        stiffness=stiffness,
        damping=damping,
        length=low if stiffness else 0.0,
    )
    reading.understand("tendon", tendon, f"a spring from '{a.path}' to '{b.path}'")
