"""A whole model in MuJoCo, with joints, drives and contacts as `formats.mjcf.peer_text` writes them, to be stepped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.formats.mjcf.peer_text import mjcf

if TYPE_CHECKING:
    import linkwork as lw


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

    def set_speeds(self, model: lw.Model) -> None:
        """Give the motors the speeds that they have in our model."""
        motors: list[Any] = list(model.all_drives())
        self.data.ctrl[:] = [drive.velocity.value for drive in motors]

    def position(self, body: str) -> Any:
        """Where a body is, m."""
        return self.data.body(body).xpos


def rigid_contacts(model: lw.Model, dt: float) -> MujocoRun:
    """A run with friction in circles and contacts as stiff as steps of `dt` seconds allow."""
    run = MujocoRun(model, dt, integrator="implicitfast")
    run.model.opt.cone, run.model.opt.impratio = run.mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    run.model.geom_solref[:] = 2.0 * dt, 1.0
    run.model.geom_solimp[:, :2] = 0.99, 0.999
    return run
