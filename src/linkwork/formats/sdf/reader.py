"""Models and worlds of SDF, versions 1.4 to 1.11."""

from __future__ import annotations

from pathlib import Path

from linkwork.errors import ModelError, OptionError
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.sdf.bases import hold_bases
from linkwork.formats.sdf.building import Build, Holder, SdfOptions
from linkwork.formats.sdf.gears import SdfMimic, Turns, make_gearbox, make_mimic, mimics, starts
from linkwork.formats.sdf.include import SdfLibrary
from linkwork.formats.sdf.joints import read_joint
from linkwork.formats.sdf.leftover import tell_unread
from linkwork.formats.sdf.links import read_link
from linkwork.formats.sdf.places import Folders, Packages, Places
from linkwork.formats.sdf.poses import Poses, held_by
from linkwork.formats.sdf.scopes import Scope, ScopeReader
from linkwork.formats.sdf.values import flag_of, saying, vector_of
from linkwork.model import Model, Subsystem
from linkwork.model.frame import Frame

GRAVITY = (0.0, 0.0, -9.8)  # m/s2, of a world that does not say it


def read_sdf(
    path: Path,
    receipt: Receipt,
    *,
    base: str | None = None,
    meshes: bool = True,
    contact: bool = True,
    self_collision: bool | None = None,
    packages: Packages = (),
    allow: Folders = (),
    repair: bool = False,
    decompose: bool = False,
) -> Model:
    """A model from an SDF file; a file with one model is that model, several become subsystems.

    `base` is as the file says: a model moves freely unless it is static or has a joint to the world; "fixed" welds the
    canonical link of each free model to the world. `self_collision` is as the file says, too. `packages` are folders of
    models for model://, or a dict of them by name; those of GZ_SIM_RESOURCE_PATH and SDF_PATH are looked in as well.
    """
    if base not in (None, "fixed", "floating"):
        raise OptionError(f'base is {base!r}; give "fixed", "floating" or None, as the file says')
    places = Places(path, packages, allow)
    library = SdfLibrary(path, places, receipt)
    options = SdfOptions(base, meshes, contact, self_collision, repair, decompose)
    build = Build(options, receipt, Poses(receipt), places)
    world = _world(library, receipt)
    model = _containers(build, world)
    for scope in world.walk():
        for link in scope.links:
            with saying(link.element):
                read_link(build, scope, link)
        _model_settings(build, scope)
        _frames(build, scope)
    _refuse_faults(build, path.name)
    _joints(build, world)
    hold_bases(build, world)
    _tell_friction(model, receipt)
    for file in library.roots():
        tell_unread(file, receipt)
    return model


def _tell_friction(model: Model, receipt: Receipt) -> None:
    """How the friction of two different surfaces comes about."""
    values = {each.material.mean_friction for container in model.walk() for each in container.colliders.values()}
    if len(values) > 1:
        told = "the root of the product of their coefficients, where other programs take the smaller one"
        receipt.approximate("friction of two surfaces", "", told)


def _refuse_faults(build: Build, file: str) -> None:
    """Raise for masses that no body can have, with the links."""
    if build.faults:
        more = f"; and {len(build.faults) - 5} more" if len(build.faults) > 5 else ""
        told = "; ".join(build.faults[:5])
        raise ModelError(f"{file}: {told}{more}; correct this, or give repair=True")


def _world(library: SdfLibrary, receipt: Receipt) -> Scope:
    """The scope of everything: that of the <world>, or of the root."""
    root = library.main.root
    worlds = root.all("world")
    if len(worlds) > 1:
        worlds[1].wrong("the file has a second <world>; split it into two files")
    if worlds and (root.all("model") or root.all("include")):
        worlds[0].wrong("the file has a <world> and a <model> beside it; move the model into the world")
    element = worlds[0] if worlds else root
    name = (element.get("name", "") if worlds else "") or library.main.path.stem
    scope = ScopeReader(library).world(element, library.main, name)
    if not scope.models:
        told = [] if receipt.lost else [f"{library.main.path.name}: it holds no model; give a file that does"]
        if told:
            raise ModelError(told[0])
    return scope


def _containers(build: Build, world: Scope) -> Model:
    """The model, and a subsystem for each model inside it."""
    single = len(world.models) == 1 and not world.joints
    first = world.models[0].inner if single else None
    label = (first or world).name
    gravity = vector_of(world.element, "gravity", GRAVITY) if world.element.tag == "world" else (0.0, 0.0, -9.81)
    clean = "".join(letter if letter.isprintable() else " " for letter in label)[:200].strip() or "model"
    with saying(world.element):
        model = Model(clean, gravity=gravity)
    told = "" if world.element.tag == "world" else "; the file has no world that says it"
    build.receipt.understand("gravity", world.element.place, f"{gravity[2]:g} m/s2 along z{told}")
    build.holders[world] = Holder(model, Frame(), "")
    items = {item.inner: item for scope in world.walk() for item in scope.models}
    for scope in world.walk():
        if scope.owner is None:
            continue
        owner = build.holders[scope.owner]
        item = items[scope]
        with saying(item.element):
            pose = owner.frame @ build.poses.of_item(scope.owner, item)
        if scope is first:
            build.holders[scope] = Holder(model, pose, scope.name)
            continue
        name = fitting(owner.container, scope.name, "subsystem", build.receipt, item.place)
        inner = owner.container.add(name, Subsystem(), position=pose.position, rotation=pose.rotation)
        build.holders[scope] = Holder(inner, Frame(), owner.top or scope.name)
    return model


def _model_settings(build: Build, scope: Scope) -> None:
    """What a model says of all its links."""
    if scope.world:
        return
    flag_of(scope.element, "self_collide")
    if flag_of(scope.element, "enable_wind") and not scope.static:
        build.receipt.ignore(f"<enable_wind> of {scope.told}", scope.file.place(scope.element), "there is no wind here")


def _frames(build: Build, scope: Scope) -> None:
    """Frames, also those that nothing is given in: each has a pose, and a link or the world that holds it."""
    for item in scope.frames.values():
        if item.kind == "frame":
            build.poses.of_item(scope, item)
            held = held_by(scope, item.name, item.element)
            told = "attached to the world" if held is None else f"attached to link '{held[1].name}'"
            build.receipt.understand(f"frame '{item.name}'", item.place, told)


def _joints(build: Build, world: Scope) -> None:
    """All joints, then what couples them."""
    scopes = list(world.walk())
    followers: dict[tuple[Scope, str], SdfMimic] = {}
    for scope in scopes:
        followers |= mimics(build, scope)
    start = starts(followers)
    for scope in scopes:
        for joint in scope.joints:
            with saying(joint.element):
                read_joint(build, scope, joint, start.get((scope, joint.name), 0.0))
    turns = Turns(build)
    for scope in scopes:
        for joint in scope.joints:
            if joint.element.get("type") == "gearbox" and not joint.element.whole:
                make_gearbox(build, turns, scope, joint)
    for mimic in followers.values():
        if not mimic.joint.element.whole:
            make_mimic(build, mimic)
