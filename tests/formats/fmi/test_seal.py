"""The seal of a component: neither masses nor geometry can be read in its file, nor in its saved states."""

import struct
import zipfile

import pytest

import linkwork as lw
from formats.fmi.fmi_host import Slave, Unpacked, need_library
from linkwork.formats.fmi.model_file import scrambled

MASSES = (3.141873, 1.732617)
INERTIAS = (0.0531771, 0.0612139, 0.0719333, 0.0317717)
LENGTHS = (0.4142857, 0.2236177, 0.1732191, 0.5163977)
STRENGTHS = (4711.317, 17.91283)
SECRETS = MASSES + INERTIAS + LENGTHS + STRENGTHS


class Secret(lw.Subsystem):
    """A lever on a fork with a spring. Port: "fork", whose frame says nothing of the rest."""

    def build(self):
        fork = self.body("fork", mass=MASSES[0], inertia=INERTIAS[:3], com=(LENGTHS[0], 0, 0), position=(0, 0, 0))
        lever = self.body("hidden lever", mass=MASSES[1], inertia=(INERTIAS[3],) * 3, position=(0, LENGTHS[1], 0))
        self.revolute("hidden pin", fork, lever, at=(0, LENGTHS[2], 0), axis=(1, 0, 0))
        self.spring("coil", fork, lever, stiffness=STRENGTHS[0], damping=STRENGTHS[1], length=LENGTHS[3])
        self.port("fork", fork)


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    return lw.export_fmu(Secret(), tmp_path_factory.mktemp("sealed") / "secret.fmu", dt=1e-3)


def contents(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forms(number):
    """How a number may be written: as a float of 8 or 4 bytes of both orders, and as text of some digits."""
    for order in "<>":
        yield struct.pack(f"{order}d", number)
        yield struct.pack(f"{order}f", number)
    for digits in (6, 7, 17):
        yield f"{number:.{digits}g}".encode()
    yield repr(number).encode()


def found(data, numbers=SECRETS):
    """Which numbers, and their inverses and opposites, stand somewhere in the data."""
    derived = {form: number for number in numbers for each in (number, -number, 1 / number) for form in forms(each)}
    return sorted({number for form, number in derived.items() if len(form) > 3 and form in data})


def test_nothing_of_the_inside_is_in_the_archive(sealed):
    for name, data in contents(sealed).items():
        # four bytes come about by chance in a library of a megabyte
        wrong = [number for number in found(data) if any(len(form) > 4 and form in data for form in forms(number))]
        assert wrong == [], name
        for word in (b"hidden lever", b"hidden pin", b"coil"):
            assert word not in data, name
    assert not any(name.endswith(".png") for name in contents(sealed))


def test_the_search_finds_what_is_not_sealed(tmp_path):
    """The same mechanism as a plain model: its numbers stand in the file."""
    model = lw.Model("plain")
    part = model.add("part", Secret())
    model.free("float", model.ground, part.fork)
    data = contents(lw.export_fmu(model, tmp_path / "plain.fmu", method="component", dt=1e-3, picture=False))
    for kind in (MASSES, INERTIAS, STRENGTHS):
        assert found(data["resources/model.bin"], kind) == sorted(kind)
    assert len(found(data["resources/model.bin"], LENGTHS)) >= 2
    assert b"hidden lever" in data["modelDescription.xml"]


def test_nothing_of_the_inside_is_in_a_saved_state(sealed):
    unpacked = Unpacked(sealed)
    slave = Slave(unpacked)
    slave.begin()
    for _ in range(5):
        assert slave.step(1e-3) == 0
    state = slave.state()
    data = slave.bytes_of(state)
    assert len(data) > 1000
    assert [number for number in found(data) if any(len(form) > 4 and form in data for form in forms(number))] == []
    wanted = slave.get("fork.position.z", "fork.velocity.z")
    slave.step(1e-3)
    assert slave.go_back(slave.state_of(data)) == 0
    assert slave.get("fork.position.z", "fork.velocity.z") == wanted
    slave.free()
    unpacked.remove()


def test_scrambling_twice_gives_back_what_was():
    data = bytes(range(256)) * 3 + b"odd"
    assert scrambled(scrambled(data, 12345), 12345) == data
    assert scrambled(data, 12345) != scrambled(data, 12346)
