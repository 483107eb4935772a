"""MJCF files become models, through MuJoCo's own compiler."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError, OptionError
from linkwork.formats.mjcf.actuators import add_actuators
from linkwork.formats.mjcf.bodies import add_bodies
from linkwork.formats.mjcf.closing import closed_start
from linkwork.formats.mjcf.compiling import CompiledMjcf, compile_source
from linkwork.formats.mjcf.constraints import add_equalities
from linkwork.formats.mjcf.context import MjcfReading, StartValues
from linkwork.formats.mjcf.geoms import MESH, add_geoms
from linkwork.formats.mjcf.meeting import MeetingGeoms
from linkwork.formats.mjcf.source import MjcfSource, load, stem_of
from linkwork.formats.mjcf.telling import tell_elements, tell_world
from linkwork.formats.mjcf.tendons import add_tendons
from linkwork.formats.mjcf.touches import add_touches
from linkwork.formats.receipt import Receipt
from linkwork.model import Model

LARGEST = 1e15  # what is larger is no number of a machine
NUMBERS = {  # tables of MuJoCo that the reader uses
    "body": "pos quat mass inertia ipos iquat gravcomp",
    "jnt": "pos axis stiffness range margin",
    "dof": "damping armature frictionloss",
    "geom": "pos quat size friction",
    "site": "pos quat",
    "tendon": "stiffness damping lengthspring length0",
    "actuator": "gear gainprm biasprm dynprm armature damping",
    "key": "qpos qvel ctrl",
    "eq": "data",
    "wrap": "prm",
    "mesh": "vert",
    "hfield": "size data",
}


def read_mjcf(
    path: Path,
    receipt: Receipt,
    *,
    keyframe: str | int | None = None,
    contact: bool = True,
    meshes: bool = True,
    repair: bool = False,
    allow: Sequence[str | PathLike[str]] = (),
) -> Model:
    """A model from an MJCF file.

    `keyframe` is the name or the number of the <key> to start from. `contact=False` leaves out all colliders,
    `meshes=False` opens no mesh file. `repair=True` lets MuJoCo change inertias that no body can have. `allow` are
    further folders in which included files and meshes may lie.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "swing.xml"
    ...     _ = file.write_text(
    ...         "<mujoco model='swing'><worldbody><body name='rod'><joint name='pin' axis='0 1 0' damping='0.1'/>"
    ...         "<geom type='capsule' fromto='0 0 0 0 0 -1' size='0.02'/></body></worldbody></mujoco>"
    ...     )
    ...     model, receipt = lw.read(file)
    >>> model, model["pin"].damping
    (<Model 'swing': 1 body, 1 joint>, 0.1)
    """
    source = load(path, [Path(folder) for folder in allow], meshes)
    compiled = compile_source(source, repair)
    m = compiled.m
    _refuse_numbers(source, m)
    if m.nbody == 1 and not m.ngeom:
        source.root.wrong("it has no rigid body and no shape; give a file that has, or the one that includes this part")
    if not meshes:
        _refuse_mesh_masses(source, compiled)
    name = (source.root.get("model") or stem_of(path)).strip()[:200]
    name = "".join(letter if letter.isprintable() else " " for letter in name).strip() or "model"
    off = m.opt.disableflags & int(compiled.mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    model = Model(name, gravity=(0.0, 0.0, 0.0) if off else tuple(float(each) for each in m.opt.gravity))
    start = _start(compiled, keyframe, path)
    reading = MjcfReading(source, compiled, model, Receipt(path.name), start)
    try:
        _build(reading, contact, meshes)
    except ModelError as error:
        raise ModelError(f"{path.name}: {error}") from None
    closed = closed_start(reading)
    if closed is not None:
        model = Model(name, gravity=model.gravity)
        reading = MjcfReading(source, compiled, model, Receipt(path.name), start._replace(qpos=closed))
        _build(reading, contact, meshes)
        reading.receipt.approximate("the start", "", "moved to where its equality constraints hold")
    if start.key >= 0:
        reading.understand("key", start.key, "the start")
    if repair:
        reading.receipt.approximate("repair=True", "", "MuJoCo changes inertias that no body can have")
    tell_world(reading)
    tell_elements(reading)
    receipt.understood += reading.receipt.understood
    receipt.approximated += reading.receipt.approximated
    receipt.ignored += reading.receipt.ignored
    return model


def _build(reading: MjcfReading, contact: bool, meshes: bool) -> None:
    meeting = MeetingGeoms(reading)
    add_bodies(reading, meeting)
    add_tendons(reading)
    add_equalities(reading)
    add_actuators(reading)
    add_geoms(reading, meeting, contact, meshes)
    add_touches(reading, contact)


def _start(compiled: CompiledMjcf, keyframe: str | int | None, path: Path) -> StartValues:
    m = compiled.m
    if keyframe is None:
        return StartValues(m.qpos0, np.zeros(m.nv), np.zeros(m.nu))
    names = [compiled.name("key", number) for number in range(m.nkey)]
    if isinstance(keyframe, str) and keyframe in names:
        number = names.index(keyframe)
    elif isinstance(keyframe, int) and not isinstance(keyframe, bool) and 0 <= keyframe < m.nkey:
        number = keyframe
    else:
        told = ", ".join(repr(name or number) for number, name in enumerate(names)) or "nothing, it has none"
        raise OptionError(f"{path.name}: there is no keyframe {keyframe!r}; give one of {told}")
    return StartValues(m.key_qpos[number], m.key_qvel[number], m.key_ctrl[number], number)


def _refuse_numbers(source: MjcfSource, m: Any) -> None:
    """Raise where a number that the compiler made is not finite or absurd."""
    tables = [f"{kind}_{name}" for kind, names in NUMBERS.items() for name in names.split()]
    for table in (*tables, "qpos0", "qpos_spring"):
        values = np.asarray(getattr(m, table), dtype=float)
        if values.size and not (np.abs(values) < LARGEST).all():
            raise ModelError(
                f"{source.file}: MuJoCo makes numbers of it that are not finite or beyond {LARGEST:g} ({table}); "
                "correct the file"
            )


def _refuse_mesh_masses(source: MjcfSource, compiled: CompiledMjcf) -> None:
    """Raise where masses follow from meshes that were not opened."""
    spec = compiled.spec
    always = int(spec.compiler.inertiafromgeom) == 1
    low, high = (int(each) for each in spec.compiler.inertiagrouprange)
    explicit = {int(body.id): bool(body.explicitinertial) for body in spec.bodies}
    for geom in spec.geoms:
        number = int(geom.id)
        if number < 0 or int(compiled.m.geom_type[number]) != MESH:
            continue
        body = int(compiled.m.geom_bodyid[number])
        weightless = float(geom.mass) == 0.0 or (np.isnan(geom.mass) and float(geom.density) == 0.0)
        counted = always or not explicit.get(body, False)
        if counted and not weightless and low <= int(geom.group) <= high and compiled.m.body_weldid[body]:
            element = source.at_line(str(geom.info)) or source.root
            element.wrong("the mass of its body follows from a mesh; read the file with meshes=True")
