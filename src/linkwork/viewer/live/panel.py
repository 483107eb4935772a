"""The controls of the live page. They show the shared frame and send what is clicked.

Messages sent: ("run", bool), ("single", steps), ("reset",), ("speed", x), ("time", t), ("loop", bool),
("input", name, x), ("method", name), ("dt", s), ("watch", columns), ("release", joint), ("attach", a, b, kind),
("grab", body, point, goal), ("pull", body, goal), ("drop", body), with points in the world;
("kinematic", bool), ("pose", number of a coordinate, x). Messages received: ("note", text), ("label", text),
("joints", names of the released, pins and places of the attached), ("kinematic", False), ("coordinates", numbers).
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.charts import Charts
from linkwork.viewer.live.pose_tab import PoseTab
from linkwork.viewer.live.scenery import SWITCHES, Scenery
from linkwork.viewer.live.shared_frame import FrameData, SharedFrame

FRAME, LOOK = 1 / 60, 0.002  # s between two pictures, and between two looks for one that is due
SPEEDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
HANDS_OFF = 0.5  # s for which the bar of time is left alone after it was moved by hand
READ, DRAW = 0.15, 0.25  # s between two readings, and two drawings of the charts
# the page's camera moves by W A S D Q E and the arrows: these are free, two for each input, more and less
NUDGES = (("I", "K"), ("L", "J"), ("O", "U"), ("Y", "H"), ("T", "G"), ("V", "C"))
KINDS = ("fixed", "ball")
NONE = "(none)"
HELD = 0.7  # s without a repeat after which a key is no longer held; keyboards wait for half a second before the first


def plain(text: str) -> str:
    """A name as it is, where Markdown is read.

    >>> plain("a_b <i>")
    '&#97;&#95;&#98; &#60;&#105;&#62;'
    """
    return "".join(letter if letter.isspace() else f"&#{ord(letter)};" for letter in text)


class Panel:
    """Controls, and the loop that keeps scene and readings up with the shared frame."""

    def __init__(self, server: Any, show: dict[str, Any], frame: SharedFrame, send: Callable[..., None]) -> None:
        self.server, self.show, self.frame, self.send = server, show, frame, send
        self.ended = False
        self.holding: dict[str, float] = {}  # inputs that a key holds, and until when
        self.live = show["span"] is None
        server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
        server.gui.main_panel.dock_right()
        server.gui.set_panel_label(show["title"])
        self.scenery = Scenery(server, show)
        if self.live:
            self._draggable()
        self._controls()
        self.follower = threading.Thread(target=self._follow, daemon=True)
        self.follower.start()

    def close(self) -> None:
        """Stop following the shared frame."""
        self.ended = True
        self.follower.join(2.0)

    def receive(self, name: str, *values: Any) -> None:
        """Handle a message of the stepping side."""
        if name == "note":
            self.note.content = values[0]
            self.note.visible = bool(values[0])
        elif name == "label":
            self.label.content = self._label([values[0]])
        elif name == "joints":
            gone, pins, joints = values
            self.scenery.rearrange(gone, pins, joints)
            kept = [name for name in self.show["changing"] if name not in gone]
            self.held.options = tuple(kept + [joint["name"] for joint in joints]) or (NONE,)
        elif name == "kinematic" and self.pose is not None:
            self.pose.turn_off()
        elif name == "coordinates" and self.pose is not None:
            self.pose.show(values[0])

    # --- the controls -------------------------------------------------------------------------------------

    def _label(self, labels: list[str]) -> str:
        return f"**{plain(self.show['title'])}**  \n{plain(' over '.join(labels))}"

    def _controls(self) -> None:
        gui = self.server.gui
        self.label = gui.add_markdown(self._label(self.show["labels"]))
        self.note = gui.add_markdown("", visible=False)
        self.run = gui.add_button("Pause", hint="space")
        self.run.on_click(lambda _: self._toggle())
        words = ("Step", "Reset") if self.live else ("Back", "Forward", "Start")
        more = gui.add_button_group("", words)
        more.on_click(lambda _: self._press(more.value))
        speeds = tuple(f"{value:g}" for value in sorted({*SPEEDS, self.show["speed"]}))
        speed = gui.add_dropdown("speed", speeds, initial_value=f"{self.show['speed']:g}")
        speed.on_update(lambda _: self.send("speed", float(speed.value)))
        self.bar: Any = None
        self.scrubbed = 0.0  # when the bar was last moved by hand
        self.owed = False  # whether it has yet to be put where the time is
        if not self.live:
            first, last = self.show["span"]
            self.bar = gui.add_slider("time [s]", first, last, (last - first) / 1000, first)
            self.bar.on_update(self._scrub)
            loop = gui.add_checkbox("loop", True)
            loop.on_update(lambda _: self.send("loop", loop.value))
        self.readings = gui.add_markdown("")
        tabs = gui.add_tab_group()
        self.sliders: dict[str, Any] = {}
        self.pose: PoseTab | None = None
        own = [("Drive", self._drive)] if self.live else []
        own += [("Pose", self._posed)] if self.show["coordinates"] else []
        for name, fill in reversed(own) if self.show["kinematic"] else own:  # the first is the one that is open
            with tabs.add_tab(name):
                fill(gui)
        with tabs.add_tab("Show"):
            self._shown(gui)
        with tabs.add_tab("Plots"):
            self._plots(gui)
        with tabs.add_tab("Keys"):
            self._keys(gui)

    def _toggle(self) -> None:
        self.send("run", self.frame.read().head[slot.RUNNING] == 0.0)

    def _press(self, word: str) -> None:
        if word in ("Step", "Forward", "Back"):
            self.send("single", -1 if word == "Back" else 1)
        else:
            self.send("reset")

    def _scrub(self, event: Any) -> None:
        if event.client is not None:  # the bar also moves by itself
            self.scrubbed = time.monotonic()
            self.send("time", self.bar.value)

    def _posed(self, gui: Any) -> None:
        self.pose = PoseTab(gui, self.show["coordinates"], self.show["kinematic"], self.send)

    def _drive(self, gui: Any) -> None:
        for made in self.show["inputs"]:
            label = f"{made['name']} [{made['unit']}]" if made["unit"] else made["name"]
            ends = [round(made[end], 9) for end in ("low", "high", "step", "value")]
            slider = gui.add_slider(label, *ends)
            slider.on_update(lambda _, name=made["name"], slider=slider: self.send("input", name, float(slider.value)))
            self.sliders[made["name"]] = slider
        if not self.show["inputs"]:
            gui.add_markdown("*no inputs: no force, torque or motor of this model is a number*")
        method = gui.add_dropdown("method", tuple(self.show["methods"]), initial_value=self.show["method"])
        method.on_update(lambda _: self.send("method", method.value))
        steps = {f"{dt:g}": dt for dt in self.show["steps"]}
        dt = gui.add_dropdown("dt [s]", tuple(steps), initial_value=f"{self.show['step']:g}")
        dt.on_update(lambda _: self.send("dt", steps[dt.value]))
        with gui.add_folder("Joints", expand_by_default=False):
            self.held = gui.add_dropdown("joint", tuple(self.show["changing"]) or (NONE,))
            gui.add_button("Release").on_click(lambda _: self._release())
            bodies = [body["name"] for body in self.show["bodies"] if body["shapes"] and not body["ground"]]
            a = gui.add_dropdown("attach to", ("ground", *bodies))
            b = gui.add_dropdown("body", tuple(bodies))
            kind = gui.add_dropdown("by a joint", KINDS)
            gui.add_button("Attach").on_click(lambda _: self.send("attach", a.value, b.value, kind.value))

    def _release(self) -> None:
        if self.held.value != NONE:
            self.send("release", self.held.value)

    def _shown(self, gui: Any) -> None:
        for name in SWITCHES:
            box = gui.add_checkbox(name, self.scenery.on[name])
            box.on_update(lambda _, name=name, box=box: self._switch(name, box.value))
        follow = gui.add_checkbox("follow", self.scenery.follow)
        follow.on_update(lambda _: setattr(self.scenery, "follow", follow.value))
        size = gui.add_slider("arrows", -2.0, 2.0, 0.1, 0.0, hint="length of arrows, by powers of ten")
        size.on_update(lambda _: setattr(self.scenery, "size", 10.0**size.value))
        with gui.add_folder("Trails", expand_by_default=False):
            names = {body["name"]: k for k, body in enumerate(self.show["bodies"])}
            body = gui.add_dropdown("body", tuple(names) or ("",))
            first = self.show["bodies"][0]["com"] if names else (0.0, 0.0, 0.0)
            point = gui.add_vector3("point [m]", tuple(first), step=0.01)
            body.on_update(lambda _: setattr(point, "value", tuple(self.show["bodies"][names[body.value]]["com"])))
            gui.add_button("Follow it").on_click(lambda _: self.scenery.trail(names[body.value], point.value))
            gui.add_button("Clear trails").on_click(lambda _: self.scenery.clear())
        gui.add_button("Picture").on_click(self._picture)

    def _draggable(self) -> None:
        """Bodies can be pulled with the mouse. Callbacks are coroutines: these come in the order of the moves."""

        def on(handle: Any, members: list[int]) -> None:
            async def dragged(event: Any) -> None:
                body = self.show["bodies"][members[event.instance_index or 0]]
                name = body["name"]
                if body["ground"]:
                    return
                goal = tuple(np.add(event.end_position, self.scenery.shift))
                if event.phase == "start":
                    self.send("grab", name, tuple(np.add(event.start_position, self.scenery.shift)), goal)
                elif event.phase == "update":
                    self.send("pull", name, goal)
                else:
                    self.send("drop", name)

            handle.on_drag("left")(dragged)

        for handle, members in self.scenery.groups:
            on(handle, members)

    def _switch(self, name: str, value: bool) -> None:
        self.scenery.switch(name, value)
        self.scenery.pose(self.frame.read())

    def _plots(self, gui: Any) -> None:
        column = gui.add_dropdown("column", tuple(self.show["columns"]) or ("",))
        both = gui.add_button_group("", ("Plot it", "Clear"))

        def press(_: Any) -> None:
            if both.value == "Clear":
                self.charts.clear()
            else:
                self.charts.add(column.value)
            self.send("watch", list(self.charts.names))

        both.on_click(press)
        self.charts = Charts(gui, gui.add_folder("Charts"), self.show["columns"])
        for name in self.show["plots"]:
            self.charts.add(name)

    def _keys(self, gui: Any) -> None:
        """Keys, and a table of what they do."""
        table = ["| key | |", "|---|---|", "| W A S D Q E, arrows | move the camera |"]

        def add(key: str, what: str, do: Any) -> None:
            gui.add_command(what, hotkey=key).on_trigger(lambda _: do())
            table.append(f"| {key} | {what} |")

        add("space", "run or pause", self._toggle)
        add("N", "one step", lambda: self.send("single", 1))
        add("B" if not self.live else "R", "back" if not self.live else "reset", self._backwards)
        given = self.show["keys"]
        for key, inputs in given.items():
            what = ", ".join(f"{name} = {value:g}" for name, value in inputs.items())
            add(key, what, lambda inputs=inputs: self._hold(inputs))
        free = [pair for pair in NUDGES if not set(pair) & set(given)]
        for made, (more, less) in zip(self.show["inputs"], free, strict=False):
            for key, way in ((more, 1), (less, -1)):
                what = f"{made['name']} {'more' if way > 0 else 'less'}"
                add(key, what, lambda made=made, way=way: self._nudge(made, way))
        if self.show["inputs"] and "X" not in given:
            add("X", "all inputs zero", lambda: self._set_all({made["name"]: 0.0 for made in self.show["inputs"]}))
        if self.live:
            table.append("| drag | pull a body |")
        gui.add_markdown("\n".join(table))

    def _backwards(self) -> None:
        if self.live:
            self.send("reset")
        else:
            self.send("single", -1)

    def _nudge(self, made: dict[str, Any], way: int) -> None:
        self._set(made["name"], self.sliders[made["name"]].value + way * 10 * made["step"])

    def _hold(self, inputs: dict[str, float]) -> None:
        """Set inputs for as long as the key is held: it repeats itself, and its end is a pause."""
        self._set_all(inputs)
        until = time.monotonic() + HELD
        self.holding |= {name: until for name in inputs if name not in self.show["stay"]}

    def _let_go(self, now: float) -> None:
        for name in [name for name, until in self.holding.items() if now > until]:
            del self.holding[name]
            self._set(name, 0.0)

    def _set_all(self, inputs: dict[str, float]) -> None:
        for name, value in inputs.items():
            self._set(name, value)

    def _set(self, name: str, value: float) -> None:
        slider = self.sliders.get(name)
        if slider is None:
            self.send("input", name, value)
            return
        slider.value = float(np.clip(value, slider.min, slider.max))
        self.send("input", name, float(slider.value))

    def _picture(self, event: Any) -> None:
        """The scene as seen in the browser that asked, as a PNG file."""
        from PIL import Image

        client = event.client
        size = client.camera.image_height, client.camera.image_width
        seen = Image.fromarray(client.get_render(*size, transport_format="png", timeout=30.0))
        white = Image.new("RGBA", seen.size, (255, 255, 255, 255))
        white.alpha_composite(seen.convert("RGBA"))
        file = io.BytesIO()
        white.convert("RGB").save(file, "PNG")
        t = self.frame.read().head[slot.TIME]
        name = f"{self.show['title']} {t:.3f} s.png".replace(" ", "_")
        client.send_file_download(name, file.getvalue(), save_immediately=True)

    # --- keeping up ---------------------------------------------------------------------------------------

    def _follow(self) -> None:
        seen, read, drawn, soon = -1.0, 0.0, 0.0, False
        picture, unread = self.frame.read(), True
        while not self.ended:
            time.sleep(LOOK if soon else FRAME - 2 * LOOK)
            soon = True
            now = time.monotonic()
            self._let_go(now)
            if not self.server.get_clients() and now - read < 1.0:
                soon = False
                continue  # no browser is open
            if self.frame.sequence != seen or self.scenery.changed is not None:
                soon = False
                picture = self.frame.read()
                seen = float(picture.head[slot.SEQUENCE])
                self.charts.keep(picture)
                with self.server.atomic():
                    self.scenery.pose(picture)
                self.server.flush()  # viser would gather messages for a sixtieth of a second more
                unread = True
            due = unread and (now - read > READ or not picture.head[slot.RUNNING])
            if due or (self.owed and now - self.scrubbed > HANDS_OFF):
                read, unread = now, False
                self._read(picture)
            if now - drawn > DRAW:
                drawn = now
                self.charts.draw()

    def _read(self, seen: FrameData) -> None:
        head = seen.head
        if self.pose is not None and self.pose.on:
            self.run.label, self.readings.content = "Run", "*kinematic: no forces, no time; Run goes on from here*"
            return
        self.run.label = "Pause" if head[slot.RUNNING] else "Run"
        digits = self.show["view"]["digits"]
        lines = [f"time {head[slot.TIME]:.{max(3, digits)}f} s"]
        if self.live:
            lines.append(f"real-time factor {head[slot.FACTOR]:.2f}")
            lines.append(f"late steps {head[slot.LATE]:.0f} of {head[slot.STEPS]:.0f}")
            if head[slot.ITERATIONS]:
                lines.append(f"iterations {head[slot.ITERATIONS]:.0f}")
            if head[slot.CONTACT_COUNT]:
                lines.append(f"contacts {head[slot.CONTACT_COUNT]:.0f}")
        else:
            self.owed = time.monotonic() - self.scrubbed < HANDS_OFF
            if not self.owed:
                self.bar.value = float(np.clip(head[slot.TIME], *self.show["span"]))
        lines += [
            f"energy {head[slot.ENERGY]:.5g} J",
            f"balance {head[slot.BALANCE]:.2g} J",
            f"drift {head[slot.DRIFT]:.2g}",
        ]
        if self.scenery.on["reactions"]:
            lines.append(f"arrows {self.scenery.per_newton(seen.forces):.2g} m for a newton")
        self.readings.content = "  \n".join(lines)
