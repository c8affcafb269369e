"""Whole gates with a judge, against loopback: verdicts, fail closed, resuming, the same bytes, explanations, calibration."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest
import yaml

from gatebot.cli.app import run
from gatebot.model.json_value import JsonValue, is_array, is_object
from tests.builders import CASES, CONFIG, RIGHT, Project, book, shop, wrong
from tests.fakes.anthropic_server import KEY, Answer, AnthropicServer, Body, serving
from tests.fakes.judge_stand_ins import generous, honest, material
from tests.unit.judge.subjects import message

KEY_NAME = "TEST_JUDGE_KEY"
BYTES_FILES = ("report.json", "comment.md", "junit.xml", "scores.jsonl")


@pytest.fixture
def judge() -> Generator[AnthropicServer]:
    with serving(honest) as running:
        yield running


class Story:
    """A repository with a judge in its configuration, gated into one results directory."""

    def __init__(self, root: Path, server: AnthropicServer) -> None:
        self.root = root
        self.server = server
        self.results = root / "results"
        self.project: Project | None = None
        self.base = ""

    def files(self, *, gate: str = "", **more: JsonValue) -> dict[str, str | None]:
        """The shop's files with a judge."""
        judge: dict[str, JsonValue] = {
            "base_url": self.server.url,
            "key_env": KEY_NAME,
            "rubrics": ["final_response"],
            "timeout": 20,
            **more,
        }
        config = CONFIG + yaml.safe_dump({"judge": judge}) + (f"gate: {gate}\n" if gate else "")
        return shop(RIGHT, config=config)

    def gate(self, *bad: str, **more: JsonValue) -> int:
        """Commit the base and a head that answers `bad` cases wrongly; gate."""
        if self.project is None:
            gate = str(more.pop("gate", ""))
            self.project = Project(self.root / "repo", self.files(gate=gate, **more))
            self.base = str(self.project.repository.head.target)
            self.project.commit({"book.json": book(wrong(*bad)), "note.txt": "a change"})
        return self.again()

    def again(self) -> int:
        """Gate the same commits into the same directory."""
        words = [
            "gate",
            "--repo",
            self.root / "repo",
            "--base",
            self.base,
            "--head",
            "HEAD",
            "--out",
            self.results,
        ]
        return run([str(word) for word in words])

    def report(self) -> dict[str, JsonValue]:
        """report.json."""
        return json.loads((self.results / "report.json").read_text("utf-8"))

    def metric(self, name: str) -> dict[str, JsonValue]:
        """A metric of the report."""
        return next(
            row
            for row in json.loads((self.results / "report.json").read_text())["metrics"]
            if row["name"] == name
        )

    def comment(self) -> str:
        """comment.md."""
        return (self.results / "comment.md").read_text("utf-8")

    def kept(self) -> dict[str, bytes]:
        """The rendered files' bytes."""
        return {name: (self.results / name).read_bytes() for name in BYTES_FILES}


@pytest.fixture
def story(tmp_path: Path, judge: AnthropicServer, monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setenv(KEY_NAME, KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return Story(tmp_path, judge)


GATING = "{metrics: {pass_rate: {}, judge_final_response: {}}}"
ONLY_JUDGE = "{metrics: {judge_final_response: {}}}"


def test_the_judge_informs(story: Story) -> None:
    assert story.gate(*CASES) == 1
    row = story.metric("judge_final_response")
    assert (row["gating"], row["base"], row["head"], row["verdict"]) == (
        False,
        pytest.approx(0.9),
        pytest.approx(0.1),
        "regressed",
    )


def test_equal_trials_of_both_sides_are_judged_alike(story: Story) -> None:
    story.gate("price")
    row = story.metric("judge_final_response")
    assert row["base"] == pytest.approx(0.9)
    assert row["head"] == pytest.approx(0.7)
    assert row["ungraded"] == 0


def test_a_gating_judge_metric_closes_the_gate(story: Story) -> None:
    assert story.gate(*CASES, gate=ONLY_JUDGE, agreement_floor=0) == 1
    assert story.report()["conclusion"] == "fail"
    assert "judge_final_response" in str(story.report()["reason"])


def test_an_uncalibrated_metric_informs_and_says_so(story: Story) -> None:
    story.gate("price", gate=GATING)
    assert story.metric("judge_final_response")["gating"] is False
    assert "is not calibrated" in story.comment()


def test_a_gate_of_nothing_is_a_mistake(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert story.gate("price", gate=ONLY_JUDGE) == 2
    assert "nothing is left to close the gate" in capsys.readouterr().err


def test_no_key_everything_else_works(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_NAME)
    assert story.gate(*CASES) == 1
    assert story.server.paths == []
    assert f"The judge did not run: there is no key in `{KEY_NAME}`" in story.comment().replace(
        "\u200b", ""
    ) or ("The judge did not run" in story.comment())


@pytest.mark.parametrize("cause", ["no key", "no network", "wrong key"])
def test_a_gating_judge_that_cannot_be_asked_fails_closed(
    story: Story, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    if cause == "no key":
        monkeypatch.delenv(KEY_NAME)
    if cause == "wrong key":
        story.server.key = "another-key-12"
    more: dict[str, JsonValue] = (
        {"base_url": "http://127.0.0.1:9", "timeout": 0.2} if cause == "no network" else {}
    )
    assert story.gate(gate=GATING, agreement_floor=0, **more) == 3
    assert story.report()["conclusion"] == "not_evaluated"
    assert story.metric("judge_final_response")["verdict"] == "not_evaluated"


def test_an_unhealthy_judge_is_not_evaluated(story: Story) -> None:
    story.server.respond = generous
    assert story.gate(gate=GATING, agreement_floor=0) == 3
    assert story.metric("judge_final_response")["verdict"] == "not_evaluated"
    assert "unhealthy" in story.comment()


def test_too_many_judge_errors_are_not_evaluated(story: Story) -> None:
    def refuses_some(body: Body) -> Answer:
        if "price" in str(material(body)["answer"]):
            return Answer(body=message(None, content=[], stop="refusal"))
        return honest(body)

    story.server.respond = refuses_some
    assert story.gate(gate=GATING, agreement_floor=0, canaries=False) == 3
    assert "judge errors in" in story.comment()


def test_judging_goes_on_later_without_the_agents(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge is down when the agents have finished (security F53)."""
    monkeypatch.delenv(KEY_NAME)
    assert story.gate(gate=GATING, agreement_floor=0) == 3
    trials = (story.results / "trials.jsonl").read_bytes()
    monkeypatch.setenv(KEY_NAME, KEY)
    code = run(["judge", "run", str(story.results)])
    assert (story.results / "trials.jsonl").read_bytes() == trials
    assert story.metric("judge_final_response")["verdict"] != "not_evaluated"
    assert code == 0


def test_the_same_results_give_the_same_bytes_and_ask_nobody(story: Story) -> None:
    story.gate(*CASES)
    first, asked = story.kept(), len(story.server.paths)
    assert run(["report", str(story.results)]) == 1
    assert story.kept() == first
    assert story.again() == 1
    assert story.kept() == first
    assert len(story.server.paths) == asked


def test_a_killed_session_pays_for_no_judgement_twice(story: Story) -> None:
    story.gate(*CASES, explain=False)
    file = story.results / "judge.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    kept = lines[: len(lines) // 2]
    file.write_bytes(b"".join(kept) + lines[len(kept)][:30])
    asked = len(story.server.requests)
    story.again()
    judged = [json.loads(line) for line in file.read_bytes().splitlines()]
    keys = [
        (j["judgement"]["case"], j["judgement"]["side"], j["judgement"]["slot"])
        for j in judged
        if j["judgement"]
    ]
    assert len(keys) == len(set(keys)) == len(CASES) * 2 * 3
    assert len(story.server.requests) - asked == 5 + (len(lines) - 1 - len(kept))


def without_explanations(report: dict[str, JsonValue]) -> dict[str, JsonValue]:
    cases = report["cases"]
    assert is_array(cases)
    rows = [dict(case) for case in cases if is_object(case)]
    return {**report, "cases": [{**row, "explanation": ""} for row in rows]}


def test_what_got_worse_is_explained_and_changes_nothing(story: Story) -> None:
    story.gate(*CASES)
    explained = story.comment()
    asked = [str(request) for request in story.server.requests if "before" in str(request["messages"])]
    assert sum("b/note.txt" in request and "+a change" in request for request in asked) == len(CASES)
    assert "The agent" in explained
    assert "skipped" in explained
    assert "<b>" not in explained
    assert "@everyone" not in explained
    lines = (story.results / "judge.jsonl").read_bytes().splitlines(keepends=True)
    report = story.report()
    (story.results / "judge.jsonl").write_bytes(
        b"".join(line for line in lines if b'"explanation":null' in line)
    )
    run(["report", str(story.results)])
    plain = story.report()
    assert without_explanations(report) == without_explanations(plain)
    assert report != plain


def test_a_failure_the_rules_cannot_name_gets_the_judges_category(story: Story) -> None:
    story.gate(*CASES)
    assert {share["category"] for share in json.loads(json.dumps(story.report()["failures"]))} == {
        "reasoning"
    }


def test_a_judgement_of_another_trial_does_not_count(story: Story) -> None:
    """Lines copied from another trial, or made for another rubric, are not of this subject."""
    story.gate(*CASES)
    file = story.results / "judge.jsonl"
    forged: list[str] = []
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        if entry["judgement"] and entry["judgement"]["side"] == "head":
            entry["judgement"]["subject"] = "0" * 64
            entry["judgement"]["value"] = 1.0
        forged.append(json.dumps(entry))
    file.write_text("\n".join(forged) + "\n")
    run(["report", str(story.results)])
    assert story.metric("judge_final_response")["verdict"] == "not_evaluated"


def test_the_key_is_nowhere_in_the_results(story: Story) -> None:
    story.gate(*CASES)
    for path in story.results.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


EXAMPLES: list[dict[str, JsonValue]] = [
    {
        "task": f"What is {n}?",
        "reference": f"It is {n}.",
        "answer": f"It is {n if n % 3 else 'unknown'}.",
        "label": float(n % 3 > 0),
    }
    for n in range(12)
]


def calibrate(story: Story, examples: list[dict[str, JsonValue]]) -> int:
    suite = story.root / "suite"
    suite.mkdir()
    for path, text in story.files().items():
        (suite / path).parent.mkdir(exist_ok=True)
        (suite / path).write_text(text or "")
    file = story.root / "examples.jsonl"
    file.write_text("\n".join(json.dumps(example) for example in examples))
    return run(["judge", "calibrate", str(file), "--suite", str(suite)])


def test_calibration_prints_the_block_that_lets_a_metric_gate(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate(story, EXAMPLES) == 0
    said = capsys.readouterr().out
    assert "judge_final_response: alpha 0.97, kappa 1.00, with itself 1.00 on 12 examples (may gate)" in said
    block = yaml.safe_load(said[said.index("calibration:") :])
    code = story.gate(*CASES, gate=ONLY_JUDGE, **block)
    assert code == 1
    assert story.metric("judge_final_response")["gating"] is True


def test_a_judge_that_disagrees_with_people_informs_only(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    opposite = [{**example, "label": 1 - float(str(example["label"]))} for example in EXAMPLES]
    assert calibrate(story, opposite) == 0
    said = capsys.readouterr().out
    assert "below the floor of 0.6: informs only" in said
    block = yaml.safe_load(said[said.index("calibration:") :])
    story.gate("price", gate=GATING, **block)
    assert story.metric("judge_final_response")["gating"] is False
    assert "is below the floor" in story.comment()


def test_a_calibration_of_another_rubric_does_not_count(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrate(story, EXAMPLES)
    said = capsys.readouterr().out
    block = yaml.safe_load(said[said.index("calibration:") :])
    story.gate("price", gate=GATING, model="claude-opus-4-6", **block)
    assert "another rubric or other models" in story.comment()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "examples.jsonl:1"),
        ('{"task": "x", "label": 2}', "a label is a number in [0, 1]"),
        ('{"task": "x", "label": "good"}', "no word of the rubric"),
        ('{"task": "x", "label": 1, "metric": "judge_x"}', "the label is for"),
        ('{"task": "x", "label": 1, "extra": 1}', "extra"),
        ("", "holds no example"),
    ],
)
def test_a_wrong_example_is_told_with_its_line(
    story: Story, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    suite = story.root / "suite"
    suite.mkdir()
    (suite / "gatebot.yaml").write_text(story.files()["gatebot.yaml"] or "")
    (story.root / "examples.jsonl").write_text(line)
    assert run(["judge", "calibrate", str(story.root / "examples.jsonl"), "--suite", str(suite)]) == 2
    assert told in capsys.readouterr().err
