"""Ten thousand texts of agents through the whole comment, rendered as GitHub renders: the document's shape is ours alone."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gatebot.model.report import Divergence, Failure, Report
from gatebot.render.comment import CommentContext, render_comment
from gatebot.render.diff import CaseDiff, trajectory_diff
from tests.unit.render import builders, trajectories
from tests.unit.render.dom import page
from tests.unit.render.hostile import HOSTILE

TEXTS, EACH = 10_000, 25
_PIECES = (
    *HOSTILE,
    "`",
    "``",
    "~~~",
    "|",
    "\\",
    "<",
    ">",
    "&",
    "@x",
    "#1",
    "[",
    "](",
    "!",
    "\n",
    "\r",
    "\n\n",
    "    ",
    "\t",
    "- ",
)
_CONTEXT = CommentContext(run_url="https://example.org/run", run_id="1", attempt=1)


def texts(count: int) -> list[str]:
    """Hostile pieces and any characters, mixed; the same ones every time."""
    draw = random.Random(20_261_130)
    made: list[str] = []
    for _ in range(count):
        pieces = [draw.choice(_PIECES) for _ in range(draw.randint(0, 4))]
        pieces += [
            "".join(chr(draw.choice((draw.randint(0, 0x2FF), draw.randint(0, 0x10FFFF)))) for _ in range(6))
        ]
        draw.shuffle(pieces)
        made.append("".join(pieces))
    return made


def comment_of(words: Sequence[str]) -> str:
    """A red comment with one case for each text, which stands wherever an agent can put it."""
    cases = tuple(
        builders.case(
            f"case-{index:02}",
            (5, 0),
            "regressed",
            first_divergence=Divergence(1, "wrong_args", expected=text, actual=text, explanation=text),
            failure=Failure(text, text, 5),
        )
        for index, text in enumerate(words)
    )
    report: Report = replace(
        builders.red(),
        cases=cases,
        worst_cases=("case-00",),
        alerts=tuple(f"a {text}" for text in words[:10]),
    )
    diffs: dict[str, CaseDiff] = {}
    for index, text in enumerate(words):
        golden = trajectories.golden(trajectories.call("lookup", key="v"), answer="known")
        told = trajectories.trajectory(trajectories.call("lookup", key=text), answer=text)
        diffs[f"case-{index:02}"] = trajectory_diff(golden, told, told)
    return render_comment(report, diffs, _CONTEXT, max_bytes=10_000_000)


def skeleton(tags: Sequence[str]) -> list[str]:
    """Tags but those of inline code and of "(empty)"."""
    return [tag for tag in tags if tag.strip("/") not in ("code", "em", "i")]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_text_makes_a_mention_an_image_a_link_an_element_or_a_marker() -> None:
    wanted = skeleton(page(comment_of(["benign"] * EACH)).tags)
    all_texts = texts(TEXTS)
    assert len(set(all_texts)) > 9_900
    for start in range(0, TEXTS, EACH):
        rendered = comment_of(all_texts[start : start + EACH])
        shown = page(rendered)
        assert skeleton(shown.tags) == wanted
        assert len(shown.comments) == 2
        assert "img" not in shown.tags
        assert not re.search(r"@\w|#\d|gh-\d|://|www\.", "".join(shown.words), re.IGNORECASE)
        assert not re.search(r"@[A-Za-z0-9]|#[0-9]|^\s*::|##\[", rendered, re.MULTILINE)
