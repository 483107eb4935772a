"""FMUs that are damaged, hostile or not for us, and connections that are wrong: one sentence each."""

import os
import stat
import struct
import sys
import zipfile

import pytest

import linkwork as lw
from formats.fmi.imported.small_fmus import CAN, VARIABLES, archive, description, folder, members_for, small_fmu
from linkwork.formats.fmi.imported import fmu_calls, fmu_trial


def refused(make, match):
    with pytest.raises(lw.ModelError, match=match) as caught:
        make()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def cart():
    model = lw.Model("cart")
    body = model.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.torque("push", model.prismatic("rail", "ground", body, axis=(1, 0, 0)), 0.0)
    return model


def simulation(file, connect=None, **options):
    model = cart()
    model.add("pd", lw.FMU(file, every=0.01, **options), connect=connect or {"force": "push"})
    return lw.Simulation(model, "recursive", dt=0.01)


def test_files_that_are_no_fmus(tmp_path):
    refused(lambda: lw.FMU(tmp_path / "none.fmu", every=1), "cannot be read")
    refused(lambda: lw.FMU(tmp_path, every=1), "is a folder")
    refused(lambda: lw.FMU(3, every=1), "its file is 3")
    text = tmp_path / "text.fmu"
    text.write_text("no zip")
    refused(lambda: lw.FMU(text, every=1), "no zip archive")
    refused(lambda: lw.FMU(archive(tmp_path / "a.fmu", {"x": "y"}), every=1), "no modelDescription.xml")


@pytest.mark.parametrize(
    "name", ["../up.txt", "resources/../../up.txt", "/tmp/up.txt", "C:/up.txt", "resources\\..\\up"]
)
def test_members_that_would_lie_outside(name, tmp_path):
    file = archive(tmp_path / "a.fmu", {"modelDescription.xml": description(), name: "x"})
    refused(lambda: lw.FMU(file, every=1), "outside its folder")


def test_links_and_doubles_in_an_archive(tmp_path):
    link = zipfile.ZipInfo("resources/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    refused(lambda: lw.FMU(archive(tmp_path / "a.fmu", {link: "/etc/passwd"}), every=1), "is a link")
    with zipfile.ZipFile(tmp_path / "b.fmu", "w") as target:
        target.writestr("modelDescription.xml", description())
        with pytest.warns(UserWarning, match="Duplicate name"):
            target.writestr("modelDescription.xml", "other")
    refused(lambda: lw.FMU(tmp_path / "b.fmu", every=1), "twice")


def test_a_folder_may_be_listed_for_each_of_its_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.fmu", "w") as target:
        for name, content in {"modelDescription.xml": description(), **members_for(2)}.items():
            target.writestr(name, content)
        target.writestr("resources/", b"")
        with pytest.warns(UserWarning, match="Duplicate name"):
            target.writestr("resources/", b"")
    assert lw.FMU(tmp_path / "a.fmu", every=1).description.model_name == "small"


def test_one_that_needs_its_tool_is_tried_and_told_where_that_fails(tmp_path):
    """The tool may be Python, or there."""
    can = f'needsExecutionTool="true" {CAN}'
    assert lw.verify(lw.FMU(small_fmu(tmp_path / "a.fmu", can=can), every=0.01)).good
    inside = {"modelDescription.xml": description(can=can), **members_for(2)}
    fmu = lw.FMU(archive(tmp_path / "b.fmu", inside), every=0.01)
    refused(lambda: lw.verify(fmu), "cannot be loaded and says that it needs the tool that made it")


def test_an_archive_that_grows_without_end(tmp_path):
    file = archive(tmp_path / "a.fmu", {"modelDescription.xml": description(), "resources/big": "x"})
    content = bytearray(file.read_bytes())
    place = content.rindex(b"PK\x01\x02")  # the entry of the last member in the directory
    content[place + 24 : place + 28] = struct.pack("<I", 3_500_000_000)
    file.write_bytes(content)
    refused(lambda: lw.FMU(file, every=1), "too large")


def test_descriptions_that_cannot_be_used(tmp_path):
    def described(**options):
        inside = {"modelDescription.xml": description(**options)}
        return lambda: lw.FMU(archive(tmp_path / "a.fmu", inside), every=1)

    refused(described(more="<!DOCTYPE a [<!ENTITY b 'c'>]>"), "declares entities")
    refused(described(version="1.0"), "it is of FMI 1.0, only 2 and 3")
    refused(described(kinds=()), "neither co-simulation nor model exchange")
    refused(
        described(variables="<ScalarVariable name='a' valueReference='-1'><Real/></ScalarVariable>"), "whole number"
    )
    refused(described(variables="<ScalarVariable name='a' valueReference='1'/>"), "its type is not one of FMI 2")
    refused(described(variables=VARIABLES + VARIABLES), "another variable has this name")
    refused(lambda: lw.FMU(archive(tmp_path / "b.fmu", {"modelDescription.xml": "<a/>"}), every=1), "describes no FMU")
    bad = description().replace('modelIdentifier="small"', 'modelIdentifier="../small"')
    refused(lambda: lw.FMU(archive(tmp_path / "c.fmu", {"modelDescription.xml": bad}), every=1), "name of a file")


def test_binaries_that_are_missing(tmp_path):
    file = archive(tmp_path / "a.fmu", {"modelDescription.xml": description()})
    refused(lambda: lw.FMU(file, every=1), r"no binary for .* \(it has none\)")
    inside = {"modelDescription.xml": description(), "binaries/plan9/small.so": "x", "sources/small.c": "x"}
    file = archive(tmp_path / "b.fmu", inside)
    refused(lambda: lw.FMU(file, every=1), r"it has plan9, and sources")


def test_options_that_are_wrong(tmp_path):
    file = small_fmu(tmp_path / "a.fmu")
    refused(lambda: lw.FMU(file), "proposes no step; give every=")
    refused(lambda: lw.FMU(file, every=-1), "must be positive")
    refused(lambda: lw.FMU(file, every=1, hold="cubic"), "give hold='zero' or 'linear'")
    refused(lambda: lw.FMU(file, every=1, start={"gian": 2.0}), "did you mean 'gain'")
    refused(lambda: lw.FMU(file, every=1, start={"force": 2.0}), "cannot be set; remove it from start=")
    refused(lambda: lw.FMU(file, every=1, start={"gain": "much"}), "must be one finite number")
    refused(lambda: lw.FMU(file, every=1, start={"text": 3}), "give a text")
    only = small_fmu(tmp_path / "b.fmu", kinds=("ModelExchange",))
    refused(lambda: lw.FMU(only, every=1, kind="cs"), "give kind='me'")


def test_connections_that_are_wrong(tmp_path):
    fmu = lw.FMU(small_fmu(tmp_path / "a.fmu"), every=0.01)

    def add(connect, **options):
        return lambda: cart().add("pd", fmu, connect=connect, **options)

    refused(add({}), "give connect=")
    refused(add(None), "give connect=")
    refused(add({"forse": "push"}), "did you mean 'force'")
    refused(add({"u": "rail.position"}), "sets nothing in the model; connect one of 'force'")
    refused(add({"gain": "push"}), "neither an input nor an output of the FMU but a parameter; set it by start=")
    refused(add({"word": "push"}), "is a String and not one number")
    refused(add({"force": 3.0}), "give an input that it sets")
    refused(add({"force": "push"}, position=(0, 0, 1)), "no place in space")

    def run(connect):
        return lambda: simulation(tmp_path / "a.fmu", connect)

    refused(run({"force": "pusch"}), "there is no input 'pusch'.*give one of 'push'")
    refused(run({"force": "rail.position"}), "FMU 'pd': there is no input 'rail.position'")
    refused(run({"u": "rail.positon", "force": "push"}), "FMU 'pd'.*rail.position")
    refused(run({"u": "cart.position", "force": "push"}), "'u' takes one number but 'cart.position' has 3.*position.x")
    model = cart()
    refused(lambda: model.add("sub", lw.Subsystem(), connect={"a": "b"}), "connect= is for an lw.FMU")


@pytest.mark.parametrize("macro", ["CRASH_AT_LOAD", "CRASH_AT_START"])
def test_binaries_that_crash_do_so_in_another_process(macro, tmp_path):
    pytest.importorskip("fmpy")
    file = small_fmu(tmp_path / "a.fmu", macro)
    refused(lambda: simulation(file), r"its binary crashes when it is started \(SIG")


def test_a_binary_that_hangs(tmp_path, monkeypatch):
    pytest.importorskip("fmpy")
    monkeypatch.setattr(fmu_trial, "SECONDS", 1.0)
    file = small_fmu(tmp_path / "a.fmu", "HANG_AT_START")
    refused(lambda: simulation(file), "did not start within 1 s")


def test_binaries_that_are_no_libraries_or_refuse_to_start(tmp_path):
    pytest.importorskip("fmpy")
    inside = {"modelDescription.xml": description(), f"{folder()}/small.so": b"no library"}
    here = os.getcwd()
    refused(lambda: simulation(archive(tmp_path / "a.fmu", inside)), "its binary cannot be loaded")
    assert os.getcwd() == here
    file = small_fmu(tmp_path / "b.fmu", guid="other")
    refused(lambda: simulation(file), "the guid other is not mine")
    file = small_fmu(tmp_path / "c.fmu")
    refused(lambda: simulation(file, start={"gain": -1.0}), "gain -1 is below 0")


def test_an_fmu_that_fails_on_the_way(tmp_path):
    pytest.importorskip("fmpy")
    model = cart()
    model.input("command")
    fmu = lw.FMU(small_fmu(tmp_path / "a.fmu"), every=0.01)
    model.add("pd", fmu, connect={"u": "command", "force": "push"})
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.step(2)
    sim.inputs["command"] = 1e7
    message = refused(lambda: sim.step(3), r"FMU 'pd' failed at t = 0.04 s: its step failed \(u is 1e\+07\)")
    assert message.endswith("correct it or its inputs")


def test_without_fmpy_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fmpy", None)
    monkeypatch.setattr("linkwork.formats.fmi.imported.element.try_start", lambda *_: None)
    message = refused(lambda: simulation(small_fmu(tmp_path / "a.fmu")), "fmpy")
    assert message.endswith(fmu_calls.MISSING)
    assert 'pip install "linkwork[fmi]"' in message


def test_a_file_that_changed_after_it_was_read(tmp_path):
    pytest.importorskip("fmpy")
    file = small_fmu(tmp_path / "a.fmu", guid="small", members={"resources/a": "a"})
    model = cart()
    model.add("pd", lw.FMU(file, every=0.01), connect={"force": "push"})
    small_fmu(tmp_path / "a.fmu", members={"resources/b": "other"})
    refused(lambda: lw.Simulation(model, "recursive", dt=0.01), "has changed since it was read")


def test_nothing_is_written_outside_a_private_folder(tmp_path, monkeypatch):
    pytest.importorskip("fmpy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    file = small_fmu(tmp_path / "a.fmu", members={"resources/data.txt": "d", "extra/more": "x", "documentation/a": "x"})
    simulation(file).step(3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.fmu", "private"]
    (made,) = (tmp_path / "private").iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    found = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert found == [f"{folder()}/small.so", "resources/data.txt"]
