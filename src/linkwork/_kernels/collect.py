"""Every entry of linkwork, and the kinds of its arguments: found by running small models in plain Python."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from linkwork._kernels.duals import DUAL, WITH_SLOPES
from linkwork._kernels.kernel import EntryPoint, plain_python
from linkwork._kernels.packing import FLOAT, replaced

Signatures = dict[str, tuple[EntryPoint, tuple[Any, ...]]]
# entries that are compiled for numbers with slopes too
SLOPED = (
    "linkwork.formulations.explicit.recursive.run",
    "linkwork.mechanics.rows.closure.close_at",
    "linkwork.mechanics.observation.observe",
)


def entries(methods: list[str] | None = None) -> Signatures:
    """The entries that these methods use, all methods where none is named: their names, entries and argument kinds."""
    import linkwork as lw
    from linkwork.simulation.methods import ALL

    found: Signatures = {}
    with _plain_python(found), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in methods if methods is not None else ALL:
            lw.simulate(lw.gallery.double_four_bar.build(), until=1e-3, method=name, dt=1e-3)
            if name == "component":
                joint = lw.Components(coordinates="joint", dt=1e-3)
                lw.simulate(lw.gallery.double_four_bar.build(), until=1e-3, method=joint)
        driven = lw.Model("arm")
        arm = driven.body("arm", mass=1.0, inertia=(1, 1, 1))
        driven.motor("drive", driven.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0)), velocity=1.0)
        lw.kinematics(driven, until=1e-3, dt=1e-3)
        system = lw.assemble(lw.gallery.pendulum.build())
        lw.inverse_dynamics(system, [0.1], [0.0], [0.0])
        lw.mass_matrix(system, [0.1])
        lw.forward_kinematics(system, [0.1])
        lw.jacobian(system, [0.1], "bob")
        lw.integrate(system, [0.1], [0.0], 1e-3)
    for name in SLOPED:
        if name in found:
            entry, kinds = found[name]
            found[name + WITH_SLOPES] = (entry, tuple(replaced(kind, FLOAT, DUAL.str[1:]) for kind in kinds))
    return found


@contextmanager
def _plain_python(found: Signatures) -> Iterator[None]:
    """While this lasts entries run in plain Python, and note what they are called with."""

    def note(entry: EntryPoint, kinds: tuple[Any, ...]) -> None:
        known = found.setdefault(entry.name, (entry, kinds))[1]
        assert known == kinds, f"{entry.name} is called with arguments of several kinds"

    plain_python.note = note
    try:
        yield
    finally:
        plain_python.note = None
