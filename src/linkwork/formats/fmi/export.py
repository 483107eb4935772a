"""`lw.export_fmu`: a model as an FMU, for every tool that speaks FMI 2.0 or 3.0."""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from linkwork._kernels import cpu
from linkwork.errors import OptionError
from linkwork.formats.fmi.archive import Contents, write_archive
from linkwork.formats.fmi.binaries import source_files
from linkwork.formats.fmi.compiled_law_code import law_places
from linkwork.formats.fmi.exported_component import (
    ExportedComponent,
    border_text,
    component_variables,
    exported_component,
    refuse_method,
    refuse_words,
)
from linkwork.formats.fmi.exported_variables import (
    INPUT,
    ExportedVariable,
    certificate_variables,
    column_variables,
    input_variables,
    state_variables,
    time_variable,
)
from linkwork.formats.fmi.model_description import Description, model_description
from linkwork.formats.fmi.model_file import model_file, record_place
from linkwork.formats.fmi.parameters import parameter_variables
from linkwork.formats.fmi.standard import PLATFORMS
from linkwork.formats.fmi.start_image import StartImage, start_image, start_stepper
from linkwork.model import Model, Subsystem
from linkwork.model.arguments import helpful
from linkwork.model.checked import VectorLike, shown
from linkwork.model.frame import RotationLike
from linkwork.simulation.run import Simulation
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.simulation.storage.files import check_path
from linkwork.simulation.structure.persistent import persistent_array

KINDS = {"cs": ("cs",), "me": ("me",), "both": ("me", "cs")}
SPACE = uuid.UUID("6f1b4b1e-6c11-5f0b-9a52-1d6e7f0a2c3d")  # of our tokens


@helpful
def export_fmu(
    model: Model | Subsystem,
    file: str | PathLike[str],
    *,
    kind: Literal["cs", "me", "both"] = "cs",
    version: Literal[2, 3] | None = None,
    inputs: Sequence[str] | str | None = None,
    outputs: Sequence[str] | str | None = None,
    parameters: Sequence[str] | str | None = None,
    method: Any = None,
    dt: float | None = None,
    start: Any = None,
    position: VectorLike | None = None,
    rotation: RotationLike | None = None,
    ignore: Sequence[str] = (),
    levels: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    picture: bool = True,
    **options: Any,
) -> Path:
    """Write a model as an FMU: the compiled loop of a method with the model's numbers, and no Python inside.

    `kind` is "cs" (co-simulation: the FMU steps itself, by `dt` in seconds), "me" (model exchange: the host
    integrates; methods with explicit steps) or "both". `version` is that of FMI, 2 (the usual one) or 3. `inputs` are
    names or patterns of forces, torques and motors whose law is a number; `outputs` those of columns, as of
    `lw.simulate(record=…)`; all when not given. `parameters` are numbers that the host may change before the
    initialisation: masses ("bob.mass", in kg), stiffnesses and dampings, gravity, and the start of joints
    ("pin.start_position", rad or m); all that can be followed exactly when not given (of a model with more than 100
    such numbers gravity alone), none with `[]`. `method` ("recursive" when not given), `dt`, `start`, `ignore` and
    further options are those of `lw.simulate`. `levels` are levels of CPUs ("x86-64-v3") and `systems` are those
    ("win32-x86_64") whose kernels go into the file, by default of this machine.
    `picture=False` leaves model.png out. Returns the path.

    A subsystem with ports becomes a sealed component of FMI 3 with forces at its ports as inputs and their motion as
    outputs. In linkwork it can be coupled exactly: `model.add("left", lw.FMU("suspension.fmu"))`. It stands at
    `position` (m) and `rotation`, by default where it is in its model. `inputs` and `outputs` then add what is inside;
    there are no parameters but gravity, no picture, and the method is "component".

    >>> import tempfile, os.path
    >>> file = os.path.join(tempfile.mkdtemp(), "pendulum.fmu")
    >>> lw.export_fmu(lw.gallery.pendulum.build(), file, dt=1e-3, picture=False).name  # doctest: +SKIP
    'pendulum.fmu'
    """
    path = check_path(file, (".fmu",))
    component = None
    if isinstance(model, Subsystem):
        method = "component" if method is None else method
        refuse_words(kind, version, start, method, parameters)
        component, version, picture = exported_component(model, position, rotation), 3, False
    elif position is not None or rotation is not None:
        raise OptionError("position= and rotation= are for a subsystem; a model is in the world already")
    method, version = "recursive" if method is None else method, 2 if version is None else version
    _check_words(kind, version, systems)
    if dt is not None:
        options = {**options, "dt": dt}
    elif isinstance(method, str):
        options = {"dt": 1e-3, **options}
    whole, ports = (model, []) if component is None else (component.model, component.bodies)
    sim = Simulation(whole, method, ignore=ignore, start=start, ports=ports, **options)  # type: ignore[arg-type]
    _refuse(sim, kind)
    image = start_image(start_stepper(sim.method, sim.system, sim.ignored, ports))
    if component is not None:
        refuse_method(sim.method)
        variables, places = component_variables(image, component, inputs, outputs)
    else:
        variables, places = _variables(image, kind, version, inputs, outputs, parameters, start is not None)
    _refuse_same_names(variables)
    contents = replace(
        _contents(path, sim, image, variables, places, kind, version, component),
        systems=tuple(systems) if systems else (cpu.system_name(),),
        levels=None if levels is None else list(levels),
        picture=sim.system.model if picture else None,
    )
    write_archive(path, contents)
    return path


def _contents(
    path: Path,
    sim: Simulation,
    image: StartImage,
    variables: list[ExportedVariable],
    places: dict[str, int],
    kind: str,
    version: int,
    component: ExportedComponent | None,
) -> Contents:
    """The members of the archive, for no system yet."""
    laws = law_places(image)
    symbols = {place: law.symbol for place, law in laws.items()}
    identifier = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
    identifier = identifier if identifier[:1].isalpha() else f"m_{identifier}"
    content = model_file(image, variables, places, "", symbols)
    digest = hashlib.sha256(content + repr((variables, kind, version)).encode()).hexdigest()
    token = f"{{{uuid.uuid5(SPACE, digest)}}}"
    seal = 0 if component is None else 1 + int(digest[:15], 16)
    given = Description(
        model_name=sim.system.model.name,
        identifier=identifier,
        token=token,
        text=_told(sim),
        kinds=KINDS[kind],
        dt=sim.method.dt,
        when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        sources=tuple(source_files()),
        border="" if component is None else border_text(component, sim.method),
    )
    return Contents(
        description=given,
        variables=variables,
        version=version,
        model=model_file(image, variables, places, token, symbols, seal),
        described=model_description(given, variables, version),
        laws=list(laws.values()),
        entries=image.entries,
        systems=(),
        levels=None,
        picture=None,
    )


def _check_words(kind: str, version: int, systems: Sequence[str] | None) -> None:
    if kind not in KINDS:
        raise OptionError(f"kind must be 'cs', 'me' or 'both', not {shown(kind)}; correct kind=")
    if version not in (2, 3):
        raise OptionError(f"version must be 2 or 3, not {shown(version)}; correct version=")
    for system in systems or ():
        if system not in PLATFORMS:
            raise OptionError(f"there is no system {shown(system)}; give one of {', '.join(map(repr, PLATFORMS))}")


def _told(sim: Simulation) -> str:
    name, method = sim.system.model.name, sim.method
    return f"{name} by linkwork's method {method.name}, integrator {method.integrator}, dt {method.dt:g} s"


def _refuse(sim: Simulation, kind: str) -> None:
    """Raise for what an FMU cannot hold."""
    model, method = sim.system.model, sim.method
    name = f"'{model.name}' cannot be exported"
    if method.loop is None:
        raise OptionError(f"{name} with method '{method.name}', which steps in Python; take another method")
    events = [event.path for event in model.all_events()]
    if events:
        raise OptionError(f"{name}: an FMU has no events, such as '{events[0]}'; remove it, and let the host act")
    sampled = [part for parts in (model.all_controllers(), model.all_sensors()) for part in parts]
    if sampled:
        raise OptionError(
            f"{name}: {sampled[0].word} '{sampled[0].path}' is sampled, which an FMU leaves to its host; remove it, "
            "and let the host set inputs"
        )
    late = next(iter(sim.system.late.items()), None)
    if late is not None:
        raise OptionError(
            f"{name}: the law of {late[1]} sees '{late[0]}' of the last step, which an FMU does not keep; export that "
            "column, and let the host hand it back by a model.input"
        )
    if remote_parts(model):
        raise OptionError(f"{name}: its component '{remote_parts(model)[0].path}' lives elsewhere; export it by itself")
    if kind != "cs" and persistent_array(sim.stepper, "steps.f") is None:
        raise OptionError(
            f"{name} for model exchange with method '{method.name}', which has no rates; take 'recursive'"
        )
    if kind != "cs" and method.integrator == "semi-implicit":
        raise OptionError(f"{name} for model exchange with integrator 'semi-implicit'; take 'rk4'")


def _variables(
    image: StartImage, kind: str, version: int, inputs: Any, outputs: Any, parameters: Any, held: bool
) -> tuple[list[ExportedVariable], dict[str, int]]:
    """All variables in the order of their value references, and places behind the image."""
    set_by_host = [*input_variables(image, inputs), *parameter_variables(image, parameters, held)]
    set_by_host = [replace(each, number=k) for k, each in enumerate(set_by_host)]
    ins = [each for each in set_by_host if each.kind == INPUT]
    columns = column_variables(image, outputs)
    places = record_place(image, len(set_by_host))
    certificate = certificate_variables(image, places["record"], kind)
    states = [] if kind == "cs" else state_variables(image)
    first = [time_variable(image)] if version == 3 else []  # FMI 2 needs none
    return [*first, *ins, *set_by_host[len(ins) :], *columns, *certificate, *states], places


def _refuse_same_names(variables: list[ExportedVariable]) -> None:
    twice = {each.name for k, each in enumerate(variables) if each.name in {other.name for other in variables[:k]}}
    if twice:
        raise OptionError(f"two variables of the FMU would be called '{min(twice)}'; rename a part of the model")
