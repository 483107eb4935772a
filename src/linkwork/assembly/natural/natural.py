"""Natural coordinates of a system: points and unit vectors, shared by neighbours, and the rows that remain [CD03].

node   a point or a unit vector, three numbers; the first `free` ones move, the others stand on grounds
slot   one of the up to four nodes by which a link moves (see basis.py)
row    a condition between nodes; its entries are the nodes that it holds, with a gradient each
member a node as one link sees it; joints pass forces between the members of a node
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.natural.basis import Basis, Candidate, choose, mass_blocks
from linkwork.assembly.natural.members import NaturalNode, independent, members_of, shares_of
from linkwork.assembly.natural.sharing import Shared, Sharing, share
from linkwork.assembly.tables import Floats, Forces, Ints, Laws, Tables
from linkwork.spatial import codes


class Natural(NamedTuple):
    """Tables of natural coordinates. A row is one equation, or from `equations` on something soft."""

    free: int  # nodes that move
    equations: int  # rows that must vanish
    node_is_point: Ints  # (node,)
    node_link: Ints  # (node,) a link that has it, a ground for those that do not move
    node_local: Floats  # (node, 3) where, in that link
    link_slots: Ints  # (link,) 4, 3 with a normal
    link_normal: Ints  # (link,) node of the normal, or -1
    slot_node: Ints  # (link, 4)
    slot_member: Ints  # (link, 4)
    slot_a: Floats  # (link, 4, 4) place and axes of the link by its slots: a of (a + b S)
    slot_b: Floats
    mass_1: Floats  # (link, 4, 4) blocks of the mass matrix: these 1 + these S + these u u^T
    mass_S: Floats
    mass_u: Floats
    row_kind: Ints  # (row,) KEPT, TIED, PART, COUPLED; SOFT_SPRING …
    row_entry: Ints  # (row + 1,)
    row_at: Ints  # (row, 4) entries of the two directions of a KEPT row: to, from, to, from; -1 for none
    row_value: Floats  # (row,)
    row_scale: Floats  # (row,)
    row_of: Ints  # (row,) row of the joints; or the number of the spring, coil, drive, load, tyre, bushing
    row_cut: Ints  # (row,) joint; or the coupling
    row_measure: Ints  # (row,) measure of a coil or drive
    row_turn: Ints  # (row,) which of the rates of the measure; or axis of a load or tyre; or spring of a bushing
    entry_node: Ints  # (entry,)
    entry_member: Ints
    entry_J: Floats  # (entry, 3) gradient of a TIED row
    member_node: Ints  # (member,)
    link_member: Ints  # (link + 1,) members by link
    member_free: Ints  # (member,) 0 for one of each node that nothing holds: the others say it all
    share_cut: Ints  # (share,) joints that pass forces at a node
    share_node: Ints
    share_a: Ints  # (share,) member, -1 for a ground
    share_b: Ints


def natural(tables: Tables) -> Natural:
    """Natural coordinates of an absolute system."""
    return _Builder(tables).build()


class _Row(NamedTuple):
    kind: int
    nodes: list[int]
    links: list[int]  # one for each entry
    J: Any = None
    at: tuple[int, int, int, int] = (-1, -1, -1, -1)
    value: float = 0.0
    scale: float = 1.0
    of: int = -1
    cut: int = -1
    measure: int = -1
    turn: int = 0


class _Builder:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.tree, self.cuts = tables.tree, tables.cuts
        self.sharing: Sharing = share(self.tree, self.cuts)
        self.nodes: list[NaturalNode] = []
        self.number: dict[Any, int] = {}  # of what is shared, and of the frames of grounds
        self.basis: dict[int, Basis] = {}  # by rigid group
        self.rows: list[_Row] = []
        self.rigid: set[Any] = set()

    def build(self) -> Natural:
        self._shared_nodes()
        for orientation_group, links in enumerate(self.sharing.orientation_group_links):
            self._orientation_group(
                orientation_group, list(dict.fromkeys(self.sharing.rigid_group[link] for link in links))
            )
        for r in self.sharing.equations:
            c = int(np.searchsorted(self.cuts.cut_row, r, side="right")) - 1
            ends = (int(self.cuts.cut_a[c]), int(self.cuts.cut_b[c]))
            self.rows.append(self._between(codes.PART, ends, of=r, cut=c))
        for j in range(len(self.cuts.coupling_law)):
            terms = range(int(self.cuts.coupling_term[j]), int(self.cuts.coupling_term[j + 1]))
            joints = [int(self.cuts.term_cut[e]) for e in terms]
            links = [int(link) for c in joints for link in (self.cuts.cut_a[c], self.cuts.cut_b[c])]
            row = len(self.cuts.row_kind) - len(self.cuts.coupling_law) + j
            self.rows.append(self._between(codes.COUPLED, links, of=row, cut=j))
        equations = len(self.rows)
        self._soft(self.tables.forces, self.tables.laws)
        return self._tables(equations)

    # --- nodes

    def _add(self, is_point: bool, link: int, local: Floats, links: Any) -> int:
        self.nodes.append(NaturalNode(is_point, link, np.array(local, dtype=float), frozenset(links)))
        return len(self.nodes) - 1

    def _shared_nodes(self) -> None:
        s = self.sharing
        for found, pool, groups, is_point in (
            (s.joint_point, s.points, s.rigid_group_links, True),
            (s.joint_axis, s.directions, s.orientation_group_links, False),
        ):
            for shared in found:
                if shared is None or id(shared.root()) in self.number:
                    continue
                root = shared.root()
                at = next((g for g in root.local if pool.ground[g] >= 0), next(iter(root.local)))
                link = groups[at][0]
                local = s.rotation[link].T @ (root.local[at] - (s.place[link] if is_point else 0.0))
                links = [link for g in root.local for link in groups[g]]
                self.number[id(root)] = self._add(is_point, link, local, links)

    def _ground_node(self, ground: int, axis: int) -> int:
        """Origin (axis -1) or an axis of a ground."""
        if (ground, axis) not in self.number:
            s = self.sharing
            local = np.zeros(3) if axis < 0 else np.eye(3)[axis]
            links = (
                s.rigid_group_links[s.rigid_group[ground]]
                if axis < 0
                else s.orientation_group_links[s.orientation_group[ground]]
            )
            self.number[(ground, axis)] = self._add(axis < 0, ground, local, links)
        return self.number[(ground, axis)]

    def _candidates(self, mine: list[Shared], group: int, is_point: bool) -> list[Candidate]:
        found = [(self.number[id(each)], each.local[group]) for each in mine if id(each) in self.number]
        return [Candidate(node, local, is_point) for node, local in found]

    # --- the coordinates of bodies

    def _orientation_group(self, orientation_group: int, rigid_groups: list[int]) -> None:
        """Bases of the rafts of a fleet, and the rows that keep them rigid."""
        s = self.sharing
        ground = s.orientation_group_ground[orientation_group]
        vectors = self._candidates(s.directions.of_group[orientation_group], orientation_group, False)
        resting = [v for v in vectors if self.nodes[v.node].link == 0]
        if ground >= 0:
            axes = [Candidate(self._ground_node(ground, k), np.eye(3)[k], False) for k in range(3)]
            for rigid_group in rigid_groups:
                self._group_basis(rigid_group, orientation_group, Basis((self._first(rigid_group), *axes), False), [])
            return
        if len(rigid_groups) == 1:
            rigid_group = rigid_groups[0]
            first = self._first(rigid_group)
            points = self._candidates(s.points.of_group[rigid_group], rigid_group, True)
            add = self._adder(orientation_group)
            self._group_basis(
                rigid_group,
                orientation_group,
                choose(first, points + vectors, resting, self._size(rigid_group, first.local), add),
                vectors,
            )
            return
        nowhere = Candidate(-1, np.zeros(3), True)
        common = choose(nowhere, vectors, resting, 1.0, self._adder(orientation_group))
        for rigid_group in rigid_groups:
            basis = Basis((self._first(rigid_group), *common.slots[1:]), common.normal)
            self._group_basis(rigid_group, orientation_group, basis, vectors if rigid_group == rigid_groups[0] else [])

    def _adder(self, orientation_group: int) -> Any:
        """Makes a unit vector of the fleet's own."""
        link = self.sharing.orientation_group_links[orientation_group][0]

        def add(local: Floats) -> Candidate:
            node = self._add(
                False,
                link,
                self.sharing.rotation[link].T @ local,
                self.sharing.orientation_group_links[orientation_group],
            )
            return Candidate(node, local, False)

        return add

    def _first(self, rigid_group: int) -> Candidate:
        """A point of the raft: a shared one, on a ground if there is one; else the centre of its heaviest body."""
        s = self.sharing
        if s.rigid_group_ground[rigid_group] >= 0:
            return Candidate(self._ground_node(s.rigid_group_ground[rigid_group], -1), np.zeros(3), True)
        points = self._candidates(s.points.of_group[rigid_group], rigid_group, True)
        if points:
            return min(points, key=lambda point: self.nodes[point.node].link >= self.tree.grounds)
        link = max(s.rigid_group_links[rigid_group], key=lambda link: float(self.tree.link_mass[link]))
        return Candidate(self._add(True, link, np.zeros(3), s.rigid_group_links[rigid_group]), s.place[link], True)

    def _size(self, rigid_group: int, x: Floats) -> float:
        """How far the masses of the raft reach from x."""
        size = 0.0
        for link in self.sharing.rigid_group_links[rigid_group]:
            size = max(size, float(np.linalg.norm(self.sharing.place[link] - x)))
            if self.tree.link_mass[link] > 0.0:
                size = max(size, float(np.max(self.tree.link_I[link, :3]) / self.tree.link_mass[link]) ** 0.5)
        return size if size > 0.0 else 1.0

    def _group_basis(self, rigid_group: int, orientation_group: int, basis: Basis, vectors: list[Candidate]) -> None:
        """The basis of a raft, its lengths and angles, and what is tied to it."""
        self.basis[rigid_group] = basis
        movers = [link for link in self.sharing.rigid_group_links[rigid_group] if link >= self.tree.grounds]
        if not movers:
            return
        owner = movers[0]
        first = basis.slots[0]
        ends = [(slot.node, first.node if slot.is_point else -1) for slot in basis.slots[1:]]
        for k in range(len(ends)):
            for m in range(k, len(ends)):
                self._rigid(owner, ends[k], ends[m], basis.direction(k + 1), basis.direction(m + 1))
        points = self._candidates(self.sharing.points.of_group[rigid_group], rigid_group, True)
        used = {slot.node for slot in basis.slots}
        for each in points + vectors:
            if each.node not in used:
                self._tied(owner, each, basis)

    def _moves(self, node: int) -> bool:
        return node >= 0 and self.nodes[node].link >= self.tree.grounds

    def _rigid(self, owner: int, p: tuple[int, int], q: tuple[int, int], d: Floats, e: Floats) -> None:
        """d . e keeps its value."""
        key = frozenset((p, q))
        if key in self.rigid or not any(self._moves(node) for node in p + q):
            return
        self.rigid.add(key)
        nodes = list(dict.fromkeys(node for node in p + q if node >= 0))
        at = [nodes.index(node) if node >= 0 else -1 for node in p + q]
        lengths = float(np.linalg.norm(d)), float(np.linalg.norm(e))
        scale = 0.5 / lengths[0] if p == q else 1.0 / max(lengths)
        self.rows.append(
            _Row(
                codes.KEPT,
                nodes,
                [owner] * len(nodes),
                at=(at[0], at[1], at[2], at[3]),
                value=float(d @ e),
                scale=scale,
            )
        )

    def _tied(self, owner: int, each: Candidate, basis: Basis) -> None:
        """Three rows: the node is where the basis puts it."""
        nodes = [each.node] + [slot.node for slot in basis.slots]
        if not any(self._moves(node) for node in nodes):
            return
        a, b = basis.of_point(each.local) if each.is_point else basis.of_vector(each.local)
        S = np.zeros((3, 3))
        if basis.normal:
            x, y, z = self.nodes[basis.slots[-1].node].local  # on ground 0, whose axes are the world's
            S = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        blocks = [np.eye(3)] + [-a[k] * np.eye(3) - b[k] * S for k in range(len(basis.slots))]
        kept = [k for k, block in enumerate(blocks) if np.any(block != 0.0)]
        for i in range(3):
            J = [blocks[k][i] for k in kept]
            self.rows.append(_Row(codes.TIED, [nodes[k] for k in kept], [owner] * len(kept), J=J))

    # --- rows between bodies

    def _between(self, kind: int, ends: Sequence[int], **what: Any) -> _Row:
        """A row whose entries are the slots of these links (-1 for none)."""
        nodes: list[int] = []
        links: list[int] = []
        for link in ends:
            if link >= 0:
                slots = self.basis[self.sharing.rigid_group[link]].slots
                nodes += [slot.node for slot in slots]
                links += [link] * len(slots)
        return _Row(kind, nodes, links, **what)

    def _soft(self, forces: Forces, laws: Laws) -> None:
        for s in range(len(forces.spring_a)):
            ends = (int(forces.spring_a[s]), int(forces.spring_b[s]))
            self.rows.append(self._between(codes.SOFT_SPRING, ends, of=s))
        for s, i in np.argwhere((forces.bushing_k > 0.0) | (forces.bushing_c > 0.0)).tolist():
            ends = (int(forces.bushing_a[s]), int(forces.bushing_b[s]))
            self.rows.append(self._between(codes.SOFT_BUSHING, ends, of=s, turn=i))
        for s in range(len(forces.coil_coordinate)):
            self.rows.append(self._on_joint(codes.SOFT_COIL, s, int(forces.coil_coordinate[s])))
        for s in range(len(forces.drive_coordinate)):
            if laws.law_input[forces.drive_law[s]] == codes.INPUT_COORDINATE:
                self.rows.append(self._on_joint(codes.SOFT_DRIVE, s, int(forces.drive_coordinate[s])))
        for s in range(len(forces.load_law)):
            link = int(forces.load_link[s])
            if laws.law_input[forces.load_law[s]] == codes.INPUT_BODY and link >= self.tree.grounds:
                self._three_axes(codes.SOFT_LOAD, link, s)
        for s in range(len(forces.tyre_link)):
            self._three_axes(codes.SOFT_TYRE, int(forces.tyre_link[s]), s)

    def _three_axes(self, kind: int, link: int, s: int) -> None:
        for axis in range(3):
            self.rows.append(self._between(kind, (-1, link), of=s, turn=axis))

    def _on_joint(self, kind: int, s: int, coordinate: int) -> _Row:
        rate = coordinate - len(self.tree.dof_link)
        measure = int(np.searchsorted(self.cuts.measure_rate, rate, side="right")) - 1
        c = int(np.searchsorted(self.cuts.cut_measure, measure, side="right")) - 1
        turn = rate - int(self.cuts.measure_rate[measure])
        ends = (int(self.cuts.cut_a[c]), int(self.cuts.cut_b[c]))
        return self._between(kind, ends, of=s, cut=c, measure=measure, turn=turn)

    # --- tables

    def _tables(self, equations: int) -> Natural:
        order = sorted(range(len(self.nodes)), key=lambda k: not self._moves(k))
        new = {old: k for k, old in enumerate(order)}
        nodes = [self.nodes[old] for old in order]
        members, number = members_of(nodes, self.tree.grounds)
        links = len(self.tree.link_parent)
        slot_node, slot_member = np.full((links, 4), -1), np.full((links, 4), len(members))
        slot_a, slot_b = np.zeros((links, 4, 4)), np.zeros((links, 4, 4))
        count, normal = np.zeros(links, dtype=np.int64), np.full(links, -1)
        for link in range(links):
            basis = self.basis[self.sharing.rigid_group[link]]
            count[link] = len(basis.slots)
            if basis.normal:
                normal[link] = new[basis.slots[-1].node]
            for k, slot in enumerate(basis.slots):
                slot_node[link, k] = new[slot.node]
                slot_member[link, k] = number.get((new[slot.node], link), len(members))
            slot_a[link, 0], slot_b[link, 0] = basis.of_point(self.sharing.place[link])
            for j in range(3):
                slot_a[link, 1 + j], slot_b[link, 1 + j] = basis.of_vector(self.sharing.rotation[link][:, j])
        entries = [(new[node], link) for row in self.rows for node, link in zip(row.nodes, row.links, strict=True)]
        starts = np.concatenate([[0], np.cumsum([len(row.nodes) for row in self.rows])]).astype(np.int64)
        at = [[starts[r] + k if k >= 0 else -1 for k in row.at] for r, row in enumerate(self.rows)]
        J = [row.J[k] if row.J is not None else np.zeros(3) for row in self.rows for k in range(len(row.nodes))]
        shared = {key: new[old] for key, old in self.number.items()}
        cuts, at_node, share_a, share_b = shares_of(self.cuts, self.sharing, nodes, shared, number)
        return Natural(
            free=sum(self._moves(k) for k in range(len(nodes))),
            equations=equations,
            node_is_point=_integers([node.is_point for node in nodes]),
            node_link=_integers([node.link for node in nodes]),
            node_local=np.array([node.local for node in nodes]).reshape(-1, 3),
            link_slots=count,
            link_normal=_integers(normal),
            slot_node=_integers(slot_node),
            slot_member=_integers(slot_member),
            slot_a=slot_a,
            slot_b=slot_b,
            **mass_blocks(self.tree, slot_a, slot_b),
            row_kind=_integers([row.kind for row in self.rows]),
            row_entry=starts,
            row_at=_integers(at).reshape(-1, 4),
            row_value=np.array([row.value for row in self.rows]),
            row_scale=np.array([row.scale for row in self.rows]),
            row_of=_integers([row.of for row in self.rows]),
            row_cut=_integers([row.cut for row in self.rows]),
            row_measure=_integers([row.measure for row in self.rows]),
            row_turn=_integers([row.turn for row in self.rows]),
            entry_node=_integers([node for node, _ in entries]),
            entry_member=_integers([number.get(each, len(members)) for each in entries]),
            entry_J=np.array(J, dtype=float).reshape(-1, 3),
            member_node=_integers([node for node, _ in members]),
            link_member=np.searchsorted([link for _, link in members], np.arange(links + 1)).astype(np.int64),
            member_free=independent(len(members), share_a, share_b),
            share_cut=_integers(cuts),
            share_node=_integers(at_node),
            share_a=_integers(share_a),
            share_b=_integers(share_b),
        )


def _integers(values: Any) -> Any:
    return np.array(values, dtype=np.int64)
