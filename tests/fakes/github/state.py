"""What the fake GitHub remembers: one repository with its pull requests, comments, checks, labels, people and tokens."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pygit2

from gatebot.model.json_value import JsonObject, JsonValue
from tests.builders import Project

if TYPE_CHECKING:
    from tests.fakes.github.apps import App

Level = Literal["read", "write"]
EVERYTHING: dict[str, Level] = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "statuses": "write",
}
ROLE_PERMISSION = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read"}


@dataclass(slots=True)
class Token:
    """Who a token acts as, and what it may do: `permissions` as a workflow names them."""

    login: str
    app: str
    permissions: dict[str, Level] = field(default_factory=lambda: dict(EVERYTHING))


@dataclass(slots=True)
class Pull:
    """A pull request; its head is wherever the branch points to."""

    number: int
    head_ref: str
    base_ref: str = "main"
    author: str = "author"
    head_repo: str | None = ""
    state: str = "open"
    draft: bool = False
    labels: list[str] = field(default_factory=list[str])
    locked: bool = False
    fixed_head: str = ""


@dataclass(slots=True)
class Comment:
    """A comment on a pull request; `login` is who wrote it."""

    id: int
    number: int
    login: str
    body: str
    minimized: bool = False


@dataclass(slots=True)
class CheckRun:
    """A check run; annotations add up over updates."""

    id: int
    name: str
    head_sha: str
    app: str
    external_id: str = ""
    details_url: str = ""
    status: str = "queued"
    conclusion: str | None = None
    title: str = ""
    summary: str = ""
    text: str = ""
    annotations: list[JsonObject] = field(default_factory=list[JsonObject])


@dataclass(slots=True)
class IssueState:
    """An issue that is no pull request; `login` is who opened it."""

    number: int
    login: str
    title: str
    body: str
    state: str = "open"
    state_reason: str | None = None
    closed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow, as GitHub tells it: nobody but GitHub writes this.

    `head_repo` "" = this repository, None = one that was deleted. `actor` started it, `by` its newest attempt.
    """

    event: str
    head_branch: str
    head_sha: str
    head_repo: str | None = ""
    path: str = ".github/workflows/gatebot.yml"
    title: str = "a run"
    actor: str = "author"
    by: str = "author"
    attempt: int = 1
    status: str = "completed"
    conclusion: str = "success"


@dataclass(slots=True)
class Fault:
    """A scripted fault: the next `times` requests of this method whose path matches get `status`, or lose their answer.

    `raw`: the answer's bytes. `after`: the request is carried out first, as when a gateway gives up waiting.
    `interrupts`: Ctrl-C comes while the main thread waits for the answer.
    """

    method: str
    path: str
    times: int = 1
    status: int = 502
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: bytes = b""
    after: bool = False
    drop: bool = False
    interrupts: bool = False

    def fits(self, method: str, path: str) -> bool:
        """Whether the fault strikes this request; counts it."""
        if self.times > 0 and method == self.method and re.search(self.path, path):
            self.times -= 1
            return True
        return False


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    body: JsonValue
    status: int
    answer: JsonValue = None


class GitHubState:
    """The whole state. Tests set it up and look at it; the server changes it under a lock."""

    def __init__(self, project: Project, name: str = "acme/shop") -> None:
        self.name = name
        self.project = project
        self.repository: pygit2.Repository = project.repository
        self.pulls: dict[int, Pull] = {}
        self.comments: list[Comment] = []
        self.checks: list[CheckRun] = []
        self.statuses: list[JsonObject] = []
        self.label_events: list[tuple[int, JsonObject]] = []
        self.roles: dict[str, str] = {"author": "write"}
        self.tokens: dict[str, Token] = {"ghs_bot": Token("github-actions[bot]", "github-actions")}
        self.app: App | None = None
        self.free_reads = 0
        self.authors: dict[str, str] = {}
        self.artifacts: dict[int, list[tuple[int, str, bytes]]] = {}
        self.expired: set[int] = set()
        self.runs: dict[int, Run] = {}
        self.issues: list[IssueState] = []
        self.faults: list[Fault] = []
        self.log: list[Asked] = []
        self.protected: set[str] = set()
        self.labels: set[str] = set()
        self.required: set[str] = set()
        self.move_before_commit: tuple[str, dict[str, bytes]] | None = None
        self._ids = 100

    def become(self, other: GitHubState) -> None:
        """Take over another repository's state, behind the same address."""
        self.__dict__.update(other.__dict__)

    def next_id(self) -> int:
        """A fresh id, ever larger."""
        self._ids += 1
        return self._ids

    def now(self) -> str:
        """A time that only moves with what happens."""
        moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=self._ids)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def tip(self, branch: str) -> str:
        """The commit of a branch."""
        return str(self.repository.references[f"refs/heads/{branch}"].target)

    def head_of(self, pull: Pull) -> str:
        """The commit a pull request's head is at."""
        return pull.fixed_head or self.tip(pull.head_ref)

    def open_pull(self, head_ref: str, *, author: str = "author") -> Pull:
        """Open a pull request of a branch of this repository."""
        pull = Pull(number=len(self.pulls) + 1, head_ref=head_ref, head_repo=self.name, author=author)
        self.pulls[pull.number] = pull
        return pull

    def label(self, number: int, name: str, actor: str, *, kind: str = "User") -> None:
        """Somebody sets a label."""
        self.pulls[number].labels.append(name)
        self._label_event(number, "labeled", name, actor, kind)

    def unlabel(self, number: int, name: str, actor: str) -> bool:
        """Somebody removes a label; whether it was there."""
        if name not in self.pulls[number].labels:
            return False
        self.pulls[number].labels.remove(name)
        self._label_event(number, "unlabeled", name, actor, "User")
        return True

    def _label_event(self, number: int, event: str, name: str, actor: str, kind: str) -> None:
        made: JsonObject = {
            "id": self.next_id(),
            "event": event,
            "label": {"name": name, "color": "ededed"},
            "actor": {"login": actor, "type": kind},
            "created_at": self.now(),
        }
        self.label_events.append((number, made))

    def comment(self, number: int, login: str, body: str) -> Comment:
        """Somebody comments."""
        made = Comment(self.next_id(), number, login, body)
        self.comments.append(made)
        return made

    def commit(self, branch: str, headline: str, files: Mapping[str, bytes]) -> str:
        """A commit on a branch, made by the API: regular files only."""
        repository = self.repository
        parent = self.tip(branch)
        index = pygit2.Index()
        tree = repository[pygit2.Oid(hex=parent)].peel(pygit2.Tree)
        index.read_tree(tree)
        for path, data in files.items():
            index.add(pygit2.IndexEntry(path, repository.create_blob(data), pygit2.enums.FileMode.BLOB))
        who = pygit2.Signature("github-actions[bot]", "bot@example.org", 1_700_000_100, 0)
        written = index.write_tree(repository)
        made = repository.create_commit(
            f"refs/heads/{branch}", who, who, headline, written, [pygit2.Oid(hex=parent)]
        )
        return str(made)

    def our_check(self, sha: str) -> CheckRun:
        """The newest check run on a commit."""
        return [check for check in self.checks if check.head_sha == sha][-1]

    def writes(self) -> list[Asked]:
        """What was asked to be changed, and was."""
        return [one for one in self.log if one.method != "GET" and one.status < 300 and not _reads(one)]


def _reads(one: Asked) -> bool:
    return isinstance(one.body, dict) and str(one.body.get("query", "")).startswith("query")
