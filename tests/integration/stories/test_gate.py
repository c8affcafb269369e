"""The gate on real repositories: refs, WORKTREE, sub-directories, filters, the report's contract, exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.model.json_value import JsonValue
from tests.builders import CASES, CONFIG, RIGHT, Project, book, case, fingerprint, shop, wrong
from tests.integration.stories.command_line import CommandLine, JsonObject, part, rows, strict_json
from tests.integration.stories.measured import without_measured

NUMBER = (int, float)
OPTIONAL_NUMBER = (int, float, type(None))
METRIC_FIELDS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "gating": bool,
    "direction": str,
    "base": OPTIONAL_NUMBER,
    "head": OPTIONAL_NUMBER,
    "delta": OPTIONAL_NUMBER,
    "interval": (list, type(None)),
    "confidence": OPTIONAL_NUMBER,
    "p_value": OPTIONAL_NUMBER,
    "n_cases": int,
    "seeds": dict,
    "margin": OPTIONAL_NUMBER,
    "target": OPTIONAL_NUMBER,
    "verdict": str,
    "ungraded": int,
}
CASE_FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "label": str,
    "base": dict,
    "head": dict,
    "metrics": dict,
    "first_divergence": (dict, type(None)),
    "failure": (dict, type(None)),
}
REPORT_FIELDS: dict[str, type | tuple[type, ...]] = {
    "schema": str,
    "conclusion": str,
    "base_sha": (str, type(None)),
    "head_sha": (str, type(None)),
    "metrics": list,
    "cases": list,
    "trials": dict,
    "pass_hat_k": dict,
}
TRIAL_FIELDS = ("planned", "completed", "agent_error", "timeout", "infra_error", "missing", "cached")


def observed(config: str, gate: str) -> str:
    return f"{config}gate: {gate}\n"


def assert_fields(row: JsonObject, fields: dict[str, type | tuple[type, ...]]) -> None:
    for name, kind in fields.items():
        assert name in row, name
        assert isinstance(row[name], kind), (name, row[name])
        assert kind is bool or not (isinstance(row[name], bool) and kind is not bool), name


def assert_contract(report: JsonObject) -> None:
    """The report has what others script against, of the right types."""
    assert_fields(report, REPORT_FIELDS)
    assert report["conclusion"] in {"pass", "fail", "inconclusive", "not_evaluated"}
    for metric in rows(report, "metrics").values():
        assert_fields(metric, METRIC_FIELDS)
        assert metric["direction"] in {"higher", "lower"}
        assert_fields(part(metric, "seeds"), {"base": int, "head": int})
        interval = metric["interval"]
        if interval is not None:
            assert isinstance(interval, list)
            assert len(interval) == 2
            assert all(isinstance(limit, NUMBER) for limit in interval)
        assert metric["verdict"] in {"regressed", "improved", "unchanged", "inconclusive", "not_evaluated"}
    for row in rows(report, "cases").values():
        assert_fields(row, CASE_FIELDS)
        for side in ("base", "head"):
            assert_fields(part(row, side), {"passed": int, "trials": int})
    assert_fields(part(report, "trials"), dict.fromkeys(TRIAL_FIELDS, int))
    assert {"base", "head"} <= set(part(report, "pass_hat_k"))


def counts(report: JsonObject, name: str) -> tuple[object, object]:
    row = rows(report, "cases")[name]
    return part(row, "base")["passed"], part(row, "head")["passed"]


def test_a_worse_agent_is_blocked_and_the_report_keeps_its_contract(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    before = fingerprint(project.root)
    ended = gatebot.gate(project.root, base, head, "--json")
    assert ended.code == 1, ended.err
    assert ended.out == (gatebot.results / "report.json").read_text("utf-8")
    report = strict_json(ended.out)
    assert_contract(report)
    assert (report["conclusion"], report["base_sha"], report["head_sha"]) == ("fail", base, head)
    assert rows(report, "metrics")["pass_rate"]["verdict"] == "regressed"
    assert counts(report, "hours") == (3, 0)
    assert counts(report, "address") == (3, 3)
    assert part(report, "trials")["planned"] == part(report, "trials")["completed"] == 24
    assert part(part(report, "pass_hat_k"), "head")["1"] == pytest.approx(0.25)
    assert "hours" in gatebot.comment()
    assert fingerprint(project.root) == before


def test_the_tree_as_it_lies_is_judged_and_left_alone(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    staged = wrong("hours", "price", "refund")
    project.write({"book.json": book(staged), "notes/untracked.txt": "mine\n", "agent.py": None})
    project.write({"answers.py": "import runpy; runpy.run_path('agent.py')\n"})
    project.repository.index.add("book.json")
    project.repository.index.write()
    project.write({"agent.py": shop()["agent.py"]})
    before = fingerprint(project.root)
    ended = gatebot.gate(project.root, "main", "WORKTREE")
    assert ended.code == 1, ended.err
    report = gatebot.report()
    head = part(report, "head")
    assert (head["dirty"], report["head_sha"]) == (True, report["base_sha"])
    assert fingerprint(project.root) == before


def test_an_untracked_file_is_part_of_the_tree_as_it_lies(gatebot: CommandLine, tmp_path: Path) -> None:
    agent = BOOK_FROM_EXTRA
    project = Project(tmp_path / "shop", {**shop(), "agent.py": agent})
    project.write({"extra.json": book(wrong(*CASES))})
    assert gatebot.gate(project.root, "HEAD", "WORKTREE").code == 1


BOOK_FROM_EXTRA = (shop()["agent.py"] or "").replace(
    'open("book.json")', 'open("extra.json" if __import__("os").path.exists("extra.json") else "book.json")'
)


def test_a_suite_in_a_sub_directory(gatebot: CommandLine, tmp_path: Path) -> None:
    below = {f"services/shop/{path}": text for path, text in shop().items()}
    project = Project(tmp_path / "mono", {**below, "README.md": "all of us\n"})
    base = str(project.repository.head.target)
    head = project.commit({"services/shop/book.json": book(wrong("hours", "price", "refund"))})
    ended = gatebot.gate(project.root, base, head, "--config", "services/shop/gatebot.yaml")
    assert ended.code == 1, ended.err
    whole = gatebot.report()
    inside = CommandLine(gatebot.capture, tmp_path / "inside")
    assert inside.gate(project.root / "services" / "shop", base, head).code == 1
    assert without_measured(inside.report())["cases"] == without_measured(whole)["cases"]


def test_only_the_cases_asked_for_run(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours"))})
    chosen = ("--case", "address", "--case", "refund", "--seeds", "2")
    ended = gatebot.gate(project.root, base, head, *chosen)
    assert ended.code == 0, ended.err
    report = gatebot.report()
    assert set(rows(report, "cases")) == {"address", "refund"}
    assert part(report, "trials")["planned"] == 2 * 2 * 2
    assert {(trial.case, trial.slot) for trial in gatebot.trials()} == {
        (name, slot) for name in ("address", "refund") for slot in (1, 2)
    }


def test_thin_evidence_is_no_pass_without_a_warning(gatebot: CommandLine, tmp_path: Path) -> None:
    answers: dict[str, JsonValue] = {**RIGHT, "price": [RIGHT["price"], "who knows"]}
    project = Project(tmp_path / "shop", shop(answers))
    base = str(project.repository.head.target)
    head = project.commit({"note.txt": "a change that changes nothing\n"})
    ended = gatebot.gate(project.root, base, head, "--seeds", "1")
    assert gatebot.report()["conclusion"] == "inconclusive"
    assert ended.code == 0
    assert "not proven" in ended.err


def test_observe_is_never_red_and_says_what_it_would_have_been(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop(config=observed(CONFIG, "{mode: observe}")))
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong(*CASES))})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"], report["would_have"]) == (0, "pass", "fail")
    assert "regressed" in ended.out


def test_an_agent_that_never_answers_for_want_of_infrastructure_is_not_evaluated(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    config = CONFIG + "budget: {trials: 5}\n"
    project = Project(tmp_path / "shop", shop(config=config))
    base = str(project.repository.head.target)
    head = project.commit({"note.txt": "x\n"})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (3, "not_evaluated")
    assert part(report, "trials")["missing"] == 24 - 5


def test_a_missed_target_closes_the_gate(gatebot: CommandLine, tmp_path: Path) -> None:
    config = observed(CONFIG, "{metrics: {pass_rate: {margin: 0.5, target: 0.9, min_effect: 0.9}}}")
    project = Project(tmp_path / "shop", shop(config=config))
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    ended = gatebot.gate(project.root, base, head)
    metric = rows(gatebot.report(), "metrics")["pass_rate"]
    assert ended.code == 1
    assert metric["target"] == pytest.approx(0.9)
    assert part(metric, "target_result")["verdict"] == "missed"
    assert metric["verdict"] != "regressed"


def test_an_inherited_missed_target_only_warns(gatebot: CommandLine, tmp_path: Path) -> None:
    config = observed(CONFIG, "{metrics: {pass_rate: {margin: 0.5, target: 0.9}}}")
    project = Project(tmp_path / "shop", shop(wrong("hours", "price", "refund"), config=config))
    base = str(project.repository.head.target)
    head = project.commit({"note.txt": "x\n"})
    ended = gatebot.gate(project.root, base, head)
    target = part(rows(gatebot.report(), "metrics")["pass_rate"], "target_result")
    assert (target["inherited"], target["verdict"]) == (True, "missed")
    assert ended.code == 0, ended.out
    assert "target" in gatebot.comment()


def test_a_drop_below_min_effect_leaves_the_gate_open(gatebot: CommandLine, tmp_path: Path) -> None:
    config = observed(CONFIG, "{metrics: {pass_rate: {margin: 0.1, min_effect: 0.9}}}")
    project = Project(tmp_path / "shop", shop(config=config))
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert report["conclusion"] != "fail"
    assert ended.code == 0
    assert "min_effect" in str(rows(report, "metrics")["pass_rate"]["reason"])


def test_a_new_case_key_in_the_request_tells_no_side(gatebot: CommandLine, tmp_path: Path) -> None:
    """What an agent sees — request, environment, directory — is the same on both sides but for random names."""
    spy = (
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "seen = {'request': request, 'names': sorted(os.environ), 'files': sorted(os.listdir('.'))}\n"
        "json.dump({'answer': 'the address is known', 'state': seen}, sys.stdout)\n"
    )
    files = {**shop(names=["address"]), "agent.py": spy}
    project = Project(tmp_path / "shop", files)
    base = str(project.repository.head.target)
    head = project.commit(
        {"book.json": book(wrong("hours")), "golden/address.yaml": case("address", tags="[x]")}
    )
    assert gatebot.gate(project.root, base, head, "--seeds", "2").code == 0
    seen = {trial.key: trial.state for trial in gatebot.trials()}
    assert len(seen) == 4
    for key, state in seen.items():
        if key.side == "base":
            assert state == seen[key._replace(side="head")]
            assert isinstance(state, dict)
            assert state["files"] == ["agent.py", "book.json"]
