"""The hierarchy of a model as tables: which component owns which joints, which bodies stand at its border.

A body is at the border of a component when a joint of a level above holds it. Nodes of a component are its own bodies
that matter to it and the border bodies of its parts. Components are listed parts before wholes; the model is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.model import Container, Foreign


class Partition(NamedTuple):
    """Components of an absolute system. Offsets point into flat arrays of numbers, kept by the method."""

    cut_start: Any  # (component + 1,) into cut
    cut: Any  # joints of each component
    cut_node: Any  # (group of the system, side) node of an end in its component; -1 for a ground, and for no end
    node_start: Any  # (component + 1,) into node_…
    node_link: Any  # link of the body
    node_part: Any  # component that the node comes from, -1 for an own body
    node_place: Any  # its place in the border of that part
    border_start: Any  # (component + 1,) into border
    border: Any  # nodes, counted inside the component
    row_start: Any  # (component + 1,) rows before it, in the order of the components
    D: Any  # (component,) offset of D, border x border
    r: Any  # (component,) offset of r, border
    sizes: Any  # (2,) lengths of D, r
    remote: Any  # (component,) place of its messages in the inbox, -1 for a component that is here
    inbox: int  # length of the inbox
    waits: Any  # (component,) 1 where a part of it, or a part of a part, lives elsewhere and is waited for
    port_body: Any  # (port,) body at the border of the model itself, where the model is somebody's component


def message_size(ports: int) -> int:
    """Numbers that a component with `ports` border bodies reports: gap, then R p v r of each, then D."""
    return 1 + 24 * ports + 36 * ports * ports


def partition(system: System, ports: Sequence[str] = ()) -> tuple[Partition, list[str]]:
    """Tables of the hierarchy of an absolute `system`, and the names of its components.

    `ports` are the bodies at the border of the model itself, where it is somebody's component.
    """
    components = _Components(system, ports)
    components.take_cuts()
    components.take_remote()
    components.take_nodes()
    offsets = components.offsets()
    found = Partition(
        cut_start=_starts(components.cuts),
        cut=_flat(components.cuts),
        cut_node=components.cut_nodes(),
        node_start=_starts(components.nodes),
        node_link=_flat([[node.link for node in nodes] for nodes in components.nodes]),
        node_part=_flat([[node.part for node in nodes] for nodes in components.nodes]),
        node_place=_flat([[node.place for node in nodes] for nodes in components.nodes]),
        border_start=_starts(components.border),
        border=_flat(components.border),
        row_start=offsets["rows"],
        D=offsets["D"][:-1].copy(),
        r=offsets["r"][:-1].copy(),
        sizes=np.array([offsets[name][-1] for name in ("D", "r")], dtype=np.int64),
        remote=components.remote,
        inbox=components.inbox,
        waits=_waiting(components.remote, components.whole),
        port_body=np.array([system.body_names.index(name) for name in components.ports], dtype=np.int64),
    )
    return found, [getattr(container, "path", "") or system.model.name for container in components.containers]


class Node(NamedTuple):
    """A body that matters to a component: its own, or one at place `place` of the border of its part `part`."""

    link: int
    part: int
    place: int


class _Components:
    """The components of a system, filled step by step: their joints, their nodes, their borders."""

    def __init__(self, system: System, ports: Sequence[str]) -> None:
        self.system = system
        self.containers: list[Container] = []
        _parts_first(system.model.built, self.containers)
        self.level = {id(container): k for k, container in enumerate(self.containers)}
        self.whole = {
            self.level[id(inner)]: self.level[id(container)]
            for container in self.containers
            for inner in container.subsystems.values()
        }
        link_of = {name: int(link) for name, link in zip(system.body_names, system.tables.tree.body_link, strict=True)}
        self.home = {link_of[body.path]: self.level[id(body.owner)] for body in system.model.all_bodies()}
        self.ports = sorted(ports, key=lambda name: link_of[name])
        self.exported = [link_of[name] for name in self.ports]
        self.cuts: list[list[int]] = [[] for _ in self.containers]
        self.nodes: list[list[Node]] = [[] for _ in self.containers]
        self.border: list[list[int]] = [[] for _ in self.containers]
        self.holders: dict[int, set[int]] = {}  # components whose joints hold a link
        self.remote = np.full(len(self.containers), -1, dtype=np.int64)
        self.inbox = 0

    def take_cuts(self) -> None:
        """Every joint and coupling goes to the component that declares it, which then holds the bodies of it."""
        cuts, grounds = self.system.tables.cuts, self.system.tables.tree.grounds
        parts = [*(place.joint for place in self.system.cuts), *(each.part for each in self.system.coupled)]
        for c, part in enumerate(parts):
            assert part is not None
            owner = self.level[id(part.owner)]
            self.cuts[owner].append(c)
            for link in (int(link) for link in cuts.side_link[c]):
                if link >= grounds or link in self.system.foreign.values():
                    self.holders.setdefault(link, set()).add(owner)
        for link in self.exported:
            self.holders.setdefault(link, set()).add(len(self.containers) - 1)

    def take_remote(self) -> None:
        """Components that live elsewhere: the place of their messages, and their border, which is all that is seen."""
        for k, container in enumerate(self.containers):
            bodies = [body for body in container.grounds.values() if isinstance(body, Foreign)]
            if bodies:
                self.remote[k] = self.inbox
                self.inbox += message_size(len(bodies))
                self.border[k] = list(range(len(bodies)))
                self.home |= {self.system.foreign[body.path]: k for body in bodies}

    def take_nodes(self) -> None:
        """A body is a node from its home up to the highest component that holds it, and at the border below that."""
        # a container and all that is in it, one after another, so that the border bodies of a part stand side by side
        walked = {self.level[id(container)]: k for k, container in enumerate(self.system.model.built.walk())}
        for link in sorted(self.home, key=lambda link: (walked[self.home[link]], link)):
            self._take_node(link)
        top = self.nodes[-1]
        self.border[-1] = [n for n, node in enumerate(top) if node.link in self.exported]

    def _take_node(self, link: int) -> None:
        chain = [self.home[link]]
        while chain[-1] in self.whole:
            chain.append(self.whole[chain[-1]])
        reach = [k for k, owner in enumerate(chain) if owner in self.holders.get(link, set())]
        part = place = -1
        first = 0
        if self.remote[chain[0]] >= 0:
            part, first = chain[0], 1
            reach.append(1)  # all of its border is seen by its whole
            place = sum(1 for other in self.home if self.home[other] == chain[0] and other < link)
        for k in range(first, max(reach, default=-1) + 1):
            nodes, border = self.nodes[chain[k]], self.border[chain[k]]
            nodes.append(Node(link, part, place))
            if k < max(reach):
                border.append(len(nodes) - 1)
                part, place = chain[k], len(border) - 1

    def cut_nodes(self) -> Any:
        """The nodes at the ends of every cut and coupling, counted inside its component; -1 for a ground."""
        links = self.system.tables.cuts.side_link
        ends = np.full(links.shape, -1, dtype=np.int64)
        for k, nodes in enumerate(self.nodes):
            number = {node.link: n for n, node in enumerate(nodes)}
            for c in self.cuts[k]:
                ends[c] = [number.get(int(link), -1) for link in links[c]]
        return ends

    def offsets(self) -> dict[str, Any]:
        """Where the numbers D and r and the rows of each component begin, and their ends."""
        rows_of_cut = np.diff(self.system.tables.cuts.cut_row)
        sizes: dict[str, list[int]] = {"D": [], "r": [], "rows": []}
        for cuts, border in zip(self.cuts, self.border, strict=True):
            e = 6 * len(border)
            sizes["D"].append(e * e)
            sizes["r"].append(e)
            sizes["rows"].append(int(sum(rows_of_cut[c] for c in cuts)))
        return {name: np.concatenate([[0], np.cumsum(each)]).astype(np.int64) for name, each in sizes.items()}


def _starts(lists: list[list[Any]]) -> Any:
    return np.concatenate([[0], np.cumsum([len(items) for items in lists])]).astype(np.int64)


def _flat(lists: list[list[int]]) -> Any:
    return np.array([x for items in lists for x in items], dtype=np.int64)


def _waiting(remote: Any, whole: dict[int, int]) -> Any:
    waits = (remote >= 0).astype(np.int64)
    for k in range(len(waits)):  # parts before wholes
        if waits[k] and k in whole:
            waits[whole[k]] = 1
    return waits


def _parts_first(container: Container, out: list[Container]) -> None:
    for part in container.subsystems.values():
        _parts_first(part, out)
    out.append(container)
