"""What tests of all rooms share: a way to read refusals."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from linkwork.errors import ModelError

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
