"""Damaged FMUs give an element, unpacked in its folder, or one line. No binary of them is loaded."""

import io
import shutil
import zipfile
from pathlib import Path

import pytest

import linkwork as lw
from formats.fmi.imported.small_fmus import description, members_for
from formats.fuzzing import fuzz
from linkwork.formats.fmi.imported.fmu_file import FMUFile

THREE = b"""<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="three" instantiationToken="small">
<CoSimulation modelIdentifier="small" canGetAndSetFMUState="true" fixedInternalStepSize="0.001"/>
<ModelExchange modelIdentifier="small" needsCompletedIntegratorStep="true"/>
<DefaultExperiment startTime="0" stepSize="0.01"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="u" valueReference="1" causality="input" start="0"/>
<Float32 name="force" valueReference="2" causality="output"/>
<Float64 name="gain" valueReference="3" causality="parameter" variability="tunable" start="1"/>
<Float64 name="row" valueReference="4" causality="output"><Dimension start="3"/></Float64>
<Enumeration name="mode" valueReference="5" causality="parameter" declaredType="Modes" start="1"/>
<Boolean name="on" valueReference="6" causality="input" start="true"/>
<Binary name="data" valueReference="7" causality="output"/>
</ModelVariables>
<ModelStructure><Output valueReference="2"/></ModelStructure>
</fmiModelDescription>
"""


def use(file: Path) -> None:
    """What happens to an FMU until its binary is loaded."""
    path, content = file, file.read_bytes()
    if file.suffix == ".xml":
        path = file.with_suffix(".fmu")
        version = 3 if file.stem == "three" else 2
        path.write_bytes(archived({"modelDescription.xml": content} | members_for(version)))
    fmu = lw.FMU(path, every=0.01, start={"gain": 3.0})
    model = lw.Model("m")
    model.add("part", fmu, connect={"u": "a.position", "force": "b"})
    private = file.parent / "private"
    private.mkdir()
    before = set(file.parent.iterdir())
    try:
        FMUFile(path).unpack(fmu.binary, private)
    finally:
        shutil.rmtree(private)
        assert set(file.parent.iterdir()) == before - {private}


def archived(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def seeds() -> dict[str, bytes]:
    two = description().replace("><", ">\n<").encode()
    whole = archived({"modelDescription.xml": two, "resources/a.txt": b"a" * 100} | members_for(2))
    return {"two.xml": two, "three.xml": THREE, "whole.fmu": whole}


def test_damaged_fmus(tmp_path: Path) -> None:
    found = fuzz(use, seeds(), tmp_path, 600)
    assert found["read"] > 60
    assert found["refused"] > 60


@pytest.mark.long
def test_many_damaged_fmus(tmp_path: Path) -> None:
    found = fuzz(use, seeds(), tmp_path, 30_000, first=1000)
    assert found["read"] > 3000
    assert found["refused"] > 3000
