// Joints as symbols: pins of hinges, balls, guides of what slides, feet where a joint stands on the ground; rods, and ropes.
import { BufferGeometry, CylinderGeometry, Group, Mesh, Quaternion, Vector3 } from "three";
import { material } from "./bodies.js";
import { pushes, rope } from "./rope.js";
import { geometryOf } from "./shapes.js";

const UP = new Vector3(0, 0, 1), DOWN = new Vector3(0, 0, -1);

/** whether a joint holds at a time */
export const holds = (span, t) => !span || ((span[0] === null || t >= span[0]) && (span[1] === null || t < span[1]));

export class JointMarks {
  constructor(run, bodies, view, live = false) {
    Object.assign(this, { run, bodies, view, live });
    this.root = new Group();
    this.dark = material(0x2f3136);
    this.pale = material(0xffffff);
    this.hemp = material(0xb08d57);
    this.hemp.roughness = 0.95;
    this.marks = [];
    this.make(run.pins, run.joints || []);
  }

  /** live: other joints than before */
  make(pins, joints) {
    this.root.clear();
    this.marks = [];
    this.rods = [];
    for (const pin of pins) this.add(pin.joint, pin.body, pin.span, [new Mesh(geometryOf(pin.shape), this.dark)]);
    joints.forEach((joint, number) => {
      const size = (joint.size || 0.02 * this.view.radius);
      if (joint.drawn === "guide" && joint.axis) this.add(joint.name, joint.body, joint.span, this.guide(joint, size));
      if (joint.far) this.rods.push(this.rod(joint, number, size));
      if (joint.foot) this.add(joint.name, -1, joint.span, this.foot(joint.foot, size));
    });
  }

  add(name, body, span, parts) {
    const group = new Group();
    for (const part of parts) { part.castShadow = true; part.userData = { joint: name }; group.add(part); }
    this.root.add(group);
    this.marks.push({ name, body, span, group });
  }

  /** between two points that keep their distance: a rope as long as it only pulls; a live one begins as a rope */
  rod(joint, number, size) {
    const group = new Group();
    const bar = new Mesh(new CylinderGeometry(0.4 * size, 0.4 * size, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5), this.dark);
    const strands = new Mesh(new BufferGeometry(), this.hemp); // when its length is known
    for (const part of [bar, strands]) { part.castShadow = part.receiveShadow = true; part.userData = { joint: joint.name }; group.add(part); }
    this.root.add(group);
    return { name: joint.name, joint, number, group, bar, strands, thick: 0.34 * size, rope: joint.rope ?? this.live };
  }

  /** a thin bar along which something slides, in a sleeve */
  guide(joint, size) {
    const along = new Quaternion().setFromUnitVectors(UP, new Vector3(...joint.axis).normalize());
    return [[0.32, 9], [0.95, 1.7]].map(([radius, length], k) => {
      const geometry = new CylinderGeometry(radius * size, radius * size, length * size, 20).rotateX(Math.PI / 2);
      const part = new Mesh(geometry, k ? this.pale : this.dark);
      part.quaternion.copy(along);
      part.position.set(...joint.at);
      return part;
    });
  }

  /** a cone on a plate */
  foot(at, size) {
    const cone = new Mesh(new CylinderGeometry(0.5 * size, 1.7 * size, 2.6 * size, 4, 1).rotateY(Math.PI / 4).rotateX(Math.PI / 2), this.pale);
    const plate = new Mesh(new CylinderGeometry(2 * size, 2 * size, 0.35 * size, 32).rotateX(Math.PI / 2), this.dark);
    for (const [part, down] of [[cone, 1.3], [plate, 2.75]]) {
      part.position.set(...at).addScaledVector(DOWN, down * size);
    }
    return [cone, plate];
  }

  colour(colours) {
    this.dark.color.set(colours.joint);
    this.pale.color.set(colours.road);
  }

  /** those that are selected or pointed at */
  highlight(colour) {
    this.bright ||= material(colour);
    this.bright.color.set(colour);
    for (const mark of [...this.marks, ...this.rods]) for (const part of mark.group.children) {
      part.userData.own ||= part.material;
      part.material = mark.lit ? this.bright : part.userData.own;
    }
  }

  place(t, forces) {
    for (const rod of this.rods) {
      const { joint, group, bar, strands, thick } = rod;
      const from = this.bodies.world(joint.body, joint.at, group.position), way = this.bodies.world(joint.far.body, joint.far.at).sub(from), length = way.length();
      group.visible = holds(joint.span, t) && length > 1e-9;
      if (!group.visible) continue;
      if (this.live && rod.rope && pushes(forces, rod.number, way)) rod.rope = false;
      bar.visible = !rod.rope;
      strands.visible = rod.rope;
      bar.scale.z = length;
      if (rod.rope && !group.userData.twisted) { strands.geometry = rope(length / thick); group.userData.twisted = true; }
      strands.scale.set(thick, thick, length);
      group.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
    }
    for (const mark of this.marks) {
      mark.group.visible = holds(mark.span, t);
      if (mark.body < 0) continue;
      const { position, quaternion } = this.bodies.groups[mark.body];
      mark.group.position.copy(position);
      mark.group.quaternion.copy(quaternion);
    }
  }
}
