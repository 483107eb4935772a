"""LLVM: modules become machine code for a CPU, and machine code becomes a function to call. No numba here."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from typing import Any

import llvmlite.binding as llvm

NATIVE = "native"  # the CPU of this machine, with all that it can


@functools.cache
def _initialise() -> None:
    with contextlib.suppress(RuntimeError):  # newer versions do it by themselves
        llvm.initialize()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@functools.cache
def target_machine(level: str, triple: str = "") -> Any:
    """What translates for a CPU: `native`, or a level such as "x86-64-v3" of the system that `triple` names."""
    _initialise()
    target = llvm.Target.from_triple(triple or llvm.get_process_triple())
    cpu, features = level, ""
    if level == NATIVE:
        cpu, features = llvm.get_host_cpu_name(), host_features()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default")


def host_features() -> str:
    """What the CPU of this machine has, as LLVM writes it."""
    try:
        return str(llvm.get_host_cpu_features().flatten())
    except RuntimeError:  # unknown: what its name says
        return ""


@functools.cache
def native_digest() -> str:
    """Sixteen digits for the CPU of this machine and the compiler: code for another one is not for this one."""
    parts = (llvm.get_process_triple(), llvm.get_host_cpu_name(), host_features(), llvm.llvm_version_info)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def object_code(module: Any, level: str = NATIVE, triple: str = "") -> bytes:
    """Machine code of a module, as the content of an object file."""
    machine = target_machine(level, triple)
    module = module.clone()
    module.triple = triple or llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    for loops, speed in ((False, 0), (True, 3)):  # first what is written into its callers, then all the rest
        options = llvm.create_pipeline_tuning_options()
        options.speed_level = speed
        options.loop_vectorization = loops
        options.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
        if not loops:  # rotated loops are vectorised more often
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


class _Engine:
    """Where loaded code lives, to the end of the process."""

    def __init__(self) -> None:
        _initialise()
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(opt=3, jit=True)
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)

    def load(self, code: bytes, symbol: str) -> int:
        self.engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        return int(self.engine.get_function_address(symbol))


def load(code: bytes, symbol: str) -> int:
    """The address of a function of an object file, loaded."""
    return _engine().load(code, symbol)


@functools.cache
def _engine() -> _Engine:
    return _Engine()
