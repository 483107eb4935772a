"""A file in MuJoCo and in ours: accelerations at the same states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import linkwork as lw
from linkwork.assembly.assemble import assemble
from linkwork.model import Coupling

FREE, BALL = 0, 1


class Beside:
    """MuJoCo's model of a file with all constraints off, and ours with its loops left open."""

    def __init__(self, file: Path, model: lw.Model) -> None:
        mujoco.set_mju_user_warning(lambda _: None)  # else it writes a file of its own
        self.m = mujoco.MjModel.from_xml_path(str(file))
        mujoco.set_mju_user_warning(None)
        self.m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.m.opt.density = self.m.opt.viscosity = 0.0
        self.d = mujoco.MjData(self.m)
        for name in [name for name, drive in model.drives.items() if isinstance(drive, Coupling)]:
            del model.drives[name]
        for name in [name for name, joint in model.joints.items() if joint.cut]:
            del model.joints[name]
        self.system = assemble(model, driven=True)
        moving = [joint for joint in model.all_joints() if joint.kind != "fixed"]
        assert len(moving) == self.m.njnt
        ours = {joint.name: joint for joint in self.system.joints}
        self.pairs = [(number, ours[joint.path]) for number, joint in enumerate(moving)]

    def state(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Random coordinates and velocities of MuJoCo."""
        q, v = np.array(self.m.qpos0), rng.uniform(-1, 1, self.m.nv)
        for number in range(self.m.njnt):
            at, kind = self.m.jnt_qposadr[number], self.m.jnt_type[number]
            if kind == FREE:
                q[at : at + 3] += rng.uniform(-1, 1, 3)
                at += 3
            if kind in (FREE, BALL):
                turn = rng.normal(size=4)
                q[at : at + 4] = turn / np.linalg.norm(turn)
            else:
                q[at] += rng.uniform(-1, 1)
        return q, v

    def theirs(self, q: Any, v: Any) -> Any:
        """MuJoCo's accelerations, with no control."""
        mujoco.mj_resetData(self.m, self.d)
        self.d.qpos[:], self.d.qvel[:] = q, v
        mujoco.mj_forward(self.m, self.d)
        return np.array(self.d.qacc)

    def ours(self, q: Any, v: Any) -> Any:
        """Our accelerations, in MuJoCo's coordinates."""
        own_q, own_v = np.zeros(self.system.nq), np.zeros(self.system.nv)
        for number, joint in self.pairs:
            at, dof, kind = self.m.jnt_qposadr[number], self.m.jnt_dofadr[number], self.m.jnt_type[number]
            own_q[joint.q] = q[at : at + own_q[joint.q].size]
            own_v[joint.v] = v[dof : dof + own_v[joint.v].size]
            if kind == FREE:
                own_v[joint.v][3:] = self._turn(q[at + 3 : at + 7]) @ v[dof + 3 : dof + 6]
        found, result = lw.forward_dynamics(self.system, own_q, own_v), np.zeros(self.m.nv)
        for number, joint in self.pairs:
            at, dof, kind = self.m.jnt_qposadr[number], self.m.jnt_dofadr[number], self.m.jnt_type[number]
            part = found[joint.v].copy()
            if kind == FREE:
                part[3:] = self._turn(q[at + 3 : at + 7]).T @ part[3:]
            result[dof : dof + part.size] = part
        return result

    @staticmethod
    def _turn(quaternion: Any) -> Any:
        return lw.Frame((0, 0, 0), quaternion).matrix

    def worst(self, states: int = 20) -> float:
        """The largest difference relative to the size of the accelerations."""
        rng, worst = np.random.default_rng(1), 0.0
        for _ in range(states):
            q, v = self.state(rng)
            theirs, ours = self.theirs(q, v), self.ours(q, v)
            worst = max(worst, float(np.abs(theirs - ours).max() / max(np.abs(theirs).max(), 1e-3)))
        return worst
