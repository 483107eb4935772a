"""Laws of the user inside an FMU: compiled ones as machine code of their own; those that run in Python are refused."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from linkwork._kernels.targets import NoLinker, link, linker, target
from linkwork.errors import OptionError
from linkwork.formats.fmi.start_image import StartImage
from linkwork.model import PythonLaw
from linkwork.spatial.codes import FUNCTION, RATE, SEEING

# what machine code may call without Python: functions of C's library of mathematics
OF_C = frozenset(
    f"{name}{kind}"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf"),
        *("erfc", "exp", "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod", "hypot", "ldexp", "lgamma", "log"),
        *("log10", "log1p", "log2", "nearbyint", "pow", "rint", "round", "sin", "sincos", "sinh", "sqrt", "tan"),
        *("tanh", "tgamma", "trunc", "memset", "memcpy", "memmove"),
    )
    for kind in ("", "f")
)


class LawCode(NamedTuple):
    """A compiled law: its name in C, and what it is made of."""

    symbol: str
    law: PythonLaw
    size: int  # numbers that it returns
    part: str  # whose law it is
    motion: bool  # it also gives rates
    seen: int  # numbers that it sees, where it says which


def law_places(image: StartImage) -> dict[int, LawCode]:
    """Compiled laws by the place of their address in the image. Raises for laws that run in Python."""
    laws, found = image.stepper.tables.laws, {}
    known = {kept[-1]: (key, kept) for key, kept in image.system.alive.items() if isinstance(kept[0], PythonLaw)}
    for row, (kind, address) in enumerate(zip(laws.law_kind, laws.law_address, strict=True)):
        if kind not in (FUNCTION, SEEING, RATE):
            continue
        (_, part, motion), (law, _, _, seen, size, _) = known[int(address)]
        if not law.compiled:
            raise OptionError(
                f"the law of {part} runs in Python, which an FMU has not; put @lw.compiled above it, or give a table"
            )
        symbol = f"linkwork_law_{list(laws.law_address).index(address)}"  # one for each function
        found[image.memory.place(laws.law_address[row : row + 1])] = LawCode(symbol, law, size, part, motion, seen)
    return found


def laws_library(laws: list[LawCode], system: str, level: str) -> bytes:
    """A shared library with the laws, for CPUs of this level."""
    from linkwork._kernels import machine

    triple = target(system).triple
    try:
        command = linker(system)
    except NoLinker as error:
        raise OptionError(f"the compiled law of {laws[0].part} cannot go into the FMU: {error}") from None
    machine.target_machine(level, triple)
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for each in {law.symbol: law for law in laws}.values():
            objects.append(Path(folder) / f"{each.symbol}.o")
            objects[-1].write_bytes(machine.object_code(_module(each), level, triple))
        file = Path(folder) / f"linkwork_laws{target(system).suffix}"
        try:
            link(command, system, objects, file)
        except NoLinker as error:
            raise OptionError(f"the compiled laws cannot go into the FMU: {error}") from None
        return file.read_bytes()


def _module(each: LawCode) -> Any:
    """A law in LLVM's language as the C function void(double, double *, double *); nothing else of it is seen."""
    from llvmlite import binding

    from linkwork.assembly.laws.compiled_laws import law_text

    text, inner = law_text(each.law, each.size, each.part, each.motion, each.seen)
    # numba's own C function, which speaks to Python
    text = re.sub(r'^define [^\n]*@"?cfunc\.[^\n]*\{\n.*?^\}\n', "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^target (triple|datalayout)[^\n]*\n", "", text, flags=re.MULTILINE)
    declared = re.findall(r'^declare [^\n]*?@"?([\w.$]+)"?\(', text, flags=re.MULTILINE)
    needed = [name for name in declared if not name.startswith("llvm.") and name not in OF_C]
    for name in needed:
        if len(re.findall(rf'@"?{re.escape(name)}"?\b', text)) > 1:
            raise OptionError(
                f"the compiled law of {each.part} needs '{name}' of Python's runtime, which an FMU has not; "
                "let it use numbers, tuples and math alone"
            )
    text = text.replace(f'@"{inner}"', "@law").replace(f"@{inner}", "@law")
    text += (
        f"\ndefine void @{each.symbol}(double %t, ptr %told, ptr %out) {{\n"
        "  %result = alloca ptr\n  %raised = alloca ptr\n"
        "  %status = call i32 @law(ptr %result, ptr %raised, double %t, ptr %told, ptr %out)\n  ret void\n}\n"
    )
    module = binding.parse_assembly(text)
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration:
            part.linkage = "external" if part.name == each.symbol else "internal"
    return module
