"""modelDescription.xml of FMI 2 and 3: what an FMU can do, and its variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.fmu_file import FMUFile
from linkwork.formats.fmi.standard import BORDER
from linkwork.formats.xml_tree import XmlElement, parse_xml, plain

# types of variables, and the word in the names of FMI's functions for them
TYPES = {
    2: {
        "Real": "Real",
        "Integer": "Integer",
        "Enumeration": "Integer",
        "Boolean": "Boolean",
        "String": "String",
    },
    3: {
        **{f"Float{bits}": f"Float{bits}" for bits in (32, 64)},
        **{f"{sign}Int{bits}": f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
        "Enumeration": "Int64",
        "Boolean": "Boolean",
        "String": "String",
        "Binary": "Binary",
        "Clock": "Clock",
    },
}
NO_NUMBERS = ("String", "Binary", "Clock")
SMOOTH = ("Real", "Float64", "Float32")
WORDS = {  # what these attributes of a variable may say
    "causality": [
        "parameter",
        "calculatedParameter",
        "structuralParameter",
        "input",
        "output",
        "local",
        "independent",
        "dependent",
    ],
    "variability": ["constant", "fixed", "tunable", "discrete", "continuous"],
    "initial": ["exact", "approx", "calculated"],
}
KINDS = {"cs": "CoSimulation", "me": "ModelExchange"}
LARGEST = 2**32 - 1  # of value references


@dataclass(frozen=True)
class ImportedVariable:
    """A variable of an FMU."""

    name: str
    reference: int
    type: str
    causality: str
    variability: str
    initial: str
    array: bool

    @property
    def smooth(self) -> bool:
        """Whether it may be extrapolated."""
        return self.type in SMOOTH and self.variability == "continuous"


@dataclass(frozen=True)
class ImportedDescription:
    """What an FMU says of itself, for one kind of interface: "cs" or "me"."""

    file: str
    version: int
    kind: str
    model_name: str
    token: str
    identifier: str
    variables: dict[str, ImportedVariable]
    states: int
    """Continuous states and event indicators; FMI 3 tells at run time."""
    indicators: int
    once: bool
    """Whether a process can have one instance only."""
    saves: bool
    """Whether states can be taken, put back and written as bytes."""
    completes: bool
    """Whether it wants to know of completed integrator steps."""
    step: float | None
    """The step that its maker proposes, s."""
    fixed_step: float | None
    """The step that it takes inside, s, of which instants must be multiples."""
    tool: str = ""
    """What made it, where it says that it needs that to run."""
    border: str = ""
    """Of a component of linkwork: what must be known to couple it exactly."""

    def word(self, variable: ImportedVariable) -> str:
        """The word for the type of a variable in FMI's functions."""
        return TYPES[self.version][variable.type]


def read_description(file: FMUFile, kind: str | None) -> ImportedDescription:
    """The description of an FMU; `kind` None takes co-simulation where there is a choice."""
    root = parse_xml(file.description(), f"{file.name}, modelDescription.xml")
    if root.tag != "fmiModelDescription":
        raise ModelError(f"{file.name}: its modelDescription.xml describes no FMU; give the path of an FMU")
    told = root.need("fmiVersion")
    version = {"2": 2, "3": 3}.get(told.split(".")[0])
    if version is None:
        raise ModelError(
            f"{file.name}: it is of FMI {plain(told)}, only 2 and 3 can be used; export it as one of these"
        )
    chosen, element = _interface(root, file, kind)
    identifier = element.need("modelIdentifier")
    if not re.fullmatch(r"[\w\-][\w\-. ]*", identifier) or len(identifier) > 200:
        element.wrong("its modelIdentifier cannot be the name of a file; correct it")
    fmu_state, name = ("FMUstate", "guid") if version == 2 else ("FMUState", "instantiationToken")
    experiment = root.one("DefaultExperiment")
    structure = root.one("ModelStructure")
    derivatives = None if structure is None else structure.one("Derivatives")
    return ImportedDescription(
        file=file.name,
        version=version,
        kind=chosen,
        model_name=plain(root.get("modelName") or ""),
        token=root.need(name),
        identifier=identifier,
        variables=_variables(root, version),
        states=0 if derivatives is None else len(derivatives.all("Unknown")),
        indicators=_whole(root, "numberOfEventIndicators", "0"),
        once=_true(element, "canBeInstantiatedOnlyOncePerProcess"),
        saves=_true(element, f"canGetAndSet{fmu_state}") and _true(element, f"canSerialize{fmu_state}"),
        completes=not _true(element, "completedIntegratorStepNotNeeded")
        if version == 2
        else _true(element, "needsCompletedIntegratorStep"),
        step=_seconds(experiment, "stepSize"),
        fixed_step=_seconds(element, "fixedInternalStepSize") if version == 3 else None,
        tool=plain(root.get("generationTool") or "?")[:80] if _true(element, "needsExecutionTool") else "",
        border=_border(root) if version == 3 and chosen == "cs" else "",
    )


def _border(root: XmlElement) -> str:
    """The annotation of a component of linkwork."""
    annotations = root.one("Annotations")
    found = [] if annotations is None else annotations.all("Annotation")
    return next((each.text for each in found if each.get("type") == BORDER), "")


def _interface(root: XmlElement, file: FMUFile, kind: str | None) -> tuple[str, XmlElement]:
    found = {short: element for short, tag in KINDS.items() if (element := root.one(tag)) is not None}
    if not found:
        raise ModelError(f"{file.name}: it offers neither co-simulation nor model exchange; export it for one of these")
    if kind is not None and kind not in found:
        raise ModelError(f"{file.name}: it does not offer kind='{kind}'; give kind='{next(iter(found))}'")
    chosen = kind or next(iter(found))
    return chosen, found[chosen]


def _variables(root: XmlElement, version: int) -> dict[str, ImportedVariable]:
    found: dict[str, ImportedVariable] = {}
    table = root.one("ModelVariables")
    for element in () if table is None else table.children:
        if version == 2:
            inner = next((child for child in element.children if child.tag in TYPES[2]), None)
            if inner is None:
                element.wrong("its type is not one of FMI 2; correct it")
            kind = inner.tag
        else:
            kind = element.tag
            if kind not in TYPES[3]:
                continue  # what a later version of FMI 3 may add
        name = element.need("name")
        reference = _whole(element, "valueReference")
        if reference > LARGEST:
            element.wrong("its valueReference is too large; correct it")
        if name in found:
            element.wrong("another variable has this name; correct it")
        smooth = "continuous" if kind in SMOOTH else "discrete"
        for attribute, known in WORDS.items():
            if element.get(attribute, known[0]) not in known:
                element.wrong(f"its {attribute} is none of FMI; give one of {', '.join(known)}")
        causality = element.get("causality") or "local"
        fixed = "fixed" if causality.endswith("arameter") and version == 3 else smooth
        variable = ImportedVariable(
            name=name,
            reference=reference,
            type=kind,
            causality=causality,
            variability=element.get("variability") or fixed,
            initial=element.get("initial") or "",
            array=any(child.tag == "Dimension" for child in element.children),
        )
        found[name] = variable
        for alias in element.all("Alias") if version == 3 else ():
            other = alias.need("name")
            if other in found:
                alias.wrong("another variable has this name; correct it")
            found[other] = replace(variable, name=other)
    return found


def _true(element: XmlElement, name: str) -> bool:
    return (element.get(name) or "").strip() in ("true", "1")


def _whole(element: XmlElement, name: str, default: str | None = None) -> int:
    text = element.need(name) if default is None else element.get(name) or default
    if not re.fullmatch(r"[0-9]{1,10}", text.strip()):
        element.wrong(f"its {name} must be a whole number; correct it")
    return int(text)


def _seconds(element: XmlElement | None, name: str) -> float | None:
    if element is None or element.get(name) is None:
        return None
    value = element.number(name)
    return value if value > 0.0 else None
