"""The worked examples of docs/levels: the very snippets a reader sees, graded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatebot.agents.reply import read_reply
from gatebot.graders.grade import grade_trial
from gatebot.model.config import Config, TrajectoryDefault
from gatebot.model.score import Grade
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Trial
from gatebot.suite.yaml_reader import read_yaml
from tests.unit.suite.suite_files import case_of, findings_of

PAGES = Path(__file__).parents[3] / "docs" / "levels"
LEVELS = ("efficiency", "final-response", "step", "trajectory")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXAMPLE = ("yaml", "json", "scores")


@dataclass(frozen=True, slots=True)
class Example:
    """A case, what the agent said, and what the page says of it."""

    page: str
    case: str
    said: str
    scores: dict[str, float]


def blocks(page: str) -> list[tuple[str, str]]:
    return _BLOCK.findall((PAGES / f"{page}.md").read_text("utf-8"))


def examples() -> Iterator[Example]:
    for page in LEVELS:
        found = blocks(page)
        for start in range(len(found) - 2):
            three = found[start : start + 3]
            if tuple(kind for kind, _ in three) == _EXAMPLE:
                told = (line.split() for line in three[2][1].splitlines())
                scores = {name: float(value) for name, value in told}
                yield Example(page, three[0][1], three[1][1], scores)


def graded(example: Example) -> Grade:
    reply = read_reply(example.said.encode())
    trial = Trial(
        "case",
        "head",
        1,
        0,
        "completed",
        trajectory=reply.trajectory or Trajectory(),
        answer=reply.answer,
        state=reply.state,
        usage=reply.usage,
    )
    return grade_trial(case_of(example.case), trial, TrajectoryDefault())


def name(example: Example) -> str:
    return f"{example.page}-{min(example.scores, key=lambda metric: example.scores[metric])}"


@pytest.mark.parametrize("example", tuple(examples()), ids=name)
def test_an_example_scores_what_its_page_says(example: Example) -> None:
    scores = graded(example).scores
    found = {metric: scores[metric].value for metric in example.scores}
    assert found == pytest.approx(example.scores, abs=0.005)


@pytest.mark.parametrize("example", tuple(examples()), ids=name)
def test_the_cases_of_the_pages_are_sound(example: Example) -> None:
    assert [finding for finding in findings_of(example.case) if finding.level == "error"] == []


@pytest.mark.parametrize("page", LEVELS)
def test_a_page_has_an_example_that_only_its_level_catches(page: str) -> None:
    told = [example.scores for example in examples() if example.page == page]
    assert any(1.0 in scores.values() and min(scores.values()) < 1 for scores in told)
    assert sum(kind == "scores" for kind, _ in blocks(page)) == len(told)


def test_the_configurations_of_the_pages_can_be_written() -> None:
    written = [
        text
        for page in LEVELS
        for kind, text in blocks(page)
        if kind == "yaml" and "input:" not in text.split("\n")[0]
    ]
    assert len(written) == 3
    for text in written:
        document = read_yaml("gatebot.yaml", f"version: 1\nsuite: a\nagent: nop\n{text}".encode())
        assert Config.model_validate(document.value).suite == "a"
