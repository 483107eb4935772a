"""A model and the file written of it: poses, velocities and masses of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import linkwork as lw
from linkwork.assembly.assemble import assemble
from linkwork.formats.mjcf.markup import NameBook
from linkwork.formats.mjcf.spanning import spanning_tree
from linkwork.formats.mjcf.start_values import machine_state
from linkwork.formats.mjcf.writing import MjcfWriting
from linkwork.formats.mjcf.written_bodies import write_bodies
from linkwork.formats.receipt import Receipt
from linkwork.simulation.starts.start import Closure, consistent_start


class Written:
    """Our model and MuJoCo's of the file."""

    def __init__(self, model: lw.Model, file: Path) -> None:
        self.model, self.file = model, file
        self.receipt = model.write(file, lossy=True)
        self.m = mujoco.MjModel.from_xml_path(str(file))
        self.d = mujoco.MjData(self.m)
        self.system = assemble(model, driven=False)

    def near(self, rng: np.random.Generator, size: float) -> Any:
        """A random state whose loops are closed."""
        q = lw.integrate(self.system, self.system.q_start, rng.uniform(-size, size, self.system.nv), 1.0)
        loose = np.zeros_like(self.system.q_given)
        cuts = np.zeros_like(self.system.cut_q_given)
        return consistent_start(replace(self.system, q_start=q, q_given=loose, cut_q_given=cuts))

    def differences(self, rng: np.random.Generator, size: float = 1.0) -> tuple[float, float, float]:
        """Of poses (m, rad), of velocities, and of the mass matrix for velocities that keep the loops, relative."""
        start = self.near(rng, size)
        self._put(start)
        closure = Closure(self.system)
        closure.cut_q[:] = start.cut_q
        closure.at(start.q, np.zeros(self.system.nv))
        joint_rows = closure.G[: int(self.system.tables.cuts.cut_row[len(self.system.cuts)])]
        N = _null_space(joint_rows, self.system.nv)
        ours, theirs, off = [], [], 0.0
        places = lw.forward_kinematics(self.system, start.q)
        book = NameBook()
        for body in self.model.all_bodies():
            number = mujoco.mj_name2id(self.m, mujoco.mjtObj.mjOBJ_BODY, book.of("body", body))
            at, turn = places[body.path]
            off = max(off, float(np.abs(self.d.xpos[number] - at).max()))
            off = max(off, 1.0 - abs(float(self.d.xquat[number] @ turn)))
            linear, angular = np.zeros((3, self.m.nv)), np.zeros((3, self.m.nv))
            mujoco.mj_jacBody(self.m, self.d, linear, angular, number)
            theirs += [angular, linear]
            ours.append(lw.jacobian(self.system, start.q, body.path) @ N)
        J, V = np.vstack(theirs), np.vstack(ours)
        T = np.linalg.lstsq(J, V, rcond=None)[0]
        M = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.m, self.d, M)
        here = N.T @ lw.mass_matrix(self.system, start.q) @ N
        there = T.T @ M @ T
        scale = max(float(np.abs(here).max()), 1e-300)
        return off, float(np.abs(J @ T - V).max(initial=0.0)), float(np.abs(here - there).max(initial=0.0) / scale)

    def _put(self, start: Any) -> None:
        """The same state in MuJoCo."""
        state = machine_state(self.system, start.q, np.zeros(self.system.nv), start.cut_q)
        writing = MjcfWriting(self.model, spanning_tree(self.model), state, Receipt(""), self.file.parent)
        write_bodies(writing)
        mujoco.mj_resetData(self.m, self.d)
        self.d.qpos[:] = writing.qpos
        mujoco.mj_forward(self.m, self.d)


def _null_space(rows: Any, size: int) -> Any:
    if not len(rows):
        return np.eye(size)
    _, values, directions = np.linalg.svd(rows)
    rank = int((values > 1e-9 * max(values.max(), 1e-300)).sum())
    return directions[rank:].T
