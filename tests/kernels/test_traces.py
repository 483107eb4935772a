"""How much code a step passes: it may become less, and not more without a word."""

import importlib.util

import pytest

from pages import ROOT

spec = importlib.util.spec_from_file_location("trace_tool", ROOT / "tools" / "trace.py")
trace = importlib.util.module_from_spec(spec)
spec.loader.exec_module(trace)

MOST = {  # functions, files; ARCHITECTURE.md says what they are for
    "resting box, impulse": (281, 80),
    "pendulum, impulse": (112, 44),
    "pendulum, recursive": (61, 22),
    "stiffness of a spring": (54, 29),
}


@pytest.fixture(scope="module")
def counted():
    return trace.counted()


@pytest.mark.parametrize("name", MOST)
def test_a_step_passes_no_more_code_than_before(counted, name):
    functions, files = MOST[name]
    found = counted[name]
    assert 0 < len(found.functions) <= functions
    assert 0 < found.files <= files


def test_what_is_counted_is_there(counted):
    names = {function for _, function in counted["pendulum, recursive"].functions}
    assert {"evaluate", "run"} <= names
    assert any(function == "spring_force" for _, function in counted["stiffness of a spring"].functions)
