"""The live page: a viser server in a process of its own. It shows what the board says and sends back what is clicked.

Board (shared memory, float64): sequence, time, energy, balance, drift, real-time factor, running; then 7 numbers for
everything that moves. Words back through a pipe: ("run", bool), ("step",), ("reset",), ("speed", x), ("time", t),
("input", name, x). The process ends with the one that started it.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from linkwork.model import Frame
from linkwork.simulation.scene import shape_from
from linkwork.viewer.solids import Floats, Solid, rod, solid
from linkwork.viewer.staging import matrix

FRAMES_PER_SECOND = 60
HEAD = 7
SEQUENCE, TIME, ENERGY, BALANCE, DRIFT, FACTOR, RUNNING = range(HEAD)
SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
DARK = (45, 45, 48)


def serve(show: dict[str, Any], board: str, pipe: Connection, host: str, port: int) -> None:
    """Serve the page until the other side hangs up. `show` is what `live.staged` made."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who steps
    # viser has a banner; the address is the other side's to print
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    parent = os.getppid()
    memory = SharedMemory(name=board)
    try:
        import viser

        try:
            server = viser.ViserServer(host=host, port=port, verbose=False)
        except OSError as error:
            pipe.send(("failed", f"cannot listen on {host}:{port} ({error.strerror or error}); give another port"))
            return
        numbers = np.ndarray(HEAD + 7 * len(show["bodies"]), dtype=np.float64, buffer=memory.buf)
        _Panel(server, show, numbers, pipe)
        pipe.send(("ready", server.get_port()))
        while os.getppid() == parent and not pipe.poll(0.5):
            pass
        server.stop()
    finally:
        memory.close()


class _Panel:
    """Scene and controls, and the loop that keeps them up with the board."""

    def __init__(self, server: Any, show: dict[str, Any], board: Floats, pipe: Connection) -> None:
        self.server, self.show, self.board, self.pipe = server, show, board, pipe
        self.told = False  # while this side moves the time bar itself
        server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
        server.scene.configure_default_lights(cast_shadow=False)
        self._scene()
        self._controls()
        threading.Thread(target=self._follow, daemon=True).start()

    # --- the scene ----------------------------------------------------------------------------------------

    def _scene(self) -> None:
        server, view = self.server, self.show["view"]
        centre, radius = np.array(view["centre"]), view["radius"]
        turn, up = math.radians(view["azimuth"]), math.radians(view["elevation"])
        towards = np.array([math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)])
        camera = server.initial_camera
        camera.up, camera.look_at = (0.0, 0.0, 1.0), tuple(centre)
        camera.position, camera.fov = tuple(centre + 3.1 * radius * towards), math.radians(35)
        camera.near, camera.far = 0.02 * radius, 200 * radius
        server.scene.add_grid(
            "/grid",
            infinite_grid=True,
            cell_size=view["cell"],
            section_size=5 * view["cell"],
            fade_distance=20 * radius,
            position=(0.0, 0.0, view["floor"]),
        )
        self.groups: list[tuple[Any, list[int]]] = []
        kinds: dict[str, list[int]] = {}
        for k, body in enumerate(self.show["bodies"]):
            if body["shapes"]:
                kinds.setdefault(repr(body["shapes"]), []).append(k)
        for g, members in enumerate(kinds.values()):
            bodies = [self.show["bodies"][k] for k in members]
            colours = np.array([np.multiply(body["colour"], 255) for body in bodies]).astype(np.uint8)
            self.groups.append((self._meshes(f"/bodies/{g}", bodies[0]["shapes"], len(members), colours), members))
        self.marks = []
        for m, mark in enumerate(self.show["marks"]):
            self.marks.append((self._meshes(f"/joints/{m}", [mark["shape"]], 1, DARK), [mark["body"]]))
        self.coils = None
        if self.show["springs"]:
            corners, faces = _coil(8, 0.14)
            count = len(self.show["springs"])
            self.coils = server.scene.add_batched_meshes_simple(
                "/springs",
                corners,
                faces,
                np.tile([1.0, 0, 0, 0], (count, 1)),
                np.zeros((count, 3)),
                batched_scales=np.ones((count, 3)),
                batched_colors=DARK,
                side="double",
                lod="off",
            )

    def _meshes(self, name: str, shapes: list[dict[str, Any]], count: int, colours: Any) -> Any:
        corners = np.concatenate([triangles(shape) for shape in shapes])
        faces = np.arange(3 * len(corners)).reshape(-1, 3)
        return self.server.scene.add_batched_meshes_simple(
            name,
            corners.reshape(-1, 3).astype(np.float32),
            faces.astype(np.uint32),
            np.tile([1.0, 0, 0, 0], (count, 1)),
            np.zeros((count, 3)),
            batched_colors=colours,
            flat_shading=True,
            side="double",
            lod="off",
        )

    # --- the controls -------------------------------------------------------------------------------------

    def _controls(self) -> None:
        gui, send = self.server.gui, self.pipe.send
        gui.add_markdown(f"**{self.show['title']}**  \n{self.show['label']}")
        self.run = gui.add_button("Pause")
        self.run.on_click(lambda _: send(("run", self.board[RUNNING] == 0.0)))
        gui.add_button("Step").on_click(lambda _: send(("step",)))
        gui.add_button("Reset").on_click(lambda _: send(("reset",)))
        speed = gui.add_dropdown("speed", SPEEDS, initial_value=self.show["speed"])
        speed.on_update(lambda _: send(("speed", float(speed.value))))
        self.bar = None
        if self.show["span"] is not None:
            first, last = self.show["span"]
            self.bar = gui.add_slider("time [s]", first, last, (last - first) / 1000, first)
            self.bar.on_update(lambda event: send(("time", self.bar.value)) if event.client is not None else None)
        for name, value in self.show["inputs"].items():
            reach = 2 * abs(value) or 10.0
            slider = gui.add_slider(name, -reach, reach, reach / 100, value)
            slider.on_update(lambda _, name=name, slider=slider: send(("input", name, float(slider.value))))
        self.readings = gui.add_markdown("")

    # --- keeping up ---------------------------------------------------------------------------------------

    def _follow(self) -> None:
        seen, last = -1.0, 0.0
        while True:
            time.sleep(1 / FRAMES_PER_SECOND)
            board = self.board.copy()
            if board[SEQUENCE] == seen:
                continue
            seen = board[SEQUENCE]
            self._pose(board[HEAD:].reshape(-1, 7))
            if time.monotonic() - last > 0.2:
                last = time.monotonic()
                self._read(board)

    def _pose(self, poses: Floats) -> None:
        rest = np.array([0.0, 0, 0, 1, 0, 0, 0])
        with self.server.atomic():
            for handle, members in (*self.groups, *self.marks):
                chosen = np.array([poses[k] if k >= 0 else rest for k in members])
                handle.batched_positions = chosen[:, :3].astype(np.float32)
                handle.batched_wxyzs = chosen[:, 3:].astype(np.float32)
            if self.coils is not None:
                places, turns, scales = self._springs(poses)
                self.coils.batched_positions, self.coils.batched_wxyzs = places, turns
                self.coils.batched_scales = scales

    def _springs(self, poses: Floats) -> tuple[Any, Any, Any]:
        places, turns, scales = [], [], []
        for spring in self.show["springs"]:
            a, b = (
                np.array(spring[at]) if spring[end] < 0 else _place(poses[spring[end]], spring[at])
                for end, at in (("a", "at_a"), ("b", "at_b"))
            )
            length = max(float(np.linalg.norm(b - a)), 1e-9)
            radius = min(spring["radius"], 0.2 * length)
            places.append(a)
            turns.append(Frame.along((b - a) / length if length > 1e-9 else (0, 0, 1)).rotation)
            scales.append((radius, radius, length))
        return tuple(np.array(found, dtype=np.float32) for found in (places, turns, scales))  # type: ignore[return-value]

    def _read(self, board: Floats) -> None:
        self.run.label = "Pause" if board[RUNNING] else "Run"
        lines = [f"time {board[TIME]:.3f} s"]
        if self.bar is not None:
            self.bar.value = float(np.clip(board[TIME], *self.show["span"]))
        else:
            lines.append(f"real-time factor {board[FACTOR]:.2f}")
        lines += [f"energy {board[ENERGY]:.5g} J", f"balance {board[BALANCE]:.2g} J", f"drift {board[DRIFT]:.2g}"]
        self.readings.content = "  \n".join(lines)


def _place(pose: Floats, point: Any) -> Floats:
    return np.asarray(matrix(pose[3:]) @ np.asarray(point) + pose[:3])


def triangles(shape: dict[str, Any]) -> Floats:
    """A solid of the stage as triangles in the frame of its body, (n, 3, 3).

    >>> triangles({"kind": "rod", "from": [0, 0, 0], "to": [0, 0, 1], "radius": 0.1}).shape[1:]
    (3, 3)
    """
    if shape["kind"] in ("rod", "pin"):
        ends = np.array(shape["from"], dtype=float), np.array(shape["to"], dtype=float)
        made = rod(*ends, shape["radius"], closed=shape["kind"] == "pin")
    elif shape["kind"] == "mesh":
        corners = np.asarray(shape["triangles"], dtype=float)
        made = Solid(corners, np.zeros(len(corners), dtype=np.int64))
        made = made.moved(Frame(shape["position"], shape["rotation"]))
    else:
        known = shape_from(shape)
        assert known is not None, shape["kind"]
        made = solid(known)
    return np.concatenate([made.corners, *(_ball(ball) for ball in made.balls)])


def _ball(ball: Floats) -> Floats:
    """A ball (centre, radius) as triangles."""
    down = np.linspace(0, math.pi, 13)[:, None]
    round_ = np.linspace(0, 2 * math.pi, 25)[None, :]
    grid = np.stack([np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down) + 0 * round_], axis=-1)
    grid = ball[:3] + ball[3] * grid
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(three, axis=-2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])


def _coil(turns: int, wire: float) -> tuple[Any, Any]:
    """A coil along z from 0 to 1 of radius 1: corners and faces."""
    steps, sides = 12 * turns, 6
    s = np.linspace(0, 1, steps + 1)[:, None]
    a, b = 2 * math.pi * turns * s, np.linspace(0, 2 * math.pi, sides, endpoint=False)[None, :]
    out = 1 + wire * np.cos(b)
    corners = np.stack([out * np.cos(a), out * np.sin(a), s + 0.05 * wire * np.sin(b)], axis=-1).reshape(-1, 3)
    faces = []
    for k in range(steps):
        for i in range(sides):
            p, q = k * sides + i, k * sides + (i + 1) % sides
            faces += [(p, q, q + sides), (p, q + sides, p + sides)]
    return corners.astype(np.float32), np.array(faces, dtype=np.uint32)
