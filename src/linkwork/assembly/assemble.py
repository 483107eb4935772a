"""`assemble`: from the words of a model to the tables of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.colliders.collider_tables import collider_tables
from linkwork.assembly.colliders.zone_tables import zone_tables
from linkwork.assembly.elements.coupling_tables import coupled_parts
from linkwork.assembly.elements.cut_tables import cut_tables, pitch_per_radian
from linkwork.assembly.elements.drive_tables import drive_tables
from linkwork.assembly.elements.force_tables import force_tables
from linkwork.assembly.energy_parts import with_parts
from linkwork.assembly.features import features
from linkwork.assembly.graph import Forest, TreeStep, reached, scatter, span
from linkwork.assembly.kinds import BACK, MOTION_CODES, ONTO, coordinates, misfit
from linkwork.assembly.laws.law_tables import LawTable
from linkwork.assembly.massless import Carried, fill, given_to, lent, uncounted
from linkwork.assembly.reference import Reference, ground_pose
from linkwork.assembly.rotors import Inertia
from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Tables, Tree
from linkwork.assembly.whole_model import refuse_no_model
from linkwork.errors import ModelError
from linkwork.model import Body, Bushing, Foreign, Frame, Joint, Model, Rotor
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.spatial import codes

ROUNDED = 2e-3  # m or rad: places rounded by hand may be off this far


def assemble(
    model: Model,
    *,
    absolute: bool = False,
    floating: bool = False,
    driven: bool = False,
    filled: bool = False,
    before: System | None = None,
) -> System:
    """Turn a model into a `System`: tree and cuts, tables, start values.

    With `absolute` every body is free, its coordinates are those of its centre of mass, and every joint is a cut. With
    `floating` groups of bodies without a joint to a ground are allowed, as in a component of a larger model. With
    `driven` motors that hold rigidly are rows, as gears are, and soft ones torques; without it they leave their joints
    free. With `filled` bodies that lack inertia get next to none, as methods want it that give every body coordinates
    of its own. `before` is the system of the same model before joints were attached or released; its compiled laws are
    kept.

    >>> lw.assemble(lw.gallery.double_four_bar.build()).cut_names
    ['right pin 1', 'right pin 2']
    """
    refuse_no_model(model)
    return _Assembler(model, absolute, floating, driven, filled, before).system()


class _Assembler:
    def __init__(self, model: Model, absolute: bool, floating: bool, driven: bool, fills: bool, before: Any) -> None:
        self.model = model
        self.absolute, self.driven, self.fills = absolute, driven, fills
        self.unseen = absolute or before is not None  # what moves free has no columns
        if not any(True for _ in model.all_bodies()) and not any(isinstance(g, Foreign) for g in model.all_grounds()):
            raise ModelError(f"model '{model.name}' has no body; give it one with model.body(...)")
        self.reference = Reference(model)
        self.forest: Forest = scatter(model) if absolute else span(model)
        self.loans, self.lent = lent(model, self.reference) if absolute else ([], {})
        self.filled = fill(model, self.reference, self.lent) if fills else {}
        self.lent |= self.filled
        self.laws = LawTable() if before is None else LawTable(before.alive, before.faults)
        # columns of the link tables
        self.parent: list[int] = []
        self.motion: list[int] = []
        self.turn: list[float] = []
        self.slide: list[float] = []
        self.first_q: list[int] = []
        self.first_v: list[int] = []
        self.R: list[Any] = []
        self.p: list[Any] = []
        self.link_names: list[str] = []
        self.dof_link: list[int] = []
        self.armature: list[float] = []
        # where bodies went: link and pose in it; grounds too
        self.place: dict[int, tuple[int, Frame]] = {}
        self.joints: list[JointPlace] = []
        self.body_order: list[Body] = []
        self.foreign: dict[str, int] = {}
        self.q_start: list[float] = []
        self.v_start: list[float] = []
        self.q_given: list[bool] = []
        self.v_given: list[bool] = []
        if not floating:
            self._refuse_floating_groups()

    def system(self) -> System:
        grounds = self._add_grounds()
        for step in self.forest.steps:
            self._add_step(step)
        tree = self._tree(grounds)
        held = {place.name for place in self.joints} | {joint.path for joint in self.forest.cuts}
        coupled = coupled_parts(self.model, held, self.laws, self.driven)
        cuts, places, start = cut_tables(self.forest.cuts, self.reference, self.place, tree, coupled)
        nq, nv = len(self.q_start), len(self.v_start)
        by_joint = {p.name: p for p in self.joints + places if p.joint is not None}
        known = (self.body_order, by_joint, self.laws, nq, nv)
        forces, force_rows = force_tables(self.model, self.reference, self.place, *known, self.driven)
        drives = drive_tables(self.model, self.reference, self.place, by_joint, self.laws, nq, nv, self.driven)
        for each in self.model.all_inputs():
            self.laws.add(each.law, each)
        for sensor in self.model.all_sensors():
            self.laws.hold(sensor.path, sensor.size)
        late = self.laws.hold_late()
        colliders = collider_tables(self.model, self.reference, self.place, grounds)
        zones = zone_tables(self.model, self.place)
        parted = with_parts(self.model, self.place, tree, cuts, forces)
        tables = Tables(parted, cuts, forces, self.laws.tables(), drives, colliders, zones)
        return System(
            model=self.model,
            tables=tables,
            joints=self.joints,
            cuts=places,
            coupled=coupled,
            driven=self.driven,
            body_names=[body.path for body in self.body_order],
            ground_names=[ground.path for ground in self.model.all_grounds()],
            link_names=self.link_names,
            floating=[body.path for body in self.forest.floating],
            q_start=np.array(self.q_start),
            v_start=np.array(self.v_start),
            q_given=np.array(self.q_given, dtype=bool),
            v_given=np.array(self.v_given, dtype=bool),
            features=features(self.model, bool(self.forest.cuts), bool(colliders.can_collide.any())),
            absolute=self.absolute,
            centres={body.path: self.lent[id(body)].com for body in self.body_order if id(body) in self.lent},
            carried=self._carried(places),
            fills=self.fills,
            filled=[body.path for body in self.body_order if id(body) in self.filled],
            foreign=self.foreign,
            inputs=self.laws.inputs,
            held=self.laws.held_places(),
            late=late,
            force_rows=force_rows,
            faults=self.laws.faults,
            alive=self.laws.alive,
            **start,
        )

    def _refuse_floating_groups(self) -> None:
        """One body without a joint flies free by its nature; a group that nothing holds is most likely a mistake."""
        neighbours: dict[int, list[Body]] = {}
        for joint in self.model.all_joints():
            if not isinstance(joint.b, Rotor):  # a body with rotors is still one
                neighbours.setdefault(id(joint.a), []).append(joint.b)
                neighbours.setdefault(id(joint.b), []).append(joint.a)
        joined = set(neighbours)
        for force in self.model.all_forces():
            if isinstance(force, Bushing):
                neighbours.setdefault(id(force.a), []).append(force.b)
                neighbours.setdefault(id(force.b), []).append(force.a)
        held = reached(self.model.all_grounds(), neighbours)  # also through cuts
        for body in self.forest.floating:
            if id(body) in joined and id(body) not in held:
                raise ModelError(
                    f"body '{body.path}' is joined to other bodies but none of them to a ground; join one of them to a "
                    f"ground, or, if they are meant to float, say model.free(name, model.ground, '{body.path}')"
                )

    # --- links

    def _add_link(
        self, parent: int, motion: int, pose: Frame, q: int, v: int, turn: float, slide: float, name: str
    ) -> int:
        self.parent.append(parent)
        self.motion.append(motion)
        self.turn.append(turn)
        self.slide.append(slide)
        self.first_q.append(q)
        self.first_v.append(v)
        self.R.append(pose.matrix.ravel())
        self.p.append(pose.position)
        self.link_names.append(name)
        return len(self.parent) - 1

    def _add_grounds(self) -> int:
        """Link 0 is the world and carries every ground at rest; each moving ground is a link of its own."""
        self._add_link(0, codes.GIVEN, Frame(), 0, 0, 0.0, 0.0, "ground")
        self.ground_laws = [[-1] * 4]
        self.ground_axis = [[0.0, 0.0, 1.0]]
        self.ground_pose = [Frame()]
        for ground in self.model.all_grounds():
            pose = ground_pose(ground)
            if isinstance(ground, Foreign):
                # moved by its owner, who fills in the row of its link
                pose = ground.owner.world @ ground.start
                link = self._add_link(0, codes.GIVEN, pose, 0, 0, 0.0, 0.0, ground.path)
                self.foreign[ground.path] = link
                self.ground_laws.append([-1] * 4)
                self.ground_axis.append([0.0, 0.0, 1.0])
                self.ground_pose.append(pose)
                self.place[id(ground)] = (link, Frame())
                continue
            if ground.motion is None:
                self.place[id(ground)] = (0, pose)
                continue
            link = self._add_link(0, codes.GIVEN, pose, 0, 0, 0.0, 0.0, ground.path)
            motion = ground.motion
            laws = [self.laws.add(law, ground, motion=True)[0] for law in (*motion.position, motion.angle)]
            self.ground_laws.append(laws)
            self.ground_axis.append(list(motion.axis))
            self.ground_pose.append(pose)
            self.place[id(ground)] = (link, Frame())
        return len(self.parent)

    def _add_step(self, step: TreeStep) -> None:
        """The links of one joint of the tree, and the body on the last."""
        joint, backward = step.joint, step.backward
        if joint is None:
            kind, name = "free", f"{step.child.path} free"
            if self.unseen:  # any name will do that no part has
                while name in self.model:
                    name += " motion"
            elif name in self.model:
                raise ModelError(
                    f"the name '{name}' is kept for the free motion of body '{step.child.path}'; "
                    "choose another name for what is called so"
                )
            frame_a, frame_b = Frame(), Frame(self._inertia(step.child).com) if self.absolute else Frame()
            # a free body is held by no ground, whatever its subsystem's ground: its coordinates are the world's
            link, parent_pose = 0, Frame()
        else:
            kind, name = joint.kind, joint.path
            frame_a, frame_b = self.reference.frames(joint)
            link, parent_pose = self.place[id(step.parent)]
        motions = KINDS[kind].motions
        first_q, first_v = len(self.q_start), len(self.v_start)
        starts_q = np.cumsum([0] + [m.nq for m in motions])
        starts_v = np.cumsum([0] + [m.nv for m in motions])
        pitch = pitch_per_radian(joint)
        near, far = (frame_b, frame_a) if backward else (frame_a, frame_b)
        pose = parent_pose @ near
        previous = np.eye(3)
        links: dict[int, int] = {}
        for k in reversed(range(len(motions))) if backward else range(len(motions)):
            motion = motions[k]
            code = MOTION_CODES[motion.word]
            turn = 1.0 if code in (codes.TURN, codes.HELICAL) else 0.0
            slide = {codes.SLIDE: 1.0, codes.HELICAL: pitch}.get(code, 0.0)
            onto = ONTO[motion.axis] @ BACK if backward and (turn or code == codes.SLIDE) else ONTO[motion.axis]
            if backward and code == codes.SWING:
                code = codes.SWING_BACK
            pose = pose @ Frame(rotation=previous.T @ onto)
            q, v = first_q + int(starts_q[k]), first_v + int(starts_v[k])
            link = self._add_link(link, code, pose, q, v, turn, slide, name)
            links[k] = link
            pose, previous = Frame(), onto
        for k, motion in enumerate(motions):
            self.dof_link.extend([links[k]] * motion.nv)
            self.armature.extend([0.0 if joint is None else joint.armature] * motion.nv)
        # the far frame stands in the last link turned by `previous`
        in_link = Frame(rotation=previous.T)
        child_pose = in_link @ far.inverse()
        self.place[id(step.child)] = (link, child_pose)
        self.body_order.append(step.child)
        b_link, b_pose = (link, in_link) if not backward else self.place[id(step.parent)]
        if backward:
            b_pose = b_pose @ frame_b
        self._start_values(step, kind, joint, frame_a, frame_b)
        self.joints.append(
            JointPlace(
                joint,
                name,
                kind,
                False,
                slice(first_q, len(self.q_start)),
                slice(first_v, len(self.v_start)),
                tuple(links[k] for k in range(len(motions))),
                link,
                backward,
                (b_pose.matrix, b_pose.position),
                b_link,
                step.child.path if joint is None else "",
            )
        )

    def _start_values(self, step: TreeStep, kind: str, joint: Joint | None, frame_a: Frame, frame_b: Frame) -> None:
        """Start values: the user's, else those of the reference configuration."""
        a = Frame() if joint is None else self.reference.of(joint.a)
        b = self.reference.of(step.child if joint is None else joint.b)
        nv = KINDS[kind].nv
        given = joint is not None and joint.position is not None
        if joint is not None and joint.position is not None:
            q = np.array(joint.position, dtype=float)
        else:
            q = coordinates(kind, (a @ frame_a).inverse() @ (b @ frame_b), pitch_per_radian(joint))
        if joint is not None:
            self._refuse_misfit(joint, (a @ frame_a).inverse() @ (b @ frame_b))
        self.q_start.extend(q)
        self.q_given.extend([given] * nv)
        given = joint is not None and joint.velocity is not None
        self.v_start.extend(joint.velocity if joint is not None and joint.velocity is not None else [0.0] * nv)
        self.v_given.extend([given] * nv)

    def _refuse_misfit(self, joint: Joint, relative: Frame) -> None:
        """Where both bodies were placed by the user, the local frames of their joint must fit."""
        if not {id(joint.a), id(joint.b)} <= self.reference.given:
            return
        distance, angle = misfit(joint.kind, relative, pitch_per_radian(joint))
        if max(distance, angle) > ROUNDED:
            off = " and ".join(f"{x:.4g} {unit}" for x, unit in ((distance, "m"), (angle, "rad")) if x > 1e-9)
            raise ModelError(
                f"{joint.kind} joint '{joint.path}' cannot hold '{joint.a.path}' and '{joint.b.path}' where they are "
                f"placed ({off} off); correct the position= and rotation= of the bodies or leave them out, or correct "
                "frame_a= and frame_b="
            )

    def _inertia(self, body: Body) -> Inertia:
        """That of the body, or what is lent to it or left to it."""
        return self.lent.get(id(body)) or Inertia(body.mass, body.com, body.inertia)

    def _carried(self, places: list[JointPlace]) -> list[Carried]:
        """Which joints carry what moves lent inertia."""
        free = {id(body): place for body, place in zip(self.body_order, self.joints, strict=True)} if self.loans else {}
        number = {id(place.joint): k for k, place in enumerate(places)}
        found = []
        for loan, part in self.loans:
            for joint, side in loan.joints:
                k, own, b = number[id(joint)], free[id(loan.body)], free.get(id(joint.b))
                point = places[k].frame_b[1]
                first_b = -1 if b is None else b.q.start
                found.append(Carried(k, side, own.q.start, own.v.start, part, first_b, point))
        return found

    def _tree(self, grounds: int) -> Tree:
        n = len(self.parent)
        mass = np.zeros(n)
        h = np.zeros((n, 3))
        I = np.zeros((n, 6))
        for body in self.body_order:
            link, pose = self.place[id(body)]
            m, com, moments = self._inertia(body)
            c, R = pose.point(com), pose.matrix
            about = R @ moments @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
            mass[link] += m
            h[link] += m * c
            I[link] += [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
        counted = np.ones(n, dtype=np.int64)
        lent = [body for body in self.body_order if id(body) in self.filled]
        for body, energy in uncounted(self.body_order, self.loans, lent):
            counted[self.place[id(body)][0]] = energy
        first = np.arange(n)
        for i in range(grounds, n):
            if self.parent[i] >= grounds:
                first[i] = first[self.parent[i]]
        last = np.arange(n) + 1
        for i in range(n - 1, grounds - 1, -1):
            last[first[i]] = max(last[first[i]], i + 1)
        last = last[first]
        branches = np.zeros(n, dtype=np.int64)
        for i in range(grounds, n):
            j = self.parent[i]
            if j != i - 1 or self.motion[i] != codes.TURN or self.motion[j] != codes.TURN:
                branches[j] = 1
        places = [self.place[id(body)] for body in self.body_order]
        return Tree(
            grounds=grounds,
            gravity=np.array(self.model.gravity, dtype=float),
            link_parent=np.array(self.parent, dtype=np.int64),
            link_motion=np.array(self.motion, dtype=np.int64),
            link_turn=np.array(self.turn),
            link_slide=np.array(self.slide),
            link_q=np.array(self.first_q, dtype=np.int64),
            link_v=np.array(self.first_v, dtype=np.int64),
            link_R=np.array(self.R),
            link_p=np.array(self.p),
            link_mass=mass,
            link_h=h,
            link_I=I,
            link_branches=branches,
            link_first=first.astype(np.int64),
            link_last=last.astype(np.int64),
            link_counted=counted,
            lent_link=np.array([self.place[id(body)][0] for body in lent], dtype=np.int64),
            lent_inertia=np.array([given_to(body, self.filled[id(body)]) for body in lent]).reshape(-1, 2),
            dof_link=np.array(self.dof_link, dtype=np.int64),
            dof_armature=np.array(self.armature, dtype=float),
            body_link=np.array([link for link, _ in places], dtype=np.int64),
            body_R=np.array([pose.matrix.ravel() for _, pose in places]).reshape(-1, 9),
            body_p=np.array([pose.position for _, pose in places]).reshape(-1, 3),
            ground_law=np.array(self.ground_laws, dtype=np.int64),
            ground_axis=np.array(self.ground_axis, dtype=float),
            ground_R=np.array([pose.matrix.ravel() for pose in self.ground_pose]),
            ground_p=np.array([pose.position for pose in self.ground_pose]),
            link_part=first * 0,
            accounts=2,
        )
