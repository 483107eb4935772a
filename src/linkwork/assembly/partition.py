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
    cut_node_a: Any  # (cut of the system,) node of its end in its component, -1 for a ground
    cut_node_b: Any
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
    tables = system.tables
    containers: list[Container] = []
    _parts_first(system.model.built, containers)
    level = {id(container): k for k, container in enumerate(containers)}
    link_of = {name: int(link) for name, link in zip(system.body_names, tables.tree.body_link, strict=True)}
    home = {link_of[body.path]: level[id(body.owner)] for body in system.model.all_bodies()}
    whole = {level[id(container)]: level[id(part)] for part in containers for container in part.subsystems.values()}
    cuts_of: list[list[int]] = [[] for _ in containers]
    holders: dict[int, set[int]] = {}
    for c, place in enumerate(system.cuts):
        assert place.joint is not None
        owner = level[id(place.joint.owner)]
        cuts_of[owner].append(c)
        for link in (int(tables.cuts.cut_a[c]), int(tables.cuts.cut_b[c])):
            if link >= tables.tree.grounds or link in system.foreign.values():
                holders.setdefault(link, set()).add(owner)
    border_of: list[list[int]] = [[] for _ in containers]
    nodes_of: list[list[tuple[int, int, int]]] = [[] for _ in containers]
    remote = np.full(len(containers), -1, dtype=np.int64)
    inbox = 0
    for k, container in enumerate(containers):
        bodies = [body for body in container.grounds.values() if isinstance(body, Foreign)]
        if bodies:
            remote[k] = inbox
            inbox += message_size(len(bodies))
            for place_in_border, body in enumerate(bodies):
                home[system.foreign[body.path]] = k
                border_of[k].append(place_in_border)
    top = len(containers) - 1
    ports = sorted(ports, key=lambda name: link_of[name])
    exported = [link_of[name] for name in ports]
    for link in exported:
        holders.setdefault(link, set()).add(top)
    # a container and all that is in it, one after another, so that the border bodies of a part stand side by side
    walked = {level[id(container)]: k for k, container in enumerate(system.model.built.walk())}
    for link in sorted(home, key=lambda link: (walked[home[link]], link)):
        # from its home up to the highest level that holds it
        chain = [home[link]]
        while chain[-1] in whole:
            chain.append(whole[chain[-1]])
        reach = [k for k, owner in enumerate(chain) if owner in holders.get(link, set())]
        part = at = -1
        first = 0
        if remote[chain[0]] >= 0:
            part, first = chain[0], 1
            reach.append(1)  # all of its border is seen by its whole
            at = sum(1 for other in home if home[other] == chain[0] and other < link)
        for k in range(first, max(reach, default=-1) + 1):
            nodes_of[chain[k]].append((link, part, at))
            if k < max(reach):
                border_of[chain[k]].append(len(nodes_of[chain[k]]) - 1)
                part, at = chain[k], len(border_of[chain[k]]) - 1
    border_of[top] = [n for n, (link, _, _) in enumerate(nodes_of[top]) if link in exported]
    node_number = [{link: n for n, (link, _, _) in enumerate(nodes)} for nodes in nodes_of]
    rows_of_cut = np.diff(tables.cuts.cut_row)
    ends = np.full((2, len(system.cuts)), -1, dtype=np.int64)
    offsets: dict[str, list[int]] = {name: [0] for name in ("D", "r", "rows")}
    for k, cuts in enumerate(cuts_of):
        for c in cuts:
            for side, links in enumerate((tables.cuts.cut_a, tables.cuts.cut_b)):
                ends[side, c] = node_number[k].get(int(links[c]), -1)
        rows = int(sum(rows_of_cut[c] for c in cuts))
        e = 6 * len(border_of[k])
        for name, size in (("D", e * e), ("r", e), ("rows", rows)):
            offsets[name].append(offsets[name][-1] + size)

    def starts(lists: list[list[Any]]) -> Any:
        return np.concatenate([[0], np.cumsum([len(items) for items in lists])]).astype(np.int64)

    def flat(lists: list[list[Any]], k: int | None = None) -> Any:
        return np.array([x if k is None else x[k] for items in lists for x in items], dtype=np.int64)

    def before(name: str) -> Any:
        return np.array(offsets[name][:-1], dtype=np.int64)

    rows_before = np.array(offsets["rows"], dtype=np.int64)
    found = Partition(
        cut_start=starts(cuts_of),
        cut=flat(cuts_of),
        cut_node_a=ends[0].copy(),
        cut_node_b=ends[1].copy(),
        node_start=starts(nodes_of),
        node_link=flat(nodes_of, 0),
        node_part=flat(nodes_of, 1),
        node_place=flat(nodes_of, 2),
        border_start=starts(border_of),
        border=flat(border_of),
        row_start=rows_before,
        D=before("D"),
        r=before("r"),
        sizes=np.array([offsets[name][-1] for name in ("D", "r")], dtype=np.int64),
        remote=remote,
        inbox=inbox,
        waits=_waiting(remote, whole),
        port_body=np.array([system.body_names.index(name) for name in ports], dtype=np.int64),
    )
    return found, [getattr(container, "path", "") or system.model.name for container in containers]


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
