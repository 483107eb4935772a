"""The workers of the attacks see what they are there to count."""

import os
import time

import numpy as np
import pytest

from attacks import workers
from attacks.workers import Worker, alive, counted


def task(what: str) -> str:
    if what == "large":
        return f"{np.ones(600 << 17).sum():g}"
    if what == "crash":
        os._exit(3)
    if what == "raw":
        raise KeyError("raw")
    for _ in range(int(what) if what.isdigit() else 0):
        time.sleep(0.1)
        alive()
    if what == "hang":
        time.sleep(60)
    return "good"


def test_what_is_bad_is_counted() -> None:
    """Also the second time: a large piece does not hide behind an earlier one."""
    outcomes, bad = counted(task, ["small", "large", "raw", "large", "crash", "small"])
    assert outcomes == {"good": 2, "memory": 2, "raw exception": 1, "crash": 1}
    assert bad == ["large: memory", "raw: raw exception: KeyError: 'raw'", "large: memory", "crash: crash"]


def test_a_hang_is_silence_and_not_length(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(task, patience=1.0)
    assert worker.do("small") == "good"
    assert worker.do("20", warm=0) == "good"
    assert worker.do("hang", warm=0) == "hang"
    monkeypatch.setattr(workers, "LONGEST", 1.0)
    assert worker.do("600", warm=0) == "hang"
