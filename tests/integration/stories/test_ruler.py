"""The ruler comes from the base: nothing a pull request changes in it helps the pull request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import CASES, CONFIG, RIGHT, Files, Project, book, case, shop, wrong
from tests.integration.stories.command_line import CommandLine, part, rows

WORSE = {"book.json": book(wrong("hours", "price", "refund"))}
TO_WRONG = "input: What?\nexpect: {answer: {exact: true}}\ngolden: {answer: nobody tells the hours}\n"
STRICT = f"{CONFIG}gate: {{metrics: {{pass_rate: {{margin: 0.1, target: 0.9}}}}}}\n"

ATTEMPTS: dict[str, tuple[Files, str]] = {
    "loosens the gate": ({"gatebot.yaml": CONFIG + "gate: {mode: observe}\n"}, "changes gate"),
    "drops the target": ({"gatebot.yaml": CONFIG}, "changes gate"),
    "quarantines": (
        {
            "gatebot.yaml": CONFIG
            + "quarantine: [{case: hours, reason: it fails, until: 2999-01-01}, "
            + "{case: price, reason: it fails, until: 2999-01-01}]\n"
        },
        "changes gate, quarantine",
    ),
    "runs fewer seeds": ({"gatebot.yaml": STRICT.replace("fixed: 3", "fixed: 1")}, "changes seeds"),
    "spends nothing": ({"gatebot.yaml": STRICT + "budget: {trials: 1}\n"}, "changes budget"),
    "takes away time": ({"gatebot.yaml": STRICT.replace("timeout: 20", "timeout: 0.001")}, "agent.timeout"),
    "looks elsewhere for cases": (
        {"gatebot.yaml": STRICT + "cases: [other/*.yaml]\n", "other/easy.yaml": case("address")},
        "changes cases",
    ),
    "deletes a failing case": ({"golden/hours.yaml": None}, "removed in this pull request"),
    "deletes every case": ({f"golden/{name}.yaml": None for name in CASES}, "4 cases removed"),
    "edits a golden": ({"golden/hours.yaml": TO_WRONG}, "edited in this pull request"),
    "moves a case": (
        {"golden/hours.yaml": None, "golden/moved.yaml": case("hours")},
        "removed in this pull request",
    ),
    "deletes the configuration": ({"gatebot.yaml": None}, "removes the configuration"),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_pull_request_cannot_loosen_its_own_gate(gatebot: CommandLine, tmp_path: Path, name: str) -> None:
    change, alert = ATTEMPTS[name]
    project = Project(tmp_path / "shop", shop(config=STRICT))
    base = str(project.repository.head.target)
    head = project.commit({**WORSE, **change})
    ended = gatebot.gate(project.root, base, head)
    assert ended.code == 1, ended.told
    report = gatebot.report()
    metric = rows(report, "metrics")["pass_rate"]
    assert (metric["verdict"], part(metric, "target_result")["verdict"]) == ("regressed", "missed")
    assert (metric["base"], metric["head"]) == (1.0, pytest.approx(0.25))
    assert part(rows(report, "cases")["hours"], "head") == {"passed": 0, "trials": 3}
    assert alert in str(report["alerts"])
    assert alert in gatebot.comment()


def test_a_new_case_is_shown_and_does_not_gate(gatebot: CommandLine, tmp_path: Path) -> None:
    config = CONFIG + "gate: {metrics: {pass_rate: {margin: 0.5}}}\n"
    project = Project(tmp_path / "shop", shop(config=config))
    base = str(project.repository.head.target)
    head = project.commit({"golden/brandnew.yaml": case("unheard-of")})
    ended = gatebot.gate(project.root, base, head)
    # The case is hidden from the agent, so both sides hold the same agent: nothing to compare, nothing to run.
    assert (ended.code, gatebot.report()["conclusion"]) == (0, "pass"), ended.told
    head = project.commit({"golden/brandnew.yaml": case("unheard-of"), "note.txt": "x\n"})
    other = CommandLine(gatebot.capture, tmp_path / "other")
    ended = other.gate(project.root, base, head)
    report = other.report()
    assert ended.code == 0, ended.told
    row = rows(report, "cases")["brandnew"]
    assert (row["label"], row["gating"]) == ("new", False)
    assert (part(row, "base")["trials"], part(row, "head")) == (0, {"passed": 0, "trials": 3})
    assert "new in this pull request" in other.comment()
    assert rows(report, "metrics")["pass_rate"]["head"] == 1.0


def test_policy_is_the_tip_s_and_cases_are_the_merge_base_s(gatebot: CommandLine, tmp_path: Path) -> None:
    """The base moved on after the branch was made: its new gate counts, its new case and its new code do not."""
    project = Project(tmp_path / "shop", shop())
    fork = str(project.repository.head.target)
    project.commit({"gatebot.yaml": CONFIG + "gate: {mode: observe}\n", "golden/later.yaml": case("later")})
    project.commit({"book.json": book(wrong(*CASES))})
    project.branch("feature", fork)
    head = project.commit(WORSE)
    ended = gatebot.gate(project.root, "main", "feature")
    report = gatebot.report()
    assert (report["base_sha"], report["head_sha"]) == (fork, head)
    assert (ended.code, report["would_have"]) == (0, "fail"), ended.told
    assert set(rows(report, "cases")) == set(CASES)
    assert rows(report, "metrics")["pass_rate"]["base"] == 1.0


def test_without_a_configuration_at_the_base_nothing_is_gated(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", {"README.md": "a shop\n"})
    base = str(project.repository.head.target)
    head = project.commit(shop(wrong("hours"), config=STRICT))
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (0, "pass"), ended.told
    metric = rows(report, "metrics")["pass_rate"]
    assert (metric["verdict"], metric["base"], metric["head"]) == ("not_evaluated", None, 0.75)
    assert "no baseline" in str(metric["reason"])
    assert part(report, "pass_hat_k")["base"] is None
    assert "no baseline" in gatebot.comment().lower()
    assert {trial.side for trial in gatebot.trials()} == {"head"}


def test_the_same_agent_is_not_run(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"golden/hours.yaml": TO_WRONG, "gatebot.yaml": STRICT})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (0, "pass"), ended.told
    assert part(report, "trials")["planned"] == 0
    assert gatebot.trials() == []
    assert "same agent" in str(report["reason"])


def test_another_command_line_is_another_agent(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"gatebot.yaml": CONFIG.replace("agent.py]", 'agent.py, "--politely"]')})
    gatebot.gate(project.root, base, head)
    assert part(gatebot.report(), "trials")["completed"] == 24


def with_setup(line: str) -> str:
    return CONFIG.replace("agent.py]", f"agent.py], setup: ['{line}']")


@pytest.mark.parametrize(
    ("base_setup", "head_setup", "code", "conclusion"),
    [
        ("true", "false", 1, "fail"),
        ("false", "true", 3, "not_evaluated"),
        ("false", "exit 4", 3, "not_evaluated"),
    ],
)
def test_a_setup_that_fails(
    gatebot: CommandLine, tmp_path: Path, base_setup: str, head_setup: str, code: int, conclusion: str
) -> None:
    project = Project(tmp_path / "shop", shop(config=with_setup(base_setup)))
    base = str(project.repository.head.target)
    head = project.commit({"gatebot.yaml": with_setup(head_setup), "note.txt": "x\n"})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (code, conclusion), ended.told
    assert "install" in str(report["reason"])
    assert gatebot.trials() == []
    assert "install" in gatebot.comment()


def test_each_side_has_an_environment_of_its_own(gatebot: CommandLine, tmp_path: Path) -> None:
    """`setup` writes into the side's environment; the side's agent finds it, and the other side's does not."""
    line = 'cp book.json "$VIRTUAL_ENV/installed.json"; test ! -e "$VIRTUAL_ENV/../other"'
    agent = (
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "with open(os.environ['VIRTUAL_ENV'] + '/installed.json') as file:\n"
        "    print(json.load(file)[request['case']])\n"
    )
    config = CONFIG.replace("agent.py]", f"agent.py], setup: ['{line}']")
    project = Project(tmp_path / "shop", {**shop(RIGHT, config=config), "agent.py": agent})
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong(*CASES))})
    ended = gatebot.gate(project.root, base, head)
    metric = rows(gatebot.report(), "metrics")["pass_rate"]
    assert (metric["base"], metric["head"]) == (1.0, 0.0), ended.told
    assert (gatebot.results / "logs" / "setup-base.log").is_file()


GONE: dict[str, tuple[Files, str]] = {
    "the configuration": ({"gatebot.yaml": None}, "removes gatebot.yaml"),
    "every case": ({f"golden/{name}.yaml": None for name in CASES}, "keeps none of the 4 cases"),
    "most cases": ({f"golden/{name}.yaml": None for name in sorted(CASES)[1:]}, "keeps 1 of the 4 cases"),
    "cases and configuration": (
        {"gatebot.yaml": None, **{f"golden/{name}.yaml": None for name in CASES}},
        "removes gatebot.yaml",
    ),
    "cases, by other globs": (
        {"gatebot.yaml": CONFIG + "cases: [other/*.yaml]\n", "other/kept.yaml": case("address")},
        "keeps 1 of the 4 cases",
    ),
    "cases, by globs that name none": (
        {"gatebot.yaml": CONFIG + "cases: [other/*.yaml]\n"},
        "keeps none of the 4 cases",
    ),
    "cases, by quarantine": (
        {
            "gatebot.yaml": CONFIG
            + "quarantine:\n"
            + "".join(f"  - {{case: {name}, reason: it fails, until: 2999-01-01}}\n" for name in CASES)
        },
        "keeps none of the 4 cases",
    ),
}


@pytest.mark.parametrize("agent", ["the same agent", "another agent"])
@pytest.mark.parametrize("name", GONE)
def test_a_pull_request_that_empties_the_suite_does_not_pass(
    gatebot: CommandLine, tmp_path: Path, name: str, agent: str
) -> None:
    change, why = GONE[name]
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({**change, **({} if agent == "the same agent" else {"note.txt": "x\n"})})
    ended = gatebot.gate(project.root, base, head)
    report = gatebot.report()
    assert (ended.code, report["conclusion"]) == (3, "not_evaluated"), ended.told
    assert why in str(report["reason"])
    assert "where taking cases away is intended" in str(report["advice"])
    assert "override label" in str(report["advice"])
    assert why in gatebot.comment()
    assert "still run" not in gatebot.comment()
    gone = sorted(path.removeprefix("golden/").removesuffix(".yaml") for path in change if "golden/" in path)
    for one in gone:
        if change[f"golden/{one}.yaml"] is None:
            assert one in gatebot.comment().partition("Removed cases")[2], gatebot.comment()
            assert f"`{one}`" in next(
                line for line in gatebot.comment().splitlines() if "removed in this" in line
            )


def test_a_branch_from_before_the_suite_takes_nothing_away(gatebot: CommandLine, tmp_path: Path) -> None:
    files = shop()
    agent = {name: text for name, text in files.items() if name in ("agent.py", "book.json")}
    project = Project(tmp_path / "shop", agent)
    fork = str(project.repository.head.target)
    project.branch("topic", fork)
    project.commit({"book.json": book(wrong("hours"))})
    project.branch("gated", fork)
    project.commit(files)
    ended = gatebot.gate(project.root, "gated", "topic", "--seeds", "3")
    report = gatebot.report()
    assert "removes" not in str(report["reason"]), ended.told
    assert report["conclusion"] in ("fail", "inconclusive"), ended.told


def test_cases_under_other_names_are_still_there(gatebot: CommandLine, tmp_path: Path) -> None:
    files = shop()
    project = Project(tmp_path / "shop", files)
    base = str(project.repository.head.target)
    moved: Files = {}
    for name in CASES:
        moved[f"golden/{name}.yaml"] = None
        moved[f"golden/the-{name}.yaml"] = str(files[f"golden/{name}.yaml"])
    head = project.commit(moved)
    ended = gatebot.gate(project.root, base, head)
    assert "leaves" not in str(gatebot.report()["reason"]), ended.told


def test_the_one_case_of_a_suite_just_begun_may_give_way_to_others(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    files = shop()
    rest = {name: text for name, text in files.items() if not name.startswith("golden/")}
    first, *more = sorted(CASES)
    project = Project(tmp_path / "shop", {**rest, f"golden/{first}.yaml": str(files[f"golden/{first}.yaml"])})
    base = str(project.repository.head.target)
    others = {f"golden/{name}.yaml": str(files[f"golden/{name}.yaml"]) for name in more}
    head = project.commit({f"golden/{first}.yaml": None, **others})
    gatebot.gate(project.root, base, head)
    assert "leaves" not in str(gatebot.report()["reason"])
    gone = project.commit({f"golden/{name}.yaml": None for name in more})
    assert gatebot.gate(project.root, base, gone, "--out", gatebot.results.with_name("gone")).code == 3


def test_a_pull_request_that_removes_a_case_or_two_names_them(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({f"golden/{name}.yaml": None for name in sorted(CASES)[:2]})
    ended = gatebot.gate(project.root, base, head)
    assert (ended.code, gatebot.report()["conclusion"]) == (0, "pass"), ended.told
    told = gatebot.comment()
    assert "2 cases removed in this pull request" in told
    assert all(name in told for name in sorted(CASES)[:2])
