"""The issue of a drift, as GitHub shows it: what changed, who answered, and words that stay words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.model.drift import Drift
from gatebot.render.drift_issue import DriftNews, drift_body, drift_marker, drift_page, drift_title, with_news
from gatebot.render.state import CommentState, decode_state
from tests.unit.render.builders import case, metric, red
from tests.unit.render.dom import OURS, page
from tests.unit.render.hostile import HOSTILE

NEWS = DriftNews(
    suite="support-agent",
    drift=Drift("changed", "pass_rate got worse", worse=("pass_rate",)),
    sha="a" * 40,
    since="2026-03-01",
    when="2026-03-20 04:17 UTC",
    run_url="https://github.com/acme/shop/actions/runs/7/attempts/1",
    state=CommentState(run_id="7", attempt=1, result_digest="d" * 64),
    report=red(),
    recorded_models=("model-1", "model-1-mini"),
    fresh_models=("model-2",),
    version="0.1.0",
)


def test_the_first_line_finds_it_and_the_second_tells_which_run_wrote_it() -> None:
    body = drift_body(NEWS)
    assert body.split("\n", 1)[0] == "<!-- gatebot:drift:v1 suite=support-agent -->"
    assert decode_state(body) == NEWS.state
    assert drift_body(NEWS) == body
    assert drift_marker("a b<c") == "<!-- gatebot:drift:v1 suite=a_b_c -->"


def test_it_says_what_changed_since_when_and_what_to_do() -> None:
    shown = page(drift_body(NEWS))
    words = " ".join("".join((*shown.words, *shown.coded)).split())
    assert "since 2026-03-01" in "".join(drift_page(NEWS))
    assert "close this issue" in words
    assert "proven at 0.5%" in words
    assert "| stored | `model-1`, `model-1-mini` |\n| now | `model-2` |" in drift_body(NEWS)
    assert "worse" in words
    assert (
        drift_title("shop") == "gatebot · shop: the agent behaves differently, and its code has not changed"
    )


def test_models_that_nobody_named_are_said_to_be_unknown() -> None:
    quiet = replace(NEWS, recorded_models=(), fresh_models=())
    assert "No response named a model, then or now." in drift_body(quiet)
    half = replace(NEWS, recorded_models=())
    assert "| stored | not named |" in drift_body(half)


def test_a_note_stands_above_what_was_told_before_and_replaces_the_note_before() -> None:
    body = drift_body(NEWS)
    once = with_news(body, "Gone: on a day.")
    twice = with_news(once, "Not gone: on another.")
    assert once.split("\n", 2)[:2] == body.split("\n", 2)[:2]
    assert "Gone: on a day." in once
    assert "Gone: on a day." not in twice.replace("Not gone", "")
    assert with_news(twice, "Gone: on a day.") == once


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_others_are_words(hostile: str) -> None:
    report = replace(
        red(), cases=(case(hostile[:100] or "x", (0, 3), "regressed"),), metrics=(metric(reason=hostile),)
    )
    news = replace(
        NEWS,
        report=report,
        drift=Drift("changed", hostile, worse=("pass_rate",)),
        recorded_models=(hostile,),
        fresh_models=(hostile, hostile * 3),
    )
    shown = page(with_news(drift_body(news), hostile))
    assert {tag.removeprefix("/") for tag in shown.tags} <= OURS | {"a"}
    assert [value for name, value in shown.attributes if name == "href"] == [NEWS.run_url]
    assert [comment.strip().split(" ")[0] for comment in shown.comments] == [
        "gatebot:drift:v1",
        "gatebot:state",
        "gatebot:notice",
        "gatebot:/notice",
    ]
    assert len(drift_body(news).encode()) < 60_000


def test_a_large_drift_stays_within_an_issue() -> None:
    many = tuple(case(f"case-{number}", (0, 3), "regressed") for number in range(1000))
    metrics = tuple(metric(f"judge.metric-{number}") for number in range(200))
    models = tuple(f"model-{number}" * 30 for number in range(500))
    news = replace(
        NEWS,
        report=replace(red(), cases=many, metrics=metrics),
        recorded_models=models,
        fresh_models=models,
    )
    assert len(drift_body(news).encode()) < 60_000
