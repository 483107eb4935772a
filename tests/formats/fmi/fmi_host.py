"""A small host for FMUs in Python, by ctypes: enough to call what the tests ask for, in FMI 2 and FMI 3."""

import ctypes
import shutil
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from linkwork._kernels import cpu
from linkwork._kernels.library import Library, library
from linkwork._kernels.targets import NoLinker, linker

LOGGER_2 = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p
)  # the rest of its arguments is not looked at
LOGGER_3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
POINTER, REAL, SIZE, WHOLE, TEXT = ctypes.c_void_p, ctypes.c_double, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
OK, ERROR = 0, 3


class Callbacks(ctypes.Structure):
    _fields_ = [(name, POINTER) for name in ("logger", "allocate", "release", "finished", "environment")]


def need_library():
    """Skip where no FMU can be made: they carry the library of kernels, and C functions."""
    if not isinstance(library(), Library):
        pytest.skip("there is no library of kernels (make kernels)")
    try:
        linker(cpu.system_name())
    except NoLinker as error:
        pytest.skip(str(error))


class Unpacked:
    """An FMU unpacked in a folder of its own, with what its model description says."""

    def __init__(self, file):
        self.folder = Path(tempfile.mkdtemp())
        with zipfile.ZipFile(file) as archive:
            self.names = archive.namelist()
            archive.extractall(self.folder)
        self.root = ElementTree.parse(self.folder / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.token = self.root.get("guid") or self.root.get("instantiationToken")
        kind = self.root.find("CoSimulation")
        kind = self.root.find("ModelExchange") if kind is None else kind
        (binary,) = self.folder.glob(f"binaries/*/{kind.get('modelIdentifier')}.*")
        self.binary = binary
        self.variables = {
            each.get("name"): int(each.get("valueReference")) for each in self.root.find("ModelVariables")
        }
        self.resources = self.folder / "resources"

    def remove(self):
        shutil.rmtree(self.folder)

    def facts(self, name):
        """Attributes of a variable, those of its type among them."""
        (found,) = (each for each in self.root.find("ModelVariables") if each.get("name") == name)
        return {**found.attrib, **(found[0].attrib if len(found) else {})}


class Slave:
    """An instance of an FMU. `said` are the messages that it gave to its logger."""

    def __init__(self, unpacked, kind="cs", token=None):
        self.unpacked, self.version, self.said = unpacked, unpacked.version, []
        self.library = ctypes.CDLL(str(unpacked.binary))
        self.prefix = f"fmi{self.version}"
        token = (unpacked.token if token is None else token).encode()
        if self.version == 2:
            self.logger = LOGGER_2(lambda env, name, status, category, text: self.said.append(text.decode()))
            self.callbacks = Callbacks(ctypes.cast(self.logger, POINTER))
            make = self.library.fmi2Instantiate
            make.restype = POINTER
            self.instance = make(
                b"it",
                int(kind == "cs"),
                token,
                unpacked.resources.as_uri().encode(),
                ctypes.byref(self.callbacks),
                0,
                1,
            )
        else:
            self.logger = LOGGER_3(lambda env, status, category, text: self.said.append(text.decode()))
            make = self.library[f"fmi3Instantiate{'CoSimulation' if kind == 'cs' else 'ModelExchange'}"]
            make.restype = POINTER
            given = (b"it", token, f"{unpacked.resources}/".encode(), False, True)
            if kind == "cs":
                self.instance = make(*given, False, False, None, SIZE(0), None, self.logger, None)
            else:
                self.instance = make(*given, None, self.logger)

    def call(self, name, *arguments):
        """The status of a function of FMI."""
        return self.library[self.prefix + name](POINTER(self.instance), *arguments)

    def begin(self, start=0.0, values=None):
        """From a new instance to the first step, with values set before the initialisation."""
        self.set(values or {})
        if self.version == 2:
            self.call("SetupExperiment", 0, REAL(0), REAL(start), 0, REAL(0))
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", False, REAL(0), REAL(start), False, REAL(0))
        status = self.call("ExitInitializationMode")
        self.time = start
        return status

    def set(self, values):
        references = (ctypes.c_uint32 * len(values))(*(self.unpacked.variables[name] for name in values))
        numbers = (REAL * len(values))(*values.values())
        if self.version == 2:
            return self.call("SetReal", references, SIZE(len(values)), numbers)
        return self.call("SetFloat64", references, SIZE(len(values)), numbers, SIZE(len(values)))

    def get(self, *names):
        references = (ctypes.c_uint32 * len(names))(*(self.unpacked.variables[name] for name in names))
        numbers = (REAL * len(names))()
        if self.version == 2:
            assert self.call("GetReal", references, SIZE(len(names)), numbers) == OK, self.said
        else:
            assert self.call("GetFloat64", references, SIZE(len(names)), numbers, SIZE(len(names))) == OK, self.said
        return numbers[0] if len(names) == 1 else list(numbers)

    def step(self, length):
        """One communication step from where the last one ended; its status."""
        if self.version == 2:
            status = self.call("DoStep", REAL(self.time), REAL(length), 1)
        else:
            flags, last = [ctypes.c_bool() for _ in range(3)], REAL()
            told = [ctypes.byref(each) for each in (*flags, last)]
            status = self.call("DoStep", REAL(self.time), REAL(length), True, *told)
        self.time += length
        return status

    def state(self):
        """The present state, saved in the memory of the FMU."""
        found = POINTER()
        assert self.call("GetFMUstate" if self.version == 2 else "GetFMUState", ctypes.byref(found)) == OK
        return found

    def go_back(self, state):
        return self.call("SetFMUstate" if self.version == 2 else "SetFMUState", state)

    def bytes_of(self, state):
        names = ("SerializedFMUstateSize", "SerializeFMUstate")
        names = names if self.version == 2 else ("SerializedFMUStateSize", "SerializeFMUState")
        size = SIZE()
        assert self.call(names[0], state, ctypes.byref(size)) == OK
        room = (ctypes.c_char * size.value)()
        assert self.call(names[1], state, room, size) == OK
        return bytes(room)

    def state_of(self, content):
        found = POINTER()
        name = "DeSerializeFMUstate" if self.version == 2 else "DeserializeFMUState"
        status = self.call(name, content, SIZE(len(content)), ctypes.byref(found))
        return found if status == OK else None

    def states(self, count):
        room = (REAL * count)()
        assert self.call("GetContinuousStates", room, SIZE(count)) == OK, self.said
        return list(room)

    def rates(self, time, states):
        """Model exchange: rates of these states."""
        count = len(states)
        self.call("SetTime", REAL(time))
        self.call("SetContinuousStates", (REAL * count)(*states), SIZE(count))
        room = (REAL * count)()
        name = "GetDerivatives" if self.version == 2 else "GetContinuousStateDerivatives"
        assert self.call(name, room, SIZE(count)) == OK, self.said
        return list(room)

    def derivative(self, unknown, seeds):
        """Model exchange: how these variables change along a direction, {known variable: its part of it}."""
        place = self.unpacked.variables
        wanted, known = ((ctypes.c_uint32 * len(some))(*(place[name] for name in some)) for some in (unknown, seeds))
        seed, found = (REAL * len(seeds))(*seeds.values()), (REAL * len(unknown))()
        given = [wanted, SIZE(len(unknown)), known, SIZE(len(seeds)), seed]
        given += [found] if self.version == 2 else [SIZE(len(seeds)), found, SIZE(len(unknown))]
        return list(found) if self.call("GetDirectionalDerivative", *given) == OK else None

    def free(self):
        self.library[self.prefix + "FreeInstance"](POINTER(self.instance))
        self.instance = None
