"""What GitHub says has happened, as typed values: only what gatebot acts on, bounded, and hostile until it is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Trigger = Literal["pull_request", "pull_request_target"]


@dataclass(frozen=True, slots=True)
class PullRequestState:
    """A pull request as an event or the API tells it. `head_repo` None: the fork was deleted.

    `repo` is the repository it was opened against, owner/name. A frozen payload may be old: labels, head and base are
    read again before anything is done.
    """

    number: int
    head_sha: str
    head_ref: str
    head_repo: str | None
    base_ref: str
    base_sha: str
    repo: str
    open: bool = True
    draft: bool = False
    author: str = ""
    labels: tuple[str, ...] = ()
    updated_at: str = ""

    @property
    def from_fork(self) -> bool:
        """Whether the head lies in another repository (or in none any more): its branch cannot be written."""
        return self.head_repo is None or self.head_repo.casefold() != self.repo.casefold()


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """pull_request and pull_request_target. `label` only for labeled and unlabeled; `base_changed` only for edited.

    `before`: the head until now, only for synchronize ("" otherwise).
    """

    trigger: Trigger
    action: str
    pull_request: PullRequestState
    sender: str
    label: str | None = None
    base_changed: bool = False
    before: str = ""


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    """The merge queue asks for a verdict. `pull_request` is read from the queue branch's name; None when it names none."""

    head_sha: str
    base_sha: str
    base_ref: str
    pull_request: int | None


@dataclass(frozen=True, slots=True)
class PushEvent:
    """A push. `to_default`: onto the default branch, and not a deletion."""

    ref: str
    after: str
    to_default: bool


@dataclass(frozen=True, slots=True)
class WorkflowRunEvent:
    """A run of another workflow has ended; its identity comes from here and from the API, never from its artifact.

    `event` started that run. `head_repository` None: it was deleted.
    """

    run_id: int
    attempt: int
    event: str
    action: str
    head_sha: str
    head_branch: str
    head_repository: str | None


@dataclass(frozen=True, slots=True)
class DispatchEvent:
    """A person started a run by hand; `inputs` are theirs (strings, bounded), `sender` is their login."""

    inputs: dict[str, str] = field(default_factory=dict[str, str])
    sender: str = ""


@dataclass(frozen=True, slots=True)
class ScheduleEvent:
    """The clock started a run."""


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """An event gatebot does not act on."""

    name: str


Event: TypeAlias = (
    PullRequestEvent
    | MergeGroupEvent
    | PushEvent
    | WorkflowRunEvent
    | DispatchEvent
    | ScheduleEvent
    | OtherEvent
)
