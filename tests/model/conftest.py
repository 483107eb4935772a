"""What the tests of the model room share: a way to read refusals."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from linkwork.errors import ModelError
from linkwork.model import Body, Joint, Model

Refused = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def refused() -> Refused:
    """`with refused("pin", "axis="): ...`: a ModelError of one sentence that says all these words."""

    @contextmanager
    def check(*words: str) -> Iterator[None]:
        with pytest.raises(ModelError) as caught:
            yield
        message = str(caught.value)
        assert "\n" not in message
        assert ". " not in message
        assert ";" in message, f"no remedy in: {message}"
        for word in words:
            assert word in message, f"{word!r} not in: {message}"

    return check


@pytest.fixture
def model() -> Model:
    return Model("test")


@pytest.fixture
def rod(model: Model) -> Body:
    return model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))


@pytest.fixture
def pin(model: Model, rod: Body) -> Joint:
    return model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
