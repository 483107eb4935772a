"""The present state of a simulation for the page: poses, forces, contacts, energies, columns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.errors import OptionError, RunError
from linkwork.model import Ground, Joint
from linkwork.simulation.interaction.contacts import Pressing
from linkwork.simulation.methods import ALL, refuse_unsupported
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.columns.units import component_names, split_unit
from linkwork.simulation.results.scene.scene import ground_at, scene_of
from linkwork.simulation.run import Simulation
from linkwork.simulation.structure.changing import joint_place
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.trust_light import GOOD, POOR, TrustLight
from linkwork.viewer.staging import Stage

AHEAD = 30.0  # s: how much further than the preview roads are drawn
SECONDS, LONGEST, BUDGET, LOOKS = 3.0, 20.0, 0.7, 24  # of a preview: simulated, at most, of computing, and rows
ACCOUNTS = ("energy.total", "energy.kinetic", "energy.potential", "energy.springs", "energy.balance", "drift.position")


class LiveState:
    """Observes a simulation; `columns` are the ones that are plotted.

    `refresh` is called between two steps and has to be short: what is drawn is found by index, names are for plots.
    """

    def __init__(self, sim: Simulation, stage: Stage) -> None:
        self.sim, self.stage = sim, stage
        self.columns: list[str] = []
        self.pressing = Pressing(sim)
        self.begin()
        self.built = [joint["name"] for joint in stage.joints()]
        self._number(Observer(sim.moving, "all", sim.tables))
        self.refresh()

    def begin(self) -> None:
        """The energy balance begins anew."""
        self.failed = ""  # why the run cannot go on
        self.first: float | None = None
        self.trust = TrustLight(self.sim)
        self.light: tuple[int, list[str]] = (GOOD, [])
        self.told: tuple[int, list[str]] | None = None

    def go_on(self, before: LiveState) -> None:
        """With the balance of a state of the same run."""
        self.first, self.trust, self.light, self.told = before.first, before.trust, before.light, before.told
        self.refresh()

    def light_changed(self) -> bool:
        """Whether the light is another one than last time."""
        if self.told is not None and self.told[0] == self.light[0]:
            return False
        self.told = self.light
        return True

    def _number(self, observer: Observer) -> None:
        """Places of bodies and joints in what the observer sees; -1 where a joint is not there now."""
        self.observer, system = observer, observer.system
        places = {name: k for k, name in enumerate(system.body_names)}
        names = self.stage.names[: len(self.stage.names) - len(self.stage.moving_grounds)]
        self.bodies = np.array([places[name] for name in names], dtype=np.int64)
        grounds = {ground.path: ground for ground in self.sim.system.model.all_grounds()}
        self.grounds: list[Ground] = [grounds[name] for name in self.stage.moving_grounds]
        self.attached = [_facts(joint) for joint in self.sim.structure.attached.values()]
        self.rearranged = True  # until `changes` is called
        names = [*self.built, *(joint["name"] for joint in self.attached)][: len(self.built) + slot.SPARE_JOINTS]
        joints = {place.name: k for k, place in enumerate(system.joints)} if not system.absolute else {}
        cuts = {place.name: k for k, place in enumerate(system.cuts)}
        self.in_tree = np.array([joints.get(name, -1) for name in names], dtype=np.int64)
        self.in_cuts = np.array([cuts.get(name, -1) for name in names], dtype=np.int64)

    def refresh(self) -> None:
        """Observe the present state."""
        sim = self.sim
        if self.observer.system is not sim.moving:
            self._number(self.observer.again(sim.moving, sim.tables))
        self.rows = sim.stepper.present()
        self.observation = self.observer.see(self.rows, 1)
        accounts = self.observer.accounts(self.rows, self.observation, 1)
        energy = {name: float(accounts[name][0]) for name in ("kinetic", "potential", "springs")}
        energy["total"] = sum(energy.values())
        if self.first is None:
            self.first = energy["total"]
        lost = float(accounts["dissipated"][0] + accounts["numerical"][0]) + sim.impacts
        energy["balance"] = energy["total"] - self.first + lost - float(accounts["work"][0])
        self.trust.see(accounts, energy["balance"], lost)
        self.light = (POOR, [self.failed]) if self.failed else self.trust.light()
        self.accounts = {f"energy.{name}": value for name, value in energy.items()}
        self.accounts["drift.position"] = float(accounts["drift position"][0])
        self.iterations = float(accounts["iterations"][0])

    def head(self) -> dict[int, float]:
        """Numbers of the shared frame's head that the simulation knows."""
        return {
            slot.TIME: self.sim.time,
            slot.ENERGY: self.accounts["energy.total"],
            slot.BALANCE: self.accounts["energy.balance"],
            slot.DRIFT: self.accounts["drift.position"],
            slot.ITERATIONS: self.iterations,
            slot.LIGHT: float(self.light[0]),
        }

    def poses(self) -> Any:
        """Of all that moves, in the order of the stage."""
        found = self.observation.body[0, self.bodies, :7]
        if not self.grounds:
            return found
        moved = [ground_at(ground, self.sim.time) for ground in self.grounds]
        return np.vstack([found, [(*pose.position, *pose.rotation) for pose in moved]])

    def forces(self) -> Any:
        """Forces and torques in every joint, on b from a; zero where it is not there now. Attached ones come last."""
        found = np.zeros((len(self.built) + slot.SPARE_JOINTS, slot.LOAD))
        for places, source in ((self.in_tree, self.observation.reaction), (self.in_cuts, self.rows.cut_force)):
            there = places >= 0
            if there.any():
                found[: len(places)][there] = source[0, places[there], : slot.LOAD]
        return np.nan_to_num(found)

    def changes(self) -> tuple[list[str], list[Any], list[Any]]:
        """Joints of the model that were released, pins and places of those that are attached now."""
        self.rearranged = False
        there = (self.in_tree >= 0) | (self.in_cuts >= 0)
        gone = [name for name, holds in zip(self.built, there, strict=False) if not holds]
        pins = [self.stage.pin(joint) for joint in self.attached if self.stage.is_hinge(joint)]
        return gone, pins, [self.stage.joint(joint) for joint in self.attached]

    def contacts(self) -> Any:
        """Points and forces of the contacts of the last step, and whether they bear on a ground (contact, 7)."""
        return self.pressing.rows()[: slot.MOST_CONTACTS]

    def plotted(self) -> Any:
        """Numbers of the chosen columns, one after another."""
        numbers: list[float] = []
        named: dict[str, Any] | None = None
        for name in self.columns:
            if name in self.accounts:
                numbers.append(self.accounts[name])
                continue
            if named is None:
                named = self.observer.named(self.rows, self.observation, 1)
            if name in named:
                numbers += np.nan_to_num(named[name][0]).reshape(-1).tolist()
        return numbers[: slot.MOST_PLOTTED]

    def choices(self) -> dict[str, tuple[list[str], list[str]]]:
        """Columns that can be plotted: the labels of their components, and the unit of each."""
        made: dict[str, tuple[list[str], list[str]]] = {
            name: ([""], ["J" if name.startswith("energy") else ""]) for name in ACCOUNTS
        }
        for name, shape in self.observer.columns.items():
            unit, width = self.observer.specs[name].unit, math.prod(shape)
            labels = list(component_names(name.rpartition(".")[2], unit, width))
            made[name] = (labels, list(split_unit(unit, width)))
        return made


def _facts(joint: Joint) -> dict[str, Any]:
    """An attached joint as in a scene."""
    position, axis, _ = joint_place(joint)
    ends = {"a": joint.a.path, "b": joint.b.path}
    return {"name": joint.path, "kind": joint.kind, **ends, "position": position, "axis": axis}


def method_label(sim: Simulation) -> str:
    """Method and integrator, for the page."""
    return f"{sim.method.name}, {sim.method.integrator}"


def preview(make: Callable[[], Simulation], until: float | None = None) -> Stage:
    """The stage of a simulation, as large as its motion until a time (s) needs it, or the first seconds of it."""
    seconds = SECONDS if until is None else min(until, LONGEST)
    sim = make()
    model = sim.system.model
    observer, rows = Observer(sim.moving, "all", sim.tables), []
    steps = max(1, round(seconds / LOOKS / sim.method.dt))
    last = time.thread_time() + BUDGET  # not by the clock: a busy machine shows the same
    try:
        while True:
            if observer.system is not sim.moving:
                observer = observer.again(sim.moving, sim.tables)
            rows.append((sim.time, observer.look(sim.stepper.present(), 1)[0]))
            if len(rows) > LOOKS or time.thread_time() > last:
                break
            sim.step(steps)
    except RunError:
        pass  # the run itself will report it
    finally:
        sim.close()
    names = [name for name in rows[0][1] if name.endswith((".position", ".rotation"))]
    poses = {name: np.concatenate([found[name] for _, found in rows]) for name in names}
    times = [t for t, _ in rows]
    scene = scene_of(model, times[-1], poses, ahead=AHEAD / max(times[-1], sim.method.dt))
    return Stage.from_poses(model.name, scene, times, poses)


def methods_for(sim: Simulation, ignore: Sequence[str] = ()) -> list[str]:
    """Names of the methods that can run this model.

    >>> "recursive" in methods_for(lw.Simulation(lw.gallery.pendulum.build(), "recursive"))
    True
    """
    found = []
    for name, kind in ALL.items():
        try:
            refuse_unsupported(sim.system, kind(), ignore)
        except OptionError:
            continue
        found.append(name)
    return found
