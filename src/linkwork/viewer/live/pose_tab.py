"""The tab of the live page with a slider for every coordinate of a joint that can be set."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

HANDS_OFF = 0.5  # s for which a slider is left alone after it was moved by hand


class PoseTab:
    """A switch for the kinematic mode, and sliders, which show what loops and gears make of the others."""

    def __init__(self, gui: Any, coordinates: Sequence[dict[str, Any]], on: bool, send: Callable[..., None]) -> None:
        self.send = send
        self.touched: dict[int, float] = {}  # when a slider was last moved by hand
        self.switch = gui.add_checkbox("kinematic", on, hint="move the joints by hand: no forces, no time")
        self.switch.on_update(self._switched)
        self.sliders = []
        for number, made in enumerate(coordinates):
            low, high = round(made["low"], 4), round(made["high"], 4)
            low, high = (low, high) if low < high else (made["low"], made["high"])
            value = min(max(made["value"], low), high)
            slider = gui.add_slider(f"{made['name']} [{made['unit']}]", low, high, made["step"], value, disabled=not on)
            slider.on_update(lambda event, number=number: self._moved(event, number))
            self.sliders.append(slider)

    @property
    def on(self) -> bool:
        """Whether the mode is on."""
        return bool(self.switch.value)

    def _switched(self, event: Any) -> None:
        if event.client is not None:  # it is also switched by the other side
            self.send("kinematic", self.on)
        for slider in self.sliders:
            slider.disabled = not self.on

    def _moved(self, event: Any, number: int) -> None:
        if event.client is not None:
            self.touched[number] = time.monotonic()
            self.send("pose", number, float(self.sliders[number].value))

    def turn_off(self) -> None:
        """The other side has left the mode."""
        self.switch.value = False

    def show(self, values: Sequence[float]) -> None:
        """Put the sliders where the joints are, but for those that are being moved."""
        now = time.monotonic()
        for number, (slider, value) in enumerate(zip(self.sliders, values, strict=True)):
            if now - self.touched.get(number, -1.0) > HANDS_OFF:
                slider.value = min(max(value, slider.min), slider.max)
