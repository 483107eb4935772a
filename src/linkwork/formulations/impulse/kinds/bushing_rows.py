"""[STT17] Bushings as soft rows: one for each of their six springs, linearised at the start of the step."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.formulations.impulse.kinds.spring_rows import describe_spring
from linkwork.formulations.impulse.rows.rows import set_wrench
from linkwork.mechanics.forces.bushings import SPRINGS, bushing_place, bushing_spring
from linkwork.spatial.vectors import add, cross


@kernel
def bushing_row(forces, work, rows, r, e):
    """Row r becomes spring e % 6 of bushing e // 6."""
    s = e // SPRINGS
    i = e % SPRINGS
    R, p, d, phi = bushing_place(forces, work, s)
    stretch, n, f = bushing_spring(forces, s, i, R, d, phi)
    describe_spring(rows, r, forces.bushing_k[s, i], forces.bushing_c[s, i], stretch)
    set_wrench(rows, r, forces.bushing_a[s], forces.bushing_b[s], add(n, cross(p, f)), f)
