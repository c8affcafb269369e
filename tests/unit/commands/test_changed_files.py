"""What the explanation is shown of a pull request's change."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import pytest

from gatebot.commands.changed_files import (
    MAX_DIFF,
    MAX_FILE_BYTES,
    FileDiff,
    changed_files,
    checked_glob,
    relevant,
    touched,
)
from gatebot.workspace.tree import Entry, Kind


@dataclass(frozen=True)
class Files:
    """A tree in memory; `ids` gives object ids."""

    texts: dict[str, bytes]
    kinds: dict[str, Kind] = field(default_factory=dict[str, Kind])
    ids: dict[str, str] = field(default_factory=dict[str, str])

    def entries(self) -> Sequence[Entry]:
        return [
            Entry(path, self.kinds.get(path, "file"), self.ids.get(path, "")) for path in sorted(self.texts)
        ]

    def open(self, entry: Entry) -> BinaryIO:
        return io.BytesIO(self.texts[entry.path])


def test_changed_new_and_removed_files_are_shown() -> None:
    base = Files({"same": b"x", "changed": b"one\ntwo\n", "gone": b"old"})
    head = Files({"same": b"x", "changed": b"one\n2\n", "new": b"fresh"})
    found = {change.path: change.diff for change in changed_files(base, head)}
    assert list(found) == ["changed", "gone", "new"]
    assert "-two\n+2" in found["changed"]
    assert "-old" in found["gone"]
    assert "+fresh" in found["new"]


def test_what_is_no_short_text_is_left_out() -> None:
    odd = {"binary": b"a\0b", "latin": b"\xff", "large": b"x" * (MAX_FILE_BYTES + 1), "link": b"target"}
    head = Files(odd, kinds={"link": "symlink"})
    assert changed_files(Files({}), head) == ()


def test_equal_object_ids_are_not_read() -> None:
    base, head = (Files({"a": text}, ids={"a": "1"}) for text in (b"x", b"y"))
    assert changed_files(base, head) == ()


def test_files_that_name_a_tool_come_first_and_only_whole_ones() -> None:
    first = FileDiff("z.py", "uses search_docs")
    other, huge = FileDiff("a.py", "nothing"), FileDiff("b.py", "x" * MAX_DIFF)
    assert relevant([other, huge, first], {"search_docs"}) == "uses search_docs\nnothing"
    assert relevant([], {"a"}) == ""


@pytest.mark.parametrize(
    "glob", ["agent", "agent/", "./agent", "agent//", "agent/**", "Gr\u00fc\u00dfe", ".ci"]
)
def test_a_glob_that_names_a_folder_stands_for_what_is_in_it(glob: str) -> None:
    files = ("agent/deep/x.py", "Gru\u0308\u00dfe/x.py", ".ci/run", "agents/y.py", "docs/agent.md")
    named = touched(files, (checked_glob(glob),))
    assert len(named) == 1
    assert named[0] not in ("agents/y.py", "docs/agent.md")


def test_a_wildcard_stays_within_one_name() -> None:
    assert touched(("agent/x.py", "agent/deep/y.py"), ("agent/*",)) == ("agent/x.py",)
    assert touched(("a.py", "x/a.py"), ("*.py",)) == ("a.py",)


@pytest.mark.parametrize(
    "glob",
    ["!docs/**", "{agent,lib}/**", "**.py", "agent/**.py", "", ".", "./", "/agent", "../x", "~/x", "a\\b"],
)
def test_a_glob_that_would_match_nothing_here_by_mistake_is_refused(glob: str) -> None:
    with pytest.raises(ValueError, match="the glob"):
        checked_glob(glob)


def test_a_folder_whose_name_has_braces_is_named() -> None:
    assert touched(("{{cookiecutter.name}}/a.py",), (checked_glob("{{cookiecutter.name}}/*"),))
