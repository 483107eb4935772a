"""What the page needs to draw one run, or several over each other, as plain data that goes to its process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwork.viewer.colours import rgb
from linkwork.viewer.replay.replay import TINTS, view_of
from linkwork.viewer.staging import Stage


def page_data(stages: Sequence[Stage], labels: Sequence[str], **more: Any) -> dict[str, Any]:
    """The data of the page; several runs get a colour each."""
    show: dict[str, Any] = {"bodies": [], "pins": [], "springs": [], "joints": [], "labels": list(labels)}
    for stage, label, tint in zip(stages, labels, TINTS, strict=False):
        first = len(show["bodies"])
        for body in stage.bodies():
            if len(stages) > 1:
                shapes = [{key: fact for key, fact in facts.items() if key != "colour"} for facts in body["shapes"]]
                body = {**body, "shapes": shapes, "name": f"{label}: {body['name']}", "colour": rgb(tint, 0.2).tolist()}
            show["bodies"].append({**body, "faint": first > 0})
        for kind, ends in (("pins", ("body",)), ("springs", ("a", "b")), ("joints", ("body",))):
            for thing in getattr(stage, kind)():
                moved = {end: thing[end] + first if thing[end] >= 0 else -1 for end in ends}
                show[kind].append({**thing, **moved})
    show["roads"] = stages[0].roads()
    return {
        "title": stages[0].run.model_name,
        "view": view_of(list(stages)),
        "weight": 0.0,
        "inputs": [],
        "columns": {},
        "plots": [],
        "methods": [],
        "steps": [],
        "span": None,
        "speed": 1.0,
        "keys": {},
        "stay": [],
        "changing": [],
        "coordinates": [],
        "kinematic": False,
        **show,
        **more,
    }
