"""Memory of a method for the system that moves, with what it needs: a partition, natural coordinates, links."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from linkwork.assembly.natural import natural
from linkwork.assembly.partition import partition
from linkwork.model import Model
from linkwork.simulation.hierarchy import joint_components
from linkwork.simulation.interaction.drag import place_drags
from linkwork.simulation.remote_links import RemoteLinks, remote_parts
from linkwork.simulation.start import Start

if TYPE_CHECKING:
    from linkwork.simulation.stepper import Stepper


def make_workspace(stepper: Stepper, start: Start) -> tuple[Any, RemoteLinks | None]:
    """The workspace, and the links to components elsewhere where there are some."""
    method, tables, moving = stepper.method, stepper.tables, stepper.moving
    if method.name == "global":
        return method.prepare(tables, natural(tables)), None
    if method.name != "component":
        workspace = method.prepare(tables)
        if stepper.drags and hasattr(workspace, "drags"):
            place_drags(moving, workspace.drags, stepper.drags)
        return workspace, None
    if method.coordinates == "joint":
        return joint_components(moving, tables, start, method), None
    return _components(stepper)


def _components(stepper: Stepper) -> tuple[Any, RemoteLinks | None]:
    """Components in absolute coordinates, some of them elsewhere; or this one is a component itself."""
    method, moving = stepper.method, stepper.moving
    parts, _ = partition(moving, stepper.ports)
    workspace = method.prepare(moving.tables, parts)
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
