"""Which bodies are held together, and how the groups of them move: from mates to joints."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

from linkwork.formats.step.cad_model import CadBody
from linkwork.formats.step.features import features_of
from linkwork.formats.step.freedoms import Freedom, freedom
from linkwork.formats.step.mates import Mate, find_mates
from linkwork.formats.step.roles import find_bearings, is_fastener, is_pin, is_plain_bearing


@dataclass(eq=False)
class Weld:
    """Two bodies that do not move against each other; `needed` unless others hold them together already."""

    a: int
    b: int
    confidence: float
    reason: str
    mates: list[Mate]
    needed: bool


@dataclass(eq=False)
class GroupJoint:
    """Two groups of bodies that move against each other: a heavy body of each, and how."""

    a: int
    b: int
    freedom: Freedom


class Search:
    """Finds groups of bodies, and the freedoms between them.

    `welds` and `hinges` are what it found; `group` says of a body the lowest number in its group.
    """

    def __init__(self, bodies: list[CadBody]) -> None:
        self.bodies = bodies
        self.features = [features_of(body) for body in bodies]
        self.group = list(range(len(bodies)))
        self.welds: list[Weld] = []
        self.hinges: list[GroupJoint] = []
        self.fasteners = {k for k, each in enumerate(self.features) if is_fastener(each)}
        self.mates = find_mates(self.features, self.fasteners)
        self.pairs: dict[tuple[int, int], list[Mate]] = {}
        for mate in self.mates:
            self.pairs.setdefault((mate.a, mate.b), []).append(mate)
        self.bearings = find_bearings(self.features)
        self._solids_of_one_part()
        self._fasteners()
        self._bearings()
        while self._pins() or self._fixed():
            pass
        self._hinges()

    # --- groups ---------------------------------------------------------------------------------------------

    def find(self, k: int) -> int:
        """The group of a body."""
        while self.group[k] != k:
            k = self.group[k]
        return k

    def weld(self, a: int, b: int, confidence: float, reason: str, mates: list[Mate]) -> bool:
        """Put two bodies into one group; whether they were not yet."""
        first, second = sorted((self.find(a), self.find(b)))
        self.group[second] = first
        self.welds.append(Weld(a, b, confidence, reason, mates, first != second))
        return first != second

    def main(self, group: int) -> int:
        """The heaviest body of a group that is no fastener, if one is not."""
        members = [k for k in range(len(self.bodies)) if self.find(k) == group]
        return max(members, key=lambda k: (k not in self.fasteners, self.bodies[k].mass, -k))

    def between(self, a: int, b: int) -> list[Mate]:
        """The mates of two bodies."""
        return self.pairs.get((min(a, b), max(a, b)), [])

    def partners(self, k: int) -> dict[int, list[Mate]]:
        """Bodies that mate with a body, and how."""
        found: dict[int, list[Mate]] = {}
        for (a, b), mates in self.pairs.items():
            if k in (a, b):
                found[b if a == k else a] = mates
        return found

    # --- what is held together ------------------------------------------------------------------------------

    def _solids_of_one_part(self) -> None:
        """Solids that touch in one part, unless the file has only this part, or they are rings of a bearing."""
        if len({body.part for body in self.bodies}) < 2:
            return
        rings = {frozenset((each.outer, each.inner)) for each in self.bearings}
        for (a, b), mates in self.pairs.items():
            one, two = self.bodies[a], self.bodies[b]
            same = one.part == two.part and one.owner == two.owner and not one.alone
            if same and frozenset((a, b)) not in rings and any(mate.kind == "flat" for mate in mates):
                self.weld(a, b, 0.6, "solids of one part that touch", mates)

    def _fasteners(self) -> None:
        """A fastener belongs to the body it sits in; what one clamps together is fixed."""
        clamped: Counter[tuple[int, int]] = Counter()
        for k in sorted(self.fasteners):
            partners = self.partners(k)
            held = [other for other in partners if other not in self.fasteners]
            bored = [other for other in held if any(mate.kind == "round" for mate in partners[other])]
            for a, b in combinations(sorted(bored), 2):
                if self._clamped(k, a, b):
                    clamped[a, b] += 1
            host = max(held, key=lambda other: self._grip(partners[other]), default=None)
            if host is not None:
                self.weld(host, k, 0.95, "a fastener and what it holds", partners[host])
        for k in sorted(self.fasteners):  # nuts that touch nothing but their bolts
            if not any(k in (each.a, each.b) for each in self.welds):
                for other, mates in self.partners(k).items():
                    self.weld(other, k, 0.9, "fasteners that hold each other", mates)
                    break
        for (a, b), count in clamped.items():
            bolts = f"{count} fasteners" if count > 1 else "one fastener (a hinge, if it is a shoulder bolt)"
            self.weld(a, b, 0.95 if count > 1 else 0.6, f"clamped by {bolts}", self.between(a, b))

    def _grip(self, mates: list[Mate]) -> tuple[float, float]:
        """How firmly a fastener sits: first its fit in the bore times the length, then the area of planes."""
        inside = sum(mate.fit**8 * mate.weight for mate in mates if mate.kind == "round")
        return inside, sum(mate.weight for mate in mates if mate.kind == "flat")

    def _clamped(self, k: int, a: int, b: int) -> bool:
        """Whether planes of two bodies touch across the axis of a fastener in both."""
        axes = [mate.axis for mate in [*self.between(k, a), *self.between(k, b)] if mate.kind == "round"]
        flats = [mate for mate in self.between(a, b) if mate.kind == "flat"]
        return any(abs(float(mate.axis @ axis)) > 0.999 for mate in flats for axis in axes)

    def _bearings(self) -> None:
        """Rings belong to what they sit in or on; between them the bearing turns. A bearing of one solid stands."""
        ringed = {k for each in self.bearings for k in (each.outer, each.inner)}
        for bearing in self.bearings:
            rings = {bearing.outer, bearing.inner, *bearing.rolling}
            for ring, hollow in ((bearing.outer, False), (bearing.inner, True)):
                self._seat(ring, hollow, rings, "a ring of a bearing and its seat")
            for k in bearing.rolling:
                self.weld(
                    bearing.outer, k, 0.6, "rolling elements, taken as part of the ring", self.between(bearing.outer, k)
                )
            self._hold(bearing.mate)
        for k, each in enumerate(self.features):
            if k not in ringed and is_plain_bearing(each):
                self._seat(k, False, {k}, "a bearing and its seat")
                for other, mates in self.partners(k).items():
                    for mate in mates:
                        if mate.kind == "round" and self._is_bore_of(k, mate) and other not in self.fasteners:
                            self._hold(replace(mate, kind="hinge", fit=0.85 * mate.fit))

    def _hold(self, mate: Mate) -> None:
        a, b = sorted((mate.a, mate.b))
        self.pairs.setdefault((a, b), []).append(replace(mate, a=a, b=b))

    def _is_bore_of(self, k: int, mate: Mate) -> bool:
        """Whether a mate is in the bore of a ring, not on its outside."""
        bores = [each.radius for each in self.features[k].rounds if each.hollow]
        return bool(bores) and abs(mate.radius - min(bores)) < 0.03 * min(bores)

    def _seat(self, ring: int, hollow: bool, not_these: set[int], reason: str) -> None:
        """Weld a ring to the body that it sits in, or on by its bore where `hollow`."""
        best: tuple[float, int, list[Mate]] | None = None
        for other, mates in self.partners(ring).items():
            if other in not_these or other in self.fasteners:
                continue
            grip = sum(m.weight for m in mates if m.kind == "round" and self._is_bore_of(ring, m) == hollow)
            if grip > 0.0 and (best is None or grip > best[0]):
                best = (grip, other, mates)
        if best is not None:
            self.weld(best[1], ring, 0.9, reason, best[2])

    def _pins(self) -> bool:
        """A pin in bores of two groups belongs to the one that holds more of it; a dowel joins bodies of one group."""
        changed = False
        for k, each in enumerate(self.features):
            if k in self.fasteners or not is_pin(each) or self._size(self.find(k)) > 1:
                continue
            grips: dict[int, list[tuple[float, int]]] = {}
            for other, mates in self.partners(k).items():
                length = sum(mate.weight for mate in mates if mate.kind in ("round", "hinge"))
                if length > 0.0 and other not in self.fasteners:
                    grips.setdefault(self.find(other), []).append((length, other))
            held = max(grips.values(), key=lambda each: (sum(length for length, _ in each), -each[0][1]), default=[])
            dowel = len(each.rounds) == 1 and any(
                self._clamped(k, a, b) for a, b in combinations([other for _, other in held], 2)
            )
            if len(grips) > 1 or dowel:
                host = max(held)[1]
                reason = "a pin and what holds most of it" if len(grips) > 1 else "a dowel and a body that it locates"
                changed |= self.weld(host, k, 0.7, reason, self.between(host, k))
        return changed

    def _size(self, group: int) -> int:
        return sum(self.find(k) == group for k in range(len(self.bodies)))

    def _fixed(self) -> bool:
        """Groups whose mates leave no freedom; whether there were any."""
        grown: set[int] = set()
        for (a, b), mates in self.group_mates().items():
            found = None if grown & {a, b} else freedom(mates)
            if found is not None and found.kind == "fixed":
                self.weld(self.main(a), self.main(b), found.confidence, found.reason, found.mates)
                grown |= {a, b}
        return bool(grown)

    def group_mates(self) -> dict[tuple[int, int], list[Mate]]:
        """Mates between groups, normals out of the first; what fasteners sit in makes no hinges."""
        found: dict[tuple[int, int], list[Mate]] = {}
        for (a, b), mates in self.pairs.items():
            first, second = self.find(a), self.find(b)
            if first == second:
                continue
            screwed = a in self.fasteners or b in self.fasteners
            kept = [mate for mate in mates if not (screwed and mate.kind == "round")]
            if first > second:
                kept = [replace(mate, a=mate.b, b=mate.a, axis=-mate.axis) for mate in kept]
            if kept:
                found.setdefault((min(first, second), max(first, second)), []).extend(kept)
        return found

    # --- what moves -----------------------------------------------------------------------------------------

    def _hinges(self) -> None:
        found = []
        for (a, b), mates in self.group_mates().items():
            free = freedom(mates)
            if free is not None:
                one, two = self.main(a), self.main(b)
                if self.bodies[one].mass < self.bodies[two].mass:
                    one, two = two, one
                found.append(GroupJoint(one, two, free))
        # groups that only lie on each other keep that joint if nothing else holds them
        held = {self.find(k) for each in found if each.freedom.kind != "planar" for k in (each.a, each.b)}
        for each in found:
            if each.freedom.kind == "planar" and self.find(each.a) in held and self.find(each.b) in held:
                each.freedom.confidence = round(0.5 * each.freedom.confidence, 2)
                each.freedom.reason += "; both are held by other joints"
        self.hinges = sorted(found, key=lambda each: -each.freedom.confidence)

    def touching(self) -> list[Weld]:
        """Bodies of one group that touch and have no weld of their own yet."""
        known = {frozenset((each.a, each.b)) for each in self.welds}
        return [
            Weld(a, b, 0.6, "they touch and are held together", mates, False)
            for (a, b), mates in self.pairs.items()
            if self.find(a) == self.find(b) and frozenset((a, b)) not in known
        ]

    def pair_freedoms(self) -> list[GroupJoint]:
        """The freedom of every two bodies of different groups that mate, by their own mates alone."""
        found = []
        for (a, b), mates in self.pairs.items():
            screwed = a in self.fasteners or b in self.fasteners
            free = freedom([mate for mate in mates if not (screwed and mate.kind == "round")])
            if self.find(a) != self.find(b) and free is not None:
                found.append(GroupJoint(a, b, free))
        return found
