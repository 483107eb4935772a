"""What a page may say: every message that comes from a browser is checked here, before it reaches the simulation.

A message is a JSON list: a word and its values. Points are in the world, m.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

KINDS = ("fixed", "ball")  # joints that can be attached
LONGEST = 300  # letters of a name
MOST_STEPS = 10_000  # in one message
MOST_WATCHED = 48  # columns

Check = Callable[[Any], bool]


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _positive(value: Any) -> bool:
    return _number(value) and 0.0 < value < 1e9


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_STEPS


def _name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST


def _names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_WATCHED and all(map(_name, value))


def _point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_number, value))


def _kind(value: Any) -> bool:
    return value in KINDS


MESSAGES: dict[str, tuple[Check, ...]] = {
    "ready": (),  # the first picture is there: a run that waits may begin
    "run": (_flag,),
    "single": (_count,),
    "speed": (_positive,),
    "reset": (),
    "input": (_name, _number),  # its name, and what it is set to
    "lean": (_name, _number),  # an input that is held by a stick; 0 lets it go
    "key": (_name, _flag),  # one of the keys of the piece goes down, or up
    "method": (_name,),
    "dt": (_positive,),
    "watch": (_names,),  # columns whose numbers come with the frames
    "release": (_name,),
    "attach": (_name, _name, _kind),
    "grab": (_name, _point, _point),  # the point of the body that was seen there, and where to pull it
    "pull": (_name, _point),
    "drop": (_name,),
    "kinematic": (_flag,),
    "pose": (_count, _number),  # a coordinate of a joint by its number
    "rewind": (_number,),  # the run stands where it was at that time
    "branch": (_number,),  # and goes on from there
    "modes": (),  # those of the model about its equilibrium
}


class Malformed(ValueError):
    """A message that no page of ours sends."""


def checked(text: Any) -> list[Any]:
    """The message in a text; raises `Malformed` where it is none.

    >>> checked('["input", "drive", 2]')
    ['input', 'drive', 2]
    >>> checked('["input", "drive", NaN]')
    Traceback (most recent call last):
    linkwork.viewer.live.page_messages.Malformed: not JSON
    """
    if not isinstance(text, str):
        raise Malformed("messages are text")
    try:
        words = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Malformed("not JSON") from None
    if not isinstance(words, list) or not words or not isinstance(words[0], str) or words[0] not in MESSAGES:
        raise Malformed("no message of this page")
    values, checks = words[1:], MESSAGES[words[0]]
    if len(values) != len(checks) or not all(check(value) for check, value in zip(checks, values, strict=True)):
        raise Malformed(f"wrong values in a message '{words[0]}'")
    return words


def _refuse(word: str) -> Any:
    raise ValueError(word)


def known(words: Sequence[Any], names: dict[str, Any]) -> str:
    """Why a message is about something that is not there; empty where it is. `names` lists what the page has.

    >>> known(["input", "drive", 1.0], {"input": ["steer"]})
    "there is no input 'drive'"
    """
    word, *values = words
    what = "body" if word in ("grab", "pull", "drop") else "input" if word == "lean" else word
    if what in ("input", "key", "method", "body") and values[0] not in names[what]:
        return f"there is no {what} '{values[0]}'"
    if word == "pose" and values[0] >= names["coordinates"]:
        return "there is no such coordinate"
    unknown = [name for name in values[0] if name not in names["columns"]] if word == "watch" else []
    return f"there is no column '{unknown[0]}'" if unknown else ""
