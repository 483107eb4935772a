"""An exported machine with rotors runs as it does here."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw


def test_an_fmu_with_a_motor_behind_a_gear_and_a_fan(tmp_path: Path) -> None:
    model = lw.Model("machine")
    arm = model.body("arm", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
    model.revolute("hip", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), velocity=1.0)
    model.rotor("motor", inertia=0.002, on="hip", ratio=20.0)
    model.rotor("fan", inertia=0.02, on=arm, axis=(0, 0, 1), velocity=20.0, damping=0.01)
    lw.export_fmu(model, tmp_path / "machine.fmu", integrator="rk4", dt=1e-3, picture=False)

    host = lw.Model("host", gravity=(0, 0, 0))
    host.revolute("axle", "ground", host.body("b", mass=1.0, inertia=(1, 1, 1)), at=(0, 0, 0), axis=(0, 0, 1))
    seen = {"hip.position": "x", "fan shaft.velocity": "y"}
    for name in seen.values():
        host.torque(name, "axle", 0.0)
    host.add("machine", lw.FMU(tmp_path / "machine.fmu", every=1e-3), connect=seen)
    run, own = (lw.simulate(each, until=0.2, dt=1e-3) for each in (host, model))
    for column, name in seen.items():
        assert run[f"{name}.torque"][-1] == pytest.approx(own[column][-2], abs=1e-9)  # held over the step
