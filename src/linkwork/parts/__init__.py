"""Ready parts: laws with states for motors and hydraulic cylinders, controllers that are sampled. SI units.

Each is a few lines that you can copy and change. A law goes to `model.torque`; a controller gives the keywords of
`model.controller`. Equal numbers give equal parts, which are compiled once.
"""

from __future__ import annotations

from linkwork.model.arguments import helpful
from linkwork.parts import cylinder, machine, motor, pid_control

dc_motor = helpful(motor.dc_motor, "parts.dc_motor")
hydraulic_cylinder = helpful(cylinder.hydraulic_cylinder, "parts.hydraulic_cylinder")
pid = helpful(pid_control.pid, "parts.pid")
pid_law = helpful(pid_control.pid_law, "parts.pid_law")
state_machine = helpful(machine.state_machine, "parts.state_machine")

__all__ = ["dc_motor", "hydraulic_cylinder", "pid", "pid_law", "state_machine"]
