"""The splice: exactly the golden's lines change, in thousands of generated case files of every layout."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from gatebot.errors import ConfigError
from gatebot.model.case import CaseFile
from gatebot.model.json_value import JsonValue
from gatebot.suite.golden_yaml import golden_lines
from gatebot.suite.splice import splice_golden
from gatebot.suite.yaml_reader import read_yaml

NEW: dict[str, JsonValue] = {"answer": "new", "calls": ["a", {"b": {"x": 1}}]}
NEW_BLOCK = "golden:\n  answer: new\n  calls:\n    - a\n    - b: {x: 1}"

LAYOUTS = {
    "last": ("input: x\ngolden:\n  answer: old # gone with it\n", f"input: x\n{NEW_BLOCK}\n"),
    "comment after": (
        "input: x\ngolden:\n  answer: a\n\n# kept\n",
        f"input: x\n{NEW_BLOCK}\n\n# kept\n",
    ),
    "comment before": ("input: x # in\n# my\ngolden: {}\n", f"input: x # in\n# my\n{NEW_BLOCK}\n"),
    "key after": ("golden:\n- 1\ninput: x\n", f"{NEW_BLOCK}\ninput: x\n"),
    "no last newline": ("input: x\ngolden: {answer: a}", f"input: x\n{NEW_BLOCK}"),
    "absent": ("input: x\n# end\n", f"input: x\n# end\n{NEW_BLOCK}\n"),
    "absent, no last newline": ("input: x", f"input: x\n{NEW_BLOCK}"),
    "document end": ("---\ninput: x\n...\n", f"---\ninput: x\n{NEW_BLOCK}\n...\n"),
    "nothing yet": ("input: x\ngolden:\n", f"input: x\n{NEW_BLOCK}\n"),
    "several lines of flow": ("golden: {answer: a,\n  state: 1} # x\ninput: y\n", f"{NEW_BLOCK}\ninput: y\n"),
    "question mark": ("? golden\n: {answer: a}\n? input\n: y\n", f"{NEW_BLOCK}\n? input\n: y\n"),
    "quoted key": ("input: x\n'golden':\n  answer: a\n", f"input: x\n{NEW_BLOCK}\n"),
    "kept blank lines": (
        "input: x\ngolden:\n  answer: |+\n    a\n\n\n# foo\n",
        f"input: x\n{NEW_BLOCK}\n\n\n# foo\n",
    ),
    "golden below another key": (
        "input: x\ncontext: {golden: 1}\ngolden: {answer: a}\n",
        f"input: x\ncontext: {{golden: 1}}\n{NEW_BLOCK}\n",
    ),
    "golden in a text": (
        "input: |\n  golden:\n    answer: a\n",
        f"input: |\n  golden:\n    answer: a\n{NEW_BLOCK}\n",
    ),
}
FLOW = json.dumps(NEW, sort_keys=True)
FLOW_LAYOUTS = {
    "replaced": ("{input: x, golden: {answer: a}, tags: [b]}", f"{{input: x, golden: {FLOW}, tags: [b]}}"),
    "added": ("{input: x}\n", f"{{input: x, golden: {FLOW}}}\n"),
    "added after a comma": ("{input: x,}\n", f"{{input: x, golden: {FLOW}}}\n"),
}


@pytest.mark.parametrize(("before", "after"), LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_exactly_the_golden_is_replaced(before: str, after: str, line_end: str, mark: str) -> None:
    raw = (mark + before.replace("\n", line_end)).encode()
    wanted = (mark + after.replace("\n", line_end)).encode()
    if "\n" not in before:
        wanted = (mark + after).encode()
    assert splice_golden("case.yaml", raw, NEW) == wanted


@pytest.mark.parametrize(("before", "after"), FLOW_LAYOUTS.values(), ids=FLOW_LAYOUTS)
def test_a_case_on_one_line_keeps_its_form(before: str, after: str) -> None:
    assert splice_golden("case.yaml", before.encode(), NEW).decode() == after


def test_an_equal_golden_leaves_the_file_as_people_wrote_it() -> None:
    raw = b"input: x\ngolden:\n    answer: 'new' # mine\n    calls: [a, {b: {x: 1}}]\n"
    assert splice_golden("case.yaml", raw, NEW) == raw


@pytest.mark.parametrize("raw", [b"- a\n", b"", b"input: &a x\n", b"input: x\ninput: y\n", b"\xff"])
def test_what_is_no_case_is_refused(raw: bytes) -> None:
    with pytest.raises(ConfigError):
        splice_golden("case.yaml", raw, NEW)


@pytest.mark.parametrize(
    "value",
    ["\x00", "\ud800", 2**70, float("nan"), {"": {"a": "\ud800"}}],
    ids=["nul", "lone", "big", "nan", "deep"],
)
def test_what_no_case_file_can_hold_is_refused(value: JsonValue) -> None:
    with pytest.raises((ConfigError, UnicodeEncodeError)) as caught:
        splice_golden("case.yaml", b"input: x\n", {"answer": "a", "state": value})
    assert isinstance(caught.value, ConfigError)


def test_the_lines_read_as_a_person_would_write_them() -> None:
    golden: dict[str, JsonValue] = {
        "calls": [{"search_docs": {"query": "SLA uptime"}}, [{"a": {}}, {"b": {"n": 2}}]],
        "answer": "Our SLA is 99.9% uptime.",
        "state": {"orders": [{"status": "paid"}]},
    }
    assert golden_lines(golden) == [
        "golden:",
        "  answer: Our SLA is 99.9% uptime.",
        "  state:",
        "    orders:",
        "      - {status: paid}",
        "  calls:",
        "    - search_docs: {query: SLA uptime}",
        "    - - a: {}",
        "      - b: {n: 2}",
    ]


def test_an_order_of_keys_that_an_agent_chose_changes_no_line() -> None:
    one: dict[str, JsonValue] = {"calls": [{"a": {"x": 1, "y": {"p": 1, "q": 2}}}]}
    other: dict[str, JsonValue] = {"calls": [{"a": {"y": {"q": 2, "p": 1}, "x": 1}}]}
    assert golden_lines(one) == golden_lines(other)


WORDS = [
    "no", "1e5", "2024-01-01", "0o17", "~", "null", "true", "1:30", "- a", "a: b", "#x", " x", "x ", "",
    "é😀", "line\nline", "a\n\n b\n", "\ttab", "'", '"', "{a}", "[b", "&a", "*a", "!t", "|", ">", "%", "@", "`",
    "a\r\nb", "\u2028", "\x85", "\u200b", "1_000", ".5", "+1", "=", "<<", "? a", "golden:", "...", "---", "\x1b[0m",
]  # fmt: skip


def dumped(golden: dict[str, JsonValue]) -> str:
    """The golden in braces, as the splice itself writes it into a file of one line."""
    spliced = splice_golden("case.yaml", b"{input: x}", golden).decode()
    return spliced.removeprefix("{input: x, golden: ").removesuffix("}")


class _Maker:
    """Makes case files of every layout from a seed."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def word(self) -> str:
        return "".join(self.pick.choice(WORDS) for _ in range(self.pick.randint(1, 2)))

    def value(self, depth: int = 0) -> JsonValue:
        kind = self.pick.randrange(9 if depth < 3 else 6)
        if kind < 3:
            return self.word()
        if kind < 6:
            return self.pick.choice([None, True, False, 0, -7, 1.5, 1e20, 2**53])
        if kind == 6:
            return [self.value(depth + 1) for _ in range(self.pick.randint(0, 3))]
        return {self.word(): self.value(depth + 1) for _ in range(self.pick.randint(0, 3))}

    def golden(self) -> dict[str, JsonValue]:
        golden: dict[str, JsonValue] = {}
        if self.pick.random() < 0.8:
            golden["answer"] = self.word()
        if self.pick.random() < 0.4:
            golden["state"] = self.value()
        if self.pick.random() < 0.8:
            golden["calls"] = [
                {f"tool{n}": {self.word(): self.value() for _ in range(self.pick.randint(0, 3))}}
                for n in range(self.pick.randint(0, 3))
            ]
        return golden or {"answer": "a"}

    def filler(self) -> str:
        return self.pick.choice(["", "", "\n", "# a comment: {golden: x}\n", "  # deeper\n\n", "#golden:\n"])

    def parts(self) -> tuple[str, str, str]:
        """(before the golden's lines, the golden's lines or "", after them); joined they are a case file."""
        before = self.filler() + "input: >-\n  What?\n  golden: no\n"
        for line in (
            "tags: [a, 'golden: b']\n",
            "expect:\n  answer:\n    contains: x\n",
            "context: {golden: {a: 1}}\n",
        ):
            if self.pick.random() < 0.5:
                before += self.filler() + line
        if self.pick.random() < 0.25:
            return before + self.filler(), "", ""
        old = self.golden()
        styles: list[Callable[[], str]] = [
            lambda: "\n".join(golden_lines(old)) + "\n",
            lambda: f"golden: {dumped(old)}\n",
            lambda: f"golden: {dumped(old)} # why\n",
            lambda: "golden:\n  # inside\n  calls:\n  - a\n  - b\n",
            lambda: "golden:\n",
            lambda: "golden:\n  answer: |\n    a\n    # text\n",
            lambda: 'golden:\n  answer: "a\n    b"\n',
        ]
        after = self.filler()
        if self.pick.random() < 0.3:
            after += "timeout: 3\n" + self.filler()
        return before + self.filler(), self.pick.choice(styles)(), after


def check_one(seed: int) -> None:
    maker = _Maker(seed)
    before, _, after = parts = maker.parts()
    line_end = maker.pick.choice(["\n", "\r\n"])
    text = "".join(parts)
    if maker.pick.random() < 0.2 and after == "":
        text = text[:-1]
    raw = text.replace("\n", line_end).encode()
    new = maker.golden()
    spliced = splice_golden("case.yaml", raw, new)
    value = read_yaml("case.yaml", spliced).value
    assert isinstance(value, dict)
    assert value["golden"] == new
    had = read_yaml("case.yaml", raw).value
    assert isinstance(had, dict)
    if had.get("golden") == new:
        assert spliced == raw
        return
    block = line_end.join(golden_lines(new))
    assert spliced.decode().startswith(before.replace("\n", line_end).rstrip("\r\n"))
    kept = raw.decode()[: len(before.replace("\n", line_end))] if parts[1] else raw.decode()
    tail = after.replace("\n", line_end)
    assert spliced.decode() in {
        f"{kept}{block}{line_end}{tail}",
        f"{kept}{line_end}{block}{tail}",
        f"{kept}{block}{tail}",
    }
    assert splice_golden("case.yaml", spliced, new) == spliced
    CaseFile.model_validate(value)


def test_a_thousand_generated_files() -> None:
    for seed in range(1000):
        check_one(seed)


@pytest.mark.slow
def test_ten_thousand_generated_files() -> None:
    for seed in range(1000, 11_000):
        check_one(seed)
