"""Warnings that show the line of the user who asked, however deep inside linkwork they arise."""

from __future__ import annotations

import sys
import warnings

from linkwork.errors import ModelWarning, RunWarning
from linkwork.simulation.results.judging.certificate import Certificate


def warn(message: str, kind: type[ModelWarning | RunWarning]) -> None:
    """Warn at the nearest line outside linkwork."""
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "linkwork":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)


def warn_of_doubts(certificate: Certificate, model: str) -> None:
    """One `RunWarning` for a run whose numbers should not be trusted: every reason, and what to try."""
    doubts = certificate.doubts()
    if doubts:
        reached = f"the run of '{model}' reached t = {certificate.reached:g} s"
        warn(f"{reached}, but its numbers are in doubt: {'. Also: '.join(doubts)}", RunWarning)
