"""The registry of methods: their names, their options, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from linkwork.assembly.features import drive_features
from linkwork.assembly.system import System
from linkwork.errors import OptionError
from linkwork.formulations.absolute.absolute import STABILIZATIONS, Absolute
from linkwork.formulations.component.component import Components
from linkwork.formulations.explicit.recursive import Recursive
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.formulations.implicit.semi_recursive import SemiRecursive
from linkwork.formulations.impulse.impulse import Impulse
from linkwork.formulations.impulse.maximal import Maximal
from linkwork.formulations.natural.global_ import Global
from linkwork.formulations.protocol import Method
from linkwork.model.checked import real, shown
from linkwork.model.synonyms import meant
from linkwork.simulation.analysis.choice.choose import choose

ALL: dict[str, type[Any]] = {}  # every registered method by its name


def register(kind: type[Any]) -> type[Any]:
    """Make a method known by its name. `formulations.protocol.Method` says what it must have.

    `lw.simulate(model, method="name")`, `lw.compare` and the live page then run it as any other. It may
    decorate the class.
    """
    name = getattr(kind, "name", None)
    if not isinstance(kind, type) or not is_dataclass(kind) or not isinstance(name, str) or not name:
        raise OptionError(f"a method must be a dataclass with a name, not {shown(kind)}; see formulations/protocol.py")
    if name in ALL or name == "auto":
        raise OptionError(f"there is a method {name!r} already; give {kind.__name__} another name")
    lacking = [member for member in contract() if not hasattr(kind, member)]
    lacking += sorted(getattr(kind, "__abstractmethods__", ()))
    if lacking:
        raise OptionError(f"method {name!r} lacks {', '.join(lacking)}; see formulations/protocol.py")
    ALL[name] = kind
    return kind


def unregister(name: str) -> None:
    """Forget a method that `register` made known."""
    del ALL[known(name, ALL, f"unknown method {name!r}")]


def contract() -> list[str]:
    """Every member of `Method`."""
    return sorted(name for name in {*vars(Method), *Method.__annotations__} if not name.startswith("_"))


for _kind in (
    Recursive,
    Components,
    Absolute,
    Hybrid,
    SemiRecursive,
    Global,
    Impulse,
    Maximal,
):
    register(_kind)

FEATURE_HINTS = {
    "friction": "set friction=0 (viscous damping= is supported)",
    "limits": "remove limits=",
    "motors": "give the motor softness=lw.Soft(stiffness=..., damping=...), or no max_torque=",
    "couplings": "remove the gears, racks, differentials, cams and repeaters",
    "backlash": "set backlash=0",
    "servos": "drive the joint with model.torque(...) instead of a motor",
    "rigid motors": "drive the joint with model.torque(...) instead of a motor",
    "contact": "remove material= of the bodies, planes and colliders",
    "armature": "set armature=0 and say model.rotor(name, inertia=..., on=the joint)",
    "distances": "make the distance joint a body with a ball and a universal joint at its ends",
}
# features that cannot be left out of a model, and what to do instead
KEPT_HINTS = {"rolling": "or couple the joints of wheels on a straight track with model.rack(...) or model.gear(...)"}
CALL = ("method", "until", "record", "every", "start", "resume", "strict", "ignore", "progress")  # words of lw.simulate
CHOICES: dict[str, Iterable[Any]] = {  # and of an integrator those in `orders`
    "stabilization": STABILIZATIONS,
    "coordinates": ("joint", "absolute"),
    "solver": ("direct", "sequential"),
}
CHOSEN = {"penalty"}  # options that are found from the model where they are None
POSITIVE = {  # options and their units
    "dt": "seconds",
    "rtol": "",
    "atol": "",
    "rank_tolerance": "",
    "baumgarte": "",
    "penalty": "",
    "tolerance": "",
    "epsilon": "",
}


def resolve(
    method: Any, options: dict[str, Any], system: System | None = None, features: frozenset[str] = frozenset()
) -> tuple[Method, str]:
    """A method object from a name, class or object with further options, and why it was chosen.

    "auto" looks at the system, and at the `features` of it that are wanted.
    """
    reason = ""
    if isinstance(method, str) and method == "auto" and system is not None:
        method, reason = choose(system, features, options, ALL)
    if isinstance(method, str):
        method = ALL[known(method, ALL, f"unknown method {method!r}")]
    if isinstance(method, type) and method in ALL.values():
        method = method()
    if not any(isinstance(method, kind) for kind in ALL.values()):
        raise OptionError(
            f"method must be one of {', '.join(map(repr, ALL))}, or a method such as lw.Recursive(dt=1e-3), "
            f"not {shown(method)}; correct method="
        )
    for name in options:
        own = [f.name for f in fields(method)]
        wrong = f"method {method.name!r} has no option {name!r}"
        if name in CALL:
            raise OptionError(f"{wrong}, it is one of lw.simulate; leave it out")
        if not meant(name, own) and (other := meant(name, CALL)):
            raise OptionError(f"{wrong}; did you mean {other[0]!r}?")
        known(name, own, wrong)
    return checked_options(replace(method, **options)), reason


def checked_options(method: Any) -> Method:
    """The method with its numbers as floats, for which the kernels are compiled; wrong values are refused."""
    own = {f.name for f in fields(method)}
    for name, choices in {"integrator": method.orders, **CHOICES}.items():
        if name in own:
            value = getattr(method, name)
            known(value, choices, f"unknown {name} {shown(value)}")
    if "stabilize" in own and not isinstance(method.stabilize, bool):
        raise OptionError(f"stabilize must be True or False, not {shown(method.stabilize)}; correct stabilize=")
    if "iterations" in own:
        whole("iterations", method.iterations)
    if "position_iterations" in own:
        whole("position_iterations", method.position_iterations, least=0)
    numbers = [name for name in POSITIVE if name in own and not (name in CHOSEN and getattr(method, name) is None)]
    made: Method = replace(method, **{name: positive(name, getattr(method, name), POSITIVE[name]) for name in numbers})
    return made


def known(value: Any, names: Iterable[Any], wrong: str) -> Any:
    """One of the names, or a refusal that says what is wrong and suggests the nearest, or all of them."""
    names = list(names)
    if any(value is name or (isinstance(value, str) and value == name) for name in names):
        return value
    near = meant(str(value), [str(name) for name in names], 1)
    listed = ", ".join(map(repr, names))
    raise OptionError(
        f"{wrong} (there are {listed}); did you mean {near[0]!r}?" if near else f"{wrong}; give one of {listed}"
    )


def positive(name: str, value: Any, unit: str) -> float:
    """A finite positive number, or a refusal."""
    number = real(value)
    if number is None or not 0.0 < number < math.inf:
        raise OptionError(
            f"{name} must be a positive number{f' of {unit}' if unit else ''}, not {shown(value)}; correct {name}="
        )
    return number


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number from `least` up, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value < 2**53:
        raise OptionError(f"{name} must be a whole number from {least} up, not {shown(value)}; correct {name}=")
    return int(value)


def driven_by_rows(system: System, method: Method, ignore: Any) -> bool:
    """Whether motors become rows and torques: where the method has no rows of its own for them."""
    left_out = (ignore,) if isinstance(ignore, str) else ignore
    return bool(_driving(system, method)) and "motors" not in left_out


def _driving(system: System, method: Method) -> frozenset[str]:
    """The motors of a model that become rows and torques of a method."""
    return frozenset() if "motors" in method.supports else system.features & {"rigid motors", "servos"}


def wanted(system: System, ignore: Any) -> frozenset[str]:
    """What the model asks of a method, less what the caller chose to ignore."""
    if isinstance(ignore, (tuple, list, set, frozenset)):
        return system.features - {name for name in ignore if isinstance(name, str)}
    return system.features - {ignore} if isinstance(ignore, str) else system.features


def refuse_unsupported(system: System, method: Method, ignore: Any) -> list[str]:
    """Compare what the model asks with what the method supports; returns what the caller chose to ignore."""
    if isinstance(ignore, str):
        ignore = (ignore,)
    if not isinstance(ignore, (tuple, list, set, frozenset)):
        raise OptionError(f"ignore must list features such as 'friction', not {shown(ignore)}; correct ignore=")
    for name in ignore:
        known(name, FEATURE_HINTS, f"{shown(name)} is nothing that ignore= could leave out")
    missing = sorted(system.features - method.supports)
    ignored = [name for name in missing if name in ignore]
    if "motors" in ignore and "motors" not in ignored and _driving(system, method):
        ignored.append("motors")
    if "contact" in ignore and "contact" in system.features & method.supports:
        ignored.append("contact")
    for name in missing:
        if name in ignored:
            continue
        others = [repr(kind.name) for kind in ALL.values() if name in kind.supports]
        where = f"use method {' or '.join(others)}, " if others else ""
        hint = f"{FEATURE_HINTS.get(name, 'remove them')}, or say ignore={name!r} to run without"
        raise OptionError(
            f"model '{system.model.name}' has {name} ({_culprit(system, name)}), which method {method.name!r} does not "
            f"support; {where}{KEPT_HINTS.get(name, hint)}"
        )
    return ignored


def _culprit(system: System, feature: str) -> str:
    if feature in ("friction", "limits", "armature"):
        for joint in system.model.all_joints():
            if getattr(joint, feature) not in (None, 0.0):
                return f"joint '{joint.path}'"
    if feature == "contact":
        return f"'{next(system.model.all_colliders()).path}'"
    if feature in ("distances", "rolling"):
        kinds = ("distance",) if feature == "distances" else ("rolling", "rolling_pair")
        return f"'{next(joint.path for joint in system.model.all_joints() if joint.kind in kinds)}'"
    for drive in system.model.all_drives():
        if feature in drive_features(drive):
            return f"'{drive.path}'"
    return "somewhere in it"
