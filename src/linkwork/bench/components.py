"""Scene "components": cost of a step against the number of bodies, for methods `component` and `absolute`.

chains of rods, and ladders of four-bar loops, in a balanced hierarchy of subsystems
the lower half of a chain in this process, and served by another one on this machine
"""

from __future__ import annotations

import itertools
import multiprocessing
from math import log
from typing import Any

import linkwork as lw
from linkwork.bench import Chart, Comparison, Figure, SceneReport, best_of

DT = 1e-3  # s
LEAF = 4  # cells that are not divided any more
ROD = {"mass": 1.0, "shape": lw.Box((0.05, 0.05, 1.0))}
BAR = {"mass": 1.0, "shape": lw.Box((1.0, 0.05, 0.05))}
EXPONENT_TARGET = 1.1
HOW = (
    "Seconds per semi-implicit Euler step of 1 ms, many in one compiled call; best of interleaved repeats. In the rows "
    "'two processes' the column of the engine is the same model in one process, so that a ratio below 1 is a gain."
)


class Piece(lw.Subsystem):
    """`count` cells of a "chain" or a "ladder" from number `first` on, halved into subsystems down to `leaf` cells.

    Ports: "left" and "right" of the first cell (one body in a chain), "bottom" of the last.

    >>> len(list(Piece(kind="ladder", count=10).walk())) > 3
    True
    """

    def build(self, *, kind: str = "chain", count: int = 4, first: int = 0, leaf: int = LEAF) -> None:
        cell = _rod if kind == "chain" else _four_bar
        if count > leaf:
            half = count // 2
            upper = ends(self.add("upper", Piece(kind=kind, count=half, first=first, leaf=leaf)))
            lower = ends(self.add("lower", Piece(kind=kind, count=count - half, first=first + half, leaf=leaf)))
            join(self, upper[2], lower[0], lower[1], first + half)
            left, right, bottom = upper[0], upper[1], lower[2]
        else:
            left, right, bottom = cell(self, first)
            for k in range(first + 1, first + count):
                below = cell(self, k)
                join(self, bottom, below[0], below[1], k)
                bottom = below[2]
        # a body has one port, whatever it is
        self.port("left", left)
        if right is not left:
            self.port("right", right)
        if bottom is not left:
            self.port("bottom", bottom)


def ends(piece: Any) -> tuple[Any, Any, Any]:
    """The bodies left and right at the top of a piece, and the one at its bottom; one body may be several of them."""
    left = piece.ports["left"]
    return left, piece.ports.get("right", left), piece.ports.get("bottom", left)


def _rod(parts: Any, k: int) -> tuple[Any, Any, Any]:
    rod = parts.body(f"rod {k}", position=(0, 0, -k - 0.5), **ROD)
    return rod, rod, rod


def _four_bar(parts: Any, k: int) -> tuple[Any, Any, Any]:
    left = parts.body(f"left {k}", position=(-0.5, 0, -k - 0.5), **ROD)
    right = parts.body(f"right {k}", position=(0.5, 0, -k - 0.5), **ROD)
    bar = parts.body(f"bar {k}", position=(0, 0, -k - 1.0), **BAR)
    parts.revolute(f"low left {k}", left, bar, at=(-0.5, 0, -k - 1.0), axis=(0, 1, 0))
    parts.revolute(f"low right {k}", right, bar, at=(0.5, 0, -k - 1.0), axis=(0, 1, 0))
    return left, right, bar


def join(parts: Any, above: Any, left: Any, right: Any, k: int) -> None:
    """Hang cell k on what is above it."""
    if left is right:
        parts.revolute(f"pin {k}", above, left, at=(0, 0, -k), axis=(0, 1, 0))
    else:
        parts.revolute(f"high left {k}", above, left, at=(-0.5, 0, -k), axis=(0, 1, 0))
        parts.revolute(f"high right {k}", above, right, at=(0.5, 0, -k), axis=(0, 1, 0))


def hanging(kind: str, bodies: int, lower: Any = None, leaf: int = LEAF) -> lw.Model:
    """A chain or ladder of about so many bodies, in subsystems of `leaf` cells at most, two of them at least.

    `lower` stands for the lower half, where that lives elsewhere.

    >>> len(list(hanging("chain", 20).all_bodies()))
    20
    """
    cells = bodies if kind == "chain" else max(1, bodies // 3)
    model = lw.Model(f"{kind} of {bodies}")
    half = cells // 2
    upper = model.add("upper", Piece(kind=kind, count=half, leaf=leaf))
    if lower is None:
        lower = Piece(kind=kind, count=cells - half, first=half, leaf=leaf)
    model.add("lower", lower)
    top, next_one = ends(upper), ends(lower)
    join(model, model.ground, top[0], top[1], 0)
    join(model, top[2], next_one[0], next_one[1], half)
    return model


def measure(*, quick: bool = False) -> SceneReport:
    """Time the scene; `quick` with small systems and few repeats."""
    sizes = (10, 30) if quick else (10, 30, 100, 300, 1000)
    repeats, seconds = (1, 0.01) if quick else (5, 0.2)
    rows: list[Comparison] = []
    figures: list[Figure] = []
    charts: list[Chart] = []
    for kind in ("chain", "ladder"):
        cost: dict[str, list[float]] = {"component": [], "absolute": []}
        for bodies in sizes:
            sims = [_sim(hanging(kind, bodies), method) for method in cost]
            for method, time in zip(cost, best_of(repeats, seconds, [sim.step for sim in sims]), strict=True):
                cost[method].append(time)
                rows.append(Comparison(f"{kind} of {bodies}, {method}", "-", time, note="-"))
        first = 0 if quick else 2
        for method, times in cost.items():
            exponent = log(times[-1] / times[first]) / log(sizes[-1] / sizes[first])
            name = f"exponent of {method} on the {kind}, {sizes[first]} to {sizes[-1]} bodies"
            figures.append(Figure(name, exponent, None if quick else EXPONENT_TARGET))
        lines = {method: list(zip(map(float, sizes), times, strict=True)) for method, times in cost.items()}
        charts.append(Chart(f"{kind}: cost against size", "bodies", "time of a step (s)", lines))
        whole = _sim(hanging(kind, sizes[-1], leaf=sizes[-1]), "component")
        undivided = best_of(repeats, seconds, [whole.step])[0]
        rows.append(Comparison(f"{kind} of {sizes[-1]} in two parts, component", "-", undivided, note="-"))
    standard = lw.Absolute(integrator="semi-implicit", dt=DT, stabilization="standard")
    pair = [lw.Simulation(hanging("chain", sizes[-1]), method) for method in (_method("absolute"), standard)]
    successive, other = best_of(repeats, seconds, [sim.step for sim in pair])
    figures.append(Figure("cost of successive over standard projection", successive / other, 1.0))
    two = {bodies: _two_processes(bodies, repeats, seconds) for bodies in ((10,) if quick else (30, 100, 300, 1000))}
    rows += two.values()
    figures.append(Figure("bodies of a chain from which two processes are faster than one", _break_even(two)))
    sides = {
        "one process": [(float(bodies), row.peer) for bodies, row in two.items() if row.peer],
        "two processes": [(float(bodies), row.linkwork) for bodies, row in two.items()],
    }
    charts.append(Chart("chain in one and two processes", "bodies", "time of a step (s)", sides))
    return SceneReport("components", rows, figures, HOW, charts)


def _break_even(two: dict[int, Comparison]) -> float | None:
    """Where the ratio of times comes down to 1, on a straight line in logarithms; None where it never does."""
    ratios = [(bodies, row.ratio) for bodies, row in two.items() if row.ratio is not None]
    for (few, slower), (many, faster) in itertools.pairwise(ratios):
        if slower > 1.0 >= faster:
            return float(few * (many / few) ** (log(slower) / log(slower / faster)))
    return float(ratios[0][0]) if ratios and ratios[0][1] <= 1.0 else None


def _method(name: str) -> Any:
    kinds: dict[str, Any] = {"component": lw.Components, "absolute": lw.Absolute}
    return kinds[name](integrator="semi-implicit", dt=DT)


def _sim(model: lw.Model, method: str) -> lw.Simulation:
    return lw.Simulation(model, _method(method))


def _two_processes(bodies: int, repeats: int, seconds: float) -> Comparison:
    """The chain with its lower half served by another process, against the same chain in one."""
    half = bodies // 2
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, bodies - half, half), daemon=True)
    process.start()
    try:
        remote = lw.Remote(ours.recv(), timeout=300.0)
        apart = lw.Simulation(hanging("chain", bodies, remote), _method("component"))
        together = _sim(hanging("chain", bodies), "component")
        two, one = best_of(repeats, seconds, [apart.step, together.step])
        apart.close()
    finally:
        process.join(10)
        process.kill()
    return Comparison(f"chain of {bodies}, two processes", "one process", two, one)


def _serve(pipe: Any, count: int, first: int) -> None:
    from linkwork.distribute.listen import listen
    from linkwork.distribute.server import serve

    listener = listen(0, timeout=300.0)
    pipe.send(listener.address)
    serve(lambda: Piece(kind="chain", count=count, first=first), listener.accept())
    listener.close()
