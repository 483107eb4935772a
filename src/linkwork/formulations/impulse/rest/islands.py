"""Islands: bodies that touch, or that joints hold together, are one problem; others do not count.

A *tree* here is what hangs together by joints of the tree of links: a loose body, or a whole mechanism. Trees that a
row moves together belong to one island; the ground belongs to none. All rows but contacts (joints that close loops,
springs, stops, motors, friction of joints, drags) are put into island 0 with all trees that they move; contacts are
sorted by islands, so that the rows of an island lie together. Every island is solved by itself: how one converges has
nothing to do with another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.rows import ALL_ROWS


class Islands(NamedTuple):
    """Trees, and the islands of the present step."""

    # made once
    dof_tree: Any  # (dof,)
    tree_dof: Any  # (tree + 1,) its first dof
    link_tree: Any  # (link,) -1 of the grounds
    # unite_islands, sort_by_islands
    parent: Any  # (tree,) of the union-find
    number: Any  # (tree,) of its island; -1 where nothing touches it
    count: Any  # (1,) islands, at least one
    start: Any  # (tree + 3,) into tree: the trees of each island
    tree: Any  # (tree,) by islands
    contact: Any  # (contact,) by islands
    contact_start: Any  # (tree + 3,) into contact
    row_start: Any  # (tree + 3,) rows of each island; written by make_contact_rows
    node: Any  # (tree,) in the graph of its island; coulomb
    solved: Any  # (tree + 3,) 1 where the impulses of an island are to be left as they are; restitution


def make_islands(tree: Any, contacts: int) -> Islands:
    """The trees of a system; room for islands."""
    root = list(range(tree.link_parent.size))
    for i in range(tree.grounds, tree.link_parent.size):
        parent = int(tree.link_parent[i])
        root[i] = i if parent < tree.grounds else root[parent]
    of_dof = [root[int(i)] for i in tree.dof_link]
    roots = list(dict.fromkeys(of_dof))
    first = [of_dof.index(r) for r in roots] + [len(of_dof)]
    if any(of_dof[k] != roots[t] for t in range(len(roots)) for k in range(first[t], first[t + 1])):
        roots, first, of_dof = [-1], [0, len(of_dof)], [-1] * len(of_dof)  # dofs of trees that lie between each other
        root = [-1] * len(root)
    number = {r: t for t, r in enumerate(roots)}
    n = len(roots)

    def room(size: int) -> Any:
        return np.zeros(size, dtype=np.int64)

    return Islands(
        dof_tree=np.array([number[r] for r in of_dof], dtype=np.int64),
        tree_dof=np.array(first, dtype=np.int64),
        link_tree=np.array(
            [-1 if i < tree.grounds else number.get(root[i], -1) for i in range(len(root))], dtype=np.int64
        ),
        parent=room(n),
        number=room(n),
        count=room(1),
        start=room(n + 3),
        tree=room(n),
        contact=room(contacts),
        contact_start=room(n + 3),
        row_start=room(n + 3),
        node=room(n),
        solved=room(n + 3),
    )


@kernel
def find(parent, t):
    """The tree that stands for the set of tree t."""
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@small
def unite(parent, a, b):
    """The sets of trees a and b become one."""
    parent[find(parent, b)] = find(parent, a)


@small
def tree_of_contact(islands, contacts, e):
    """A tree that contact e moves, or -1."""
    a = islands.link_tree[contacts.link_a[e]]
    return a if a >= 0 else islands.link_tree[contacts.link_b[e]]


@kernel
def unite_islands(islands, rows, contacts):
    """Union-find of trees that rows or contacts move together; returns a tree of island 0, or -1.

    The rows so far are those of island 0.
    """
    parent = islands.parent
    trees = parent.size
    for t in range(trees):
        parent[t] = t
        islands.number[t] = -1
    held = -1
    for r in range(rows.count[ALL_ROWS]):
        for b in range(rows.spans[r]):
            t = islands.dof_tree[rows.span_first[r, b]]
            if held >= 0:
                unite(parent, held, t)
            held = t
    n = contacts.count[0]
    for e in range(n):
        a = islands.link_tree[contacts.link_a[e]]
        b = islands.link_tree[contacts.link_b[e]]
        if a >= 0 and b >= 0:
            unite(parent, a, b)
    return held


@kernel
def sort_by_islands(islands, contacts, held, asleep):
    """Sort trees and contacts by islands, after `unite_islands`; what is asleep belongs to none."""
    parent = islands.parent
    trees = parent.size
    n = contacts.count[0]
    count = 1
    if held >= 0:
        islands.number[find(parent, held)] = 0
    for e in range(n):
        t = tree_of_contact(islands, contacts, e)
        if t >= 0 and asleep[t] == 0 and islands.number[find(parent, t)] < 0:
            islands.number[find(parent, t)] = count
            count += 1
    islands.count[0] = count
    for t in range(trees):
        islands.number[t] = islands.number[find(parent, t)]
    # counting sort: where an island begins, then what it has
    for i in range(count + 2):
        islands.start[i] = 0
        islands.contact_start[i] = 0
    for t in range(trees):
        islands.start[islands.number[t] + 2] += 1  # those of no island come first, and are overwritten
    islands.start[1] = 0
    for e in range(n):
        i = island_of_contact(islands, contacts, e)
        if i >= 0:
            islands.contact_start[i + 2] += 1
    for i in range(2, count + 2):
        islands.start[i] += islands.start[i - 1]
        islands.contact_start[i] += islands.contact_start[i - 1]
    for t in range(trees):
        i = islands.number[t] + 1
        if i > 0:
            islands.tree[islands.start[i]] = t
            islands.start[i] += 1
    for e in range(n):
        i = island_of_contact(islands, contacts, e) + 1
        if i > 0:
            islands.contact[islands.contact_start[i]] = e
            islands.contact_start[i] += 1


@small
def island_of_contact(islands, contacts, e):
    """The island of contact e; 0 where it moves nothing, -1 where it is asleep."""
    t = tree_of_contact(islands, contacts, e)
    return islands.number[t] if t >= 0 else 0


@kernel
def clear_dofs(islands, i, x):
    """x of the dofs of island i becomes zero."""
    for e in range(islands.start[i], islands.start[i + 1]):
        t = islands.tree[e]
        for k in range(islands.tree_dof[t], islands.tree_dof[t + 1]):
            x[k] = 0.0


@kernel
def copy_dofs(islands, i, source, target):
    """Copy the dofs of island i."""
    for e in range(islands.start[i], islands.start[i + 1]):
        t = islands.tree[e]
        for k in range(islands.tree_dof[t], islands.tree_dof[t + 1]):
            target[k] = source[k]


@kernel
def subtract_from(islands, i, x, past):
    """`past` of the dofs of island i becomes x less itself."""
    for e in range(islands.start[i], islands.start[i + 1]):
        t = islands.tree[e]
        for k in range(islands.tree_dof[t], islands.tree_dof[t + 1]):
            past[k] = x[k] - past[k]


@kernel
def move_dofs_on(islands, i, past, x, on):
    """`clipped.move_on` for the dofs of island i."""
    for e in range(islands.start[i], islands.start[i + 1]):
        t = islands.tree[e]
        for k in range(islands.tree_dof[t], islands.tree_dof[t + 1]):
            end = x[k]
            x[k] += on * (end - past[k])
            past[k] = end
