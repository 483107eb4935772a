"""What the methods impulse and maximal share: options, the loop that both run in, and the answers of their contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from linkwork.contact.scratch import warn_of_lost_contacts
from linkwork.contact.table import Contacts
from linkwork.formulations.impulse.kinds.drag_rows import Drags
from linkwork.formulations.impulse.rows.rows import LAST_STEP
from linkwork.formulations.impulse.step import run
from linkwork.formulations.impulse.workspace import Workspace, workspace
from linkwork.formulations.protocol import COMMON, Bound, Effort, Method, Ran, within

SUPPORTS = COMMON | {"armature", "limits", "friction", "motors", "backlash", "contact"}
MANY_ROUNDS = 6  # that close joints at the new positions


@dataclass(frozen=True, kw_only=True)
class ImpulseMethod(Method):
    """Options and answers of the two methods that work by impulses."""

    orders: ClassVar[dict[str, int]] = {"semi-implicit": 1}
    integrator: ClassVar[str] = "semi-implicit"
    impulses: ClassVar[bool] = True
    books_parts: ClassVar[bool] = True
    effort: ClassVar[Effort] = "sweeps"
    loop: ClassVar[str] = run.__module__
    persistent: ClassVar[tuple[str, ...]] = (
        *("persistent", "row_vd", "led", "given.tau", "given.wrench", "given.last_fed", "given.wasted"),
        *("rows.kept", "rows.newton_kept", "rows.pivot_kept", "rows.ball_friction"),
        *("contacts.count", "contacts.id", "contacts.point", "contacts.impulse", "contacts.moment"),
        *("sleep.asleep", "sleep.rest", "sleep.fastest", "sleep.q", "sleep.gravity"),
    )

    dt: float = 1e-3
    solver: str = "direct"
    epsilon: float = 1e-5
    iterations: int = 50
    position_iterations: int = 2
    rank_tolerance: float = 1e-10
    sleep: bool = True

    def prepare(self, tables: Any, given: Any = None) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of these methods; the workspace has its own tables."""
        return self.bind(tables, workspace, state, samples)(begin, first, dt, steps, every)

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        loop = run.bind(workspace, state, 0.0, 0, 0.0, 0, 1, samples)
        if workspace.contact_scratch.old_id.size == 0:  # no contact can be lost
            return loop

        def call(begin, first, dt, steps, every):
            result = loop(begin, first, dt, steps, every)
            warn_of_lost_contacts(workspace.contact_scratch)
            return result

        return call

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """There is room for so many contacts, and only those sleep that may."""
        if name == "contacts.count":
            return within(numbers, len(workspace.contacts.id))
        if name == "sleep.asleep":
            return within(numbers, 1) and bool((numbers <= workspace.sleep.may).all())
        return super().accepts(workspace, name, numbers)

    @property
    def torn_remedy(self) -> str:
        """Impulses that are solved for at once close joints in one step, and more rounds close what two leave open."""
        rounds = "" if self.position_iterations >= MANY_ROUNDS else f", position_iterations={MANY_ROUNDS}"
        return rounds if self.solver == "direct" else f"{rounds}, solver='direct'"

    def last_step(self, workspace: Any) -> float:
        """Length of the last step, s."""
        return float(workspace.persistent[LAST_STEP])

    def met_parts(self, workspace: Any) -> Any:
        """Parts of the model that contacts have pressed together, and what contacts took that they should not."""
        return workspace.met, workspace.audit.part_loss

    def drag_table(self, workspace: Any) -> Drags:
        """Soft rows that drag bodies."""
        return workspace.drags

    def contact_table(self, workspace: Any) -> Contacts:
        """Contacts of the last step."""
        return workspace.contacts

    def limit_sweeps(self, workspace: Any, most: int) -> None:
        """Steps take at most so many sweeps."""
        workspace.solver.iterations[0] = most

    def keep_contacts(self, workspace: Any, old: Any) -> None:
        """Contacts start with the impulses of the last step: those of a heavy load on a light body are slow to find."""
        new, known = workspace.contacts, old.contacts
        n = int(known.count[0])
        if n > len(new.id):  # fewer may meet now: their impulses are found anew
            return
        new.count[0] = n
        for name in ("id", "point", "impulse", "moment"):
            getattr(new, name)[:n] = getattr(known, name)[:n]
        workspace.persistent[LAST_STEP] = old.persistent[LAST_STEP]
        if workspace.power.size == old.power.size:
            workspace.given.wasted[:] = old.given.wasted
