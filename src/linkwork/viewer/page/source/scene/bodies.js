// What moves: a group for each body, with its shapes; pins and symbols of joints ride on them.
import {
  Box3, Color, DoubleSide, FrontSide, Group, Mesh, MeshStandardMaterial, Quaternion, SRGBColorSpace, Vector3,
} from "three";
import { cylinder, geometryOf } from "./shapes.js";

export const colourOf = (rgb) => new Color().setRGB(rgb[0], rgb[1], rgb[2], SRGBColorSpace);

export function material(colour, opacity = 1) {
  return new MeshStandardMaterial({ color: colour, roughness: 0.58, metalness: 0.02, transparent: opacity < 1, opacity });
}

const GHOST = 0.4; // opacity of a second run over the first

/** the bodies of one run */
export class Bodies {
  /** @param {object} run @param {{ghost: boolean, tinted: boolean}} look */
  constructor(run, { ghost, tinted }) {
    this.run = run;
    this.ghost = ghost || null; // null for the first run, which is always solid
    this.root = new Group();
    this.groups = run.bodies.map((body, k) => {
      const group = new Group();
      group.userData = { body: k };
      for (const shape of body.shapes) {
        const own = !tinted && shape.colour, colour = colourOf(own || (tinted && !body.ground ? run.tint : body.colour));
        const opacity = (own && own[3] !== undefined ? own[3] : 1) * (ghost ? GHOST : 1);
        if (opacity <= 0) continue;
        const part = new Mesh(geometryOf(shape), material(colour, opacity));
        part.material.side = shape.front ? FrontSide : DoubleSide;
        part.material.depthWrite = opacity > 0.7;
        part.castShadow = !ghost && !shape.front;
        part.receiveShadow = true;
        part.userData = { opacity, body: k };
        group.add(part);
      }
      this.root.add(group);
      return group;
    });
    this.tyres = [];
    for (const tyre of run.tyres || []) this.tyre(tyre, ghost);
    this.boxes = this.groups.map((group) => {
      const box = new Box3();
      for (const part of group.children) box.union(part.geometry.boundingBox);
      return box;
    });
  }

  /** dark rubber around a wheel; wheels that were drawn from files have their own */
  tyre({ body, at, axis, radius }, ghost) {
    if (this.run.bodies[body].shapes.some((shape) => shape.kind === "mesh")) return;
    const wheel = this.run.bodies[body].shapes.find((shape) => shape.kind === "cylinder" && Math.abs(shape.radius / radius - 1) < 0.05);
    const geometry = cylinder(1.006 * radius, wheel ? 1.02 * wheel.length : 0.5 * radius, 0.76 * radius);
    geometry.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...axis).normalize())).translate(...at);
    geometry.computeBoundingBox();
    const opacity = ghost ? GHOST : 1, part = new Mesh(geometry, material(0x3a3d42, opacity));
    part.material.roughness = 0.9;
    part.castShadow = !ghost;
    part.receiveShadow = true;
    part.userData = { opacity, body };
    this.groups[body].add(part);
    this.tyres.push(part);
  }

  /** side by side nothing shines through: a second run is as solid as the first and has its shadow */
  setGhost(on) {
    if (this.ghost === null || on === this.ghost) return;
    this.ghost = on;
    for (const part of this.groups.flatMap((group) => group.children)) {
      const opacity = part.userData.opacity * (on ? GHOST : 1 / GHOST);
      part.userData.opacity = opacity;
      Object.assign(part.material, { opacity, transparent: opacity < 1, depthWrite: opacity > 0.7, needsUpdate: true });
      part.castShadow = !on;
    }
  }

  colour(colours) { for (const part of this.tyres) (part.userData.full || part.material).color.set(colours.tyre), part.material.color.set(colours.tyre); }

  /** @param {Float32Array} poses */
  place(poses) {
    this.groups.forEach((group, k) => {
      const p = 7 * k;
      group.position.set(poses[p], poses[p + 1], poses[p + 2]);
      group.quaternion.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
    });
  }

  /** corners of the boxes around all bodies where they are at some poses, of those that `chosen` says */
  corners(poses, chosen = () => true) {
    const found = [];
    this.boxes.forEach((box, k) => {
      if (box.isEmpty() || !chosen(this.run.bodies[k], k)) return;
      const p = 7 * k, group = this.groups[k];
      for (let i = 0; i < 8; i++) {
        const corner = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
        group.quaternion.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
        found.push(corner.applyQuaternion(group.quaternion).add(new Vector3(poses[p], poses[p + 1], poses[p + 2])));
      }
    });
    return found;
  }

  /** the mean place of what the camera follows */
  middle(poses) {
    const sum = new Vector3();
    let count = 0;
    this.run.bodies.forEach((body, k) => {
      if (body.followed) { sum.add(new Vector3(poses[7 * k], poses[7 * k + 1], poses[7 * k + 2])); count++; }
    });
    return sum.divideScalar(Math.max(1, count));
  }

  /** a point of a body, or of the world where the body is -1 */
  world(body, point, target = new Vector3()) {
    target.set(...point);
    if (body < 0) return target;
    return target.applyQuaternion(this.groups[body].quaternion).add(this.groups[body].position);
  }
}
