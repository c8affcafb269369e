"""The ruler of graders and servers: files from where a case is from, hidden on both sides, private networks by policy."""

from __future__ import annotations

import datetime

from gatebot.commands.ruler import Ruler, Sources, agent_files, pull_request_ruler
from tests.unit.suite.suite_files import FilesInMemory

TODAY = datetime.date(2026, 1, 1)
CONFIG = (
    "version: 1\nsuite: shop\nagent: {http: {url: 'https://agent.example.org/run'%s}, workspace: shared}\n"
)
GRADED = "input: hi\nexpect: {answer: {command: {run: [python3, hidden/grade.py], files: ['hidden/**']}}}\n"
BASE = {
    "gatebot.yaml": CONFIG % "",
    "golden/old.yaml": GRADED,
    "hidden/grade.py": "base",
    "agent.py": "",
}
HEAD = {
    **BASE,
    "gatebot.yaml": CONFIG % ", allow_private: true",
    "golden/new.yaml": GRADED,
    "hidden/grade.py": "head",
    "hidden/more.txt": "head",
}


def ruler(base: dict[str, str], head: dict[str, str]) -> Ruler:
    tip = FilesInMemory(base)
    return pull_request_ruler(Sources(tip, tip, FilesInMemory(head)), "gatebot.yaml", (), TODAY)


def test_graders_come_from_where_the_case_is_from() -> None:
    found = ruler(BASE, HEAD).graders
    assert {file.path: file.content for file in found["old"]} == {"hidden/grade.py": b"base"}
    assert {file.path: file.content for file in found["new"]} == {
        "hidden/grade.py": b"head",
        "hidden/more.txt": b"head",
    }


def test_a_case_whose_grader_is_edited_is_told() -> None:
    edited = {**BASE, "hidden/grade.py": "easier"}
    measured = ruler(BASE, edited)
    assert [(notice.case, notice.kind) for notice in measured.notices] == [("old", "changed")]
    assert measured.graders["old"][0].content == b"base"


def test_graders_are_hidden_from_the_agents_of_both_sides() -> None:
    suite = ruler(BASE, HEAD).suite
    hidden = {"gatebot.yaml", "golden/old.yaml", "golden/new.yaml", "hidden/grade.py", "hidden/more.txt"}
    assert agent_files(FilesInMemory(HEAD), "gatebot.yaml", suite) == hidden
    assert agent_files(FilesInMemory(BASE), "gatebot.yaml", suite) == hidden & set(BASE)


def test_a_pull_request_cannot_send_requests_into_a_private_network() -> None:
    measured = ruler(BASE, HEAD)
    assert measured.head_agent.http is not None
    assert measured.head_agent.http.allow_private is False
    allowed = ruler({**BASE, "gatebot.yaml": HEAD["gatebot.yaml"]}, BASE)
    assert allowed.head_agent.http is not None
    assert allowed.head_agent.http.allow_private is True
