"""The contract between a method and the rest of linkwork."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Protocol

Needs = Literal["tables", "partition", "hierarchy", "natural coordinates"]
Effort = Literal["", "iterations", "sweeps"]
Ran = tuple[int, int, int]  # steps done, samples kept, status
Bound = Callable[[float, int, float, int, int], Ran]  # of begin, first, dt, steps and every
# what every method supports of ours; those of trees have "armature" too
COMMON = frozenset(
    {"loops", "redundant", "distances", "rolling", "moving grounds", "couplings", "rigid motors", "servos"}
)


class Method(Protocol):
    """What a method of simulation has and does.

    A method is a frozen, keyword-only dataclass that inherits from `Method`: its fields are the options of the user,
    each with a default. `simulation.methods.register` makes it known by its name. Members with a value or a body here
    may be left out. A workspace is whatever `prepare` returns, and only its method looks into it. The exception is
    `remote_border`, which methods that support "remote components" keep there.

    What it is:

     1. `name`: the word of `method="name"`.
     2. `supports`: the features of a model that it can run, such as "loops" or "friction" (see `System.features`). A
        model with others is refused.
     3. `orders`: the integrators it offers, and the order of each. `integrator` is the present one. A method with the
        integrator "adaptive" has the options `rtol` and `atol`.
     4. `dt`: the length of a step (s).
     5. `coordinates`: "joint" or "absolute", which tables it integrates: the tree with its cuts, or every body free
        and every joint a cut.
     6. `needs`: what `prepare` gets besides the tables: nothing ("tables"), the `Partition` into components
        ("partition"), the absolute system beside the tree ("hierarchy"), or "natural coordinates".
     7. `loop`: the module whose compiled function `run` it steps in; None where nothing is compiled.

    How it steps:

     8. `implicit`: whether stiff forces leave its steps stable, whatever dt is.
     9. `impulses`: whether it works by impulses. Then `state.push`, `state.contact_force` and `state.drive` hold the
        loads of the last step, and start velocities are shifted by what the loads of the first step do to them. The
        option `epsilon` is the change of an impulse, as a part of m g dt, below which its iteration ends.
    10. `effort`: what `state.solver_stats` counts: "" (nothing), "iterations" of an implicit rule, or "sweeps" over
        rows. `iterations` is the most that a step may take.
        `books_parts`: whether it keeps the accounts of the parts of a model, which follow the first two behind v in
        `state.y`; without it the balance is that of the whole model.

    What it does:

    11. `prepare(tables, given)`: makes the workspace for the tables of one system; `given` is what it `needs`.
    12. `run(…)`: takes `steps` steps of `dt` (s), from the step numbered `first` of a run that began at time `begin`.
        Step n ends at begin + n dt. Step 0 is the start itself: it moves nothing and computes accelerations and
        loads, so a run begins with `first=-1`. Each step copies `state.y` to `state.last`, then writes the new `y`,
        `t`, `vd`, and where they apply the loads of the cuts, drift, rank and effort to `state` (see `samples.State`).
        Every step whose number is a multiple of `every` is copied to the next free place of `samples`, by
        `keep_sample` or in Python `copy_sample`. Returns the steps done, the samples kept and a status of
        `formulations.status`. Where it stops early `state.last` is the last good y. It does not raise.
        `bind(tables, workspace, state, samples)`: the same with these arguments prepared, to be called with the rest.

    What it answers, where the workspace has it:

    13. `forget(workspace)`: drop the history of a multi-step integrator; forces have changed.
    14. `persistent`: names of arrays in the workspace ("steps.f") that the next step depends on. They are saved with a
        state. `accepts(workspace, name, numbers)`: whether whole numbers read from a file may be put there.
    15. `inherit(workspace, old)`: after a step that failed, copy what the new workspace must keep of the old one.
    16. `chosen(workspace)`: numbers that the method chose itself, for the certificate.
    17. `unsettled(workspace)`: (dof,) how much an iteration that did not converge still moves each coordinate.
    18. `singular_row(workspace)`: the row that is lost where the status is SINGULAR_POSITION.
    19. `torn_remedy`: what else to try when a joint is torn, after "try a dt smaller than 0.01 s".
    20. `draggable`: whether loads added to the tables later act, so that bodies can be dragged.
    21. `moving_rows(tables, workspace)`: the rows of the joints on all that moves, at the last evaluation, where parts
        live elsewhere: only the method knows what these let them do.

    What methods with impulses answer:

    22. `last_step(workspace)`: length of the last step (s), 0 before the first.
    23. `drag_table(workspace)` and `contact_table(workspace)`: the tables of soft rows that drag bodies, and of the
        contacts of the last step.
    24. `limit_sweeps(workspace, most)`: the next steps take at most so many sweeps.
    25. `met_parts(workspace)`: (part,) union-find of the parts of the model that contacts have pressed together, and
        (3, part) energy (J) that contacts took in the air, from what rolled or rested, and at seams; None without.
    26. `keep_contacts(workspace, old)`: where other joints hold the same bodies from now on, the contacts of the last
        step go on with their impulses.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    supports: ClassVar[frozenset[str]]
    orders: ClassVar[Mapping[str, int]]
    loop: ClassVar[str | None] = None
    implicit: ClassVar[bool] = False
    impulses: ClassVar[bool] = False
    books_parts: ClassVar[bool] = False

    @property
    @abstractmethod
    def integrator(self) -> str: ...

    @property
    @abstractmethod
    def dt(self) -> float: ...

    @property
    @abstractmethod
    def coordinates(self) -> str: ...

    @property
    def needs(self) -> Needs:
        return "tables"

    @property
    def effort(self) -> Effort:
        return ""

    @property
    def iterations(self) -> int:
        return 0

    @property
    def epsilon(self) -> float:
        return 0.0

    @abstractmethod
    def prepare(self, tables: Any, given: Any) -> Any: ...

    @abstractmethod
    def run(
        self,
        tables: Any,
        workspace: Any,
        state: Any,
        begin: float,
        first: int,
        dt: float,
        steps: int,
        every: int,
        samples: Any,
    ) -> Ran: ...

    def bind(self, tables: Any, workspace: Any, state: Any, samples: Any) -> Bound:
        return lambda begin, first, dt, steps, every: self.run(
            tables, workspace, state, begin, first, dt, steps, every, samples
        )

    def met_parts(self, workspace: Any) -> Any:
        return None

    def forget(self, workspace: Any) -> None:
        return

    @property
    def persistent(self) -> tuple[str, ...]:
        return ()

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        return within(numbers, 2**62)  # compared with each other, but no index

    def inherit(self, workspace: Any, old: Any) -> None:
        return

    def chosen(self, workspace: Any) -> dict[str, Any]:
        return {}

    def unsettled(self, workspace: Any) -> Any:
        return None

    def singular_row(self, workspace: Any) -> int | None:
        return None

    @property
    def torn_remedy(self) -> str:
        return " or method='recursive'"

    @property
    def draggable(self) -> bool:
        return True

    def moving_rows(self, tables: Any, workspace: Any) -> Any:
        return None

    def last_step(self, workspace: Any) -> float:
        return 0.0

    def drag_table(self, workspace: Any) -> Any:
        return None

    def contact_table(self, workspace: Any) -> Any:
        return None

    def limit_sweeps(self, workspace: Any, most: int) -> None:
        return

    def keep_contacts(self, workspace: Any, old: Any) -> None:
        return


def within(numbers: Any, most: int) -> bool:
    """Whether all whole numbers are from 0 to `most`."""
    return bool((numbers >= 0).all() and (numbers <= most).all())
