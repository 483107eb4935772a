"""modelDescription.xml of FMI 2.0 and 3.0, and the terminals of 3.0."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as Tree

from linkwork._version import __version__
from linkwork.formats.fmi.exported_variables import INPUT, ORDER, PARAMETER, ExportedVariable
from linkwork.formats.fmi.standard import BORDER
from linkwork.formats.fmi.units import exponents

YES = "true"


@dataclass(frozen=True)
class Description:
    """What the model description says besides the variables."""

    model_name: str
    identifier: str
    token: str
    text: str
    kinds: tuple[str, ...]  # "cs", "me"
    dt: float
    when: str  # as "2026-01-31T12:00:00Z"
    sources: tuple[str, ...]
    border: str = ""  # of a component: what linkwork must know to couple it exactly


def model_description(given: Description, variables: list[ExportedVariable], version: int) -> bytes:
    """The text of modelDescription.xml."""
    root = Tree.Element("fmiModelDescription", fmiVersion="2.0" if version == 2 else "3.0", modelName=given.model_name)
    root.set("guid" if version == 2 else "instantiationToken", given.token)
    root.set("description", given.text)
    root.set("generationTool", f"linkwork {__version__}")
    root.set("generationDateAndTime", given.when)
    plain = all(_structured(each.name) for each in variables)
    root.set("variableNamingConvention", "structured" if plain else "flat")
    if version == 2 and "me" in given.kinds:
        root.set("numberOfEventIndicators", "0")
    for kind in ("me", "cs"):
        if kind in given.kinds:
            _kind(root, given, kind, version)
    units = Tree.SubElement(root, "UnitDefinitions")
    for unit in sorted({each.unit for each in variables if each.unit != "1"}):
        element = Tree.SubElement(units, "Unit", name=unit)
        Tree.SubElement(element, "BaseUnit", {base: str(count) for base, count in exponents(unit).items()})
    logs = Tree.SubElement(root, "LogCategories")
    for name, text in (("logStatusWarning", "What to look at"), ("logStatusError", "Why a call failed")):
        Tree.SubElement(logs, "Category", name=name, description=text)
    experiment = {"startTime": "0", "stopTime": repr(max(1.0, 1000 * given.dt)), "stepSize": repr(given.dt)}
    Tree.SubElement(root, "DefaultExperiment", experiment)
    listed = Tree.SubElement(root, "ModelVariables")
    for k, each in enumerate(variables):
        (_variable_2 if version == 2 else _variable_3)(listed, k, each, variables)
    (_structure_2 if version == 2 else _structure_3)(root, given, variables)
    if given.border:
        told = Tree.SubElement(Tree.SubElement(root, "Annotations"), "Annotation", type=BORDER)
        told.text = given.border
    return _text(root)


def _kind(root: Tree.Element, given: Description, kind: str, version: int) -> None:
    """What co-simulation or model exchange can do."""
    state = "FMUstate" if version == 2 else "FMUState"
    facts = {
        "modelIdentifier": given.identifier,
        f"canGetAndSet{state}": YES,
        f"canSerialize{state}": YES,
    }
    if kind == "me":
        facts["providesDirectionalDerivative" + ("s" if version == 3 else "")] = YES
    if kind == "cs":
        facts["canHandleVariableCommunicationStepSize"] = YES
    if kind == "cs" and version == 3:
        facts["fixedInternalStepSize"] = repr(given.dt)
    if given.border:
        facts["providesIntermediateUpdate"] = YES
    if version == 2:
        facts["canNotUseMemoryManagementFunctions"] = YES
    Tree.SubElement(root, "CoSimulation" if kind == "cs" else "ModelExchange", facts)


def _structured(name: str) -> bool:
    """Whether a name is one of the structured naming convention, with no need of quotes."""
    inner = name[4:-1] if name.startswith("der(") else name
    parts = [part.partition("[")[0] for part in inner.split(".")]
    return all(part.isidentifier() and part.isascii() for part in parts)


def _facts(k: int, each: ExportedVariable) -> dict[str, str]:
    facts = {"name": each.name, "valueReference": str(k)}
    if each.description:
        facts["description"] = each.description
    facts["causality"] = each.causality
    facts["variability"] = {PARAMETER: "fixed", ORDER: "tunable"}.get(each.kind, "continuous")
    if each.kind in (PARAMETER, ORDER):
        facts["initial"] = "exact"
    elif each.causality in ("output", "local"):
        facts["initial"] = "calculated"
    return facts


def _number_facts(each: ExportedVariable) -> dict[str, str]:
    facts = {} if each.unit == "1" else {"unit": each.unit}
    if each.least > float("-inf"):
        facts["min"] = repr(each.least)
    if each.kind in (INPUT, PARAMETER):
        facts["start"] = repr(each.start)
    if each.starts:
        facts["start"] = " ".join(map(repr, each.starts))
    if each.staged:
        facts["intermediateUpdate"] = YES
    return facts


def _variable_2(listed: Tree.Element, k: int, each: ExportedVariable, variables: list[ExportedVariable]) -> None:
    element = Tree.SubElement(listed, "ScalarVariable", _facts(k, each))
    real = Tree.SubElement(element, "Real", _number_facts(each))
    if each.rate_of is not None:
        real.set("derivative", str(1 + _index(variables, each.rate_of)))


def _variable_3(listed: Tree.Element, k: int, each: ExportedVariable, variables: list[ExportedVariable]) -> None:
    element = Tree.SubElement(listed, "Float64", _facts(k, each) | _number_facts(each))
    for size in each.shape:
        Tree.SubElement(element, "Dimension", start=str(size))
    if each.rate_of is not None:
        element.set("derivative", str(_index(variables, each.rate_of)))


def _index(variables: list[ExportedVariable], name: str) -> int:
    return next(k for k, each in enumerate(variables) if each.name == name)


def _unknowns(variables: list[ExportedVariable]) -> tuple[list[int], list[int], list[int]]:
    """Outputs, rates of states, and what is unknown before the initialisation."""
    outputs = [k for k, each in enumerate(variables) if each.causality == "output"]
    rates = [k for k, each in enumerate(variables) if each.rate_of is not None]
    states = [_index(variables, str(variables[k].rate_of)) for k in rates]
    return outputs, rates, sorted({*outputs, *rates, *states})


def _depends(given: Description) -> dict[str, str]:
    """In co-simulation an output is the end of the last step: an input acts from the next one on."""
    return {"dependencies": ""} if given.kinds == ("cs",) else {}


def _structure_2(root: Tree.Element, given: Description, variables: list[ExportedVariable]) -> None:
    structure = Tree.SubElement(root, "ModelStructure")
    outputs, rates, initial = _unknowns(variables)
    for name, numbers, more in (
        ("Outputs", outputs, _depends(given)),
        ("Derivatives", rates, {}),
        ("InitialUnknowns", initial, {}),
    ):
        if numbers:
            part = Tree.SubElement(structure, name)
            for k in numbers:
                Tree.SubElement(part, "Unknown", {"index": str(k + 1), **more})


def _structure_3(root: Tree.Element, given: Description, variables: list[ExportedVariable]) -> None:
    structure = Tree.SubElement(root, "ModelStructure")
    outputs, rates, initial = _unknowns(variables)
    for name, numbers, more in (
        ("Output", outputs, _depends(given)),
        ("ContinuousStateDerivative", rates, {}),
        ("InitialUnknown", initial, {}),
    ):
        for k in numbers:
            Tree.SubElement(structure, name, {"valueReference": str(k), **more})


def terminals(variables: list[ExportedVariable], icon: bool) -> bytes:
    """terminalsAndIcons.xml: the picture where there is one, the certificate as a group of outputs, and the border."""
    root = Tree.Element("fmiTerminalsAndIcons", fmiVersion="3.0")
    box = {"x1": "-100", "y1": "-75", "x2": "100", "y2": "75"}
    graphics = Tree.SubElement(root, "GraphicalRepresentation")
    corners = {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100", "suggestedScalingFactorTo_mm": "0.1"}
    Tree.SubElement(graphics, "CoordinateSystem", corners)
    if icon:
        Tree.SubElement(graphics, "Icon", box)
    listed = Tree.SubElement(root, "Terminals")
    facts = {"name": "certificate", "matchingRule": "bus", "terminalKind": "org.linkwork.certificate"}
    terminal = Tree.SubElement(listed, "Terminal", facts, description="Errors of the run")
    for each in variables:
        if each.group == "certificate":
            facts = {"variableName": each.name, "memberName": each.name, "variableKind": "signal"}
            Tree.SubElement(terminal, "TerminalMemberVariable", facts)
    if any(each.group == BORDER for each in variables):
        _border(listed, variables)
    return _text(root)


def _border(listed: Tree.Element, variables: list[ExportedVariable]) -> None:
    """A terminal with what belongs to the whole border, and one in it for each port."""
    kinds = {"matchingRule": BORDER, "terminalKind": BORDER}
    told = "Forces at the ports, and how they answer: exact coupling in linkwork, ordinary ports elsewhere"
    terminal = Tree.SubElement(listed, "Terminal", {"name": "border", **kinds}, description=told)
    members = [each for each in variables if each.group.startswith(BORDER)]
    ports = dict.fromkeys(each.group.removeprefix(BORDER).removeprefix(":") for each in members)
    for port in sorted(ports, key=bool):  # members before inner terminals
        inside = terminal
        if port:
            inside = Tree.SubElement(terminal, "Terminal", {"name": port, **kinds, "terminalKind": f"{BORDER}.port"})
        for each in members:
            if each.group == (f"{BORDER}:{port}" if port else BORDER):
                short = each.name.removeprefix("border.").removeprefix(f"{port}." if port else "")
                facts = {"variableName": each.name, "memberName": short, "variableKind": "signal"}
                Tree.SubElement(inside, "TerminalMemberVariable", facts)


def build_description(given: Description) -> bytes:
    """buildDescription.xml: the C sources of the FMU, which need the kernels beside the binary."""
    root = Tree.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = Tree.SubElement(root, "BuildConfiguration", modelIdentifier=given.identifier)
    configuration.set("description", "Link with the system's loader; linkwork's kernels are loaded when it runs")
    files = Tree.SubElement(configuration, "SourceFileSet", language="C11")
    for name in given.sources:
        if name.endswith(".c"):
            Tree.SubElement(files, "SourceFile", name=name)
    return _text(root)


def _text(root: Tree.Element) -> bytes:
    Tree.indent(root)
    text: bytes = Tree.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"
