"""Damaged files for readers: bytes, words, numbers and structure changed by a seed; what may come of it is checked.

    fuzz(lw.read, {"arm.urdf": content}, tmp_path, 300)

A reader gives a model, or refuses with one line; within seconds, without warnings of numpy, and without taking memory.
A model file with several errors has a line for each, below one that counts them.
"""

from __future__ import annotations

import random
import re
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import linkwork as lw
from attacks.damaging import flipped, mutated
from attacks.workers import memory

SECONDS = 10  # of CPU for one file; a busy machine may take longer
MEMORY = 500 << 20  # bytes that all files together may take at most beyond what there was
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[\w.:/-]+")
NUMBERS = (
    b"0 -1 1 -0.0 nan inf -inf 1e308 -1e308 1e400 1e-320 1e100 1e40 1e-30 3 4294967296 -2147483649 9999999999999999999 "
    b"0x10 1_0 1,5 1e true none 1.5.2"
).split(b" ")
WORDS = (
    b"ground world base name time . .. ../../secret.stl package://a/b.stl file:///etc/passwd /dev/zero a.b it's "
    b"joint:a fixed revolute floating planar prismatic mesh box \xff\xfe \xc3\x28"
).split(b" ")
WORDS = (
    *WORDS,
    b"",
    b" ",
    b"x" * 5000,
    b"\0",
    b"\n",
    b"<",
    b">",
    b"&#0;",
    b"&#10;",
    b"a&#133;b",
    b"]]>",
    '"\u202e'.encode(),
)


def numbers(content: bytes, chance: random.Random) -> bytes:
    """One number is another one, or none."""
    return _exchanged(content, chance, NUMBER, NUMBERS)


def words(content: bytes, chance: random.Random) -> bytes:
    """One word is another one: of the file, or one that is awkward."""
    return _exchanged(content, chance, WORD, WORDS if chance.random() < 0.5 else None)


def _exchanged(content: bytes, chance: random.Random, pattern: Any, others: Any) -> bytes:
    places = [match.span() for match in pattern.finditer(content)]
    if not places:
        return flipped(content, chance)
    start, end = chance.choice(places)
    a, b = chance.choice(places)
    return content[:start] + (content[a:b] if others is None else chance.choice(others)) + content[end:]


def lines(content: bytes, chance: random.Random) -> bytes:
    """A line is lost, doubled, moved or exchanged."""
    rows = content.split(b"\n")
    one, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    match chance.randrange(4):
        case 0:
            del rows[one]
        case 1:
            rows.insert(other, rows[one])
        case 2:
            rows.insert(other, rows.pop(one))
        case _:
            rows[one], rows[other] = rows[other], rows[one]
    return b"\n".join(rows)


def elements(content: bytes, chance: random.Random) -> bytes:
    """An element of XML is lost, doubled, moved, renamed, emptied or put into itself; of other files a line."""
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return lines(content, chance)
    owners = [(owner, child) for owner in root.iter() for child in owner]
    if not owners:
        return lines(content, chance)
    (owner, child), (_, other) = chance.choice(owners), chance.choice(owners)
    match chance.randrange(7):
        case 0:
            owner.remove(child)
        case 1:
            owner.append(child)
        case 2:
            owner.remove(child)
            (root if other in list(child.iter()) else other).append(child)
        case 3:
            child.tag = other.tag
        case 4:
            for name in list(child.attrib)[:1]:
                del child.attrib[name]
        case 5:
            child.attrib, other.attrib = other.attrib, child.attrib
        case _:
            for _ in range(chance.choice((3, 300))):
                child = ElementTree.SubElement(child, owner.tag)
    return ElementTree.tostring(root)


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped, mutated, numbers, numbers, words, words, lines, elements, elements,
)  # fmt: skip


def mutant(content: bytes, seed: int) -> bytes:
    """The content, changed in one to three places."""
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(WAYS)(content, chance) if content else chance.randbytes(9)
    return content


def fuzz(
    read: Callable[[Path], Any],
    seeds: Mapping[str, bytes],
    folder: Path,
    count: int,
    first: int = 0,
    damaged: Callable[[bytes, int], bytes] = mutant,
) -> Counter[str]:
    """Read `count` damaged files, of the `seeds` (name and content) in turn; counts of what came of them.

    Raises at the first that gives something else than a model or one line; the file stays in the folder.
    """
    found: Counter[str] = Counter()
    names = list(seeds)
    before = memory("VmHWM")
    for seed in range(first, first + count):
        name = names[seed % len(names)]
        file = folder / name
        file.write_bytes(damaged(seeds[name], seed))
        try:
            found[outcome(read, file)] += 1
        except BaseException as error:
            raise AssertionError(f"{name}, seed {seed}: {type(error).__name__}: {str(error)[:300]}") from error
        assert memory("VmHWM") - before < MEMORY, f"{name}, seed {seed}: it took more than {MEMORY >> 20} MB"
    return found


def outcome(read: Callable[[Path], Any], file: Path) -> str:
    """ "read" or "refused"; raises where the reader takes too long or its words are none for a user."""
    with _patience(), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            read(file)
        except (lw.ModelError, lw.OptionError) as error:
            _check_words(str(error))
            return "refused"
    return "read"


def _check_words(text: str) -> None:
    """One line that says what to do, or a line for each of the errors that the first one counts."""
    lines = text.split("\n")
    listed = re.search(r": \d+ errors$", lines[0]) is not None
    assert listed == (len(lines) > 1), f"several lines: {text!r}"
    for line in lines[1:] if listed else lines:
        assert line.isprintable(), f"it cannot be shown: {line!r}"
        assert re.search(r";| must |^  and .* more$", line), f"it does not say what to do: {line}"
        assert len(line) < 20_000, f"a line of {len(line)} letters: {line[:200]}"


@contextmanager
def _patience() -> Iterator[None]:
    """Raises TimeoutError after some seconds of CPU, where the system can."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError(f"it took more than {SECONDS} s")

    previous = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
