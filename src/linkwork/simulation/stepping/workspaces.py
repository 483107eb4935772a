"""Memory of a method for the system that moves, with what it needs: a partition, natural coordinates, links."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from linkwork.assembly.natural.natural import natural
from linkwork.assembly.partition import partition
from linkwork.model import Model
from linkwork.simulation.interaction.drag import place_drags
from linkwork.simulation.starts.start import Start
from linkwork.simulation.stepping.hierarchy import hierarchy
from linkwork.simulation.stepping.remote_links import RemoteLinks, remote_parts

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


def make_workspace(stepper: Stepper, start: Start) -> tuple[Any, RemoteLinks | None]:
    """The workspace, and the links to components elsewhere where there are some."""
    method, given = stepper.method, _needed(stepper, start)
    workspace = method.prepare(stepper.tables, given)
    if stepper.drags and (rows := method.drag_table(workspace)) is not None:
        place_drags(stepper.moving, rows, stepper.drags)
    return _connected(stepper, workspace, given) if method.needs == "partition" else (workspace, None)


def _needed(stepper: Stepper, start: Start) -> Any:
    """What `prepare` of the method gets besides the tables."""
    needs, tables, moving = stepper.method.needs, stepper.tables, stepper.moving
    if needs == "partition":
        return partition(moving, stepper.ports)[0]
    if needs == "hierarchy":
        return hierarchy(moving, tables, start)
    return natural(tables) if needs == "natural coordinates" else None


def _connected(stepper: Stepper, workspace: Any, parts: Any) -> tuple[Any, RemoteLinks | None]:
    """The workspace with its border to components elsewhere, or to the whole that this one is a component of."""
    method, moving = stepper.method, stepper.moving
    remotes, links = remote_parts(moving.model), None
    if remotes:
        ready_components()  # nobody shall wait for this side's compiler
        for remote in remotes:
            remote.prepare(method, moving.model.gravity)
        links = RemoteLinks(remotes, parts, workspace.remote_border)
        workspace = workspace._replace(remote_border=links.remote_border)
    if stepper.border is not None:
        workspace = workspace._replace(remote_border=stepper.border.connect(workspace.remote_border))
    return workspace, links


@lru_cache(maxsize=1)
def ready_components() -> None:
    """Compile the loop of method "component", or load it, now: who waits for an answer has a timeout."""
    from linkwork.simulation.run import Simulation

    model = Model("block")
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    Simulation(model, "component")
