"""Every script in benchmarks/ runs, with a small argument where it has one."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(file.stem for file in (ROOT / "benchmarks").glob("*.py"))
PARTS = {"score_page", "score_problems"}  # of scores.py
SMALL = {  # arguments, and what is printed
    "cd03_tables": (["3"], "Table 3"),
    "component_agreement": (["car, rk4, 1 ms"], "component, joint"),
    "mst17_table": (["0.05", "chain, 1 N m"], "maximal"),
    "scores": (["--only", "block on a slope"], "4 numbers within their tolerance"),
    "transport_latency": (["--exchanges", "5"], "socket pair"),
    "viewer": (["--seconds", "0.2", "--repeats", "1", "--bodies", "2"], "pictures/s out"),
}


@pytest.mark.parametrize("script", [name for name in SCRIPTS if name not in PARTS])
def test_script_runs(script: str, tmp_path: Path) -> None:
    if script == "viewer" and not find_spec("websockets"):
        pytest.skip("the live page needs websockets")
    arguments, shown = SMALL[script]
    command = [sys.executable, str(ROOT / "benchmarks" / f"{script}.py"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert shown in done.stdout
