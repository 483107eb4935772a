// The floor: a disc that fades into the background, a grid on it, and the shadows.
import { Color, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";

const VERTEX = `
  varying vec3 place;
  void main() { vec4 p = modelMatrix * vec4(position, 1.0); place = p.xyz; gl_Position = projectionMatrix * viewMatrix * p; }`;
const FRAGMENT = `
  varying vec3 place;
  uniform vec3 ground, grid, middle; uniform float cell, reach, strength;
  float lines(float step) {
    vec2 x = place.xy / step, w = fwidth(x) * 1.2, d = abs(fract(x - 0.5) - 0.5);
    vec2 l = (1.0 - smoothstep(vec2(0.0), w, d)) * clamp(0.3 / w, 0.0, 1.0);
    return max(l.x, l.y);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place.xy - middle.xy) / reach);
    float line = strength * max(0.45 * lines(cell), lines(5.0 * cell));
    gl_FragColor = vec4(mix(ground, grid, line * fade), fade);
    #include <colorspace_fragment>
  }`;

export class Floor {
  constructor(scene, view) {
    this.view = view;
    const sheet = new PlaneGeometry(1, 1);
    this.disc = new Mesh(sheet, new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
      uniforms: {
        ground: { value: new Color() }, grid: { value: new Color() }, middle: { value: [0, 0, 0] },
        cell: { value: view.cell }, reach: { value: 1 }, strength: { value: 0.5 },
      },
    }));
    this.disc.renderOrder = -2;
    this.shadow = new Mesh(sheet, new ShadowMaterial({ transparent: true, depthWrite: false }));
    this.shadow.renderOrder = -1;
    this.shadow.receiveShadow = true;
    for (const part of [this.disc, this.shadow]) part.position.z = view.floor;
    scene.add(this.disc, this.shadow);
  }

  colour(colours) {
    const { uniforms } = this.disc.material;
    uniforms.ground.value.set(colours.ground);
    uniforms.grid.value.set(colours.grid);
    uniforms.strength.value = colours.gridStrength;
    this.shadow.material.opacity = colours.shadow;
  }

  /** under what is looked at */
  place(target, distance) {
    const reach = Math.max(6 * this.view.radius, 2.4 * distance);
    this.disc.material.uniforms.reach.value = reach;
    this.disc.material.uniforms.middle.value = [target.x, target.y, 0];
    for (const part of [this.disc, this.shadow]) {
      part.position.x = target.x;
      part.position.y = target.y;
      part.scale.set(2 * reach, 2 * reach, 1);
    }
  }
}
