"""Files that are not what their name says: one line that says what they are and what to do."""

from pathlib import Path

import pytest

import linkwork as lw

ROBOT = "<robot name='r'><link name='a'/></robot>"
REFUSED = {
    "robot": (ROBOT, "robot: its name has no ending, which tells the format; give one of .urdf, "),
    "robot.txt": (ROBOT, "robot.txt: models have no files with the ending '.txt'; give one of .urdf, "),
    "robot.urdf.xacro": (ROBOT, "macros of URDF; expand it first: xacro FILE > robot.urdf"),
    "robot.py": ("", "it is a program; run it, or give it to linkwork run"),
    "robot.stl": ("", "it is a mesh and no model; give it to lw.Mesh"),
    "run.npz": ("", "it holds a run or a state; give it to lw.load_run"),
    "part.fmu": ("", "it is an FMU; give it to lw.FMU"),
    "a.urdf": ("", "a.urdf: it is empty; give a file with a model"),
    "a.xml": (" ", "a.xml: it is empty; give a file with a model"),
    "b.xml": ("<html/>", "its root is neither <robot>, <sdf> nor <mujoco>; give a URDF, SDF or MJCF file"),
    "a.mjcf": (ROBOT, "the root of an MJCF file is <mujoco>; give this one the ending .urdf"),
    "b.sdf": ("<html/>", "the root of an SDF file is <sdf>; give such a file"),
    "b.urdf": (b"\x89PNG\r\n\x1a\n\0\xff", "it is not XML (it is binary, or text that is not in UTF-8)"),
    "c.urdf": (
        ROBOT.replace("'a'", "'ä'").encode("latin-1"),
        "it is not XML (it is binary, or text that is not in UTF-8)",
    ),
    "d.urdf": ("<robot>", "d.urdf, line 1: it is not XML (no element found); correct the file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_is_instead(name: str, tmp_path: Path) -> None:
    content, told = REFUSED[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((lw.ModelError, lw.OptionError)) as caught:
        lw.read(tmp_path / name)
    assert told in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("ending", ["urdf", "sdf", "world", "mjcf", "xml", "step", "stp", "toml", "json"])
def test_no_file_and_folders(ending: str, tmp_path: Path) -> None:
    with pytest.raises(
        lw.ModelError, match=f"none.{ending}: cannot be read .No such file or directory.; give the path of"
    ):
        lw.read(tmp_path / f"none.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(lw.ModelError, match=f"folder.{ending}: is a folder; give the path of"):
        lw.read(tmp_path / f"folder.{ending}")


def test_encodings_that_xml_says(tmp_path: Path) -> None:
    text = "<?xml version='1.0' encoding='{}'?>" + ROBOT.replace("'a'", "'ä'")
    for encoding in ("latin-1", "utf-16", "utf-8"):
        (tmp_path / "a.urdf").write_bytes(text.format(encoding.replace("latin-1", "iso-8859-1")).encode(encoding))
        _, receipt = lw.read(tmp_path / "a.urdf")
        assert receipt.understood[0].what == "link 'ä'"
