"""Keys that are held: what the inputs are while a key is down, and when it is up again."""

from __future__ import annotations

from collections.abc import Collection, Mapping


class HeldKeys:
    """`keys` say what each sets inputs to while it is down; inputs in `stay` keep that afterwards, others go to zero.

    The key that went down last counts; when it is up, the one before it.

    >>> keys = HeldKeys({"I": {"drive": 1.0, "steer": 0.2}, "K": {"drive": -1.0}})
    >>> keys.turn("I", True), keys.turn("K", True)
    ({'drive': 1.0, 'steer': 0.2}, {'drive': -1.0})
    >>> keys.turn("K", False), keys.turn("I", False)
    ({'drive': 1.0}, {'drive': 0.0, 'steer': 0.0})
    """

    def __init__(self, keys: Mapping[str, Mapping[str, float]], stay: Collection[str] = ()) -> None:
        self.keys, self.stay = keys, stay
        self.held: list[str] = []  # in the order in which they went down

    def turn(self, key: str, down: bool) -> dict[str, float]:
        """Inputs that change when the key goes down, or up."""
        if down == (key in self.held):
            return {}
        if down:
            self.held.append(key)
            return dict(self.keys[key])
        self.held.remove(key)
        found = {}
        for name in self.keys[key]:
            values = [self.keys[other][name] for other in self.held if name in self.keys[other]]
            if values or name not in self.stay:
                found[name] = values[-1] if values else 0.0
        return found
