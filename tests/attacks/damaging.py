"""Ways to damage a file, by a seed: one bit, a few bytes, a piece cut out, repeated, or from elsewhere."""

import random
from collections.abc import Callable


def flipped(content: bytes, chance: random.Random) -> bytes:
    """One bit the other way."""
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Something else: cut short, bytes exchanged, a piece lost, doubled or zeroed, numbers made huge."""
    place, size = chance.randrange(len(content)), chance.choice((1, 2, 4, 8, 64, 1000))
    piece = content[place : place + size]
    other: list[Callable[[], bytes]] = [
        lambda: content[:place],
        lambda: content[:place] + content[place + size :],
        lambda: content[:place] + piece + piece + content[place + size :],
        lambda: content[:place] + bytes(len(piece)) + content[place + size :],
        lambda: content[:place] + b"\xff" * len(piece) + content[place + size :],
        lambda: content[:place] + chance.randbytes(len(piece)) + content[place + size :],
        lambda: content + chance.randbytes(size),
        lambda: chance.randbytes(size),
        lambda: flipped(flipped(content, chance), chance),
    ]
    return chance.choice(other)()
