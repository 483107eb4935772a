"""Assemblies from STEP files: mass properties, names, places, units, densities, colours, and what is no solid."""

import sys

import numpy as np
import pytest

import linkwork as lw

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.step.cad import Cad, box, cylinder, joined, mass_of
from formats.step.machines import slider_crank, slider_crank_places, slider_crank_shapes
from linkwork.formats.step import other_process, reader
from linkwork.formats.step.cad_data import CadComponent, CadFile, CadPart, CadSolid

BODIES = {
    "frame.housing": "housing",
    "frame.cover": "cover",
    "frame.bolt:1": "bolt",
    "frame.bolt:2": "bolt",
    "bearing 1.outer ring": "outer ring",
    "bearing 1.inner ring": "inner ring",
    "bearing 2.outer ring": "outer ring",
    "bearing 2.inner ring": "inner ring",
    "crank train.crank": "crank",
    "crank train.rod": "rod",
    "crank train.piston.slider": "slider",
    "crank train.piston.pin": "pin",
}


@pytest.fixture(scope="module", params=[("MM", "AP214IS", "AP214"), ("INCH", "AP242DIS", "AP242")])
def read(request, tmp_path_factory):
    """The slider-crank in several units, read in another process."""
    unit, schema, told = request.param
    path = slider_crank(tmp_path_factory.mktemp("step") / "crank.step", unit=unit, schema=schema)
    return *lw.read(path, density=7850), told


def test_the_tree_of_assemblies(read):
    model, receipt, schema = read
    assert model.name == "slider crank"
    assert [body.path for body in model.all_bodies()] == list(BODIES)
    assert receipt.understood[0].place == schema
    assert not receipt.lost


def test_mass_properties_are_those_of_ocp(read):
    model = read[0]
    shapes = slider_crank_shapes()
    for path, part in BODIES.items():
        volume, centre, inertia = mass_of(shapes[part])
        body = model[path]
        assert body.mass == pytest.approx(7850 * volume, rel=1e-9)
        assert np.allclose(body.com, centre, rtol=0, atol=1e-9 * 0.1)
        assert np.allclose(body.inertia, 7850 * inertia, rtol=0, atol=1e-9 * 7850 * np.abs(inertia).max())


def test_bodies_are_where_cad_puts_them(read):
    model = read[0]
    places = slider_crank_places()
    places |= {"pin": places["slider"], "outer ring": places["bearing"], "inner ring": places["bearing"]}
    used: dict[str, int] = {}
    for path, part in BODIES.items():
        turn = places[part][used.setdefault(part, 0)]
        used[part] += 1
        wanted = np.array([[turn.Value(i, j) for j in (1, 2, 3, 4)] for i in (1, 2, 3)])
        body = model[path]
        world = body.owner.world @ body.reference
        assert np.allclose(world.matrix, wanted[:, :3], rtol=0, atol=1e-12)
        assert np.allclose(world.position, 1e-3 * wanted[:, 3], rtol=0, atol=1e-12)


def test_equal_parts_share_one_mesh(read):
    model = read[0]
    meshes = {visual.body.path: visual.shape for container in model.walk() for visual in container.visuals.values()}
    assert meshes.keys() == BODIES.keys()
    assert meshes["frame.bolt:1"] is meshes["frame.bolt:2"]
    assert meshes["bearing 1.outer ring"] is meshes["bearing 2.outer ring"]
    assert len({id(mesh) for mesh in meshes.values()}) == 9
    assert meshes["crank train.crank"].volume == pytest.approx(model["crank train.crank"].mass / 7850, rel=0.02)


def test_colours_of_the_file(read):
    model = read[0]
    colour = model["crank train.crank surface"].colour
    assert [round(255 * each) for each in colour[:3]] == [0xC0, 0x40, 0x20]


@pytest.mark.usefixtures("here")
def test_metres_and_ap203(tmp_path):
    model, receipt = lw.read(slider_crank(tmp_path / "crank.step", unit="M", schema="AP203"), density=7850)
    assert receipt.understood[0].place == "AP203"
    volume, _, _ = mass_of(slider_crank_shapes()["crank"])
    assert model["crank train.crank"].mass == pytest.approx(7850 * volume, rel=1e-9)
    assert model["frame.bolt:1"].reference.position.tolist() == pytest.approx([0.12, -0.011, 0.016], abs=1e-12)


@pytest.fixture
def plain(tmp_path):
    """A block and two plates, one of steel by the file."""
    cad = Cad()
    whole = cad.assembly("plain")
    cad.put(whole, cad.part("block", box((0, 0, 0), (10, 10, 10)), colour="#FF8000"), "block")
    cad.put(whole, cad.part("plate", box((20, 0, 0), (30, 10, 10)), material=("Steel", 7.85)), "left plate")
    cad.put(whole, cad.part("foil", box((40, 0, 0), (50, 10, 10)), colour="#00FF00"), "foil")
    return cad.write(tmp_path / "plain.step")


@pytest.mark.usefixtures("here")
def test_densities_by_name_colour_and_material(plain):
    model, receipt = lw.read(plain, density={"BL*": 1000, "#00ff00": 2700, "bolt*": 1})
    assert model["block"].mass == pytest.approx(1e-3)
    assert model["foil"].mass == pytest.approx(2.7e-3)
    assert model["left plate"].mass == pytest.approx(7.85e-3)
    assert any("'bolt*'" in line.what for line in receipt.ignored)
    assert lw.read(plain, density=500)[0]["left plate"].mass == pytest.approx(0.5e-3)


@pytest.mark.usefixtures("here")
def test_a_missing_density_is_asked_for(plain):
    with pytest.raises(lw.ModelError, match=r"density of 2 solids is not known \('block', 'foil'\).*give density=7850"):
        lw.read(plain)
    with pytest.raises(lw.OptionError, match="density"):
        lw.read(plain, density=-1)
    with pytest.raises(lw.OptionError, match="density of 'block'"):
        lw.read(plain, density={"block": "heavy"})


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("mass", "length", "value"),
    [("$", ".CENTI.", "7.85"), (".KILO.", "$", "7850."), (".KILO.", ".MILLI.", "7.85E-06")],
)
def test_units_of_densities(plain, mass, length, value):
    text = plain.read_text()
    text = text.replace("SI_UNIT($,.GRAM.)", f"SI_UNIT({mass},.GRAM.)").replace("MEASURE(7.85)", f"MEASURE({value})")
    plain.write_text(text.replace("SI_UNIT(.CENTI.,.METRE.)", f"SI_UNIT({length},.METRE.)"))
    model, _ = lw.read(plain, density={"block": 1, "foil": 1})
    assert model["left plate"].mass == pytest.approx(7.85e-3, rel=1e-12)


@pytest.mark.usefixtures("here")
def test_several_solids_sheets_and_wires(tmp_path):
    from OCP.BRep import BRep_Builder
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace
    from OCP.gp import gp_Pln, gp_Pnt
    from OCP.TopoDS import TopoDS_Compound

    def compound(*shapes):
        made, builder = TopoDS_Compound(), BRep_Builder()
        builder.MakeCompound(made)
        for shape in shapes:
            builder.Add(made, shape)
        return made

    sheet = BRepBuilderAPI_MakeFace(gp_Pln(), -10, 10, -10, 10).Face()
    edge = BRepBuilderAPI_MakeEdge(gp_Pnt(0, 0, 0), gp_Pnt(0, 0, 50)).Edge()
    cad = Cad()
    whole = cad.assembly("odd")
    cad.put(whole, cad.part("pair", compound(box((0, 0, 0), (1, 1, 1)), box((5, 0, 0), (6, 2, 1)))), "pair")
    cad.put(whole, cad.part("mixed", compound(box((9, 0, 0), (10, 1, 1)), sheet, edge)), "mixed")
    cad.put(whole, cad.part("foil", sheet), "foil")
    path = cad.write(tmp_path / "odd.stp")
    with pytest.raises(lw.ModelError, match=r"surface of 'foil': 1 sheet without volume"):
        lw.read(path, density=1000)
    model, receipt = lw.read(path, density=1000, strict=False)
    masses = {body.path: body.mass for body in model.all_bodies()}
    assert masses == pytest.approx({"pair.solid": 1e-6, "pair.solid 2": 2e-6, "mixed": 1e-6})
    told = {line.what for line in receipt.ignored}
    assert told == {"surface of 'mixed'", "wires of 'mixed'", "surface of 'foil'"}
    assert [line.what for line in receipt.lost] == ["surface of 'foil'"]


@pytest.mark.usefixtures("here")
def test_one_part_without_an_assembly(tmp_path):
    cad = Cad()
    cad.part("bracket", joined(box((0, 0, 0), (10, 10, 10)), cylinder((5, 5, 5), (0, 0, 1), 2, 20)))
    model, _ = lw.read(cad.write(tmp_path / "one.step"), density=1000, up="y")
    assert [body.path for body in model.all_bodies()] == ["bracket"]
    assert model.gravity.tolist() == [0, -9.81, 0]
    with pytest.raises(lw.OptionError, match="up is"):
        lw.read(tmp_path / "one.step", density=1000, up="w")


@pytest.mark.parametrize("levels", [15, 90])
def test_an_assembly_of_assemblies_may_not_explode(plain, monkeypatch, levels):
    place = np.eye(4)
    solid = CadSolid("", 1.0, np.zeros(3), np.eye(3), "", np.zeros((0, 3, 3)), [])
    parts = {"0": CadPart("atom", solids=[solid])}
    for k in range(levels):
        twice = [CadComponent(side, str(k), place) for side in ("left", "right")]
        parts[str(k + 1)] = CadPart(f"level {k}", components=twice)
    made = CadFile(parts, [CadComponent("", str(levels), place)], "metre")
    monkeypatch.setattr(reader, "read_cad", lambda *_, **options: made)
    with pytest.raises(lw.ModelError, match="more than 20000 bodies"):
        lw.read(plain, density=1)


def test_a_deep_or_endless_tree_is_refused(plain, monkeypatch):
    parts = {"0": CadPart("self", components=[CadComponent("again", "0", np.eye(4))])}
    made = CadFile(parts, [CadComponent("", "0", np.eye(4))], "metre")
    monkeypatch.setattr(reader, "read_cad", lambda *_, **options: made)
    with pytest.raises(lw.ModelError, match="it has no solids"):
        lw.read(plain, density=1)
    parts["0"].solids.append(CadSolid("", 1.0, np.zeros(3), np.eye(3), "", np.zeros((0, 3, 3)), []))
    with pytest.raises(lw.ModelError, match="more than 100 deep"):
        lw.read(plain, density=1)


@pytest.mark.usefixtures("here")
def test_colliders_only_where_asked(plain):
    assert not list(lw.read(plain, density=1)[0].all_colliders())
    model, receipt = lw.read(plain, density=1, contact="bl*")
    assert [collider.body.path for collider in model.all_colliders()] == ["block"]
    assert any("collider of 'block'" in line.what for line in receipt.approximated)
    assert not lw.read(plain, density=1, meshes=False)[0].visuals


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.step").write_text("solid cube")
    with pytest.raises(lw.ModelError, match="a.step: is not a STEP file"):
        lw.read(tmp_path / "a.step")
    (tmp_path / "b.step").write_text("ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n")
    with pytest.raises(lw.ModelError, match="^b.step: .*export") as caught:
        lw.read(tmp_path / "b.step", density=1)
    assert "\n" not in str(caught.value)
    with pytest.raises(lw.ModelError, match="cannot be read"):
        lw.read(tmp_path / "missing.step")


def test_other_files_are_not_opened(plain):
    more = "#9000=DOCUMENT_FILE('../../secret.stp','',$,#1,'',$);\nENDSEC;\nEND-ISO"
    plain.write_text(plain.read_text().replace("ENDSEC;\nEND-ISO", more))
    with pytest.raises(lw.ModelError, match=r"#9000: it refers to the file '../../secret.stp'"):
        lw.read(plain, density=1)


def test_without_ocp(plain, monkeypatch):
    monkeypatch.setattr(other_process.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(lw.OptionError, match=r'^STEP files need OCP: pip install "linkwork\[step\]"$'):
        lw.read(plain, density=1)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_crash_or_a_hang_is_one_sentence(plain, monkeypatch):
    command = "import sys, os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    monkeypatch.setattr(other_process, "MODULE", ["-c", command])
    with pytest.raises(lw.ModelError, match="stopped by signal 11 while it read the file; it is damaged"):
        lw.read(plain, density=1)
    monkeypatch.setattr(other_process, "MODULE", ["-c", "import time; time.sleep(60)"])
    with pytest.raises(lw.ModelError, match="not read within 0.2 s"):
        lw.read(plain, density=1, timeout=0.2)
