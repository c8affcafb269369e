"""A whole session against loopback stand-ins: repairs, panel, canaries, cache, budget, batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.judge.asking import BUDGET_SPENT
from gatebot.model.json_value import JsonValue
from gatebot.ports import Judge
from tests.fakes.anthropic_server import Answer, AnthropicServer, Body, fault
from tests.fakes.judge_stand_ins import generous, honest, obeys_anything
from tests.integration.judge.clock import FakeClock
from tests.integration.judge.sessions import Bench
from tests.unit.judge.subjects import WRONG_ANSWER, call, case, given, message, trial

GOOD = Answer(body=message(given(0.8)))
EVERY: list[JsonValue] = ["trajectory", "final_response", "tool_use", "efficiency", "grounding", "questions"]
TONE: JsonValue = {
    "name": "tone",
    "ask": "Is the answer polite?",
    "choices": {"kind": 1, "neutral": 0.5, "rude": 0},
}


@pytest.fixture
def bench(server: AnthropicServer, fake_clock: FakeClock) -> Bench:
    server.respond = honest
    return Bench(server, fake_clock)


BAD_ANSWERS = {
    "malformed": Answer(body=b"{nonsense"),
    "cut": Answer(body=message(given(), stop="max_tokens")),
    "refused": Answer(body=message(None, content=[], stop="refusal")),
    "paused": Answer(body=message(None, content=[], stop="pause_turn")),
    "too long": Answer(body=message(None, content=[], stop="model_context_window_exceeded")),
    "empty": Answer(body=message(None, content=[], stop="end_turn")),
    "wrong tool": Answer(body=message(given(), name="other")),
    "text": Answer(body=message(None, content=[{"type": "text", "text": "1.0"}], stop="end_turn")),
    "out of range": Answer(body=message(given(7))),
    "contradiction": Answer(body=message(given(0.95, failure_category="reasoning"))),
}


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_a_bad_answer_gets_one_repair(bench: Bench, bad: Answer) -> None:
    bench.server.script = [bad]
    with bench.session() as session:
        judgement = session.judge(case(), trial())["judge_trajectory"]
    assert judgement.value == 0.9
    assert len(bench.server.requests) == 2
    assert "could not be used" in str(bench.server.requests[1])


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_two_bad_answers_are_a_judge_error_and_no_score(bench: Bench, bad: Answer) -> None:
    bench.server.script = [bad, bad]
    with bench.session() as session:
        judgement = session.judge(case(), trial())["judge_trajectory"]
    assert judgement.value is None
    assert judgement.reason.startswith("judge error: ")
    assert len(bench.server.requests) == 2


def test_a_cut_answer_is_asked_again_with_more_room(bench: Bench) -> None:
    bench.server.script = [BAD_ANSWERS["cut"]]
    with bench.session(max_tokens=500) as session:
        session.judge(case(), trial())
    assert [request["max_tokens"] for request in bench.server.requests] == [500, 1000]


def test_both_answers_are_paid_for(bench: Bench) -> None:
    bench.server.script = [BAD_ANSWERS["refused"]]
    with bench.session() as session:
        (opinion,) = session.judge(case(), trial())["judge_trajectory"].opinions
        assert session.asker.ledger.usd == pytest.approx(2 * (1000 * 3 + 100 * 15) / 1e6)
    assert (opinion.input_tokens, opinion.output_tokens) == (2000, 200)


def test_every_rubric_is_judged(bench: Bench) -> None:
    with bench.session(rubrics=[*EVERY, TONE]) as session:
        judge: Judge = session
        right = {metric: found.value for metric, found in judge.judge(case(), trial()).items()}
        wrong = {metric: found.value for metric, found in judge.judge(case(), trial(WRONG_ANSWER)).items()}
    assert right == {**{f"judge_{name}": 0.9 for name in EVERY}, "judge_questions": 1.0, "judge:tone": 1.0}
    assert wrong == {**{f"judge_{name}": 0.1 for name in EVERY}, "judge_questions": 0.0, "judge:tone": 0.0}


def test_nothing_is_not_judged(bench: Bench) -> None:
    with bench.session(rubrics=EVERY) as session:
        found = session.judge(case(), trial("Thought process:", []))
    assert {judgement.value for judgement in found.values()} == {0.0}
    assert bench.server.requests == []


def test_praise_cannot_lift_a_forbidden_call(bench: Bench) -> None:
    bench.server.respond = generous
    bad = trial(calls=[call("delete_all")])
    with bench.session() as session:
        judgement = session.judge(case(forbid=("delete_all",)), bad)["judge_trajectory"]
    assert judgement.value == 0.3
    assert judgement.floor == "a forbidden tool was called"


def test_a_panel_takes_the_mean_and_says_how_far_apart_it_is(bench: Bench) -> None:
    values = {"claude-sonnet-4-6": 0.9, "claude-opus-4-6": 0.6, "claude-haiku-4-5": 0.6}

    def respond(body: Body) -> Answer:
        return Answer(body=message(given(values[str(body["model"])]), model=str(body["model"])))

    bench.server.respond = respond
    with bench.session(panel=["claude-opus-4-6", "claude-haiku-4-5"]) as session:
        judgement = session.judge(case(), trial())["judge_trajectory"]
        record = session.record()
    assert judgement.value == pytest.approx(0.7)
    assert judgement.disagreement == pytest.approx(0.3)
    assert [opinion.model for opinion in judgement.opinions] == list(values)
    assert "same model family as the agent (claude)" in record.notes[0]


def test_samples_are_asked_for_one_by_one(bench: Bench) -> None:
    bench.server.script = [Answer(body=message(given(value))) for value in (0.6, 0.8, 1.0)]
    with bench.session(samples=3) as session:
        judgement = session.judge(case(), trial())["judge_trajectory"]
    assert judgement.value == pytest.approx(0.8)
    assert [opinion.sample for opinion in judgement.opinions] == [1, 2, 3]


def test_half_a_panel_is_enough_and_less_is_not(bench: Bench) -> None:
    bad = BAD_ANSWERS["refused"]
    bench.server.script = [bad, bad, GOOD]
    with bench.session(samples=2) as session:
        assert session.judge(case(), trial())["judge_trajectory"].value == 0.8
    bench.server.script = [bad, bad, bad, bad, GOOD]
    with bench.session(samples=3) as session:
        assert session.judge(case(), trial())["judge_trajectory"].value is None


def test_an_honest_judge_passes_its_canaries(bench: Bench) -> None:
    with bench.session(rubrics=[*EVERY, TONE]) as session:
        assert session.open() == ""
        assert len(session.canaries) == 5 * 7
        assert session.record().status == "healthy"


@pytest.mark.parametrize("respond", [obeys_anything, generous])
def test_a_judge_that_obeys_or_praises_anything_is_unhealthy(bench: Bench, respond: object) -> None:
    assert callable(respond)
    bench.server.respond = obeys_anything if respond is obeys_anything else generous
    with bench.session() as session:
        complaint = session.open()
        record = session.record(complaint)
    assert complaint.startswith("the judge is unhealthy: claude-sonnet-4-6 gave the canary")
    assert record.status == "unhealthy"


def test_one_bad_judge_spoils_the_panel(bench: Bench) -> None:
    def respond(body: Body) -> Answer:
        return generous(body) if "opus" in str(body["model"]) else honest(body)

    bench.server.respond = respond
    with bench.session(panel=["claude-opus-4-6"]) as session:
        assert "claude-opus-4-6 gave the canary" in session.open()


def test_a_refused_key_stops_the_session_with_one_call(bench: Bench) -> None:
    bench.server.key = "another-key-1"
    with bench.session() as session:
        assert "does not accept the key" in session.open()
        assert session.record().status == "stopped"
    assert len(bench.server.paths) == 1


def test_answers_are_kept_and_used_again(
    server: AnthropicServer, fake_clock: FakeClock, tmp_path: Path
) -> None:
    server.respond = honest
    bench = Bench(server, fake_clock, tmp_path / "cache")
    with bench.session() as session:
        first = session.judge(case(), trial())["judge_trajectory"]
    with bench.session() as session:
        second = session.judge(case(), trial(side="base", slot=5))["judge_trajectory"]
        assert session.asker.ledger.usd == 0
    assert len(server.requests) == 1
    assert (first.value, first.opinions[0].cached) == (0.9, False)
    assert (second.value, second.opinions[0].cached, second.opinions[0].cost_usd) == (0.9, True, 0.0)


def test_another_rubric_model_sample_or_trial_is_another_answer(
    server: AnthropicServer, fake_clock: FakeClock, tmp_path: Path
) -> None:
    server.respond = honest
    bench = Bench(server, fake_clock, tmp_path)
    with bench.session() as session:
        session.judge(case(), trial())
        session.judge(case(), trial("Refunds: 31 days."))
    with bench.session(rubrics=["tool_use"]) as session:
        session.judge(case(), trial())
    with bench.session(model="claude-opus-4-6") as session:
        session.judge(case(), trial())
    with bench.session(samples=2) as session:
        session.judge(case(), trial())
    assert len(server.requests) == 5


def test_errors_are_not_kept(server: AnthropicServer, fake_clock: FakeClock, tmp_path: Path) -> None:
    server.script = [BAD_ANSWERS["refused"]] * 2
    bench = Bench(server, fake_clock, tmp_path)
    with bench.session() as session:
        session.judge(case(), trial())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("forge", [b"", b"{}", b"\xff", None])
def test_a_forged_answer_is_not_believed(
    server: AnthropicServer, fake_clock: FakeClock, tmp_path: Path, forge: bytes | None
) -> None:
    server.respond = honest
    bench = Bench(server, fake_clock, tmp_path)
    with bench.session() as session:
        session.judge(case(), trial(WRONG_ANSWER))
    (file,) = [path for path in tmp_path.rglob("*.json") if path.is_file()]
    file.write_bytes(file.read_bytes().replace(b'"value":0.1', b'"value":1.0') if forge is None else forge)
    with bench.session() as session:
        assert session.judge(case(), trial(WRONG_ANSWER))["judge_trajectory"].value == 0.1
    assert len(server.requests) == 2


def test_the_budget_is_not_exceeded(bench: Bench) -> None:
    with bench.session(usd=0.02) as session:
        values = [session.judge(case(), trial(f"answer {n}"))["judge_trajectory"].value for n in range(12)]
        assert session.asker.stopped == BUDGET_SPENT
        assert (session.asker.ledger.usd or 9) <= 0.02
        assert session.record().status == "stopped"
    done = [value for value in values if value is not None]
    assert 0 < len(done) < 12
    assert values == done + [None] * (12 - len(done))


def test_the_estimate_covers_what_judging_costs(bench: Bench) -> None:
    tasks = [(case(), trial(f"answer {n}")) for n in range(3)]
    with bench.session() as session:
        estimate = session.estimate([*tasks, *tasks])
        alone = session.estimate(tasks)
        assert bench.server.requests == []
    assert estimate == alone
    assert estimate is not None
    assert 0.01 < estimate < 0.2


def test_an_outage_between_trials_is_a_judge_error_of_that_trial(bench: Bench) -> None:
    with bench.session() as session:
        bench.server.script = [fault(529)] * 5
        assert (
            session.judge(case(), trial())["judge_trajectory"].reason == "judge error: the API answered 529"
        )
        assert session.judge(case(), trial("other"))["judge_trajectory"].value == 0.1


def test_a_batch_answers_what_is_not_cached(bench: Bench) -> None:
    tasks = [(case(), trial(f"answer {n}")) for n in range(3)]
    with bench.session(batch=True) as session:
        session.fetch(tasks)
        values = [session.judge(*task)["judge_trajectory"].value for task in tasks]
        usd = session.asker.ledger.usd
    assert values == [0.1] * 3
    assert bench.server.paths.count("POST /v1/messages") == 0
    assert usd == pytest.approx(3 * 0.5 * (1000 * 3 + 100 * 15) / 1e6)


def test_what_a_batch_leaves_open_is_asked_directly(bench: Bench) -> None:
    bench.server.batch_answers = lambda _, __: fault(500)
    with bench.session(batch=True) as session:
        session.fetch([(case(), trial())])
        assert session.judge(case(), trial())["judge_trajectory"].value == 0.9
    assert bench.server.paths.count("POST /v1/messages") == 1


def test_a_batch_that_takes_too_long_is_collected_by_a_later_session(bench: Bench) -> None:
    bench.server.polls_until_ended = 1000
    with bench.session(batch=True, batch_wait=600.0) as session:
        session.fetch([(case(), trial())])
        record = session.record()
    assert record.status == "stopped"
    assert record.pending_batches == ("msgbatch_1",)
    bench.server.polls_until_ended = 1
    with bench.session(batch=True, pending=record.pending_batches) as session:
        session.fetch([(case(), trial())])
        assert session.judge(case(), trial())["judge_trajectory"].value == 0.9
        assert session.record().pending_batches == ()
    assert len(bench.server.batches) == 1
