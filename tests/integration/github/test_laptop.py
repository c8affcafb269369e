"""The golden set on a laptop: accept from a finished run, record from a known-good one; real repositories, real agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import CONFIG, RIGHT, Project, book, case, fingerprint, shop, wrong
from tests.integration.stories.command_line import CommandLine

CALLING = """\
import json, sys
request = json.load(sys.stdin)
with open("book.json") as file:
    tools = json.load(file)[request["case"]]
tools = tools[request["seed"] % len(tools)]
calls = [{"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": "{}"}} for n, name in enumerate(tools)]
messages = [{"role": "user", "content": "hi"}]
if calls:
    messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
print(json.dumps({"messages": [*messages, {"role": "assistant", "content": "done"}], "answer": "done"}))
"""


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")


@pytest.fixture
def regressed(tmp_path: Path, gatebot: CommandLine) -> Project:
    """A head whose answer about the refund has changed, evaluated and checked out."""
    project = Project(tmp_path / "repo", shop())
    base = str(project.repository.head.target)
    head = project.commit(shop(wrong("refund")))
    assert gatebot.gate(project.root, base, head).code == 1
    return project


def test_accept_writes_the_golden_of_what_got_worse_and_nothing_else(
    regressed: Project, gatebot: CommandLine
) -> None:
    before = fingerprint(regressed.root)
    ended = gatebot("accept", "--repo", regressed.root, "--results", gatebot.results)
    assert ended.code == 0, ended.told
    after = fingerprint(regressed.root)
    assert {path for path in after if after[path] != before.get(path)} <= {"golden", "golden/refund.yaml"}
    text = (regressed.root / "golden/refund.yaml").read_text("utf-8")
    assert text == case("refund").split("golden:")[0] + "golden:\n  answer: nobody tells the refund\n"
    assert "-golden: {answer: the refund is known}" in ended.out
    assert "+  answer: nobody tells the refund" in ended.out
    assert "3 of 3 trials" in ended.err


def test_accept_refuses_the_results_of_another_commit(regressed: Project, gatebot: CommandLine) -> None:
    evaluated = str(regressed.repository.head.target)
    regressed.commit({"book.json": book(wrong("price"))})
    before = fingerprint(regressed.root)
    ended = gatebot("accept", "--repo", regressed.root, "--results", gatebot.results)
    assert (ended.code, fingerprint(regressed.root)) == (2, before)
    assert f"these results are of commit {evaluated[:7]}" in ended.err
    regressed.branch("amended", evaluated)
    regressed.commit({}, "the same files")
    assert gatebot("accept", "--repo", regressed.root, "--results", gatebot.results).code == 0


def test_a_dry_run_shows_and_writes_nothing(regressed: Project, gatebot: CommandLine) -> None:
    before = fingerprint(regressed.root)
    ended = gatebot("accept", "--repo", regressed.root, "--results", gatebot.results, "--dry-run")
    assert ended.code == 0
    assert "+  answer: nobody tells the refund" in ended.out
    assert fingerprint(regressed.root) == before


PAYING = """\
import json, sys
request = json.load(sys.stdin)
with open("book.json") as file:
    arguments = json.dumps(json.load(file))
call = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": arguments}}
messages = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": None, "tool_calls": [call]},
    {"role": "tool", "tool_call_id": "c", "content": "ok"},
]
print(json.dumps({"messages": [*messages, {"role": "assistant", "content": "done"}], "answer": "done"}))
"""


def test_accept_keeps_integers_integers_and_floats_floats(tmp_path: Path, gatebot: CommandLine) -> None:
    text = (
        "input: hi?\nexpect: {trajectory: {match: strict}}\n"
        "golden:\n  calls:\n    - pay: {amount: 900, fee: 5.0, to: ann}\n"
    )
    files = {**shop(RIGHT, config=CONFIG, names=()), "agent.py": PAYING, "golden/one.yaml": text}
    project = Project(tmp_path / "repo", {**files, "book.json": '{"amount": 900.0, "fee": 5.0, "to": "ann"}'})
    base = str(project.repository.head.target)
    head = project.commit({"book.json": '{"amount": 900.0, "fee": 5.0, "to": "bob"}'})
    assert gatebot.gate(project.root, base, head).code == 1
    assert gatebot("accept", "--repo", project.root, "--results", gatebot.results).code == 0
    written = (project.root / "golden/one.yaml").read_text("utf-8")
    assert "- pay: {amount: 900, fee: 5.0, to: bob}" in written
    assert written.startswith(text.split("golden:", maxsplit=1)[0])


def test_accepting_again_changes_nothing(regressed: Project, gatebot: CommandLine) -> None:
    gatebot("accept", "--repo", regressed.root, "--results", gatebot.results)
    before = fingerprint(regressed.root)
    again = gatebot("accept", "--repo", regressed.root, "--results", gatebot.results).out
    assert "says so already: it counts once merged, or with the label on the pull request" in again
    assert "nothing was written" in again
    assert fingerprint(regressed.root) == before


def test_a_case_that_is_no_worse_cannot_be_accepted(regressed: Project, gatebot: CommandLine) -> None:
    ended = gatebot("accept", "price", "--repo", regressed.root, "--results", gatebot.results)
    assert ended.code == 2
    assert "price" in ended.err


def test_accept_without_results_says_what_to_do(tmp_path: Path, gatebot: CommandLine) -> None:
    ended = gatebot("accept", "--repo", tmp_path, "--results", tmp_path / "none")
    assert ended.code == 2
    assert "hint:" in ended.err


def test_the_candidate_holds_nothing_volatile(regressed: Project, gatebot: CommandLine) -> None:
    first = (gatebot.results / "golden-candidate/candidate.json").read_bytes()
    assert gatebot("report", gatebot.results).code == 1
    assert (gatebot.results / "golden-candidate/candidate.json").read_bytes() == first
    assert "time" not in json.loads(first)


def _calling(tmp_path: Path, book: dict[str, list[list[str]]]) -> Project:
    files = shop(RIGHT, config=CONFIG, names=())
    cases = {
        f"golden/{name}.yaml": f"# kept\r\ninput: {name}?\r\nexpect: {{require: [look]}}\r\n" for name in book
    }
    return Project(tmp_path / "repo", {**files, "agent.py": CALLING, "book.json": json.dumps(book), **cases})


def test_record_writes_what_every_trial_did(tmp_path: Path, gatebot: CommandLine) -> None:
    project = _calling(tmp_path, {"one": [["look", "pay"]], "two": [["look"]]})
    ended = gatebot("record", "--repo", project.root, "--out", gatebot.results, "--seeds", "3")
    assert ended.code == 0, ended.told
    text = (project.root / "golden/one.yaml").read_bytes().decode()
    assert text == (
        "# kept\r\ninput: one?\r\nexpect: {require: [look]}\r\n"
        "golden:\r\n  answer: done\r\n  calls:\r\n    - - look: {}\r\n      - pay: {}\r\n"
    )
    assert "one: unanimous (3 of 3 trials)" in ended.out


def test_record_refuses_cases_whose_trials_disagree_unless_told(tmp_path: Path, gatebot: CommandLine) -> None:
    project = _calling(tmp_path, {"odd": [["look", name] for name in "abcdefgh"], "one": [["look"]]})
    command = ("record", "--repo", project.root, "--out", gatebot.results, "--seeds", "4")
    ended = gatebot(*command)
    assert ended.code == 1, ended.told
    assert b"golden:" not in (project.root / "golden/odd.yaml").read_bytes()
    assert b"golden:" in (project.root / "golden/one.yaml").read_bytes()
    assert "odd: split" in ended.out
    told = gatebot("record", "odd", *command[1:-1], "5", "--most-frequent", "--out", f"{gatebot.results}-2")
    assert told.code == 0, told.told
    assert b"golden:" in (project.root / "golden/odd.yaml").read_bytes()


def _sound(project: Project, gatebot: CommandLine) -> str:
    ended = gatebot("validate", project.root)
    assert ended.code == 0, ended.told
    return ended.out


def test_the_golden_of_an_agent_that_calls_no_tool_loads(tmp_path: Path, gatebot: CommandLine) -> None:
    files = {**shop(), "golden/price.yaml": "input: price?\nexpect: {answer: {contains: known}}\n"}
    project = Project(
        tmp_path / "repo", {name: text for name, text in files.items() if "golden/" not in name}
    )
    project.commit({"golden/price.yaml": files["golden/price.yaml"]})
    ended = gatebot("record", "--repo", project.root, "--out", gatebot.results, "--seeds", "2")
    assert ended.code == 0, ended.told
    assert (
        (project.root / "golden/price.yaml")
        .read_text("utf-8")
        .endswith("golden:\n  answer: the price is known\n")
    )
    assert ended.out.endswith("1 file changed. Commit it.\n")
    assert _sound(project, gatebot).endswith("1 case, 0 warnings: the suite is sound\n")


@pytest.mark.parametrize(
    ("golden", "mode", "accepted"),
    [
        ("{calls: [look], answer: done}", "", "golden:\n  answer: done\n"),
        ("{calls: [look]}", "", "in mode superset no golden can ask for that"),
        ("{calls: [look]}", ", trajectory: {match: strict}", "golden:\n  calls: []\n"),
        ("{calls: [look]}", ", trajectory: {match: superset}", "would not load: the list of golden calls is empty"),
    ],
    ids=["answer", "calls alone", "strict", "superset"],
)  # fmt: skip
def test_accepting_a_head_that_dropped_its_only_call_leaves_a_suite_that_loads(
    tmp_path: Path, gatebot: CommandLine, golden: str, mode: str, accepted: str
) -> None:
    files = shop(RIGHT, config=CONFIG, names=())
    text = f"input: hi?\nexpect: {{answer: {{contains: done}}{mode}}}\ngolden: {golden}\n"
    before = {**files, "agent.py": CALLING, "book.json": '{"one": [["look"]]}', "golden/one.yaml": text}
    project = Project(tmp_path / "repo", before)
    base = str(project.repository.head.target)
    head = project.commit({"book.json": '{"one": [[]]}'})
    assert gatebot.gate(project.root, base, head).code == 1
    ended = gatebot("accept", "--repo", project.root, "--results", gatebot.results)
    assert accepted in ended.told + (project.root / "golden/one.yaml").read_text("utf-8")
    assert ended.code == (0 if accepted.startswith("golden") else 2), ended.told
    _sound(project, gatebot)
