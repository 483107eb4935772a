"""Springs and dampers along a line: the pull over length and rate, its slopes, and what it stores."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.forces.curves import curve_at, curve_integral
from linkwork.mechanics.forces.laws import evaluate

LENGTH = 1e-6  # m, m/s: differences for the slopes of a law


@kernel
def spring_force(forces, laws, s, length, rate, t, law_input, out):
    """Pull of spring s in three parts (N): what it stores, what it wastes, what its law gives."""
    c = forces.spring_elastic[s]
    d = forces.spring_viscous[s]
    elastic = forces.spring_k[s] * (length - forces.spring_length[s]) if c < 0 else curve_at(forces, c, length)[0]
    viscous = forces.spring_c[s] * rate if d < 0 else curve_at(forces, d, rate)[0]
    given = 0.0
    if forces.spring_law[s] >= 0:
        given = law_pull(laws, forces.spring_law[s], length, rate, t, law_input, out)
    return elastic, viscous, given


@kernel
def law_pull(laws, law, length, rate, t, law_input, out):
    """Pull (N) of a law of length and rate."""
    law_input[0] = length
    law_input[1] = rate
    evaluate(laws, law, t, law_input, out)
    return out[0]


@kernel
def spring_slopes(forces, laws, s, length, rate, t, law_input, out):
    """Change of the pull of spring s with its length (N/m) and with its rate (N s/m); of a law by differences."""
    c = forces.spring_elastic[s]
    d = forces.spring_viscous[s]
    k = forces.spring_k[s] if c < 0 else curve_at(forces, c, length)[1]
    b = forces.spring_c[s] if d < 0 else curve_at(forces, d, rate)[1]
    law = forces.spring_law[s]
    if law >= 0:
        here = law_pull(laws, law, length, rate, t, law_input, out)
        k += (law_pull(laws, law, length + LENGTH, rate, t, law_input, out) - here) / LENGTH
        b += (law_pull(laws, law, length, rate + LENGTH, t, law_input, out) - here) / LENGTH
    return k, b


@kernel
def spring_energy(forces, s, length):
    """J stored in spring s: zero at its unloaded length, or where its curve is counted from."""
    c = forces.spring_elastic[s]
    rest = forces.spring_length[s]
    if c >= 0:
        return curve_integral(forces, c, length) - curve_integral(forces, c, rest)
    return 0.5 * forces.spring_k[s] * (length - rest) * (length - rest)
