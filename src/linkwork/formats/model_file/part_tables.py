"""The parts of a model file by section and kind: which verb of the model makes each, and which keys it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linkwork.formats.model_file.value_tables import (
    CALSPAN,
    CAM_CURVE,
    FRAME,
    GUIDE_CURVE,
    GUIDE_SURFACE,
    LAW,
    LIMITS_OR_CONE,
    MATERIAL,
    MOTION,
    NUMBER_OR_CURVE,
    ROAD,
    SHAPE,
    SOFT,
)
from linkwork.formats.model_file.values import (
    COLOUR,
    DATA,
    FLAG,
    LIMITS,
    NUMBER,
    NUMBERS,
    TEXT,
    VECTOR,
    WHOLE,
    ChoiceType,
    TableType,
    ValueType,
)

Keys = Mapping[str, ValueType]

_PAIR: Keys = {"name": TEXT, "a": TEXT, "b": TEXT}
_PLACE: Keys = {"at?": VECTOR, "axis?": NUMBERS, "frame_a?": FRAME, "frame_b?": FRAME}
_START: Keys = {"position?": NUMBERS, "velocity?": NUMBERS}
_STOPS: Keys = {"limits?": LIMITS, "limit_softness?": SOFT}
_AMOUNTS: Keys = {"friction?": NUMBER, "damping?": NUMBER, "stiffness?": NUMBER, "rest?": NUMBER}
_JOINT: Keys = {**_PAIR, **_PLACE, **_START, **_STOPS, **_AMOUNTS, "armature?": NUMBER, "cut?": FLAG}
_BALL: Keys = {**_JOINT, "limits?": LIMITS_OR_CONE}
_POSE: Keys = {"position?": VECTOR, "rotation?": NUMBERS}
_ENDS: Keys = {"at_a?": VECTOR, "at_b?": VECTOR}
_FRAMES: Keys = {"frame_a?": FRAME, "frame_b?": FRAME}
_SURFACE: Keys = {"material?": MATERIAL, "group?": TEXT}
_TOUCHING: Keys = {f"{name}?": NUMBER for name in ("friction", "restitution", "bounce_speed", "rolling", "torsional")}

JOINTS: Mapping[str, Keys] = {
    **dict.fromkeys(("fixed", "revolute", "prismatic", "cylindrical", "planar", "free"), _JOINT),
    **dict.fromkeys(("universal", "ball"), _BALL),
    "screw": {**_JOINT, "pitch": NUMBER},
    "distance": {**_PAIR, **_ENDS, "length?": NUMBER},
    "slot": {
        **_PAIR,
        "curve": GUIDE_CURVE,
        "at_b?": VECTOR,
        "frame_a?": FRAME,
        **_START,
        **_STOPS,
        **_AMOUNTS,
    },
    "surface": {**_PAIR, "surface": GUIDE_SURFACE, "at_b?": VECTOR, "frame_a?": FRAME, **_START, "damping?": NUMBER},
    "rolling": {**_PAIR, "radius": NUMBER, "axis?": VECTOR, "normal?": VECTOR, **_ENDS, **_FRAMES},
    "rolling_pair": {
        **_PAIR,
        "radius_a": NUMBER,
        "radius_b": NUMBER,
        "inside?": FLAG,
        "axis_a?": VECTOR,
        "axis_b?": VECTOR,
        **_ENDS,
        **_FRAMES,
    },
}
FORCES: Mapping[str, Keys] = {
    "spring": {
        **_PAIR,
        **_ENDS,
        "stiffness?": NUMBER_OR_CURVE,
        "damping?": NUMBER_OR_CURVE,
        "length?": NUMBER,
        "axis?": VECTOR,
        "law?": LAW,
    },
    "torsion_spring": {"name": TEXT, "joint": TEXT, "stiffness?": NUMBER, "damping?": NUMBER, "angle?": NUMBER},
    "torque": {"name": TEXT, "target": TEXT, "law": LAW, "axis?": VECTOR, "frame?": TEXT, "coordinate?": WHOLE},
    "force": {"name": TEXT, "body": TEXT, "law": LAW, "at?": VECTOR, "axis?": VECTOR, "frame?": TEXT},
    "bushing": {**_PAIR, "stiffness?": NUMBERS, "damping?": NUMBERS, **_PLACE},
    "tyre": {
        "name": TEXT,
        "body": TEXT,
        "radius": NUMBER,
        "stiffness": NUMBER,
        "damping?": NUMBER,
        "at?": VECTOR,
        "axis?": VECTOR,
        "road?": ROAD,
        "side?": CALSPAN,
    },
    "gyroscope": {"name": TEXT, "body": TEXT, "axis": VECTOR, "momentum": NUMBER},
}
_TIED: Keys = {"backlash?": NUMBER, "offset?": NUMBER}
DRIVES: Mapping[str, Keys] = {
    "motor": {
        "name": TEXT,
        "joint": TEXT,
        "velocity?": LAW,
        "position?": LAW,
        "max_torque?": NUMBER,
        "softness?": SOFT,
        "coordinate?": WHOLE,
    },
    "gear": {"name": TEXT, "joint_a": TEXT, "joint_b": TEXT, "ratio": NUMBER, "carrier?": TEXT, **_TIED},
    "rack": {"name": TEXT, "pinion": TEXT, "rack": TEXT, "radius": NUMBER, **_TIED},
    "differential": {"name": TEXT, "left": TEXT, "right": TEXT, "cage": TEXT},
    "cam": {"name": TEXT, "joint": TEXT, "follower": TEXT, "curve": CAM_CURVE, "periodic?": FLAG},
    "repeater": {"name": TEXT, "joint": TEXT, "follower": TEXT, "ratio?": NUMBER},
}
CONTACTS: Mapping[str, Keys] = {
    "plane": {
        "name": TEXT,
        "at?": VECTOR,
        "normal?": VECTOR,
        "pose?": FRAME,
        "material?": MATERIAL,
        "on?": TEXT,
    },
    "collider": {"name": TEXT, "body": TEXT, "shape": SHAPE, **_SURFACE},
    "touch_sensor": {"name": TEXT, "body": TEXT, "region?": SHAPE},
    "no_contact": {"a": TEXT, "b": TEXT},
    "contact_pair": {"a": TEXT, "b": TEXT, **_TOUCHING},
    "material_pair": {"a": MATERIAL, "b": MATERIAL, **_TOUCHING},
}
EVENTS: Mapping[str, Keys] = {
    "attach": {
        "a": TEXT,
        "b": TEXT,
        "joint": TEXT,
        "name?": TEXT,
        "time": NUMBER,
        **_PLACE,
        "damping?": NUMBER,
        "stiffness?": NUMBER,
        "rest?": NUMBER,
        "pitch?": NUMBER,
    },
    "release": {"joint": TEXT, "time": NUMBER},
}


class PartTable(NamedTuple):
    """The keys of a kind of part, and the verb that makes it."""

    verb: str
    keys: TableType


class Section(NamedTuple):
    """Parts of a file under one header, [[joint]] for example: by kind, or of one kind alone ("")."""

    kinds: dict[str, PartTable]

    @property
    def choice(self) -> ChoiceType | None:
        """What tells the kinds apart."""
        if "" in self.kinds:
            return None
        return ChoiceType("part", {kind: part.keys for kind, part in self.kinds.items()})


def _section(kinds: Mapping[str, Keys]) -> Section:
    return Section({kind: PartTable(kind, TableType(kind, keys, dict)) for kind, keys in kinds.items()})


def _single(verb: str, keys: Keys) -> Section:
    return Section({"": PartTable(verb, TableType(verb, keys, dict))})


# in the order in which parts are built: each names only those before it
SECTIONS: dict[str, Section] = {
    "moving_ground": _single("moving_ground", {"name": TEXT, "motion": MOTION, **_POSE}),
    "body": _single(
        "body",
        {
            "name": TEXT,
            "mass?": NUMBER,
            "density?": NUMBER,
            "shape?": SHAPE,
            "inertia?": NUMBERS,
            "rotor?": NUMBER,
            "com?": VECTOR,
            **_POSE,
            **_SURFACE,
        },
    ),
    "link": _single(
        "link",
        {"name": TEXT, "p": VECTOR, "q": VECTOR, "mass?": NUMBER, "density?": NUMBER, "radius?": NUMBER, **_SURFACE},
    ),
    "joint": _section(JOINTS),
    "rotor": _single(
        "rotor",
        {
            "name": TEXT,
            "inertia": NUMBER,
            "on": TEXT,
            "axis?": VECTOR,
            "at?": VECTOR,
            "ratio?": NUMBER,
            "shape?": SHAPE,
            "position?": NUMBER,
            "velocity?": NUMBER,
            **_AMOUNTS,
        },
    ),
    "force": _section(FORCES),
    "drive": _section(DRIVES),
    "contact": _section(CONTACTS),
    "visual": _single("visual", {"name": TEXT, "body": TEXT, "shape": SHAPE, "colour?": COLOUR}),
    "event": _section(EVENTS),
}
_PARAMETERS: Keys = {"parameters?": DATA}
SUBSYSTEM_FILE = TableType("subsystem from a file", {"name": TEXT, "file": TEXT, **_PARAMETERS, **_POSE}, dict)
COMPONENT = TableType("component", {"name": TEXT, "component": TEXT, **_PARAMETERS, **_POSE}, dict)
CONTENT = (*SECTIONS, "subsystem", "ports", "parameters")  # keys of everything that holds parts
INLINE = TableType("subsystem", {"name": TEXT, **_POSE}, dict)
HEAD = TableType("model", {"name?": TEXT, "gravity?": VECTOR}, dict)  # beside its version
