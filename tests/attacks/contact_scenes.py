"""Random scenes with contact by both methods: nothing wrong without a doubt, judged by motion and a peer's overlaps."""

from __future__ import annotations

from collections import Counter

from attacks.workers import counted
from random_contact_scenes import judge

AT_ONCE = 4  # workers


def _attack(seed: int) -> str:
    told = judge(seed, "maximal" if seed % 2 else "impulse")
    if told["error"]:
        return "stopped with a reason"
    if told["doubts"]:
        return "in doubt"
    return "wrong numbers" if told["wrong"] else "good"


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` scenes, drawn by their seed."""
    return counted(_attack, range(count), warm=100, at_once=min(AT_ONCE, 1 + count // 200))
