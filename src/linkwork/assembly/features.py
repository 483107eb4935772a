"""What a model asks of a method."""

from __future__ import annotations

from linkwork.model import Coupling, Foreign, Model, Motor


def drive_features(drive: Motor | Coupling) -> set[str]:
    """What a drive asks of a method."""
    if isinstance(drive, Coupling):
        return {"couplings", "backlash"} if drive.backlash else {"couplings"}
    return {"rigid motors" if drive.rigid else "servos" if drive.servo else "motors"}


def features(model: Model, loops: bool, meetings: bool) -> frozenset[str]:
    """What the model asks of a method; compared with the method's `supports`.

    `loops`: some joint closes one. `meetings`: some two colliders may meet; those that never do are only drawn.
    """
    found = set()
    if loops:
        found.add("loops")
    for joint in model.all_joints():
        if joint.friction:
            found.add("friction")
        if joint.limits is not None:
            found.add("limits")
        if joint.armature:
            found.add("armature")
        if joint.kind == "distance":
            found.add("distances")
        if joint.kind in ("rolling", "rolling_pair"):
            found.add("rolling")
    for drive in model.all_drives():
        found |= drive_features(drive)
    if meetings or (any(True for _ in model.all_events()) and any(True for _ in model.all_colliders())):
        found.add("contact")  # events may part bodies that now hold each other, which then meet
    if any(ground.motion is not None for ground in model.all_grounds()):
        found.add("moving grounds")
    if any(isinstance(ground, Foreign) for ground in model.all_grounds()):
        found.add("remote components")
    return frozenset(found)
