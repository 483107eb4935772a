"""A function fits a screen and a file holds one idea: bounds on both, with the exceptions and their reasons."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "linkwork"
FUNCTION_LINES = 80
FILE_LINES = 400

# "file:function" and why it is longer
LONG_FUNCTIONS = {
    "cli/run.py:run": "half of it is its signature, the options of the command",
}
ROOM_FILES = 15
# room and why it has more files
LARGE_ROOMS = {
    "gallery": "a mechanism each",
    "formats/mjcf": "a file for each part of MuJoCo's format, read and written",
    "formats/model_file": "a file for each kind of content, read and written",
    "formats/step": "a file for each step from solids to joints",
    "viewer/live": "the page's server, its process and the side that steps",
    "_kernels": "packing, lookup, compiler and library",
}
# file and why it is longer
LONG_FILES = {
    "mechanics/tree/articulated.py": "one algorithm: articulated bodies in three passes, all motions",
}


def functions(source: str) -> dict[str, int]:
    """Lines of every function from its first decorator on; of several with one name the most."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min(each.lineno for each in (node, *node.decorator_list))
            assert node.end_lineno is not None
            found[node.name] = max(found.get(node.name, 0), node.end_lineno - first + 1)
    return found


SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def test_functions_fit_a_screen() -> None:
    sizes = {f"{file}:{name}": size for file, source in SOURCES.items() for name, size in functions(source).items()}
    long = {name: size for name, size in sizes.items() if size > FUNCTION_LINES}
    new = {name: size for name, size in long.items() if name not in LONG_FUNCTIONS}
    assert not new, f"functions of more than {FUNCTION_LINES} lines; write them as a list of named steps: {new}"
    assert LONG_FUNCTIONS.keys() <= long.keys(), "an exception that is no longer needed; remove it"


def test_files_hold_one_idea() -> None:
    long = {file: lines for file, source in SOURCES.items() if (lines := len(source.splitlines())) > FILE_LINES}
    new = {file: lines for file, lines in long.items() if file not in LONG_FILES}
    assert not new, f"files of more than {FILE_LINES} lines; split those that hold two ideas: {new}"
    assert LONG_FILES.keys() <= long.keys(), "an exception that is no longer needed; remove it"


def test_rooms_have_few_files() -> None:
    rooms: dict[str, int] = {}
    for file in SOURCES:
        room, _, name = file.rpartition("/")
        rooms[room] = rooms.get(room, 0) + (name != "__init__.py")
    large = {room: count for room, count in rooms.items() if count > ROOM_FILES}
    new = {room: count for room, count in large.items() if room not in LARGE_ROOMS}
    assert not new, f"rooms of more than {ROOM_FILES} files; give them inner rooms: {new}"
    assert LARGE_ROOMS.keys() <= large.keys(), "an exception that is no longer needed; remove it"


@pytest.mark.parametrize(
    ("source", "sizes"),
    [
        ("def f():\n    a = 1\n    return a\n", {"f": 3}),
        ("@kernel\ndef f():\n    pass\n\n\nclass C:\n    def g(self):\n        pass\n", {"f": 3, "g": 2}),
        ("def f():\n    def g():\n        pass\n    return g\n", {"f": 4, "g": 2}),
        ("x = 1\n", {}),
    ],
)
def test_the_test_itself_counts_lines(source: str, sizes: dict[str, int]) -> None:
    assert functions(source) == sizes
