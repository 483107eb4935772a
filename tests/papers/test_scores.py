"""Every published number, by every method that can, as benchmarks/scores.py holds it; docs/scores.md says the same."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import scores  # noqa: E402
from score_page import digest  # noqa: E402
from score_problems import PROBLEMS  # noqa: E402

PAGE = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # some tables are of steps that are too large
@pytest.mark.parametrize("problem", PROBLEMS, ids=[name for name, *_ in PROBLEMS])
def test_published_numbers_hold_and_stand_on_their_page(problem):
    found = list(scores.scored(problem))
    assert [score for score in found if score.verdict == "fail"] == []
    assert set(digest(found)) <= set(PAGE)


def test_page_has_no_other_problem():
    title = re.compile(r"### (.+)")
    assert [match[1] for match in map(title.fullmatch, PAGE) if match] == [name for name, *_ in PROBLEMS]


def test_number_that_is_off_fails():
    score = scores.Score("pendulum", "x", "source", "recursive", published=1.0, tolerance=1e-3, ours=1.002)
    assert score.verdict == "fail"
    score.ours = 1.0005
    assert score.verdict == "pass"
