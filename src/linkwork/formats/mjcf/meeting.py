"""Which geoms of MJCF meet: by contype and conaffinity, parents and children, excluded bodies, and named pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.formats.mjcf.context import MjcfReading
from linkwork.model import Body, Ground


class MeetingGeoms:
    """The table of geoms that MuJoCo lets meet, and how ours are kept to it."""

    def __init__(self, reading: MjcfReading) -> None:
        self.reading = reading
        self.can_collide = self._table()
        self.collides = self._colliding()
        self.on: dict[int, Body] = {}  # where each collider went
        self.groups: dict[int, str] = {}

    def _table(self) -> Any:
        reading, m = self.reading, self.reading.m
        n = int(m.ngeom)
        if reading.disabled("contact") or reading.disabled("constraint"):
            return np.zeros((n, n), dtype=bool)
        contype, conaffinity = np.array(m.geom_contype), np.array(m.geom_conaffinity)
        table = (contype[:, None] & conaffinity[None, :]) != 0
        table |= table.T
        weld = np.array(m.body_weldid)[np.array(m.geom_bodyid)]
        above = np.array(m.body_weldid)[np.array(m.body_parentid)[weld]]
        table &= weld[:, None] != weld[None, :]
        if not reading.disabled("filterparent"):
            family = (weld[:, None] == above[None, :]) & (weld[:, None] != 0)
            table &= ~(family | family.T)
        bodies = np.array(m.geom_bodyid)
        for signature in m.exclude_signature:
            a, b = int(signature) >> 16, int(signature) & 0xFFFF
            apart = (bodies[:, None] == a) & (bodies[None, :] == b)
            table &= ~(apart | apart.T)
        for a, b in zip(m.pair_geom1, m.pair_geom2, strict=True):
            table[a, b] = table[b, a] = True
        np.fill_diagonal(table, False)
        return table

    def _colliding(self) -> Any:
        """Geoms that are colliders: those that meet others, and on bodies without such all that might."""
        m = self.reading.m
        meeting, body = self.can_collide.any(axis=1), np.array(m.geom_bodyid)
        if self.reading.disabled("contact") or self.reading.disabled("constraint"):
            return meeting
        might = (np.array(m.geom_contype) | np.array(m.geom_conaffinity)) != 0
        return meeting | (might & ~np.isin(body, body[meeting]))

    def group(self, geom: int) -> str | None:
        """Geoms of the same masks that do not meet each other share a group."""
        m = self.reading.m
        contype, conaffinity = int(m.geom_contype[geom]), int(m.geom_conaffinity[geom])
        alike = (np.array(m.geom_contype) == contype) & (np.array(m.geom_conaffinity) == conaffinity)
        if contype & conaffinity or self.can_collide[np.ix_(alike, alike)].any():
            return None
        self.groups[geom] = f"contype {contype} conaffinity {conaffinity}"
        return self.groups[geom]

    def with_still_parent(self, body: int) -> bool:
        """Whether shapes of a body meet those of its parent, which stands still."""
        m = self.reading.m
        parent, on = int(m.body_parentid[body]), np.array(m.geom_bodyid)
        return (
            bool(parent)
            and self.reading.still(parent)
            and bool(self.can_collide[np.ix_(on == parent, on == body)].any())
        )

    def place(self, geom: int, body: Body) -> None:
        """Remember the body that a collider is on."""
        self.on[geom] = body

    def separate(self) -> None:
        """Keep bodies apart that MuJoCo lets pass; tell where ours differ."""
        self._tell_contacts()
        members: dict[int, list[int]] = {}
        for geom, body in self.on.items():
            members.setdefault(id(body), []).append(geom)
        joined = self._joined(cut=False), self._joined(cut=True)
        lists = list(members.values())
        for k, first in enumerate(lists):
            for second in lists[:k]:
                self._separate(first, second, joined)

    def _joined(self, cut: bool) -> set[frozenset[int]]:
        """Pairs of bodies at one joint, which do not meet here; those at joints that close loops, or at others."""
        return {
            frozenset((id(joint.a), id(joint.b)))
            for joint in self.reading.model.all_joints()
            if joint.cut == cut and not isinstance(joint.a, Ground) and not isinstance(joint.b, Ground)
        }

    def _separate(self, first: list[int], second: list[int], joined: tuple[set[frozenset[int]], ...]) -> None:
        a, b = self.on[first[0]], self.on[second[0]]
        wanted = self.can_collide[np.ix_(first, second)]
        pair, receipt = frozenset((id(a), id(b))), self.reading.receipt
        neighbours, told = any(pair in each for each in joined), f"contacts of '{a.path}' and '{b.path}'"
        grouped = np.array([[self._same_group(i, j) for j in second] for i in first])
        if wanted.any() and pair in joined[0]:
            receipt.ignore(told, "", "bodies at one joint do not meet")
        elif wanted.any() and neighbours:
            receipt.approximate(told, "", "they close a loop and do not meet here; in MuJoCo they do")
        elif not wanted.any() and not neighbours and not grouped.all():
            self.reading.model.no_contact(a, b)
        elif wanted.any() and not (wanted | grouped).all():
            receipt.approximate(told, "", "all their shapes meet here, in MuJoCo only some")

    def _tell_resistance(self) -> None:
        """Tell where MuJoCo takes the coefficients of a geom that does not resist turning or rolling by itself."""
        m, geoms = self.reading.m, list(self.on)
        for at, dimensions, word in ((1, 4, "turning"), (2, 6, "rolling")):
            own = [float(m.geom_friction[g][at]) for g in geoms if int(m.geom_condim[g]) >= dimensions]
            others = [float(m.geom_friction[g][at]) for g in geoms if int(m.geom_condim[g]) < dimensions]
            if own and max(others, default=0.0) > min(own):
                told = "that of the surfaces whose condim has it, in MuJoCo the larger one of all"
                self.reading.receipt.approximate(f"friction against {word}", "", told)

    def _same_group(self, i: int, j: int) -> bool:
        return i in self.groups and self.groups.get(i) == self.groups.get(j)

    def _tell_contacts(self) -> None:
        """Exclusions, pairs, and how friction differs."""
        reading, m = self.reading, self.reading.m
        for number in range(m.nexclude):
            reading.understand("exclude", number, "these bodies do not meet")
        for number in range(m.npair):
            reading.approximate("pair", number, "they meet with the friction of their materials")
            if m.pair_adhesion[number]:
                reading.ignore("pair", number, "adhesion has no counterpart")
        if not self.on:
            return
        told = {(float(m.geom_friction[geom][0]), int(m.geom_condim[geom]) > 1) for geom in self.on}
        if len(told) > 1:
            reading.receipt.approximate(
                "friction of contacts", "", "the geometric mean of two surfaces here, the larger one in MuJoCo"
            )
        self._tell_resistance()
        if len({int(m.geom_priority[geom]) for geom in self.on}) > 1:
            reading.receipt.approximate("priority of geoms", "", "the friction of both counts here")
