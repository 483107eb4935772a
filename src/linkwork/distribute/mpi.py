"""Components on MPI ranks: rank 0 is the whole, the others serve one subsystem each."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import Any

from linkwork.distribute.mpi_transport import MpiTransport, mpi
from linkwork.distribute.remote import Remote
from linkwork.distribute.server import serve
from linkwork.distribute.substitute import substitute
from linkwork.distribute.transport import PeerError
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.model import Model, Subsystem
from linkwork.model.names import split_list
from linkwork.simulation.stepping.workspaces import ready_components


def parse(text: str, size: int) -> dict[str, int]:
    """ "left wheel=1,right wheel=2" as a dictionary; ranks from 1 to size - 1, one component each.

    >>> parse("left wheel=1,right wheel=2", 3)
    {'left wheel': 1, 'right wheel': 2}
    """
    found: dict[str, int] = {}
    for item in split_list(text) or [text]:
        name, equals, rank = item.rpartition("=")
        if not equals or not rank.strip().isdigit():
            raise OptionError(f"--ranks takes COMPONENT=RANK,…, such as 'left wheel=1', not {item!r}")
        number = int(rank)
        if size == 1:
            raise OptionError(
                f"--ranks gives '{name.strip()}' rank {number}, but there is one process only; start several, by "
                f"mpiexec -n {number + 1} linkwork run ..."
            )
        if not 1 <= number < size:
            raise OptionError(f"--ranks gives '{name.strip()}' rank {number}, but ranks here go from 1 to {size - 1}")
        if number in found.values():
            raise OptionError(f"--ranks gives rank {number} to two components; give each its own")
        found[name.strip()] = number
    return found


def spread(model: Model, text: str, timeout: float = 60.0) -> bool:
    """Spread the components of `model` over the ranks; True on rank 0, which goes on as the whole.

    Every other rank serves its component here and returns False when the whole has ended. What is wrong with `text`
    every rank finds by itself, before anybody waits for another; rank 0 says so. `timeout` in seconds.
    """
    world: Any = mpi().COMM_WORLD
    rank = world.Get_rank()
    try:
        places = parse(text, world.Get_size())
        parts = {name: _subsystem(model, name) for name in places}
    except (OptionError, ModelError):
        if rank != 0:
            return False
        raise
    ready_components()
    if rank == 0:
        transports = {name: MpiTransport(world, number, timeout) for name, number in places.items()}
        try:
            for name, transport in transports.items():
                substitute(model, name, Remote(transport=transport))
        except BaseException:
            for transport in transports.values():  # nobody shall wait for questions that never come
                transport.close()
            raise
        return True
    for name, number in places.items():
        if number == rank:
            kind, parameters = type(parts[name]), parts[name].parameters
            with suppress(PeerError, RunError):  # rank 0 is told, and speaks
                serve(partial(kind, **parameters), MpiTransport(world, 0, timeout), name=kind.__name__)
    return False


def abandon() -> None:
    """End all ranks at once: to be called last, by a whole that has failed and cannot know who still listens."""
    sys.stdout.flush()
    sys.stderr.flush()
    mpi().COMM_WORLD.Abort(1)


def _subsystem(model: Model, name: str) -> Subsystem:
    part: Any = model[name]
    if not isinstance(part, Subsystem):
        raise OptionError(f"'{name}' is not a subsystem of '{model.name}'; only subsystems can live elsewhere")
    return part
