"""What stopped a run, in words: when, which part, the likely cause, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import RunError
from linkwork.formulations import status as codes
from linkwork.formulations.implicit.implicit import HALVES
from linkwork.formulations.samples import GAP_ROW
from linkwork.mechanics.rows.guides import left_guide
from linkwork.simulation.analysis.choice.choose import USUAL
from linkwork.simulation.analysis.choice.stiffness import Finding, remedy, steps_too_large, told
from linkwork.simulation.analysis.dynamics import mass_matrix
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.spatial.codes import CROSSED

if TYPE_CHECKING:
    from linkwork.assembly.system import System
    from linkwork.assembly.tables import Floats
    from linkwork.simulation.stepping.stepper import Stepper

VANISHES = 1e-2  # of the inertia at the start: less than this is on its way to none
SUDDEN = 1e4  # rad/s or m/s
FLOWN = 10.0  # of the size of the model: nothing that is computed here comes so far in a step


def failure_of(stepper: Stepper, status: int) -> RunError:
    """What a status other than 0 means, in words."""
    system = stepper.moving
    time = stepper.time_after() if stepper.here is None else stepper.here
    when = f"at t = {time:.6g} s (step {stepper.steps + 1})"
    culprit: str | None = None
    # what laws did wrong before belongs to steps that the adaptive integrator has replaced
    faults = [fault for fault in system.faults.noted if fault.time >= time]
    lost = stepper.remote_links.lost if stepper.remote_links is not None else []
    if lost:
        culprit = lost[0].part
        what = f"component '{culprit}' {'failed' if lost[0].failed else 'was lost'} ({lost[0].what})"
        hint = "see that it still runs and can be reached, then start again"
        if lost[0].failed:
            hint = "only its owner can see what is inside"
        stepper.close()
    elif stepper.border is not None and stepper.border.lost:
        what, hint = f"the whole was lost ({stepper.border.lost[0].what})", "let it connect again"
    elif faults:
        culprit = faults[0].part
        what = f"the law of {culprit} failed at t = {faults[0].time:.6g} s ({faults[0].what})"
        hint = "let it return finite numbers for every state"
        if faults[0].interrupted:
            culprit, what, hint = None, "it was interrupted", "start it again"
    elif (stiff := _too_stiff(stepper, status)) is not None:
        culprit, what, hint = stiff.culprit, told(stepper, stiff), remedy(stepper, stiff)
    elif status >= codes.SINGULAR and not _has_inertia(stepper):  # else numbers too large to compute with hide it
        culprit = system.link_names[status - codes.SINGULAR]
        what = f"what {_told(stepper, culprit)} moves has no inertia in this position"
        hint = "give the bodies beyond it an inertia"
    elif status == codes.NOT_CONVERGED:
        culprit, what, hint = _not_converged(stepper)
    elif status == codes.SINGULAR_POSITION:
        what, row = "it came to a singular position", stepper.method.singular_row(stepper.workspace)
        if row is not None:
            culprit = system.row_name(row)
            what += f": the loop of joint '{culprit}' loses a constraint there"
        hint = "use method='hybrid', which passes such positions"
    elif status == codes.TORN:
        culprit, what, hint = _torn(stepper)
    elif status == codes.OFF_GUIDE:
        culprit, what, hint = off_guide(system, stepper.state.cut_q)
    elif status == codes.FLAT:
        culprit = system.row_name(int(stepper.state.drift[GAP_ROW]))
        what = f"the disc of rolling joint '{culprit}' comes to lie flat, where it has no lowest point to roll on"
        hint = f"end the run before that, or try a dt smaller than {stepper.method.dt:g} s if it should turn back"
    elif status == codes.PAUSED:
        what, hint = "it was interrupted", "start it again"
    elif status == codes.STUCK:
        culprit = system.dof_name(int(np.argmax(np.abs(stepper.state.vd))))
        what = f"its steps became too small, with {_told(stepper, culprit)} accelerating most"
        hint = "loosen rtol and atol, or soften the springs and dampers near it"
        if type(stepper.method) is not USUAL and not system.foreign:
            hint = f"take method='{USUAL.name}', {hint}"
    else:
        culprit, what, hint = _not_finite(stepper)
    return RunError(
        f"the run of '{system.model.name}' stopped {when}: {what}; {hint}.",
        time=time,
        step=stepper.steps,
        culprit=culprit,
        state=stepper.state.last.copy(),
    )


def _too_stiff(stepper: Stepper, status: int) -> Finding | None:
    """What the steps are too large for, where that is why they failed."""
    if status in (codes.SINGULAR_POSITION, codes.PAUSED, codes.OFF_GUIDE, codes.FLAT):
        return None
    if status == codes.TORN:  # joints that open change the stiffness: only the start tells which came first
        return None if stepper.method.impulses else steps_too_large(stepper, start=True)
    found = steps_too_large(stepper, sane=True)
    if found is None and _has_inertia(stepper):
        found = steps_too_large(stepper)
    return found


def _has_inertia(stepper: Stepper) -> bool:
    """Whether the joints move as much inertia before the step that failed as they did at the start."""
    if stepper.moving.absolute:
        return True  # that of a body does not change
    if stepper.moving is not stepper.system:
        return False
    last = stepper.state.last[: stepper.moving.nq]
    if not np.isfinite(last).all():
        return False
    least = []
    for q in (stepper.start.q, last):
        M = mass_matrix(stepper.system, q)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(M), 1e-300))
        with np.errstate(all="ignore"):
            scaled = M * np.outer(scale, scale)
        if not np.isfinite(scaled).all():
            return False  # too far away for numbers
        least.append((np.diag(M), float(np.min(np.linalg.eigvalsh(scaled), initial=1.0))))
    (diagonal, smallest), (diagonal_last, smallest_last) = least
    return bool(smallest_last > VANISHES * smallest and np.all(diagonal_last > VANISHES * diagonal))


def _flown_away(stepper: Stepper, joint: str) -> str | None:
    """The component elsewhere that the joint holds, if it does."""
    ends = next((place.joint for place in stepper.moving.cuts if place.name == joint), None)
    for remote in remote_parts(stepper.moving.model):
        if ends is not None and any(end.path.startswith(f"{remote.path}.") for end in (ends.a, ends.b)):
            return str(remote.path)
    return None


def _torn(stepper: Stepper) -> tuple[str, str, str]:
    """The joint that is open most, how far, and what to try."""
    gap, _, row = stepper.state.drift
    culprit = stepper.moving.row_name(int(row))
    apart = f"{gap * stepper.state.size[0]:.3g} m from where they belong"
    if stepper.moving.tables.cuts.row_kind[int(row)] == CROSSED:
        apart = f"turned by {gap:.3g} rad from where they belong"
    what = f"joint '{culprit}' was torn apart: its ends are {apart}"
    part = _flown_away(stepper, culprit) if gap > FLOWN else None
    if part is not None:
        stepper.close()
        return part, f"component '{part}' failed ({what})", "only its owner can see what is inside"
    other = stepper.method.torn_remedy
    return culprit, what, f"try a dt smaller than {stepper.method.dt:g} s{other}, and masses that are less unequal"


def off_guide(system: System, cut_q: Floats) -> tuple[str, str, str]:
    """The joint whose point is beyond the end of its curve, or the edge of its surface, and what to do."""
    guides, e = system.tables.cuts.guides, left_guide(system.tables.cuts, cut_q)
    x = cut_q[guides.edge_q]
    place = next(each for each in system.cuts if each.q.start <= guides.edge_q[e] < each.q.stop)
    low, high = guides.edge_low[e], guides.edge_high[e]
    if place.kind == "slot":
        what = f"the point of slot '{place.name}' is at {x[e]:.6g} m, beyond its curve from 0 to {high:.6g} m"
        return place.name, what, "make the curve longer, or stop the point before its end"
    axis = "xyz"[int(guides.edge_q[e]) - place.q.start]
    beyond = f"beyond its grid from {low:.6g} to {high:.6g} m"
    what = f"the point of surface '{place.name}' is at {axis} = {x[e]:.6g} m, {beyond}"
    return place.name, what, "make the grid larger"


def _not_converged(stepper: Stepper) -> tuple[str, str, str]:
    system, dt = stepper.moving, stepper.method.dt
    moved = stepper.method.unsettled(stepper.workspace)
    name = system.dof_name(int(np.argmax(np.abs(stepper.state.vd if moved is None else moved))))
    if not stepper.method.implicit:  # the trapezoidal rule by fixed points
        what = f"the fixed-point iteration did not converge, with {_told(stepper, name)} changing most"
        return name, what, f"try a dt smaller than {dt:g} s, or method='hybrid', whose iteration is Newton's"
    what = f"Newton's iteration did not converge, even in 1/{HALVES} of a step, with {_told(stepper, name)} moving most"
    return name, what, f"try a dt smaller than {dt:g} s, and look for jumps in the laws of its forces"


def _told(stepper: Stepper, name: str) -> str:
    """The joint of this name; the free motion of a body is called by the body."""
    free = next((place.body for place in stepper.moving.joints if place.name == name), "")
    return f"body '{free}'" if free else f"joint '{name}'"


def _not_finite(stepper: Stepper) -> tuple[str, str, str]:
    system, y = stepper.moving, stepper.state.y
    v, vd = y[system.nq : system.nq + system.nv], stepper.state.vd
    bad = ~(np.isfinite(v) & np.isfinite(vd))
    # accounts of energy hold squares and overflow first: then it is the fastest
    k = int(np.argmax(bad if bad.any() else np.abs(v)))
    name, last = system.dof_name(k), stepper.state.last[system.nq + k]
    what = f"the velocity of {_told(stepper, name)} grew beyond all bounds (it was {last:.6g} a step before)"
    other = " or integrator='adaptive'" if "adaptive" in stepper.method.orders else ""
    look = "stiff springs"
    if abs(last) < SUDDEN:  # it did not grow, it came at once
        look = "inertia that vanishes in this position, forces that jump, and stiff springs"
    return name, what, f"try a dt smaller than {stepper.method.dt:g} s{other}, and look for {look}"
