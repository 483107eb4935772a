"""The unit of every recorded column, and the name of each of its components.

A unit is one word (`"rad"`) where all components share it, or one word per component with commas between
(`"rad,m"`: a cylindrical joint turns, then slides). `"1"` stands for a number without unit.
"""

from __future__ import annotations

from linkwork.model.joints.joint_kinds import KINDS

REACTION_UNIT = "N,N,N,N m,N m,N m"

BODY_UNITS = {
    "position": "m",
    "rotation": "1",
    "velocity": "m/s",
    "angular_velocity": "rad/s",
    "acceleration": "m/s^2",
    "angular_acceleration": "rad/s^2",
    "contact_force": "N",
}

# (number of components, unit of the column) -> what the components are called; the shape alone decides otherwise
_NAMES_BY_UNIT = {
    "rad,m": ("turn", "slide"),
    "m,m,rad": ("x", "y", "angle"),
    "N m,N": ("turn", "slide"),
    "N,N,N m": ("x", "y", "angle"),
}
_NAMES_BY_WIDTH = {
    1: ("",),
    2: ("first", "second"),
    3: ("x", "y", "z"),
    4: ("w", "x", "y", "z"),
    6: ("x", "y", "z", "turn x", "turn y", "turn z"),
    7: ("x", "y", "z", "w", "qx", "qy", "qz"),
}
_REACTION_NAMES = ("force x", "force y", "force z", "torque x", "torque y", "torque z")
_CONE_NAMES = ("swing", "twist", "turn")


def joint_units(kind: str) -> dict[str, str]:
    """Units of the columns `position`, `velocity`, `acceleration` and `reaction` of a joint of this kind.

    >>> joint_units("cylindrical")["velocity"]
    'rad/s,m/s'
    >>> joint_units("revolute")["position"]
    'rad'
    """
    position, rates = KINDS[kind].units
    return {
        "position": _joined(position),
        "velocity": _joined(tuple(unit + "/s" for unit in rates)),
        "acceleration": _joined(tuple(unit + "/s^2" for unit in rates)),
        "reaction": REACTION_UNIT,
    }


def split_unit(unit: str, width: int) -> tuple[str, ...]:
    """One unit per component of a column `width` wide.

    >>> split_unit("m", 3)
    ('m', 'm', 'm')
    >>> split_unit("rad,m", 2)
    ('rad', 'm')
    """
    words = tuple(unit.split(","))
    if len(words) == 1:
        return words * width
    if len(words) != width:
        raise ValueError(f"unit {unit!r} speaks of {len(words)} components, the column has {width}")
    return words


def component_names(suffix: str, unit: str, width: int) -> tuple[str, ...]:
    """Names of the components of a column, empty for a column of plain numbers.

    >>> component_names("position", "m", 3)
    ('x', 'y', 'z')
    >>> component_names("position", "rad", 1)
    ('',)
    """
    if suffix == "reaction" and width == 6:
        return _REACTION_NAMES
    if suffix == "stop_force" and width == 3 and unit == "N m":
        return _CONE_NAMES
    root = unit.replace("/s^2", "").replace("/s", "")
    if root in _NAMES_BY_UNIT and len(_NAMES_BY_UNIT[root]) == width:
        return _NAMES_BY_UNIT[root]
    return _NAMES_BY_WIDTH.get(width) or tuple(str(k) for k in range(width))


def _joined(units: tuple[str, ...]) -> str:
    return units[0] if len(set(units)) == 1 else ",".join(units)  # also "" for a fixed joint
