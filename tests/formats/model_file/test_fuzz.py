"""Damaged model files give a model, or an error of ours: no traceback of another kind, no hang, no code that runs."""

from __future__ import annotations

import copy
import json
import random
import signal
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linkwork as lw
from linkwork import gallery
from random_models import random_model

LONGEST = 30  # s for one file
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


def seeds(folder: Path) -> list[str]:
    """Files in which everything occurs."""
    models = [random_model(seed) for seed in (3, 7, 11)]
    models += [gallery.piece(name).build() for name in ("pendulum", "car", "cam_valve", "puma", "gearbox")]
    texts = []
    for k, model in enumerate(models):
        model.write(folder / f"seed{k}.toml")
        texts.append((folder / f"seed{k}.toml").read_text())
    texts.append(
        'linkwork = 1\n[parameters]\nlength = 0.3\narea = "pi * length**2"\n[[body]]\nname = "rod"\nmass = "area"\n'
        'inertia = ["length", "length", 0]\n[[subsystem]]\nname = "s"\nfile = "seed3.toml"\n'
        '[[subsystem]]\nname = "d"\ncomponent = "linkwork.gallery.car:Wheel"\nparameters = {stiffness = "2 * length"}\n'
    )
    return texts


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
    """Values anywhere inside replaced by others, as JSON."""
    data = tomllib.loads(text)
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
    return json.dumps(data).replace("Infinity", '"inf"').encode()


MUTATORS: dict[str, tuple[str, Callable[[str, random.Random], bytes]]] = {
    "bytes": ("toml", bytes_changed),
    "lines": ("toml", lines_changed),
    "values": ("json", values_changed),
}


def attack(kind: str, count: int, folder: Path, first: int = 0) -> dict[str, int]:
    """Read damaged files; returns how many were read and how many refused."""
    texts = seeds(folder)
    ending, change = MUTATORS[kind]
    ends = {"read": 0, "refused": 0}
    path = folder / f"damaged.{ending}"

    def too_long(*_: object) -> None:
        raise AssertionError(f"a damaged file takes longer than {LONGEST} s; it is kept as {path}")

    before = signal.signal(signal.SIGALRM, too_long)
    try:
        for number in range(first, first + count):
            rng = random.Random(f"{kind} {number}")
            path.write_bytes(change(rng.choice(texts), rng))
            signal.alarm(LONGEST)
            try:
                lw.read(path)
                ends["read"] += 1
            except (lw.ModelError, lw.OptionError) as error:
                ends["refused"] += 1
                check_words(str(error), path)
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return ends


def check_words(message: str, path: Path) -> None:
    """Each line is short and says where it is."""
    assert path.name in message, message
    for line in message.split("\n"):
        assert len(line) < 1000, line
        assert line.isprintable(), repr(line)
    assert "Traceback" not in message


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no alarm that ends a hang")
@pytest.mark.parametrize("kind", MUTATORS)
def test_damaged_files(kind: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = attack(kind, 100, tmp_path)
    assert ends["refused"] > 10


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no alarm that ends a hang")
@pytest.mark.parametrize("kind", MUTATORS)
def test_very_many_damaged_files(kind: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = attack(kind, 3400, tmp_path, first=100)
    assert ends["refused"] > 1000
