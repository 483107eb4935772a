"""Models become MJCF files, which MuJoCo and `lw.read` read."""

from __future__ import annotations

from pathlib import Path

from linkwork.errors import OptionError
from linkwork.formats.mjcf.markup import Markup
from linkwork.formats.mjcf.spanning import spanning_tree
from linkwork.formats.mjcf.start_values import machine_start
from linkwork.formats.mjcf.writing import MjcfWriting
from linkwork.formats.mjcf.written_bodies import write_bodies
from linkwork.formats.mjcf.written_forces import write_drives, write_forces
from linkwork.formats.mjcf.written_shapes import write_shapes
from linkwork.formats.receipt import Receipt
from linkwork.model import Model
from linkwork.model.checked import real

ORDER = ("asset", "contact", "tendon", "equality", "actuator")  # sections, beside the bodies


def write_mjcf(
    model: Model, path: Path, receipt: Receipt, *, timestep: float = 0.002, contact: bool = True
) -> dict[Path, bytes]:
    """The files of a model: MJCF, and meshes in the folder `NAME_meshes` beside it.

    Joints nest bodies; those that close loops become constraints. The start is the keyframe "start". `timestep` is
    MuJoCo's step in seconds. `contact=False` leaves out all colliders.

    >>> model = lw.Model("pendulum")
    >>> rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     receipt = model.write(f"{folder}/pendulum.xml")
    ...     lw.read(f"{folder}/pendulum.xml", keyframe="start")[0]["pin"].position
    (0.3,)
    """
    step = real(timestep)
    if step is None or not 0.0 < step < 1e6:
        raise OptionError(f"write {path.name}: timestep is {timestep!r}; give MuJoCo's step in seconds")
    stem = "".join(letter if letter.isalnum() else "_" for letter in path.stem)
    folder = path.parent / f"{stem}_meshes"  # of this file alone: others beside it keep theirs
    writing = MjcfWriting(model, spanning_tree(model), machine_start(model), receipt, folder)
    write_bodies(writing)
    write_forces(writing)
    write_drives(writing)
    write_shapes(writing, contact)
    for ground in model.all_grounds():
        if ground.motion is not None:
            writing.lost(ground, "a ground that moves has no counterpart in MJCF; it stands still there")
    for event in model.all_events():
        receipt.ignore(event.told, "", "joints that are attached or released have no counterpart in MJCF")
    root = Markup("mujoco", model=model.name)
    root.add(Markup("compiler", angle="radian", inertiafromgeom="false"))
    root.add(Markup("option", timestep=step, gravity=model.gravity))
    sections = {"worldbody": writing.bodies[0], **{name: writing.sections.get(name) for name in ORDER}}
    for name in ("asset", "worldbody", *ORDER[1:]):
        element = sections[name]
        if element is not None and (element.children or name == "worldbody"):
            root.add(element)
    if writing.qpos or writing.controls:
        key = Markup("key", name="start", qpos=writing.qpos or None, qvel=writing.qvel or None)
        if writing.controls:
            key.attributes["ctrl"] = writing.controls
        root.add(Markup("keyframe", key))
        receipt.understand("the start", "", 'keyframe "start"')
    return {path: (root.text() + "\n").encode(), **writing.files}
