"""Methods by name, their options, and what they refuse."""

from __future__ import annotations

import difflib
from dataclasses import fields, replace
from typing import Any

from linkwork.assembly.system import System
from linkwork.errors import OptionError
from linkwork.formulations.absolute import STABILIZATIONS, Absolute
from linkwork.formulations.component import Components
from linkwork.formulations.recursive import Recursive
from linkwork.formulations.stepping import INTEGRATORS

METHODS: dict[str, type[Any]] = {kind.name: kind for kind in (Recursive, Components, Absolute)}
FEATURE_HINTS = {
    "friction": "set friction=0 (viscous damping= is supported)",
    "limits": "remove limits=",
    "motors": "drive the joint with model.torque(...) instead of a motor",
    "repeaters": "remove the repeater",
    "armature": "set armature=0 and add the rotor as a body",
}


def resolve(method: Any, options: dict[str, Any]) -> tuple[Any, str]:
    """A method object from a name, class or object with further options, and why it was chosen."""
    reason = ""
    if method == "auto":
        reason = "recursive: exact loops and the widest support of the methods at hand"
        method = "recursive"
    if isinstance(method, str):
        if method not in METHODS:
            near = difflib.get_close_matches(method, METHODS, 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise OptionError(f"unknown method {method!r}{hint}; the methods are {', '.join(map(repr, METHODS))}")
        method = METHODS[method]
    if isinstance(method, type) and method in METHODS.values():
        method = method()
    if not any(isinstance(method, kind) for kind in METHODS.values()):
        raise OptionError(
            f"method must be a name ({', '.join(map(repr, METHODS))}) or a method such as lw.Recursive(dt=1e-3), "
            f"not {method!r}"
        )
    known = {f.name for f in fields(method)}
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise OptionError(
                f"method {method.name!r} has no option {name!r}{hint}; its options are {', '.join(sorted(known))}"
            )
    method = replace(method, **options)
    check_options(method)
    return method, reason


def check_options(method: Any) -> None:
    """Refuse wrong values of a method's options."""
    positive("dt", method.dt, "seconds")
    if method.integrator not in INTEGRATORS:
        near = difflib.get_close_matches(str(method.integrator), INTEGRATORS, 1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise OptionError(
            f"unknown integrator {method.integrator!r}{hint}; the integrators are {', '.join(map(repr, INTEGRATORS))}"
        )
    for name in ("rtol", "atol", "rank_tolerance", "baumgarte"):
        if hasattr(method, name):
            positive(name, getattr(method, name), "")
    if not isinstance(getattr(method, "stabilize", True), bool):
        raise OptionError(f"stabilize must be True or False, not {method.stabilize!r}")
    chosen = getattr(method, "stabilization", None)
    if not (chosen is None or isinstance(chosen, str)) or chosen not in STABILIZATIONS:
        raise OptionError(f"unknown stabilization {chosen!r}; give 'successive', 'standard', 'baumgarte' or None")


def positive(name: str, value: Any, unit: str) -> float:
    """A finite positive number, or a refusal."""
    good = isinstance(value, (int, float)) or (hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0)
    if not good or isinstance(value, bool) or not 0.0 < float(value) < float("inf"):
        raise OptionError(f"{name} must be a positive number{f' of {unit}' if unit else ''}, not {value!r}")
    return float(value)


def refuse_unsupported(system: System, method: Any, ignore: Any) -> list[str]:
    """Compare what the model asks with what the method supports; returns what the caller chose to ignore."""
    if isinstance(ignore, str):
        ignore = (ignore,)
    for name in ignore:
        if name not in FEATURE_HINTS:
            raise OptionError(f"ignore={name!r} is not known; what may be ignored: {', '.join(FEATURE_HINTS)}")
    missing = sorted(system.features - method.supports)
    ignored = [name for name in missing if name in ignore]
    for name in missing:
        if name in ignored:
            continue
        others = [repr(kind.name) for kind in METHODS.values() if name in kind.supports]
        where = f"use method {' or '.join(others)}" if others else "no method at hand has them yet"
        raise OptionError(
            f"the model '{system.model.name}' has {name} ({_culprit(system, name)}), which method {method.name!r} does "
            f"not support: {where}; or {FEATURE_HINTS.get(name, 'remove them')}; or run without them by ignore={name!r}"
        )
    return ignored


def _culprit(system: System, feature: str) -> str:
    if feature in ("friction", "limits", "armature"):
        for joint in system.model.all_joints():
            if getattr(joint, feature) not in (None, 0.0):
                return f"joint '{joint.path}'"
    for drive in system.model.all_drives():
        if type(drive).__name__.lower() + "s" == feature:
            return f"'{drive.path}'"
    return "somewhere in it"
