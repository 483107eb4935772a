"""MuJoCo's compiler: from the checked text to the numbers of the model, and from those back to the elements."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from linkwork.errors import ModelError
from linkwork.formats.mjcf.source import MjcfSource, refused
from linkwork.formats.xml_tree import XmlElement

OLDEST = 4  # version of MuJoCo
TABLES = {
    "body": "bodies",
    "joint": "joints",
    "geom": "geoms",
    "site": "sites",
    "equality": "equalities",
    "tendon": "tendons",
    "actuator": "actuators",
    "exclude": "excludes",
    "pair": "pairs",
    "key": "keys",
}


class CompiledMjcf(NamedTuple):
    """What MuJoCo made of a file: its module, its description, its model, and the elements by kind and number."""

    mujoco: Any
    spec: Any
    m: Any
    elements: dict[tuple[str, int], XmlElement]

    def name(self, kind: str, number: int) -> str:
        """The name that the file gives to an object, or ''."""
        return str(getattr(self.m, kind)(number).name)


def load_mujoco() -> Any:
    """The module, or how to get it."""
    try:
        import mujoco
    except ImportError:
        raise ModelError('MJCF files are read by MuJoCo; install it: pip install "linkwork[mjcf]"') from None
    if int(str(mujoco.__version__).split(".")[0]) < OLDEST:
        raise ModelError(
            f"MJCF files are read by MuJoCo {OLDEST} or newer, here is {mujoco.__version__}; install it: "
            'pip install -U "linkwork[mjcf]"'
        )
    return mujoco


def compile_source(source: MjcfSource, repair: bool) -> CompiledMjcf:
    """Let MuJoCo compile the text."""
    mujoco = load_mujoco()
    silence = getattr(mujoco, "set_mju_user_warning", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if silence is not None:
                silence(lambda _: None)  # else it writes a file of its own
            spec = mujoco.MjSpec.from_string(source.text, assets=source.assets)
            spec.compiler.LRopt.mode = 0  # ranges of muscles are found by simulating, which may take for ever
            if repair:
                spec.compiler.balanceinertia = True
            m = spec.compile()
    except ModelError:
        raise
    except Exception as error:  # whatever it raises is about the file
        raise refused(source, error) from None
    finally:
        if silence is not None:
            silence(None)
    elements = {}
    for kind, table in TABLES.items():
        for each in getattr(spec, table):
            found = source.at_line(str(each.info))
            if found is not None and each.id >= 0:
                elements[kind, int(each.id)] = found
    return CompiledMjcf(mujoco, spec, m, elements)
