"""How far joints give way is the diagonal of the inverse mass matrix."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.impulse.motion.joint_response import joint_responses, responses
from linkwork.gallery import excavator, gripper, kuka, rover


@pytest.mark.parametrize("piece", [excavator, gripper, kuka, rover])
def test_it_is_that_of_the_mass_matrix(piece: ModuleType) -> None:
    sim = lw.Simulation(piece.build(), lw.Impulse(dt=1e-3))
    tree, nq = sim.system.tables.tree, sim.system.nq
    found = responses(tree, sim.workspace.tree)
    M = lw.mass_matrix(sim.system, sim.state.y[:nq])
    assert found == pytest.approx(np.diag(np.linalg.inv(M)), rel=1e-6)


def test_what_nothing_resists_gives_way_without_end() -> None:
    """An estimate for springs: they are then too fast for any step."""
    sim = lw.Simulation(kuka.build(), lw.Impulse(dt=1e-3))
    tables = sim.system.tables
    tree = tables.tree._replace(link_mass=0.0 * tables.tree.link_mass, link_h=0.0 * tables.tree.link_h)
    tree = tree._replace(link_I=0.0 * tree.link_I, dof_armature=0.0 * tree.dof_armature)
    assert np.isinf(joint_responses(tables._replace(tree=tree), np.array([0, 2]))).all()
