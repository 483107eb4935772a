"""What can be read of a simulation: state, columns, contacts, reactions, changes. Nothing here changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import OptionError
from linkwork.formulations.protocol import Method
from linkwork.formulations.samples import State
from linkwork.simulation.analysis.reactions import Reactions, present_reactions
from linkwork.simulation.interaction.contacts import Touching, touching
from linkwork.simulation.reading import Reader, Readings
from linkwork.simulation.starts.start import Start
from linkwork.simulation.stepping.remote_links import RemoteLinks
from linkwork.simulation.stepping.stepper import Stepper
from linkwork.simulation.structure.changing import Structure
from linkwork.simulation.structure.events import Change


class Present:
    """The readable side of a `Simulation`, of its stepper, its structure and its columns."""

    stepper: Stepper
    structure: Structure
    readings: Readings

    @property
    def time(self) -> float:
        """Time of the present state, s."""
        return self.stepper.time

    @property
    def q(self) -> Floats:
        """Coordinates, rad and m: of the joints of the tree as in `lw.assemble`, or of every body by itself.

        A view that follows the steps and cannot be written to: `sim.reset(q=…)` sets coordinates, with loops closed.
        """
        return self.stepper.q

    @q.setter
    def q(self, _: Any) -> None:
        raise OptionError("coordinates are not set alone, as loops and contacts belong to them; use sim.reset(q=...)")

    @property
    def v(self) -> Floats:
        """Velocities, rad/s and m/s, that belong to `q`; a view like it, set by `sim.reset(v=…)`."""
        return self.stepper.v

    @v.setter
    def v(self, _: Any) -> None:
        raise OptionError("velocities are not set alone, as loops and contacts belong to them; use sim.reset(v=...)")

    @property
    def method(self) -> Method:
        """The method, with its options."""
        return self.stepper.method

    @property
    def system(self) -> System:
        """The model as it was assembled."""
        return self.stepper.system

    @property
    def moving(self) -> System:
        """What moves now: in the coordinates of the method, with the joints that are attached."""
        return self.stepper.moving

    @property
    def tables(self) -> Tables:
        """Tables of what moves, with the present inputs."""
        return self.stepper.tables

    @property
    def workspace(self) -> Any:
        """Memory of the method."""
        return self.stepper.workspace

    @property
    def state(self) -> State:
        """The present state, as the method has it."""
        return self.stepper.state

    @property
    def steps(self) -> int:
        """Steps taken since the start."""
        return self.stepper.steps

    @property
    def start(self) -> Start:
        """Where the simulation began: positions and velocities with loops closed."""
        return self.stepper.start

    @property
    def ignored(self) -> list[str]:
        """Features of the model that are left out."""
        return self.stepper.ignored

    @property
    def remote_links(self) -> RemoteLinks | None:
        """Connections to components elsewhere."""
        return self.stepper.remote_links

    @property
    def attached(self) -> list[str]:
        """Names of the joints that are attached now."""
        return list(self.structure.attached)

    @property
    def changes(self) -> list[Change]:
        """Joints attached and released so far."""
        return self.structure.changes

    @property
    def impacts(self) -> float:
        """Energy that this has cost, J."""
        return self.structure.impacts

    @property
    def solver(self) -> dict[str, float]:
        """How hard the last step was, where the method iterates: as in `Trajectory.solver`; `cut` tells of this step.

        >>> sim = lw.Simulation(lw.gallery.peaucellier.build(), lw.Impulse(dt=0.01))
        >>> sim.step(10)
        >>> sim.solver["sweeps"], sim.solver["cut"]  # its loops are solved for directly
        (1.0, 0.0)
        """
        sweeps, residual, rows = (float(number) for number in self.state.solver_stats[:3])
        if self.method.effort == "sweeps":
            cut = float(residual > self.method.epsilon)
            return {"sweeps": sweeps, "residual": residual, "rows": rows, "cut": cut}
        return {"iterations": sweeps, "residual": residual} if self.method.effort else {}

    def contacts(self) -> Touching:
        """Where bodies press on each other in the last step: names, points, normals, forces (N), depths of overlap.

        A run records the sum for each body that can touch others as its column "contact_force".

        >>> model = lw.Model("stone")
        >>> floor = model.plane("floor")
        >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=lw.Material())
        >>> sim = lw.Simulation(model, lw.Impulse(dt=0.01))
        >>> sim.step(10)
        >>> sim.contacts().bodies, sim.contacts().forces.round(2).tolist()
        ([('floor', 'stone')], [[0.0, 0.0, 19.62]])
        """
        contacts = self.method.contact_table(self.workspace)
        if contacts is None:
            return Touching.none()
        return touching(self.moving, contacts, self.method.last_step(self.workspace), self.stepper.h)

    def reactions(self) -> Reactions:
        """What every joint carries now, and which components of that are unique; the least where they are not.

        >>> model = lw.Model("door")
        >>> door = model.body("door", mass=20.0, shape=lw.Box((0.8, 0.04, 2.0)), position=(0.4, 0, 0))
        >>> for name, z in (("lower", -0.8), ("upper", 0.8)):
        ...     hinge = model.revolute(name, model.ground, door, at=(0, 0, z), axis=(0, 0, 1))
        >>> found = lw.Simulation(model).reactions()
        >>> found.redundant, found["upper"].force.round(1).tolist()[2], found["lower"].force.round(1).tolist()[2]
        (5, 98.1, 98.1)
        """
        return present_reactions(self)

    def __getitem__(self, name: str) -> Any:
        """The present value of what a run records as a column, such as sim["pin.position"]; also "time".

        What joints do is read from the state (0.2 us). Poses, springs and reactions take an observation of all that
        moves (5 to 20 us): read many of them by one `sim.reader`. Of the two quaternions of a rotation it is the one
        nearer to what was read last.
        """
        return self.readings[name]

    def reader(self, columns: Sequence[str]) -> Reader:
        """A function that returns the present values of many columns in one array: for controllers.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
        >>> read = sim.reader(["left pin 1.position", "left pin 1.velocity", "coupler 1.position"])
        >>> sim.step(10)
        >>> read().shape, read.slices["coupler 1.position"]
        ((5,), slice(2, 5, None))
        """
        return Reader(self.readings, columns)
