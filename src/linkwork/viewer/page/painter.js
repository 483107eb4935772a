// WebGL: bodies in the light, their shadows on the floor, the grid, lines.
const SOLID = [`#version 300 es
  in vec3 corner, normal; uniform mat4 view, pose; uniform float floor_z; uniform bool shadow; out vec3 n;
  void main() {
    vec4 p = pose * vec4(corner, 1.0);
    if (shadow) p.z = floor_z;
    mat3 R = mat3(pose);
    n = R * (normal / vec3(dot(R[0], R[0]), dot(R[1], R[1]), dot(R[2], R[2])));
    gl_Position = view * p;
  }`, `#version 300 es
  precision highp float; in vec3 n; uniform vec3 towards; uniform vec4 colour; uniform bool lit; out vec4 result;
  void main() {
    if (!lit) { result = colour; return; }
    vec3 m = normalize(n);
    float light = 0.62 + 0.30 * max(dot(m, normalize(vec3(-0.35, -0.5, 0.85))), 0.0) + 0.08 * m.z
      + 0.14 * abs(dot(m, towards));
    result = vec4(min(colour.rgb * light, 1.0), colour.a);
  }`];
const GRID = [`#version 300 es
  in vec3 corner; uniform mat4 view; uniform vec3 middle; uniform float reach, floor_z; out vec2 p;
  void main() {
    p = middle.xy + corner.xy * reach;
    gl_Position = view * vec4(p, floor_z, 1.0);
  }`, `#version 300 es
  precision highp float; in vec2 p; uniform vec3 middle; uniform float reach, cell; out vec4 result;
  float lines(float step) {
    vec2 x = p / step, w = fwidth(x) * 1.1, d = abs(fract(x - 0.5) - 0.5);
    vec2 l = (1.0 - smoothstep(vec2(0.0), w, d)) * clamp(0.35 / w, 0.0, 1.0);
    return max(l.x, l.y);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.45, 1.0, length(p - middle.xy) / reach);
    float a = max(0.26 * lines(cell), 0.6 * lines(5.0 * cell));
    result = vec4(0.55, 0.57, 0.6, (0.05 + a) * fade);
  }`];

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL 2; open the page in another one");
    this.gl = gl;
    this.solid = this.program(SOLID);
    this.grid = this.program(GRID);
    this.sheet = this.corners([[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]].flatMap(([x, y]) => [x, y, 0, 0, 0, 1]));
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  program([vertex, fragment]) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "corner");
    gl.bindAttribLocation(made, 1, "normal");
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
      const name = gl.getActiveUniform(made, k).name;
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  corners(numbers) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    gl.bindVertexArray(null);
    return { array, buffer, count: numbers.length / 6 };
  }

  forget(made) { this.gl.deleteVertexArray(made.array); this.gl.deleteBuffer(made.buffer); }

  begin(camera) {
    const gl = this.gl, canvas = this.canvas, ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight].map((s) => Math.max(1, Math.round(s * ratio)));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    gl.viewport(0, 0, w, h);
    gl.clearColor(0.98, 0.98, 0.973, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    this.view = camera.matrix(w / h);
    this.towards = camera.towards();
  }

  floor(height, middle, reach, cell) {
    const gl = this.gl, { made, at } = this.grid;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniform3fv(at.middle, middle);
    gl.uniform1f(at.reach, reach);
    gl.uniform1f(at.cell, cell);
    gl.uniform1f(at.floor_z, height);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.bindVertexArray(this.sheet.array);
    gl.drawArrays(gl.TRIANGLES, 0, 6);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // things: [{corners, pose (matrix), colour}]
  shadows(things, height) {
    const gl = this.gl, { made, at } = this.solid;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniform1i(at.shadow, 1);
    gl.uniform1i(at.lit, 0);
    gl.uniform1f(at.floor_z, height);
    gl.uniform4f(at.colour, 0.2, 0.22, 0.25, 0.16);
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    for (const thing of things) if (!thing.front) this.put(thing);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
  }

  solids(things, opacity = 1) {
    const gl = this.gl, { made, at } = this.solid;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniform3fv(at.towards, this.towards);
    gl.uniform1i(at.shadow, 0);
    gl.uniform1i(at.lit, 1);
    const draw = () => {
      for (const thing of things) { gl.uniform4f(at.colour, ...thing.colour, opacity); this.put(thing); }
    };
    if (opacity < 1) {  // depth first, so that only the nearest face of a thing is seen through
      gl.enable(gl.POLYGON_OFFSET_FILL);  // where it stands in the same place, what was drawn before is seen
      gl.polygonOffset(2, 4);
      gl.colorMask(false, false, false, false);
      draw();
      gl.colorMask(true, true, true, true);
      gl.enable(gl.BLEND);
      gl.depthFunc(gl.LEQUAL);
    }
    draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
  }

  put(thing) {
    const gl = this.gl;
    gl.uniformMatrix4fv(this.solid.at.pose, false, thing.pose);
    gl.bindVertexArray(thing.corners.array);
    if (thing.front) gl.enable(gl.CULL_FACE);  // a plane is looked through from behind
    gl.drawArrays(gl.TRIANGLES, 0, thing.corners.count);
    gl.disable(gl.CULL_FACE);
  }

  line(corners, colour) {
    const gl = this.gl, { made, at } = this.solid;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniformMatrix4fv(at.pose, false, poseMatrix([0, 0, 0, 1, 0, 0, 0]));
    gl.uniform1i(at.shadow, 0);
    gl.uniform1i(at.lit, 0);
    gl.uniform4f(at.colour, ...colour, 1);
    gl.bindVertexArray(corners.array);
    gl.drawArrays(gl.LINE_STRIP, 0, corners.count);
  }
}
