"""Components on MPI ranks: rank 0 is the whole, the others serve one subsystem each."""

from __future__ import annotations

from typing import Any

from linkwork.distribute.remote import Remote
from linkwork.distribute.server import serve
from linkwork.distribute.substitute import substitute
from linkwork.distribute.transport import MpiTransport
from linkwork.errors import OptionError
from linkwork.model import Model, Subsystem
from linkwork.simulation.run import ready_components


def parse(text: str, size: int) -> dict[str, int]:
    """ "left wheel=1,right wheel=2" as a dictionary; ranks from 1 to size - 1, one component each.

    >>> parse("left wheel=1,right wheel=2", 3)
    {'left wheel': 1, 'right wheel': 2}
    """
    found: dict[str, int] = {}
    for item in text.split(","):
        name, equals, rank = item.rpartition("=")
        if not equals or not rank.strip().isdigit():
            raise OptionError(f"--ranks takes COMPONENT=RANK,…, such as 'left wheel=1', not {item!r}")
        number = int(rank)
        if not 1 <= number < size:
            raise OptionError(f"--ranks gives '{name.strip()}' rank {number}, but ranks here go from 1 to {size - 1}")
        if number in found.values():
            raise OptionError(f"--ranks gives rank {number} to two components; give each its own")
        found[name.strip()] = number
    return found


def spread(model: Model, text: str, timeout: float = 60.0) -> bool:
    """Spread the components of `model` over the ranks; True on rank 0, which goes on as the whole.

    Every other rank serves its component here and returns False when the whole has ended.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise OptionError('--ranks needs MPI; install it with: pip install "linkwork[mpi]"') from error
    world: Any = MPI.COMM_WORLD
    places = parse(text, world.Get_size())
    ready_components()
    rank = world.Get_rank()
    if rank == 0:
        for name, number in places.items():
            substitute(model, name, Remote(transport=MpiTransport(world, number, timeout)))
        return True
    mine = [name for name, number in places.items() if number == rank]
    if mine:
        part: Any = model[mine[0]]
        if not isinstance(part, Subsystem):
            raise OptionError(f"'{mine[0]}' is not a subsystem of '{model.name}'; only subsystems can live elsewhere")
        kind, parameters = type(part), part.parameters
        serve(lambda: kind(**parameters), MpiTransport(world, 0, timeout), name=kind.__name__)
    return False
