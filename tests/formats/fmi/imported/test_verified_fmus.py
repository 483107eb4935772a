"""`lw.verify` and `lw.check` with FMUs."""

import pytest

import linkwork as lw
from formats.fmi.fmi_host import need_library
from formats.fmi.imported.small_fmus import small_fmu

pytest.importorskip("fmpy", reason='fmpy is not installed (pip install "linkwork[fmi]")')


def cart(file):
    model = lw.Model("cart", gravity=(0, 0, 0))
    body = model.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    rail = model.prismatic("rail", "ground", body, at=(0, 0, 0), axis=(1, 0, 0), position=0.3)
    model.torque("push", rail, 0.0)
    model.sensor("encoder", rail, kind="encoder", rate=100)
    model.add("pd", lw.FMU(file, every=0.01), connect={"u": "rail.position", "force": "push"})
    return model


@pytest.mark.parametrize("kind", ["cs", "me"])
def test_a_good_fmu_is_found_good(kind, tmp_path):
    verdict = lw.verify(lw.FMU(small_fmu(tmp_path / "small.fmu"), every=0.01, kind=kind))
    assert verdict.good
    assert list(verdict.checks) == ["numbers", "repeats", "states"]
    assert {"u", "force"} <= set(verdict.ports)
    assert "small.fmu: ports" in str(verdict)
    assert "go on to the last bit" in str(verdict)


def test_an_fmu_of_ours_is_found_good(tmp_path):
    need_library()
    file = tmp_path / "pendulum.fmu"
    lw.export_fmu(lw.gallery.pendulum.build(), file, integrator="rk4", dt=1e-3, picture=False, parameters=[])
    assert lw.verify(lw.FMU(file, every=0.01)).good


def test_an_fmu_that_forgets_or_fails_is_told(tmp_path):
    forgetful = lw.verify(lw.FMU(small_fmu(tmp_path / "a.fmu", can=""), every=0.01))
    assert forgetful.good
    assert "cannot write them" in forgetful.checks["states"][1]
    wrong = lw.FMU(small_fmu(tmp_path / "b.fmu"), every=0.01, start={"u": 1e7})
    verdict = lw.verify(wrong)
    assert not verdict.good
    assert "its step failed (u is 1e+07)" in verdict.checks["steps"][1]


def test_a_subsystem_with_an_fmu_inside_is_verified(tmp_path):
    file = small_fmu(tmp_path / "a.fmu")

    class Unit(lw.Subsystem):
        def build(self):
            block = self.body("block", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
            rod = self.body("rod", mass=0.5, inertia=(0.02, 0.02, 0.005), com=(0, 0, -0.2), position=(0, 0, 0))
            pin = self.revolute("pin", block, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
            self.torque("drive", pin, 0.0)
            self.add("pd", lw.FMU(file, every=0.01), connect={"u": "pin.position", "force": "drive"})
            self.port("block", block)

    assert lw.verify(Unit()).good


def test_check_tells_what_is_stepped_and_called(tmp_path):
    report = lw.check(cart(small_fmu(tmp_path / "small.fmu")))
    assert report.degrees_of_freedom == 1
    assert "FMU 'pd' (small.fmu, FMI 2, co-simulation) is stepped with a run every 0.01 s" in report.sampled
    assert "called with a run: sensor 'encoder' every 0.01 s" in report.sampled
