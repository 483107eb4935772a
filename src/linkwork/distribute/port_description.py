"""What a component tells of its ports: names, poses and velocities at the start, reference poses."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.reference import Reference
from linkwork.errors import ModelError
from linkwork.formulations.component.component import Components
from linkwork.model import Frame, Model, Subsystem
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.run import Simulation
from linkwork.simulation.sampled.controls import refuse_late


def described_ports(model: Model, component: Subsystem) -> tuple[list[str], list[dict[str, Any]], list[float]]:
    """Bodies behind the ports of a component of `model`, and what the whole may know of each, in the same order.

    Last the seconds between the samples of its sensors and controllers.
    """
    if not component.ports:
        raise ModelError(
            f"component {type(component).__name__} has no port; name its border bodies with self.port(...)"
        )
    sim = Simulation(model, Components(), ports=[body.path for body in component.ports.values()])
    refuse_late(sim.system)
    poses = forward_kinematics(sim.system, sim.start.q)
    order = {body: k for k, body in enumerate(sim.moving.body_names)}
    chosen = sorted(component.ports.items(), key=lambda item: order[item[1].path])
    reference = Reference(model)
    ports = []
    for port, body in chosen:
        # how its frame's origin moves, by the velocity of its centre of mass
        motion = sim.v[6 * order[body.path] :][:6]
        start = Frame(*poses[body.path])
        velocity = motion[:3] - np.cross(motion[3:], start.direction(sim.moving.centre(body)))
        ports.append(
            {
                "name": port,
                "position": start.position.tolist(),
                "rotation": start.rotation.tolist(),
                "velocity": velocity.tolist(),
                "angular_velocity": motion[3:].tolist(),
                "at": reference.of(body).position.tolist(),
                "turned": reference.of(body).rotation.tolist(),
            }
        )
    sim.close()
    return [body.path for _, body in chosen], ports, sim.controls.periods()
