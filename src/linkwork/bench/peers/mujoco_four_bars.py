"""Four-bars in a row in MuJoCo: joint coordinates, `connect` constraints as stiff as the step allows, RK4."""

from __future__ import annotations

import math

import numpy as np

from linkwork.bench.peers.four_bars import GRAVITY, UNTIL


class MujocoFourBars:
    """Cranks on the ground, couplers on the left cranks, their right ends connected to the next ones."""

    def __init__(self, windows: int, dt: float) -> None:
        import mujoco

        self.mujoco, self.dt = mujoco, dt
        bar = '<inertial pos="{} 0 {}" mass="1" diaginertia="{}"/>'
        upright, level = bar.format(0, 0.5, f"{1 / 12} {1 / 12} 1e-3"), bar.format(0.5, 0, f"1e-3 {1 / 12} {1 / 12}")
        bodies = []
        for k in range(windows + 1):
            hinge = f'<joint name="j{k}" axis="0 1 0"/>'
            turn = f'<joint name="c{k + 1}" axis="0 1 0"/>'
            coupler = f'<body name="p{k + 1}" pos="0 0 1">{turn}{level}</body>' if k < windows else ""
            bodies.append(f'<body name="k{k}" pos="{k} 0 0">{hinge}{upright}{coupler}</body>')
        ties = "".join(
            f'<connect body1="p{k}" body2="k{k}" anchor="1 0 0" solref="{2 * dt} 1" solimp="0.9999 0.9999 0.001"/>'
            for k in range(1, windows + 1)
        )
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{dt}" gravity="0 0 -{GRAVITY}" integrator="RK4" tolerance="1e-12">'
            f'<flag energy="enable" contact="disable"/></option><worldbody>{"".join(bodies)}</worldbody>'
            f"<equality>{ties}</equality></mujoco>"
        )
        self.data = mujoco.MjData(self.model)
        self.reset()

    def reset(self) -> None:
        m, d = self.model, self.data
        self.mujoco.mj_resetData(m, d)
        for k in range(m.njnt):
            name = m.joint(k).name
            d.qvel[m.jnt_dofadr[k]] = 1.0 if name[0] == "j" else -1.0
        self.mujoco.mj_forward(m, d)

    def error(self) -> float:
        first, worst = float(np.sum(self.data.energy)), 0.0
        for _ in range(round(UNTIL / self.dt)):
            self.mujoco.mj_step(self.model, self.data)
            worst = max(worst, abs(float(np.sum(self.data.energy)) - first))
            if not worst < 1e6:
                return math.inf
        return worst

    def all(self) -> None:
        self.mujoco.mj_step(self.model, self.data, nstep=round(UNTIL / self.dt))
