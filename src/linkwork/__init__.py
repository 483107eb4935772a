"""linkwork: mechanisms of rigid bodies, joints, loops and springs. One model, many methods, and proof.

>>> model = lw.Model("pendulum")
>>> bob = model.body("bob", mass=1.0, inertia=0.0, com=(1, 0, 0))
>>> pin = model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0))
>>> run = lw.simulate(model, until=1.0, dt=0.01)
>>> bool(run.certificate.energy_balance_worst < 1e-6)
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from linkwork._import_lock import IMPORTING
from linkwork._version import __version__

# every public name once, and the room it lives in; rooms are entered when a name is first used
_ROOMS = {
    "distribute.remote": ["Remote"],
    "distribute.transport": ["PeerError"],
    "distribute.verify": ["verify"],
    "errors": ["ModelError", "ModelWarning", "OptionError", "RunError", "RunWarning"],
    "model": [
        "Body",
        "Box",
        "Calspan",
        "Capsule",
        "Constant",
        "Cosine",
        "CosineBump",
        "Curve",
        "Cylinder",
        "FlatRoad",
        "Frame",
        "HeightField",
        "Hull",
        "Joint",
        "Kerb",
        "Material",
        "Mesh",
        "Model",
        "Motion",
        "Profile",
        "PythonLaw",
        "Ramp",
        "Road",
        "Soft",
        "Sphere",
        "Stairs",
        "Step",
        "Subsystem",
        "Surface",
        "Table",
        "as_law",
        "compiled",
    ],
    "assembly.assemble": ["assemble"],
    "assembly.system": ["System"],
    "formulations.absolute": ["Absolute"],
    "formulations.component": ["Components"],
    "formulations.global_": ["Global"],
    "formulations.hybrid": ["Hybrid"],
    "formulations.impulse": ["Impulse"],
    "formulations.maximal": ["Maximal"],
    "formulations.semi_recursive": ["SemiRecursive"],
    "formulations.recursive": ["Recursive"],
    "simulation.agreement": ["Agreement"],
    "simulation.compare": ["compare"],
    "simulation.check": ["Report", "check"],
    "simulation.certificate": ["Certificate"],
    "simulation.equilibrium": ["Equilibrium", "equilibrium"],
    "simulation.events": ["Change"],
    "simulation.files": ["load_run"],
    "simulation.numbers": [
        "forward_dynamics",
        "forward_kinematics",
        "integrate",
        "inverse_dynamics",
        "jacobian",
        "mass_matrix",
    ],
    "simulation.peaks": ["Peak", "Peaks"],
    "simulation.reactions": ["Reaction", "Reactions", "reactions"],
    "simulation.real_time": ["RealTime"],
    "simulation.stream": ["stream"],
    "simulation.run": ["Simulation"],
    "simulation.simulate": ["simulate"],
    "simulation.trajectory": ["Trajectory"],
    "viewer.plots": ["plot_compare"],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = [
    "Absolute",
    "Agreement",
    "Body",
    "Box",
    "Calspan",
    "Capsule",
    "Certificate",
    "Change",
    "Components",
    "Constant",
    "Cosine",
    "CosineBump",
    "Curve",
    "Cylinder",
    "Equilibrium",
    "FlatRoad",
    "Frame",
    "Global",
    "HeightField",
    "Hull",
    "Hybrid",
    "Impulse",
    "Joint",
    "Kerb",
    "Maximal",
    "Material",
    "Mesh",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "OptionError",
    "Peak",
    "Peaks",
    "PeerError",
    "Profile",
    "PythonLaw",
    "Ramp",
    "Reaction",
    "Reactions",
    "RealTime",
    "Recursive",
    "Remote",
    "Report",
    "Road",
    "RunError",
    "RunWarning",
    "SemiRecursive",
    "Simulation",
    "Soft",
    "Sphere",
    "Stairs",
    "Step",
    "Subsystem",
    "Surface",
    "System",
    "Table",
    "Trajectory",
    "__version__",
    "as_law",
    "assemble",
    "check",
    "compare",
    "compiled",
    "equilibrium",
    "forward_dynamics",
    "forward_kinematics",
    "gallery",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "load_run",
    "mass_matrix",
    "plot_compare",
    "reactions",
    "simulate",
    "stream",
    "verify",
]

if TYPE_CHECKING:
    from linkwork import gallery
    from linkwork.assembly.assemble import assemble
    from linkwork.assembly.system import System
    from linkwork.distribute.remote import Remote
    from linkwork.distribute.transport import PeerError
    from linkwork.distribute.verify import verify
    from linkwork.errors import ModelError, ModelWarning, OptionError, RunError, RunWarning
    from linkwork.formulations.absolute import Absolute
    from linkwork.formulations.component import Components
    from linkwork.formulations.global_ import Global
    from linkwork.formulations.hybrid import Hybrid
    from linkwork.formulations.impulse import Impulse
    from linkwork.formulations.maximal import Maximal
    from linkwork.formulations.recursive import Recursive
    from linkwork.formulations.semi_recursive import SemiRecursive
    from linkwork.model import (
        Body,
        Box,
        Calspan,
        Capsule,
        Constant,
        Cosine,
        CosineBump,
        Curve,
        Cylinder,
        FlatRoad,
        Frame,
        HeightField,
        Hull,
        Joint,
        Kerb,
        Material,
        Mesh,
        Model,
        Motion,
        Profile,
        PythonLaw,
        Ramp,
        Road,
        Soft,
        Sphere,
        Stairs,
        Step,
        Subsystem,
        Surface,
        Table,
        as_law,
        compiled,
    )
    from linkwork.simulation.agreement import Agreement
    from linkwork.simulation.certificate import Certificate
    from linkwork.simulation.check import Report, check
    from linkwork.simulation.compare import compare
    from linkwork.simulation.equilibrium import Equilibrium, equilibrium
    from linkwork.simulation.events import Change
    from linkwork.simulation.files import load_run
    from linkwork.simulation.numbers import (
        forward_dynamics,
        forward_kinematics,
        integrate,
        inverse_dynamics,
        jacobian,
        mass_matrix,
    )
    from linkwork.simulation.peaks import Peak, Peaks
    from linkwork.simulation.reactions import Reaction, Reactions, reactions
    from linkwork.simulation.real_time import RealTime
    from linkwork.simulation.run import Simulation
    from linkwork.simulation.simulate import simulate
    from linkwork.simulation.stream import stream
    from linkwork.simulation.trajectory import Trajectory
    from linkwork.viewer.plots import plot_compare


def __getattr__(name: str) -> Any:
    if name == "gallery":
        with IMPORTING:
            return importlib.import_module("linkwork.gallery")
    if name not in _HOME:
        raise AttributeError(f"module 'linkwork' has no attribute {name!r}")
    with IMPORTING:
        room = importlib.import_module(f"linkwork.{_HOME[name]}")
        value = importlib.import_module("linkwork.model.arguments").helpful(getattr(room, name))
        setattr(room, name, value)  # found there again by those who pass functions on to other processes
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
