"""A whole model in MuJoCo, with joints, drives and contacts as `formats.mjcf.peer_text` writes them, to be stepped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.formats.mjcf.peer_text import mjcf

if TYPE_CHECKING:
    import linkwork as lw


class Watched(NamedTuple):
    """What was seen of a run, step by step."""

    overlap: float  # m, the deepest
    unexplained: list[float]  # J at every step: energy less the work of motors so far, which may only fall
    seen: list[Any]  # what the caller wanted to see
    time: float  # s that it reached; less than asked if MuJoCo gave up and began again


class MujocoRun:
    """The model at steps of `dt` seconds, with `options` for `mjcf`; ImportError where MuJoCo is not installed."""

    def __init__(self, model: lw.Model, dt: float, **options: Any) -> None:
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(mjcf(model, dt, **options))
        self.data = mujoco.MjData(self.model)

    def rewind(self) -> None:
        """Back to the start."""
        self.mujoco.mj_resetData(self.model, self.data)

    def step(self, n: int) -> None:
        """Take n steps in one call."""
        self.mujoco.mj_step(self.model, self.data, nstep=n)

    def start(self, model: lw.Model) -> None:
        """Back to the start, with the coordinates that joints of our model start with."""
        self.rewind()
        for joint in model.all_joints():
            if joint.position is not None:
                self.data.joint(joint.path).qpos[:] = joint.position

    def watch(
        self,
        steps: int,
        steer: Callable[[float], Any] | None = None,
        see: Callable[[], Any] | None = None,
        often: int = 20,
    ) -> Watched:
        """Step from where it is; `steer` returns the controls at a time, and `see` is called every `often` steps.

        The work of a motor is its force, as the implicit integrators have it at the end of the step, times its mean
        speed.
        """
        model, data = self.model, self.data
        model.opt.enableflags |= int(self.mujoco.mjtEnableBit.mjENBL_ENERGY)
        dof = model.jnt_dofadr[model.actuator_trnid[:, 0]]
        implicit = model.opt.integrator != self.mujoco.mjtIntegrator.mjINT_EULER
        slope = model.actuator_biasprm[:, 2] * implicit
        bound = np.where(model.actuator_forcelimited, model.actuator_forcerange[:, 1], np.inf)
        overlap, work, unexplained, seen, reached = 0.0, 0.0, [], [], 0.0
        for k in range(steps):
            if steer is not None:
                data.ctrl[:] = steer(data.time)
            before = data.qvel[dof].copy()
            self.step(1)
            if data.time < reached:  # it found something infinite, and began again
                break
            reached = data.time
            unexplained.append(float(data.energy.sum()) - work)  # at the start of the step
            after = data.qvel[dof]
            force = data.actuator_force + np.where(np.abs(data.actuator_force) < bound, slope * (after - before), 0.0)
            work += model.opt.timestep * float(force @ (before + after)) / 2
            overlap = max(overlap, self.overlap())
            if see is not None and k % often == 0:
                seen.append(see())
        model.opt.enableflags &= ~int(self.mujoco.mjtEnableBit.mjENBL_ENERGY)
        return Watched(overlap, unexplained, seen, reached)

    def set_speeds(self, model: lw.Model) -> None:
        """Give the motors the speeds that they have in our model."""
        motors: list[Any] = list(model.all_drives())
        self.data.ctrl[:] = [drive.velocity.value for drive in motors]

    def overlap(self) -> float:
        """The deepest overlap at present, m."""
        return max(0.0, -float(self.data.contact.dist.min())) if self.data.ncon else 0.0

    def position(self, body: str) -> Any:
        """Where a body is, m."""
        return self.data.body(body).xpos


def rigid_contacts(model: lw.Model, dt: float, **options: Any) -> MujocoRun:
    """A run with friction in circles and contacts as stiff as steps of `dt` seconds allow."""
    run = MujocoRun(model, dt, integrator="implicitfast", **options)
    run.model.opt.cone, run.model.opt.impratio = run.mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    run.model.geom_solref[:] = 2.0 * dt, 1.0
    run.model.geom_solimp[:, :2] = 0.99, 0.999
    return run
