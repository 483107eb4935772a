"""Model files in which everything occurs, and ways to damage them: bytes, lines and values."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from formats.fuzzing import mutant
from linkwork import gallery
from random_models import random_model

WORDS = [
    "nan", "inf", "-inf", "0", "-1", "1e308", "1e-308", "9" * 30, "true", '""', "[]", "{}", "[[]]", '"inf"', '"pi"',
    '"9**9**9"', '"x"', '"../../x.csv"', '"/dev/zero"', '"os:system"', "1979-05-27", "{kind = 3}", '{file = "x.csv"}',
    '{compiled = "os:system"}', '"ground"', "[1, 2, 3]", '["a"]', "'''", "]", "}", "=", "[[body]]", "#", "\x00", "é",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 1e308, 10**40, "", "x", "ground", "pi", "1/0", "../x", "a" * 300, [], [[]], {}, {"kind": 3},
    [0, 0, 0], [1, 2, 3], ["a", None, 3], {"file": "x.csv"}, {"file": 3}, {"compiled": "os:system"}, {"kind": "box"},
    "inf", "-inf", [[1, 2, 3]] * 3, {"a": {"b": {"c": 1}}},
]  # fmt: skip
BY_HAND = """linkwork = 1
[parameters]
length = 0.3
area = "pi * length**2"
[[body]]
name = "rod"
mass = "area"
inertia = ["length", "length", 0]
[[subsystem]]
name = "s"
file = "seed3.toml"
[[subsystem]]
name = "d"
component = "linkwork.gallery.car:Wheel"
parameters = {stiffness = "2 * length"}
"""


def seeds(folder: Path, ending: str) -> dict[str, bytes]:
    """Files with this ending, "toml" or "json"."""
    models = [random_model(seed) for seed in (3, 7, 11)]
    models += [gallery.piece(name).build() for name in ("pendulum", "car", "cam_valve", "puma", "gearbox")]
    names = [f"seed{k}.{ending}" for k in range(len(models))]
    for name, model in zip(names, models, strict=True):
        model.write(folder / name)
    found = {f"damaged {name}": (folder / name).read_bytes() for name in names}
    if ending == "toml":
        models[3].write(folder / "seed3.toml")
        found["by hand.toml"] = BY_HAND.encode()
    return found


def damaged_toml(content: bytes, seed: int) -> bytes:
    """The content, changed by a seed."""
    chance = random.Random(seed)
    return chance.choice((bytes_changed, lines_changed))(content.decode(), chance)


def damaged_json(content: bytes, seed: int) -> bytes:
    """The content, changed by a seed."""
    chance = random.Random(seed)
    ways: list[Callable[[str, random.Random], bytes]] = [bytes_changed, values_changed, values_changed]
    return chance.choice([*ways, lambda text, _: mutant(text.encode(), seed)])(content.decode(), chance)


def bytes_changed(text: str, rng: random.Random) -> bytes:
    """Some bytes replaced, removed or doubled."""
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randint(1, 40)]
        elif kind == 2:
            data[at:at] = data[at : at + rng.randint(1, 200)]
        else:
            data[at:at] = rng.choice(WORDS).encode()
        data = data or bytearray(b"x")
    return bytes(data)


def lines_changed(text: str, rng: random.Random) -> bytes:
    """Lines removed, doubled or moved, values replaced."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        kind = rng.randrange(4)
        if kind == 0 and len(lines) > 2:
            del lines[at]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif kind == 2 and " = " in lines[at]:
            lines[at] = f"{lines[at].split(' = ')[0]} = {rng.choice(WORDS)}"
        elif " = " in lines[at]:
            other = rng.choice([line for line in lines if " = " in line])
            lines[at] = f"{other.split(' = ')[0]} = {lines[at].split(' = ', 1)[1]}"
    return "\n".join(lines).encode()


def values_changed(text: str, rng: random.Random) -> bytes:
    """Values anywhere inside replaced by others."""
    data = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        holder: Any = data
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(holder[key], (dict, list)) and holder[key] and rng.random() < 0.8:
                holder = holder[key]
                continue
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(rng.choice(VALUES))
            break
    return json.dumps(data).encode()
