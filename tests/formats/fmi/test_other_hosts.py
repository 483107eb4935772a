"""Exported FMUs in other tools: their checkers find nothing to complain about, and their runs are ours."""

import logging
import warnings

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import need_library

PIECES = [
    ("pendulum", 2, "both"),
    ("car", 2, "cs"),
    ("manipulator", 2, "cs"),
    ("gripper", 2, "cs"),
    ("iltis", 2, "cs"),
]
OTHERS = [("pendulum", 3, "both"), ("manipulator", 3, "both"), ("gripper", 3, "cs")]


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The file of a piece, the length of ten steps, and our own run of a hundred; each made once."""
    made = {}

    def export(piece, version, kind):
        if (piece, version, kind) not in made:
            options = {name: value for name, value in getattr(lw.gallery, piece).METHOD.items() if name != "every"}
            file = tmp_path_factory.mktemp(piece) / f"{piece}.fmu"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = getattr(lw.gallery, piece).build()
                given = {"picture": False, "parameters": ["gravity.*"], "version": version, "kind": kind}
                lw.export_fmu(model, file, **given, **options)
                length = 10 * options["dt"]
                made[piece, version, kind] = file, length, lw.simulate(model, until=10 * length, every=10, **options)
        return made[piece, version, kind]

    return export


@pytest.mark.parametrize(("piece", "version", "kind"), [*PIECES, *OTHERS])
def test_fmpy_validates_and_runs(piece, version, kind, exported):
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed (pip install fmpy)")
    from fmpy.validation import validate_fmu

    file, length, run = exported(piece, version, kind)
    assert validate_fmu(str(file)) == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"stop_time": 10 * length, "output_interval": length, "fmi_type": "CoSimulation"}
        found = fmpy.simulate_fmu(str(file), **given)
    assert np.allclose(found["time"], run.time, atol=1e-12)
    scale = max(1.0, np.abs(run.energy["total"]).max())
    assert np.abs(found["energy.total"] - run.energy["total"]).max() <= 1e-12 * scale
    name = next(name for name in run.columns if name in found.dtype.names)
    assert np.abs(found[name] - run[name]).max() <= 1e-12 * max(1.0, np.abs(run[name]).max())


@pytest.mark.parametrize(("piece", "version", "kind"), [*PIECES, *OTHERS])
def test_another_checker_has_no_complaint(piece, version, kind, exported, caplog):
    """Against the schemas of FMI, and the rules that those cannot express."""
    toolbox = "fmu_manipulation_toolbox"
    pytest.importorskip(toolbox, reason="fmu-manipulation-toolbox is not installed")
    from fmu_manipulation_toolbox.checker import get_checkers
    from fmu_manipulation_toolbox.operations import FMU

    file, *_ = exported(piece, version, kind)
    with caplog.at_level(logging.INFO, logger=toolbox):
        fmu = FMU(str(file))
        for checker in get_checkers():
            fmu.apply_operation(checker())
    said = [record for record in caplog.records if record.name.startswith(toolbox)]
    assert [record.getMessage() for record in said if record.levelno > logging.INFO] == []
    assert any("seems to be compliant" in record.getMessage() for record in said)


def test_fmpy_integrates_model_exchange(exported):
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed (pip install fmpy)")
    file, length, run = exported("pendulum", 2, "both")
    given = {"stop_time": 10 * length, "output_interval": length, "fmi_type": "ModelExchange"}
    found = fmpy.simulate_fmu(str(file), relative_tolerance=1e-10, **given)
    assert np.abs(found["pin.position"] - run["pin.position"]).max() < 1e-7


@pytest.mark.parametrize(("piece", "version", "kind"), PIECES)
def test_libcosim_runs(piece, version, kind, exported):
    pytest.importorskip("libcosimpy", reason="libcosimpy is not installed (pip install libcosimpy)")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    file, length, run = exported(piece, version, kind)
    execution = CosimExecution.from_step_size(round(length * 1e9))
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=str(file), instance_name="it"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    assert execution.simulate_until(target_time=round(10 * length * 1e9))
    names = [each.name.decode() for each in execution.slave_variables(slave)]
    (total,) = observer.last_real_values(slave, [names.index("energy.total")])
    assert total == pytest.approx(run.energy["total"][-1], rel=1e-12, abs=1e-12)
