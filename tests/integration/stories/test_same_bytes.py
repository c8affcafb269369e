"""The same suite, seeds and agent give the same report; rendering one run again gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.model.json_value import JsonValue
from tests.builders import CONFIG, RIGHT, Project, book, shop
from tests.integration.stories.command_line import CommandLine
from tests.integration.stories.measured import caused, without_measured

TALKATIVE = """\
import json, os, sys, time
request = json.load(sys.stdin)
with open("book.json") as file:
    reply = json.load(file)[request["case"]]
reply = reply[request["seed"] % len(reply)]
calls = [
    {"id": str(n), "type": "function", "function": {"name": f"look_{n}", "arguments": json.dumps({"n": n})}}
    for n in range(request["seed"] % 3)
]
print("pid", os.getpid(), time.time_ns(), file=sys.stderr)
tokens = {"input_tokens": 10 + request["seed"] % 7, "output_tokens": 3, "cost_usd": time.time_ns() % 1000 / 1e6}
asked = {"role": "assistant", "tool_calls": calls, "content": None}
told = [{"role": "tool", "tool_call_id": call["id"], "content": "{}"} for call in calls]
said = [*([asked, *told] if calls else []), {"role": "assistant", "content": reply}]
print(json.dumps({"messages": said, "answer": reply, "usage": tokens, "trace_url": f"http://x/{os.getpid()}"}))
"""
RENDERED = ("report.json", "comment.md", "scores.jsonl", "junit.xml")


def config(concurrency: int) -> str:
    gate = "gate: {metrics: {pass_rate: {margin: 0.1}, final_response: {}, tokens: {margin: 1.25}}}\n"
    return CONFIG.replace("concurrency: 4", f"concurrency: {concurrency}") + gate


def wavering(project: Project) -> tuple[str, str]:
    """A base and a head whose agents waver, so that seeds matter."""
    base: dict[str, JsonValue] = {name: [answer, answer, "unsure"] for name, answer in RIGHT.items()}
    head: dict[str, JsonValue] = {name: [answer, "unsure"] for name, answer in RIGHT.items()}
    first = project.commit({**shop(base, config=config(1)), "agent.py": TALKATIVE})
    return first, project.commit({"book.json": book(head)})


def files_of(place: Path) -> dict[str, bytes]:
    return {name: (place / name).read_bytes() for name in RENDERED}


def test_concurrency_changes_nothing_but_what_is_measured(gatebot: CommandLine, tmp_path: Path) -> None:
    """How many trials run at a time is no part of the question, so the answers are equal."""
    project = Project(tmp_path / "shop")
    base, head = wavering(project)
    one = CommandLine(gatebot.capture, tmp_path / "one")
    codes = {one.gate(project.root, base, head, "--no-store").code}
    other = Project(tmp_path / "wide")
    base, head = wavering(other)
    # The base's tip carries the policy: eight at a time, and nothing else, differs there.
    other.branch("wide", base)
    tip = other.commit({"gatebot.yaml": config(8)})
    wide = CommandLine(gatebot.capture, tmp_path / "eight")
    codes.add(wide.gate(other.root, tip, head, "--no-store").code)
    assert len(codes) == 1
    assert caused(one.trials()) == caused(wide.trials())
    assert {trial.timing.wall_s for trial in one.trials()} != {trial.timing.wall_s for trial in wide.trials()}
    left, right = without_measured(one.report()), without_measured(wide.report())
    for report in (left, right):
        report["alerts"] = []  # the second head does not have the newest configuration, which is said
        base_info = report["base"]
        assert isinstance(base_info, dict)
        base_info["label"] = ""
    assert left == right


def test_rendering_again_gives_the_same_bytes(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    base, head = wavering(project)
    ended = gatebot.gate(project.root, base, head, "--seeds", "2")
    written = files_of(gatebot.results)
    assert all(written.values())
    for _ in range(2):
        again = gatebot("report", gatebot.results)
        assert again.code == ended.code
        assert files_of(gatebot.results) == written


def test_a_finished_evaluation_is_free(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(dict.fromkeys(RIGHT, "no"))})
    assert gatebot.gate(project.root, base, head, "--seeds", "2").code == 1
    written = {**files_of(gatebot.results), "trials": (gatebot.results / "trials.jsonl").read_bytes()}
    assert gatebot.gate(project.root, base, head, "--seeds", "2").code == 1
    assert {**files_of(gatebot.results), "trials": (gatebot.results / "trials.jsonl").read_bytes()} == written


@pytest.mark.parametrize("what", ["seeds", "head"])
def test_another_question_in_the_same_directory_replaces_a_finished_one(
    gatebot: CommandLine, tmp_path: Path, what: str
) -> None:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(dict.fromkeys(RIGHT, "no"))})
    assert gatebot.gate(project.root, base, head, "--seeds", "2").code == 1
    if what == "seeds":
        assert gatebot.gate(project.root, base, head, "--seeds", "3").code == 1
        assert len(gatebot.trials()) == 24
    else:
        other = project.commit({"book.json": book(RIGHT), "note.txt": "x\n"})
        assert gatebot.gate(project.root, base, other, "--seeds", "2").code == 0
        assert gatebot.report()["head_sha"] == other
