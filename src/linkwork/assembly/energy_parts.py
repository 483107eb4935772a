"""Parts of a model that energy passes between by contact only: each has accounts of its own.

Bodies that joints, couplings, springs or bushings connect are of one part, also through a ground that moves; through
one at rest they are not. What events attach during a run counts too.
"""

from __future__ import annotations

import numpy as np

from linkwork.assembly.tables import Cuts, Floats, Forces, Tree
from linkwork.model import Frame, Model


def with_parts(model: Model, place: dict[int, tuple[int, Frame]], tree: Tree, cuts: Cuts, forces: Forces) -> Tree:
    """The tree with its parts, numbered as their first bodies are in the model; `place` says in which links these are.

    Where a ground belongs to a component elsewhere all is one part. States of laws belong to the first part.
    """
    if (tree.ground_law[1:, 0] < 0).any():
        return tree
    root = list(range(tree.link_parent.size))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    joints = [*model.built.all_joints(), *(event.joint for event in model.all_events() if event.joint is not None)]
    ends = [(id(joint.a), id(joint.b)) for joint in joints]
    pairs = [(place[a][0], place[b][0]) for a, b in ends if a in place and b in place]
    pairs += [*zip(range(tree.grounds, len(root)), tree.link_parent[tree.grounds :].tolist(), strict=True)]
    pairs += [*zip(forces.spring_a.tolist(), forces.spring_b.tolist(), strict=True)]
    pairs += [*zip(forces.bushing_a.tolist(), forces.bushing_b.tolist(), strict=True)]
    for sides in cuts.side_link.tolist():
        held = [i for i in sides if i > 0]
        pairs += [(held[0], i) for i in held[1:]]
    for a, b in pairs:
        if a > 0 and b > 0:
            root[find(b)] = find(a)
    real = {find(i) for i in range(1, len(root)) if tree.link_counted[i]}
    number: dict[int, int] = {}
    for body in model.all_bodies():
        if id(body) in place and (first := find(place[id(body)][0])) in real:
            number.setdefault(first, len(number))
    part = np.array([number.get(find(i), 0) for i in range(len(root))], dtype=np.int64)
    return tree._replace(accounts=2 * max(1, len(number)), link_part=part)


def accounts_for(tree: Tree, accounts: Floats) -> Floats:
    """Accounts of another structure of the model, for this one: where it has other parts those of the whole stay."""
    if accounts.size == tree.accounts:
        return accounts
    found: Floats = np.zeros(tree.accounts)
    found[:2] = accounts[:2]
    return found
