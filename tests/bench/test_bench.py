"""The comparison with other engines runs and prints what it promises; how fast it is, is not a test."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path
from typing import Any

import pytest

import linkwork as lw
from linkwork import bench
from linkwork.bench.slopes import measure as measure_slopes


def test_quick_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(["tree"], as_json=True, quick=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["quick"] is True
    assert document["machine"]["cores"] >= 1
    assert document["versions"]["linkwork"]
    rows = document["scenes"]["tree"]["comparisons"]
    assert {row["engine"] for row in rows} == {"MuJoCo", "Pinocchio", "Drake", "DART"}
    for row in rows:
        assert row["linkwork"] > 0
        if row["peer"] is not None:
            assert row["ratio"] == pytest.approx(row["linkwork"] / row["peer"])
            assert row["difference"] < 1e-9
            assert row["verdict"] in (("-",) if row["engine"] in ("Drake", "DART") else ("pass", "fail"))


def test_table_and_missing_engines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_engines(name: str, *rest: Any, **options: Any) -> Any:
        if name.split(".")[0] in ("mujoco", "pinocchio", "pydrake", "dartpy"):
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_engines)
    assert bench.run(["tree"], as_json=False, quick=True) == 0
    out = capsys.readouterr().out
    assert "chain of 5" in out
    assert "mixed tree of 30" in out
    assert "not installed: pip install 'linkwork[bench]'" in out
    assert "not installed: pip install drake" in out


def test_slopes_agree() -> None:
    pytest.importorskip("numba")
    report = measure_slopes(quick=True)
    least = {"Pinocchio": 1e-11, "MuJoCo": 1e-4, "differences": 1e-8}
    assert [row.engine for row in report.comparisons] == list(least)
    for row in report.comparisons:
        assert row.difference is None or row.difference < least[row.engine]
    assert [figure.target for figure in report.figures] == [5.0]


def test_page(tmp_path: Path) -> None:
    """One file with charts, the ratios, the machine, and nothing fetched from elsewhere."""
    file = tmp_path / "bench.html"
    assert bench.run(["implicit"], as_json=True, quick=True, page=str(file)) == 0
    text = file.read_text()
    assert text.count("<svg") == 3  # ratios, work and precision, growth
    assert "work and precision" in text
    assert "our time over theirs" in text
    assert "linkwork" in text
    assert not re.search(r"(src|href)=\"https?:", text.replace("xlink:href", ""))
    with pytest.raises(lw.OptionError, match=r"known are \.html"):
        bench.run(["tree"], as_json=True, quick=True, page=str(tmp_path / "bench.pdf"))


def test_unknown_scene() -> None:
    with pytest.raises(lw.OptionError, match="unknown scene 'piano'; scenes are: tree"):
        bench.run(["piano"], as_json=False, quick=True)


def test_verdicts() -> None:
    row = bench.Comparison("a", "b", 1.0, 4.0, target=0.5)
    assert (row.ratio, row.verdict) == (0.25, "pass")
    row.linkwork = 3.0
    assert row.verdict == "fail"
    assert bench.Comparison("a", "b", 1.0).verdict == "-"
    assert bench.Figure("x", None, 1.1).verdict == "-"


def test_python_quick() -> None:
    """Read, write, step: the loops of both sides take the same way, and every part has its figure."""
    from linkwork.bench import python_loop

    report = python_loop.measure(quick=True)
    loops = [
        f"{case}, recursive"
        for case in ("kernel", "step()", "read one joint by name", "write one torque", "loop by names", "loop at once")
    ]
    calls = [f"dynamics.{name}" for name in ("forward", "inverse", "mass", "jacobian")]
    assert [row.case for row in report.comparisons] == loops + calls
    for row in report.comparisons:
        assert row.linkwork > 0
        assert row.difference is None or row.difference < 1e-12
    loop = pytest.approx(6.667, abs=1e-3)
    assert [figure.target for figure in report.figures] == [loop, loop, 2.0, 1.0, 1.0, *[3.0] * 4, *[15.0] * 4]


def test_many_quick() -> None:
    """Runs and copies in threads; the worlds of MuJoCo go where ours do."""
    from linkwork.bench import many

    report = many.measure(quick=True)
    assert {row.case.split(", ")[1] for row in report.comparisons} == {"a row in 10", "every row", "copies"}
    assert all(row.linkwork > 0 for row in report.comparisons)
    if report.comparisons[0].peer is not None:
        assert all(row.difference is not None and row.difference < 1e-9 for row in report.comparisons)


def test_components_quick() -> None:
    from linkwork.bench import components

    report = components.measure(quick=True)
    cases = [row.case for row in report.comparisons]
    assert "chain of 30, component" in cases
    assert "ladder of 30, absolute" in cases
    assert report.comparisons[-1].peer is not None  # two processes against one
    assert len(report.figures) == 6
    assert "two processes" in report.figures[-1].name


def test_break_even() -> None:
    from linkwork.bench.components import _break_even

    def table(ratios: dict[int, float]) -> dict[int, bench.Comparison]:
        return {bodies: bench.Comparison("chain", "one", ratio, 1.0) for bodies, ratio in ratios.items()}

    assert _break_even(table({30: 4.0, 100: 2.0, 400: 0.5})) == pytest.approx(200.0)
    assert _break_even(table({30: 4.0, 100: 2.0})) is None
    assert _break_even(table({30: 0.9, 100: 0.8})) == 30.0


@pytest.mark.peer
def test_errors_stand_beside_mujocos() -> None:
    """Humanoid and tracks, shortly: overlap, slip and energy of both, and a pass where ours is less."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    from linkwork.bench.driving import measure_tracks
    from linkwork.bench.grasping import humanoid_task, measure_task

    row, errors = measure_task(humanoid_task(1e-3), 0.1, 1, 1e-3)
    rows, more = measure_tracks(1, 0.02)
    assert [each.case.split(",")[0] for each in (row, *rows)] == ["humanoid", *["tracks of 2 x 40 shoes"] * 2]
    assert all(each.linkwork > 0 and each.peer is not None and each.peer > 0 for each in (row, *rows))
    for what in ("slip of the feet", "slip of the shoes", "opening of a pin", "deepest overlap", "energy from nowhere"):
        found = [figure for figure in errors + more if what in figure.name]
        assert found, what
        assert all(figure.peer is not None and figure.target == figure.peer for figure in found)
    opening = next(figure for figure in more if "opening" in figure.name)
    assert opening.verdict == "pass"
    assert opening.value is not None
    assert opening.value < 1e-8
    assert "; MuJoCo " in bench.against(opening)
