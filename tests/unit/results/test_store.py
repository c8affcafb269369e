"""The results directory: what is written is read back, and only the same evaluation goes on in it."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from gatebot.errors import InfrastructureError, InputFileError, ResultsError
from gatebot.model.case import CaseFile
from gatebot.model.config import Config
from gatebot.model.plan import Activity, Digests, Plan, Round, SideInfo
from gatebot.model.report import Evidence, PassHatK, Report, TrialCounts
from gatebot.model.score import Check, Grade, Score
from gatebot.model.suite import Case, ExpectedCall, Reference, Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.plain_file import TEMPORARY_PREFIX, replace_file
from gatebot.results.scores import score_line
from gatebot.results.store import ResultsDirectory, existing_results, open_results

PLAN = Plan(
    activity="gate",
    suite="support",
    digests=Digests("r" * 64, "g" * 64, "p" * 64, "a" * 64),
    base=SideInfo("1" * 40, "t" * 64, "main"),
    head=SideInfo("2" * 40, "u" * 64, "WORKTREE", dirty=True),
    seeds=5,
    rounds=(Round(1, (TrialKey("a", "head", 1), TrialKey("a", "base", 1))),),
    notes=("a note",),
)
REPORT = Report(
    conclusion="pass",
    reason="nothing regressed",
    advice="",
    suite="support",
    mode="detect",
    base_sha="1" * 40,
    head_sha="2" * 40,
    metrics=(),
    cases=(),
    trials=TrialCounts(planned=2, completed=2),
    pass_hat_k=PassHatK({"1": 0.5}, None),
    pass_at_k=PassHatK(None, {"1": 0.5, "10": 1.0}),
    failures=(),
    worst_cases=("a",),
    evidence=Evidence("exact", 0.05, 0.025, 0.025),
)


def suite() -> Suite:
    config = Config.model_validate_json(
        orjson.dumps(
            {
                "version": 1,
                "suite": "support",
                "agent": {"command": ["python3", "agent.py"], "env": ["KEY"]},
                "seeds": {"fixed": 3},
                "gate": {"metrics": {"pass_rate": {"margin": 0.2}, "tokens": None}},
                "quarantine": [{"case": "a", "reason": "flaky upstream", "until": "2030-01-31"}],
            }
        )
    )
    expect = CaseFile.model_validate_json(
        orjson.dumps(
            {
                "input": "hi",
                "expect": {
                    "answer": {"json": {"value": {"n": [1, None, 2.5]}}, "contains": {"any": ["x", "ü"]}},
                    "state": {"assert": [{"path": "orders.0", "op": "exists"}]},
                    "trajectory": {"args": {"search": {"q": "ignore", "n": {"tolerance": 1}}, "*": "subset"}},
                },
            }
        )
    ).expect
    call = ExpectedCall("search", {"q": ["deep", {"er": None}]}, 0, alternatives=(("find", None),))
    case = Case(
        "a", "golden/a.yaml", ("hi",), expect=expect, references=(Reference((call,), "yes", {"s": 1}),)
    )
    assert config.quarantine[0].until == datetime.date(2030, 1, 31)
    return Suite(config, (case,))


def opened(path: Path, plan: Plan = PLAN) -> ResultsDirectory:
    results, found = open_results(path, plan)
    assert found is None
    results.write_plan(plan)
    return results


def test_plan_suite_and_report_survive_the_disk(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    results.write_suite(suite())
    results.write_report(REPORT)
    assert results.read_plan() == PLAN
    assert results.read_suite() == suite()
    assert results.read_report() == REPORT


def test_the_same_value_is_written_as_the_same_bytes(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "one"), opened(tmp_path / "other")
    for results in (one, other):
        results.write_suite(suite())
        results.write_report(REPORT)
        results.write_suite(results.read_suite())
        results.write_report(results.read_report())
    for name in ("plan.json", "suite.json", "report.json"):
        assert (one.path / name).read_bytes() == (other.path / name).read_bytes()


def test_numbers_that_are_not_finite_become_null(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    results.write_report(replace(REPORT, wall_s=float("nan")))
    assert orjson.loads((results.path / "report.json").read_bytes())["wall_s"] is None


def test_scores_are_a_line_each_in_the_order_given(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    grade = Grade(
        "b", "head", 1, "completed", passed=True, scores={"z": Score(1.0), "a": Score(None, "none")}
    )
    grades = (grade, replace(grade, case="a", checks=(Check("goal", "answer", None),)))
    results.write_scores(score_line(one) for one in grades)
    lines = [orjson.loads(line) for line in (results.path / "scores.jsonl").read_bytes().splitlines()]
    assert [line["case"] for line in lines] == ["b", "a"]
    assert list(lines[0]["scores"]) == ["a", "z"]


def test_texts_are_utf8_and_logs_have_a_folder(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    results.write_text("comment.md", "## ümlaut\n")
    results.log("setup-head.log").write_text("x", encoding="utf-8")
    assert (results.path / "comment.md").read_bytes() == "## ümlaut\n".encode()
    assert (results.path / "logs" / "setup-head.log").is_file()
    assert results.has("comment.md")
    assert not results.has("report.json")


def test_files_can_be_read_by_whoever_uploads_them(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        results = opened(tmp_path / "out")
        with results.journal():
            pass
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in results.path.iterdir()}
    assert modes == {".gitignore": 0o644, "plan.json": 0o644, "trials.jsonl": 0o644}


def test_git_sees_nothing_of_it(tmp_path: Path) -> None:
    assert (opened(tmp_path / "out").path / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_the_same_evaluation_goes_on(tmp_path: Path) -> None:
    opened(tmp_path / "out")
    grown = replace(PLAN, rounds=(), notes=(), isolation="full", finished=False)
    results, found = open_results(tmp_path / "out", grown)
    assert found == PLAN
    assert results.path == tmp_path / "out"


CHANGES: dict[str, Callable[[Plan], Plan]] = {
    "another base commit": lambda plan: replace(plan, base=SideInfo("9" * 40, "t" * 64, "main")),
    "another head tree": lambda plan: replace(plan, head=SideInfo("2" * 40, "v" * 64, "WORKTREE")),
    "another seeds": lambda plan: replace(plan, seeds=6),
    "another cases": lambda plan: replace(plan, digests=replace(plan.digests, run="x")),
    "another grading": lambda plan: replace(plan, digests=replace(plan.digests, grading="x")),
    "another policy": lambda plan: replace(plan, digests=replace(plan.digests, policy="x")),
    "another agent configuration": lambda plan: replace(plan, digests=replace(plan.digests, agent="x")),
    "another activity": lambda plan: replace(plan, activity="aa"),
    "another suite": lambda plan: replace(plan, suite="other"),
}


@pytest.mark.parametrize("said", CHANGES)
def test_another_evaluation_is_refused_and_named(tmp_path: Path, said: str) -> None:
    opened(tmp_path / "out")
    with pytest.raises(ResultsError) as caught:
        open_results(tmp_path / "out", CHANGES[said](PLAN), overwrite=True)
    assert said in caught.value.message
    assert "unfinished" in caught.value.message
    assert "--out" in caught.value.hint


def test_another_unfinished_evaluation_makes_way_only_when_asked(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    results.write_suite(suite())
    assert open_results(results.path, replace(PLAN, suite="other"), unfinished=True)[1] is None
    assert not (results.path / "plan.json").exists()


def test_a_variable_that_is_set_now_makes_another_evaluation(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    results.write_plan(replace(PLAN, finished=True))
    with_key = replace(PLAN, env_names=("MODEL_KEY",))
    with pytest.raises(ResultsError, match="other variables for the agent"):
        open_results(results.path, with_key)
    assert open_results(results.path, with_key, overwrite=True)[1] is None


def test_what_another_gatebot_writes_is_never_replaced(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    with results.journal(), pytest.raises(ResultsError, match="another gatebot is writing"):
        open_results(results.path, replace(PLAN, suite="other"), unfinished=True)
    assert (results.path / "plan.json").exists()


@pytest.mark.parametrize("left", [{"plan.json": b'{"schema":"gatebot.plan/0"}'}, {"trials.jsonl": b"{}\n"}])
def test_what_no_version_can_go_on_with_makes_way_when_asked(tmp_path: Path, left: dict[str, bytes]) -> None:
    for name, data in left.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises((ResultsError, InputFileError)):
        open_results(tmp_path, PLAN, overwrite=True)
    assert open_results(tmp_path, PLAN, unfinished=True)[1] is None
    assert not any((tmp_path / name).exists() for name in left)


def test_a_finished_evaluation_makes_way_only_when_asked(tmp_path: Path) -> None:
    results = opened(tmp_path / "out", replace(PLAN, finished=True))
    results.write_report(REPORT)
    results.log("setup.log").write_text("x", encoding="utf-8")
    with results.journal() as journal:
        journal.append(Trial("a", "head", 1, 1, "completed"))
    other = CHANGES["another head tree"](PLAN)
    with pytest.raises(ResultsError, match="finished evaluation"):
        open_results(tmp_path / "out", other)
    assert results.read_report() == REPORT
    _, found = open_results(tmp_path / "out", other, overwrite=True)
    assert found is None
    assert not results.has("report.json")
    assert not results.has("plan.json")
    assert list(results.trials()) == []
    assert list((results.path / "logs").iterdir()) == []


def test_a_directory_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"thesis\.tex"):
        open_results(tmp_path, PLAN, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_trials_without_a_plan_are_not_taken_for_ours(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_bytes(b"x")
    with pytest.raises(ResultsError, match=r"trials\.jsonl"):
        open_results(tmp_path, PLAN, overwrite=True)


def test_a_journal_without_a_plan_may_be_there_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_bytes(b"")
    assert open_results(tmp_path, PLAN)[1] is None


def test_a_file_in_the_place_of_the_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(ResultsError, match="cannot make"):
        open_results(tmp_path / "out", PLAN)


def test_what_a_killed_write_left_is_cleared(tmp_path: Path) -> None:
    results = opened(tmp_path / "out")
    left = results.path / f"{TEMPORARY_PREFIX}abc"
    left.write_bytes(b"half")
    open_results(results.path, PLAN)
    assert not left.exists()


def test_a_missing_directory_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(InputFileError) as caught:
        existing_results(tmp_path / "nowhere")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "does not exist"),
        (b"", "not what gatebot writes"),
        (b"[]", "not what gatebot writes"),
        (b'{"schema": "gatebot.plan/9"}', "newer than gatebot.plan/1"),
        (b'{"schema": "gatebot.plan/0"}', "older than gatebot.plan/1"),
        (b'{"schema": "something else"}', "is not gatebot.plan/1"),
        (b'{"activity": "gate"}', "suite"),
        (b"\xff\xfe", "not what gatebot writes"),
        (b"[" * 50_000, "not what gatebot writes"),
    ],
)
def test_a_plan_that_is_none_is_a_clear_error(tmp_path: Path, data: bytes | None, said: str) -> None:
    results = ResultsDirectory(tmp_path)
    if data is not None:
        (tmp_path / "plan.json").write_bytes(data)
    with pytest.raises(InputFileError) as caught:
        results.read_plan()
    assert said in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "report.json"
    replace_file(path, b"old")

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "replace":
        monkeypatch.setattr(Path, "replace", full)
    elif step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(InfrastructureError, match="No space left"):
        replace_file(path, b"new")
    monkeypatch.undo()
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("report.json", b"old")]


def test_ten_fixed_seeds_are_not_up_to_ten_with_looks(tmp_path: Path) -> None:
    opened(tmp_path / "out")
    with pytest.raises(ResultsError, match="another seeds"):
        open_results(tmp_path / "out", replace(PLAN, sequential=not PLAN.sequential))


def test_pieces_that_end_early_leave_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "scores.jsonl"
    replace_file(place, (piece for piece in (b"one\n", b"two\n")))
    assert place.read_bytes() == b"one\ntwo\n"

    def broken() -> Iterator[bytes]:
        yield b"three\n"
        message = "no more"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no more"):
        replace_file(place, broken())
    assert place.read_bytes() == b"one\ntwo\n"
    assert [path.name for path in tmp_path.iterdir()] == ["scores.jsonl"]


@pytest.mark.parametrize("where", [".", "inner/.."])
def test_a_directory_given_by_dots_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    place = tmp_path / "mine"
    (place / "inner").mkdir(parents=True)
    (place / "notes.txt").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(place)
    with pytest.raises(ResultsError, match=r"^mine is not a results directory: it holds inner "):
        open_results(Path(where), PLAN)


@pytest.mark.parametrize(
    ("activity", "unfinished", "told"),
    [
        ("run", False, ["replaced the finished results of `gate` in out"]),
        ("run", True, []),
        ("gate", False, []),
    ],
    ids=["another command", "asked to replace", "the same command"],
)
def test_finished_results_of_another_command_are_not_replaced_in_silence(
    tmp_path: Path, activity: Activity, unfinished: bool, told: list[str]
) -> None:
    first, _ = open_results(tmp_path / "out", PLAN)
    first.write_plan(replace(PLAN, finished=True))
    said: list[str] = []
    other = replace(PLAN, activity=activity, digests=replace(PLAN.digests, policy="x" * 64))
    _, found = open_results(tmp_path / "out", other, overwrite=True, unfinished=unfinished, tell=said.append)
    assert (found, said) == (None, told)
