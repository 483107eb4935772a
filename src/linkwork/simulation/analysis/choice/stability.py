"""Which steps an explicit integrator can take: how much a mode of the linearised system grows in one of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

GROWS = 1.01  # in a step, more than the mode itself does: beyond it the steps are too large
SMALL = 0.5  # eigenvalue times step: below it what grows is the motion itself, or very slowly
MARGIN = 0.7  # of the longest stable step, for one that is advised
FASTEST = 1e50  # eigenvalue times step: beyond it all grow alike, and powers of it would overflow

RUNGE_KUTTA = {"rk2": 2, "rk4": 4}  # their growth is the beginning of the series of exp(z)


def growth(integrator: str, z: Any) -> Any:
    """Largest factor of a mode in one step, with z = eigenvalue times step; of "trapezoidal" by fixed points that of
    the error in an iteration.

    >>> round(float(growth("rk4", -2.785)), 2), round(float(growth("rk4", 2.828j)), 2)
    (1.0, 1.0)
    """
    z = np.asarray(z, dtype=complex)
    z = z * np.minimum(1.0, FASTEST / np.maximum(np.abs(z), 1.0))
    if integrator in RUNGE_KUTTA:
        return np.abs(sum(z**k / math.factorial(k) for k in range(RUNGE_KUTTA[integrator] + 1)))
    if integrator == "semi-implicit":
        # velocities first: of x'' = -c x' - k x the roots of  m^2 - (2 - c - k) m + 1 - c;  a real z is a damper
        c, k = -2.0 * z.real, np.abs(z) ** 2
        return np.where(z.imag != 0.0, _largest_root(np.ones_like(c), c + k - 2.0, 1.0 - c), np.abs(1.0 + z))
    if integrator == "abm4":
        # predicted by Adams-Bashforth, corrected once by Adams-Moulton
        r = 9.0 * z / 24.0
        p = [1.0 + 55.0 * z / 24.0, -59.0 * z / 24.0, 37.0 * z / 24.0, -9.0 * z / 24.0]
        c = [1.0 + 19.0 * z / 24.0, -5.0 * z / 24.0, z / 24.0, 0.0]
        return _largest_root(np.ones_like(z), *(-(r * a + b) for a, b in zip(p, c, strict=True)))
    if integrator == "trapezoidal":
        return np.abs(z) / 2.0
    return np.zeros(z.shape)  # adaptive: it takes the steps it needs


def too_large(integrator: str, eigenvalues: Any, dt: float) -> Any:
    """Which modes steps of dt (s) let grow that do not grow, or not so fast, by themselves.

    >>> too_large("rk4", [-100.0, -3000.0, 4.0], dt=1e-3).tolist()
    [False, True, False]
    """
    z = np.asarray(eigenvalues, dtype=complex) * dt
    itself = np.exp(np.clip(z.real, 0.0, 100.0))
    return (np.abs(z) > SMALL) & (growth(integrator, z) > GROWS * itself)


def step_that_does(integrator: str, eigenvalues: Any) -> float:
    """A step (s), rounded down to one digit, that keeps all these modes stable with something to spare.

    >>> step_that_does("rk4", [-8e3, 4e3j])
    0.0002
    """
    fastest = float(np.max(np.abs(eigenvalues)))
    longest = 4.0 / fastest
    while too_large(integrator, eigenvalues, longest).any():
        longest *= 0.95
    digit = 10.0 ** math.floor(math.log10(MARGIN * longest))
    return float(f"{math.floor(MARGIN * longest / digit * (1.0 + 1e-9)) * digit:.1g}")


def _largest_root(*coefficients: Any) -> Any:
    """Of the polynomial with these coefficients, from the highest power down; arrays of one shape."""
    rows = np.stack(np.broadcast_arrays(*coefficients), axis=-1)
    found = [float(np.max(np.abs(np.roots(row)), initial=0.0)) for row in rows.reshape(-1, rows.shape[-1])]
    return np.array(found).reshape(rows.shape[:-1])
