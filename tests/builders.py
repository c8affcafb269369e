"""Small builders for tests of whole stories: a repository out of dicts of files, a tiny agent, a tiny suite."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pygit2

from gatebot.model.json_value import JsonValue

Files = Mapping[str, str | None]
"""Path → text; None removes the file."""

_WHO = pygit2.Signature("A Person", "person@example.org", 1_700_000_000, 0)

BOOK_AGENT = """\
import json, sys
request = json.load(sys.stdin)
with open("book.json") as file:
    reply = json.load(file).get(request["case"], "I do not know.")
if isinstance(reply, list):
    reply = reply[request["seed"] % len(reply)]
print(reply if isinstance(reply, str) else json.dumps(reply))
"""
"""Answers what book.json says of the case; of several answers the seed picks one."""

CASES = ("address", "hours", "price", "refund")
RIGHT: dict[str, JsonValue] = {case: f"the {case} is known" for case in CASES}
WRONG: dict[str, JsonValue] = {case: f"nobody tells the {case}" for case in CASES}
CONFIG = """\
version: 1
suite: shop
agent: {command: [python3, -I, -S, agent.py], timeout: 20}
seeds: {fixed: 3}
concurrency: 4
"""


class Project:
    """A git repository under construction, with a working tree."""

    def __init__(self, root: Path, files: Files | None = None) -> None:
        self.root = root
        self.repository = pygit2.init_repository(str(root), initial_head="main")
        if files is not None:
            self.commit(files)

    def write(self, files: Files) -> None:
        """Lay files over the working tree; nothing is committed."""
        for path, text in files.items():
            place = self.root / path
            if text is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def commit(self, files: Files, message: str = "a change") -> str:
        """Lay files over the working tree and commit everything; returns the commit's id."""
        self.write(files)
        index = self.repository.index
        index.add_all()
        index.write()
        parents = [] if self.repository.head_is_unborn else [self.repository.head.target]
        made = self.repository.create_commit("HEAD", _WHO, _WHO, message, index.write_tree(), parents)
        return str(made)

    def branch(self, name: str, at: str) -> None:
        """Make a branch at a commit and check it out."""
        reference = self.repository.references.create(f"refs/heads/{name}", pygit2.Oid(hex=at), force=True)
        self.repository.checkout(reference, strategy=pygit2.enums.CheckoutStrategy.FORCE)


def case(name: str, **more: str) -> str:
    """A case whose answer must be the right one; `more` are further top-level keys as YAML."""
    extra = "".join(f"{key}: {value}\n" for key, value in more.items())
    return (
        f"input: What about the {name}?\n{extra}expect: {{answer: {{exact: true}}}}\n"
        f"golden: {{answer: the {name} is known}}\n"
    )


def book(*answers: Mapping[str, JsonValue]) -> str:
    """book.json: later answers win."""
    merged: dict[str, JsonValue] = {}
    for one in answers:
        merged.update(one)
    return json.dumps(merged, indent=1, sort_keys=True) + "\n"


def shop(
    answers: Mapping[str, JsonValue] = RIGHT, *, config: str = CONFIG, names: Sequence[str] = CASES
) -> dict[str, str | None]:
    """The files of a small suite and its agent."""
    return {
        "gatebot.yaml": config,
        "agent.py": BOOK_AGENT,
        "book.json": book(answers),
        **{f"golden/{name}.yaml": case(name) for name in names},
    }


def wrong(*names: str) -> dict[str, JsonValue]:
    """Answers that are right but for the cases named."""
    return {name: (WRONG if name in names else RIGHT)[name] for name in CASES}


def fingerprint(root: Path) -> dict[str, tuple[int, int, str]]:
    """Everything below a directory, `.git` too: path → (mode, time of last change, sha256 or target of a link)."""
    found: dict[str, tuple[int, int, str]] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            if path.is_symlink():
                content = str(path.readlink())
            elif path.is_dir():
                content = ""
            else:
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, content)
    return found
