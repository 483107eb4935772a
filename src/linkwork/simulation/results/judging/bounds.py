"""Runs that are held to bounds: what their certificates may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwork.errors import OptionError, RunError
from linkwork.model.checked import real, shown
from linkwork.simulation.methods import known
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.limits import BOUNDS


def checked_bounds(strict: Any) -> dict[str, float]:
    """The bounds of strict=; none where it is False.

    >>> checked_bounds({"drift": 1e-6}), checked_bounds(False)
    ({'drift': 1e-06}, {})
    """
    if strict is True or strict is False:
        return dict(BOUNDS) if strict else {}
    if not isinstance(strict, Mapping):
        raise OptionError(
            f"strict must be True, False or bounds such as {{'drift': 1e-6}}, not {shown(strict)}; correct strict="
        )
    bounds = {}
    for name, most in strict.items():
        known(name, BOUNDS, f"there is no bound {shown(name)}")
        number = real(most)
        if number is None or not number >= 0.0:
            raise OptionError(f"bound {name!r} must be a number from 0 up, not {shown(most)}; correct strict=")
        bounds[name] = number
    return bounds


def refuse_poor(certificate: Certificate, bounds: dict[str, float], model: str, run: Any = None) -> None:
    """Raise `RunError` where a certificate is beyond the bounds; it keeps the `run`."""
    broken = certificate.broken(bounds)
    if broken:
        end = certificate.reached
        raise RunError(
            f"the run of '{model}' reached t = {end:g} s, but {'; '.join(broken)}; take a smaller dt= or another "
            "method, or loosen strict=. All its samples are kept.",
            run=run,
            time=end,
            step=certificate.steps,
        )
