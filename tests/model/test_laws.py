import math
from pathlib import Path

import numba
import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model import Constant, Cosine, Motion, PythonLaw, Table, as_law, compiled
from linkwork.model.laws import laws


def test_numbers_and_vectors() -> None:
    assert as_law(3) == Constant(3.0)
    assert as_law(np.float32(2.0)).value == 2.0
    vector = as_law((1, 2, 3))
    assert vector.value.tolist() == [1.0, 2.0, 3.0]
    assert vector == Constant(np.array([1, 2, 3]))
    assert vector != Constant(1.0)
    assert (as_law(1).size, vector.size) == (1, 3)


def test_laws_pass_through() -> None:
    for law in (Cosine(1, 2), Constant(1), Table((0, 1), (0, 1)), PythonLaw(abs)):
        assert as_law(law) is law


def test_pairs_become_tables() -> None:
    law = as_law(([0, 1, 2], [[0, 0, 0], [1, 0, 0], [0, 0, 0]]))
    assert isinstance(law, Table)
    assert (law.kind, law.size) == ("linear", 3)
    assert law == Table(np.arange(3), np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]]))
    assert law != Table((0, 1), (0, 1))


def test_functions_and_their_arity() -> None:
    def kinematic(t: float, position: float, velocity: float, gain: float = 2.0) -> float:
        return gain * velocity

    assert as_law(lambda t: t).arity == 1
    assert as_law(kinematic).arity == 3
    assert as_law(math.sin).arity == 1
    assert as_law(np.sin).arity == 1
    assert as_law(lambda t, *rest: t).arity == 1
    assert not as_law(kinematic).compiled

    class Controller:
        def act(self, t: float, position: float, velocity: float) -> float:
            return 0.0

        def __call__(self, t: float) -> float:
            return 0.0

    assert as_law(Controller().act).arity == 3
    assert as_law(Controller()).arity == 1


def test_compiled_functions() -> None:
    @compiled
    def brake(t, position, velocity):
        return -velocity

    law = as_law(brake)
    assert isinstance(law, PythonLaw)
    assert law.compiled
    assert law.arity == 3
    assert brake(0.0, 0.0, 1.5) == -1.5
    assert brake.py_func(0, 0, 2) == -2
    assert compiled(brake) is brake


def test_models_can_be_built_without_numba() -> None:
    source = Path(laws.__file__).read_text()
    assert not [line for line in source.splitlines() if line.startswith(("import numba", "from numba"))]


def test_motion() -> None:
    motion = Motion(position=(Cosine(0.1, 1), 0, lambda t: t), axis=(0, 2, 0), angle=([0, 1], [0, 1]))
    assert [type(law) for law in motion.position] == [Cosine, Constant, PythonLaw]
    assert motion.axis.tolist() == [0, 1, 0]
    assert isinstance(motion.angle, Table)
    assert Motion() == Motion()
    assert Motion() != Motion(angle=1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: as_law(math.nan, "force 'push'"), ("force 'push'", "finite", "law=")),
        (lambda: as_law((1, math.inf, 0), "force 'push'"), ("force 'push'", "finite")),
        (lambda: as_law((1, 2), "force 'push'"), ("force 'push'", "three numbers")),
        (lambda: as_law("up", "force 'push'"), ("force 'push'", "a function")),
        (lambda: as_law(None, "force 'push'"), ("force 'push'", "lw.Cosine")),
        (lambda: as_law(Cosine, "force 'push'"), ("force 'push'", "lw.Cosine")),
        (lambda: as_law(True, "force 'push'"), ("force 'push'", "a number")),
        (lambda: as_law((0, 0, Cosine(1, 1)), "force 'push'"), ("force 'push'", "three numbers")),
        (lambda: as_law(lambda t, x: t, "force 'push'"), ("force 'push'", "2 parameters", "(t, position, velocity)")),
        (lambda: as_law(lambda: 1.0, "force 'push'"), ("force 'push'", "0 parameters", "(t)")),
        (lambda: as_law(([0, 0], [1, 2]), "force 'push'"), ("force 'push'", "times must increase")),
        (lambda: Table((0, 2, 1), (0, 1, 2)), ("Table", "1 follows 2", "sort")),
        (lambda: Table((0, 1), (0, 1, 2)), ("Table", "values", "for each time")),
        (lambda: Table((0,), (0,)), ("Table", "two moments")),
        (lambda: Table((0, math.nan), (0, 1)), ("Table", "times", "finite")),
        (lambda: Table((0, 1), (0, 1), kind="quadratic"), ("Table", "quadratic", "kind='cubic'")),
        (lambda: Cosine("a", 1), ("Cosine", "amplitude", "number")),
        (lambda: Cosine(1, math.inf), ("Cosine", "frequency", "finite")),
        (lambda: Constant((1, 2)), ("Constant", "3 numbers")),
        (lambda: Constant(math.nan), ("Constant", "finite")),
        (lambda: PythonLaw(3), ("PythonLaw", "cannot be called")),
        (lambda: as_law(compiled(lambda t, x: t), "compiled function"), ("compiled function", "2 parameters", "(t)")),
        (lambda: Motion(position=(0, 0)), ("Motion", "position=(x, y, z)")),
        (lambda: Motion(position=lambda t: t), ("Motion", "position=(x, y, z)")),
        (lambda: Motion(axis=(0, 0, 0)), ("Motion", "axis", "zero")),
        (lambda: Motion(angle=(1, 2, 3)), ("Motion", "angle", "one number")),
        (lambda: Motion(angle=lambda t, x, v: t), ("Motion", "angle", "(t)")),
    ],
)
def test_refusals(refused, make, words) -> None:
    with refused(*words):
        make()


FACTORS = np.array([1.0, 3.0])


@compiled
def scaled(value, by):  # type: ignore[no-untyped-def]
    return FACTORS[1] * value + by


@numba.njit
def doubled(value):  # type: ignore[no-untyped-def]
    return 2.0 * value


def test_a_compiled_law_may_call_compiled_helpers_of_any_parameters() -> None:
    @compiled
    def law(t):  # type: ignore[no-untyped-def]
        return doubled(scaled(t, 1.0))

    assert law(2.0) == 14.0
    model = lw.Model("wheel", gravity=(0, 0, 0))
    model.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.revolute("axle", "ground", "wheel", at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", "axle", law)
    run = lw.simulate(model, until=1.0, dt=0.1, method="recursive")
    assert run["axle.velocity"][-1] == pytest.approx(5.0)  # the integral of 6 t + 2


def test_the_line_that_numba_refuses_is_named() -> None:
    @compiled
    def law(t):  # type: ignore[no-untyped-def]
        a = 2.0 * t
        return a.nothing

    line = law.py_func.__code__.co_firstlineno + 3  # type: ignore[attr-defined]
    model = lw.Model("wheel")
    model.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.revolute("axle", "ground", "wheel", at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", "axle", law)
    with pytest.raises(ModelError, match=rf"test_laws.py, line {line}: Unknown attribute 'nothing'"):
        lw.assemble(model)
