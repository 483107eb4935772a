"""resources/model.bin: what the C code of an FMU reads. `c/model.h` describes it; both must agree."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from linkwork._kernels import store
from linkwork.formats.fmi.exported_variables import PARAMETER, VALUES, ExportedVariable, turn_states
from linkwork.formats.fmi.start_image import StartImage
from linkwork.simulation.structure.persistent import persistent_array

MAGIC = b"LWFMU003"
LISTS = (
    *("image", "relocations", "variables", "terms", "effects", "forgotten", "laws", "texts"),
    *("dof_names", "link_names", "row_names", "turns"),
)
WORDS = ("name", "token", "sources", "loop_symbol", "observe_symbol", "remedy")
PLACES = (
    *("loop_block", "loop_numbers", "loop_results", "observe_block"),
    *("t", "y", "last", "vd", "rate", "nq", "nv", "drift", "length_unit"),
    *("lag", "shown", "start_rates", "rates", "rate_count", "lost"),
    *("record", "balance", "drift_position", "drift_velocity", "border", "seal"),
)
HEAD = 8 * (1 + 1 + 2 * len(LISTS) + len(WORDS) + len(PLACES) + 1)


class Texts:
    """Texts one after the other, each ending with a zero; equal ones are kept once."""

    def __init__(self) -> None:
        self.content, self._places = bytearray(), dict[str, int]()

    def add(self, text: str) -> int:
        """Where a text begins."""
        if text not in self._places:
            self._places[text] = len(self.content)
            self.content += text.encode() + b"\0"
        return self._places[text]


def record_place(image: StartImage, count: int) -> dict[str, int]:
    """Room at the end of the image for what is not linkwork's: of methods with impulses, and the record.

    `count` inputs and parameters have their values in the record. Returns the places.
    """
    memory, stepper = image.memory, image.stepper
    places = dict.fromkeys(("lag", "shown", "start_rates", "rates"), -1) | {"rate_count": 0}
    if stepper.method.impulses:
        rates = stepper.state.cut_rate
        places = {
            "lag": memory.add_numbers(stepper.lag),
            "shown": memory.add_numbers(np.zeros(stepper.moving.nv)),
            "start_rates": memory.add_numbers(rates),
            "rates": memory.place(rates) if rates.size else 0,
            "rate_count": rates.size,
        }
    places["record"] = memory.add_numbers(np.zeros(VALUES + count))
    return places


def model_file(
    image: StartImage,
    variables: list[ExportedVariable],
    places: dict[str, int],
    token: str,
    laws: dict[int, str],
    seal: int = 0,
) -> bytes:
    """The file. `laws` are names of compiled laws by the place of their address in the image; `seal` is a key."""
    exchange = any(each.rate_of is not None for each in variables)
    texts, memory, stepper, system = Texts(), image.memory, image.stepper, image.system
    for each in variables:
        if each.number >= 0:
            struct.pack_into("<d", memory.content, places["record"] + 8 * (VALUES + each.number), each.start)
    for place in laws:
        struct.pack_into("<q", memory.content, place, 0)
    terms = [term for each in variables for term in each.terms]
    effects = [(k, *effect) for k, each in enumerate(variables) if each.kind == PARAMETER for effect in each.effects]
    lists: dict[str, tuple[bytes, int]] = {
        "image": (bytes(memory.content), len(memory.content)),
        "relocations": _packed("qq", memory.relocations),
        "variables": (_variables(variables), len(variables)),
        "terms": _packed("dqqq", [(t.factor, t.place, t.other, int(t.whole)) for t in terms]),
        "effects": _packed("qqd", effects),
        "forgotten": _packed("qd", _forgotten(image)),
        "laws": _packed("qq", [(place, texts.add(name)) for place, name in laws.items()]),
        "dof_names": _packed("q", [(texts.add(system.dof_name(k)),) for k in range(system.nv)]),
        "link_names": _packed("q", [(texts.add(name),) for name in system.link_names]),
        "row_names": _packed("q", [(texts.add(system.row_name(k)),) for k in range(system.rows)]),
        "turns": _packed("qq", [(each.place, each.rate) for each in turn_states(image)] if exchange else []),
    }
    loop, observe = image.symbols
    words = {
        "name": system.model.name,
        "token": token,
        "sources": f'"sources": "{store.source_hash()}"',
        "loop_symbol": loop,
        "observe_symbol": observe,
        "remedy": " or integrator='adaptive'" if "adaptive" in stepper.method.orders else "",
    }
    at_text = {name: texts.add(text) for name, text in words.items()}
    lists["texts"] = (bytes(texts.content), len(texts.content))
    state = stepper.state
    rates = persistent_array(stepper, "steps.f")
    contacts = stepper.workspace._asdict().get("contact_scratch")
    numbers = {each.name: k for k, each in enumerate(variables)}
    places = places | {
        "loop_block": image.loop_block,
        "loop_numbers": image.loop_numbers,
        "loop_results": image.loop_results,
        "observe_block": image.observe_block,
        **{name: memory.place(getattr(state, name)) for name in ("t", "y", "last", "drift")},
        "vd": memory.place(state.vd) if state.vd.size else 0,
        "rate": -1 if rates is None else memory.place(rates),
        "nq": system.nq,
        "nv": system.nv,
        "length_unit": memory.place(state.size),
        "lost": -1 if contacts is None else memory.place(contacts.lost),
        "balance": numbers["energy.balance"],
        "drift_position": numbers["drift.position"],
        "drift_velocity": numbers["drift.velocity"],
        "border": places.get("border", -1),
        "seal": seal,
    }
    content = _joined(lists, at_text, places, stepper.method.dt)
    return content if seal == 0 else content[:HEAD] + scrambled(content[HEAD:], seal)


def scrambled(content: bytes, key: int) -> bytes:
    """Plain bytes as scrambled ones, and the reverse: as `c/seal.c` does it."""
    state = np.uint64(key) + np.arange(1, len(content) // 8 + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    stream = (z ^ (z >> np.uint64(31))).astype("<u8").view(np.uint8)[: len(content)]
    return (np.frombuffer(content, np.uint8) ^ stream).tobytes()


def _joined(lists: dict[str, tuple[bytes, int]], words: dict[str, int], places: dict[str, int], dt: float) -> bytes:
    content, at = bytearray(), {}
    for name in LISTS:
        data, _ = lists[name]
        at[name] = HEAD + len(content)
        content += data + bytes(-len(data) % 64)
    numbers = [number for name in LISTS for number in (at[name], lists[name][1])]
    numbers += [words[name] for name in WORDS] + [places[name] for name in PLACES]
    head = MAGIC + struct.pack(f"<q{len(numbers)}qd", HEAD + len(content), *numbers, dt)
    assert len(head) == HEAD
    return bytes(head + content)


def _packed(kinds: str, rows: list[Any]) -> tuple[bytes, int]:
    return b"".join(struct.pack("<" + kinds, *row) for row in rows), len(rows)


def _variables(variables: list[ExportedVariable]) -> bytes:
    rows, first = [], 0
    for each in variables:
        size = math.prod(each.shape)
        numbers = (each.kind, each.needs, each.place, each.number, first, len(each.terms), size, each.tau)
        rows.append((*numbers, each.start, each.least))
        first += len(each.terms)
    return _packed("qqqqqqqqdd", rows)[0]


def _forgotten(image: StartImage) -> list[tuple[int, float]]:
    """What `Method.forget` writes: found by letting it write, on other memory."""
    stepper = image.stepper
    carried = persistent_array(stepper, "steps.persistent")
    if carried is None:
        return []
    before = carried.copy()
    carried[:] = float("nan")
    stepper.forget()
    written = [
        (image.memory.place(carried[k : k + 1]), float(value)) for k, value in enumerate(carried) if value == value
    ]
    carried[:] = before
    return written
