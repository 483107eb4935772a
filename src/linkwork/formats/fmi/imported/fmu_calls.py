"""Calls of one FMU instance through fmpy, the same for FMI 2 and 3: set up, variables, states as bytes, the end."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.fmu_description import ImportedDescription, ImportedVariable
from linkwork.formats.receipt import printable

MISSING = 'FMUs are run by fmpy, which is not installed; pip install "linkwork[fmi]"'
TOLD = 3  # messages of the FMU that an error repeats
WORST = DISCARD = 2  # status of a message from which it is kept
TERMINATED = 3  # what fmi2GetBooleanStatus is asked for
FATAL = 4
BITS = {"Integer": 32, **{f"{sign}Int{bits}": bits for sign in ("", "U") for bits in (8, 16, 32, 64)}}
_LOADING = threading.Lock()  # fmpy changes the folder of the process while it loads


class FMUFailure(Exception):
    """A call of an FMU failed; the message says which, and what the FMU said."""


class FMUCalls:
    """One instance of an FMU. Every failure of a call is an `FMUFailure`, after which it is only freed."""

    def __init__(self, description: ImportedDescription, folder: Path, name: str) -> None:
        self.description, self.said = description, list[str]()
        self.status = 0  # the worst of its calls
        self.begun = False
        self.fmu = self._loaded(folder, name)
        try:
            self._instantiate()
        except Exception as error:
            raise self._failure(f"it cannot be instantiated{self._tool()}", error) from None

    def _tool(self) -> str:
        """What it may be missing, in words."""
        tool = self.description.tool
        return f" and says that it needs the tool that made it, {tool}" if tool else ""

    def _loaded(self, folder: Path, name: str) -> Any:
        try:
            from fmpy import fmi2, fmi3
        except ImportError:
            raise ModelError(MISSING) from None
        given = self.description
        classes = {
            (2, "cs"): fmi2.FMU2Slave,
            (2, "me"): fmi2.FMU2Model,
            (3, "cs"): fmi3.FMU3Slave,
            (3, "me"): fmi3.FMU3Model,
        }
        with _LOADING:
            here = os.getcwd()
            try:
                return classes[given.version, given.kind](
                    guid=given.token, modelIdentifier=given.identifier, unzipDirectory=str(folder), instanceName=name
                )
            except Exception as error:
                raise self._failure(f"its binary cannot be loaded{self._tool()}", error) from None
            finally:
                os.chdir(here)

    def _instantiate(self) -> None:
        if self.description.version == 3:
            self._instantiate_3()
            return
        from fmpy import calloc, fmi2, free
        from fmpy.logging import addLoggerProxy

        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda _, __, status, ___, text: self._hear(status, text))
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
        addLoggerProxy(ctypes.byref(callbacks))
        self.fmu.instantiate(callbacks=callbacks)

    def _instantiate_3(self, **more: Any) -> None:
        self.fmu.instantiate(logMessage=lambda _, status, __, text: self._hear(status, text), **more)

    def _hear(self, status: int, text: bytes | None) -> None:
        if status >= WORST:
            self.said.append(printable((text or b"").decode("utf-8", "replace").strip()[:200]))
            del self.said[:-TOLD]

    def _failure(self, what: str, error: Exception) -> FMUFailure:
        self.status = max(self.status, getattr(error, "status", 3))
        reason = "; ".join(self.said) or printable(str(error).split("\n")[0][:200]).rstrip(".")
        self.said.clear()
        return FMUFailure(f"{what} ({reason})")

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of fmpy's object."""
        try:
            return getattr(self.fmu, function)(*arguments)
        except Exception as error:
            raise self._failure(f"its call of {function} failed", error) from None

    def begin(
        self, now: float, start: Sequence[tuple[ImportedVariable, Any]], inputs: VariableGroup, values: Any
    ) -> None:
        """Initialise it at the time `now` (s) with start values, and with inputs in the order of the group."""
        for variable, value in start:
            self.call(f"set{self.description.word(variable)}", [variable.reference], [value])
        if self.description.version == 2:
            self.call("setupExperiment", None, now)
            self.call("enterInitializationMode")
        else:
            self.call("enterInitializationMode", None, now)
        inputs.set(self, values)
        self.call("exitInitializationMode")
        self.begun = True

    def step(self, time: float, seconds: float) -> None:
        """Let a co-simulation FMU step by itself."""
        try:
            found = self.fmu.doStep(time, seconds)
        except Exception as error:
            if getattr(error, "status", None) == DISCARD and self._ended():
                raise self._failure("it asked to end the run", error) from None
            raise self._failure("its step failed", error) from None
        if found is None:
            return
        _, ends, early, reached = found
        if ends:
            raise FMUFailure("it asked to end the run")
        if early and reached < time + 0.999999 * seconds:
            raise FMUFailure(f"it returned from its step at t = {reached:.6g} s, before its end")

    def _ended(self) -> bool:
        """Whether a step of FMI 2 was discarded since it wants no more of them."""
        if self.description.version != 2:
            return False
        try:
            return bool(self.fmu.getBooleanStatus(TERMINATED))
        except Exception:  # it does not tell
            return False

    def state(self) -> bytes:
        """Its whole state."""
        found = self.call("getFMUState")
        try:
            return bytes(self.call("serializeFMUState", found))
        finally:
            self.call("freeFMUState", found)

    def put_back(self, state: bytes) -> None:
        """Be in the state that `state` gave."""
        found = self.call("deserializeFMUState", state)
        try:
            self.call("setFMUState", found)
        finally:
            self.call("freeFMUState", found)

    def free(self) -> None:
        """End it: nothing of it can be called afterwards."""
        if self.status >= FATAL:
            return  # it may not be called again
        try:
            if self.begun and self.status < WORST:
                self.fmu.terminate()
            self.fmu.freeInstance()
        except Exception:  # it is gone in any case
            return


class VariableGroup:
    """Variables that are set or got together, by their types."""

    def __init__(self, description: ImportedDescription, names: Sequence[str]) -> None:
        self.names = list(names)
        variables = [description.variables[name] for name in names]
        words = [description.word(variable) for variable in variables]
        self.groups = [
            (word, places, [variables[k].reference for k in places])
            for word in dict.fromkeys(words)
            if (places := [k for k, each in enumerate(words) if each == word])
        ]

    def set(self, calls: FMUCalls, values: Any) -> None:
        """Set them, in the order of the names."""
        for word, places, references in self.groups:
            calls.call(f"set{word}", references, [typed(word, float(values[k]), self.names[k]) for k in places])

    def get(self, calls: FMUCalls) -> list[float]:
        """Their numbers, in the order of the names."""
        found = [0.0] * len(self.names)
        for word, places, references in self.groups:
            for k, value in zip(places, calls.call(f"get{word}", references), strict=True):
                found[k] = float(value)
        return found


def typed(word: str, value: float, name: str) -> Any:
    """A number as a variable of a type wants it: whole numbers are rounded, 0.5 and more is true."""
    if word == "Boolean":
        return value >= 0.5
    if word not in BITS:
        return value
    least, most = (0, 2 ** BITS[word] - 1) if word[0] == "U" else (-(2 ** (BITS[word] - 1)), 2 ** (BITS[word] - 1) - 1)
    if not math.isfinite(value) or not least <= round(value) <= most:
        raise FMUFailure(f"its variable '{name}' cannot be {value:g}, which {word} does not hold")
    return round(value)
