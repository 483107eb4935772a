"""Materials that make no sense are refused in one sentence."""

import pytest

import linkwork as lw


@pytest.mark.parametrize("wrong", [(0.5, [1, 2]), [0.1, (1,)], [0.1], (0.1, 0.2, 0.3), "much", None])
def test_friction_is_one_number_or_two(wrong, refused):
    with refused("Material", "friction="):
        lw.Material(friction=wrong, grain=(1, 0, 0))
