"""Which shapes of a model are drawn, and where its meshes are kept: each once, for all that look alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwork.model import Body, Ground, Hull, Mesh, Model
from linkwork.model.contact.collider import Plane
from linkwork.model.shapes.shapes import Shape
from linkwork.simulation.results.scene.shape_facts import TRIANGLES, Facts, shape_facts

ALL_TRIANGLES, LEAST = 60_000, 200  # of all meshes of a scene, and of one of very many


class DrawnShapes:
    """The shapes of bodies and grounds, by their paths and in their frames.

    `own` is the shape of a body, `added` those of colliders, `visuals` those that are only drawn; a body or ground with
    visuals has no others, except planes. Where a body has a shape for the eye alone, without a material, its
    colliders stand in for that and are not shown.

    >>> model = lw.Model("yard")
    >>> step = model.collider("step", "ground", lw.Box((1, 1, 0.2), pose=lw.Frame((2, 0, 0.1))))
    >>> [facts["kind"] for facts in DrawnShapes(model).added["ground"]]
    ['box']
    """

    def __init__(self, model: Model) -> None:
        self.meshes: list[Facts] = []  # of all shapes, which have their numbers
        seen = list(_seen(model))
        several = {_sketch(shape) for _, _, shape, _ in seen if isinstance(shape, Mesh | Hull)}
        self.triangles = min(TRIANGLES, max(LEAST, ALL_TRIANGLES // max(1, len(several))))
        self.own: dict[str, Facts | None] = {}
        self.added: dict[str, list[Facts]] = {}
        self.visuals: dict[str, list[Facts]] = {}
        for kind, body, shape, colour in seen:
            facts = self._facts(shape)
            if kind == "own":
                self.own[body.path] = facts
            elif facts is not None:
                facts = facts if colour is None else {**facts, "colour": list(colour)}
                (self.visuals if kind == "visual" else self.added).setdefault(body.path, []).append(facts)

    def standing(self, ground: Ground) -> list[Facts]:
        """All that stands on a ground."""
        return [*self.added.get(ground.path, []), *self.visuals.get(ground.path, [])]

    def _facts(self, shape: Shape) -> Facts | None:
        facts = shape_facts(shape, self.triangles)
        if facts is None or "faces" not in facts:
            return facts
        mesh = {"points": facts.pop("points"), "faces": facts.pop("faces")}
        if mesh not in self.meshes:
            self.meshes.append(mesh)
        return {**facts, "mesh": self.meshes.index(mesh)}


def _seen(model: Model) -> Iterator[tuple[str, Body, Shape, Any]]:
    """What is drawn: own, added or visual; of which body, its shape and its colour."""
    dressed = {id(visual.body) for visual in model.all_visuals()}
    for body in model.all_bodies():
        if body.shape is not None and id(body) not in dressed:
            yield "own", body, body.shape, None
    for container in model.walk():
        for collider in container.colliders.values():
            body, shape = collider.body, collider.shape
            own = None if isinstance(body, Ground) else body.shape
            stands_in = own is not None and (body.material is None or shape == own)
            if isinstance(shape, Plane) or not (stands_in or id(body) in dressed):
                yield "added", body, shape, None
    for visual in model.all_visuals():
        yield "visual", visual.body, visual.shape, visual.colour


def _sketch(shape: Mesh | Hull) -> tuple[int, bytes]:
    """What two meshes that look alike share."""
    return len(shape.triangles), shape.triangles[:1].tobytes()


def with_meshes(scene: dict[str, Any]) -> dict[str, Any]:
    """The scene with the points and faces of every mesh in its shape."""
    meshes = scene.get("meshes", [])

    def full(facts: Any) -> Any:
        return {**facts, **meshes[facts["mesh"]]} if facts is not None and "mesh" in facts else facts

    def every(shapes: Any) -> list[Any]:
        return [full(facts) for facts in shapes]

    bodies = [
        {**body, "shape": full(body["shape"])} | {key: every(body.get(key, [])) for key in ("more", "visuals")}
        for body in scene["bodies"]
    ]
    grounds = {
        name: {**ground, "shapes": every(ground["shapes"])} if "shapes" in ground else ground
        for name, ground in scene["grounds"].items()
    }
    return {**scene, "bodies": bodies, "grounds": grounds, "fixtures": every(scene.get("fixtures", []))}
