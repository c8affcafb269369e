"""What acting on a label needs, what comes of it, and how it is explained in the comment that is there."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gatebot.github_api.client import Client
from gatebot.github_api.comments import our_comments, publish_comment
from gatebot.model.config import Config
from gatebot.model.event import PullRequestState
from gatebot.model.publication import FileChange
from gatebot.render.notice import with_notice


@dataclass(frozen=True, slots=True)
class LabelRun:
    """This run: its client, the configuration's path, our App's slug, the day, and the run's number, attempt and page."""

    client: Client
    config: str
    app: str
    now: datetime.datetime
    run_id: int
    attempt: int
    run_url: str

    @property
    def folder(self) -> str:
        """The suite's folder in the repository; "" at its root."""
        return self.config.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """What came of a label: `done` in one sentence; `patch` = the changes that could not be pushed; `refused`."""

    done: str
    refused: bool = False
    patch: tuple[FileChange, ...] = ()
    commit: str = ""


def note(run: LabelRun, live: PullRequestState, policy: Config, sentence: str) -> None:
    """Explain in the comment that is there; where there is none, one with nothing else would be noise."""
    found = our_comments(run.client, live.number, policy.suite)
    if found:
        publish_comment(run.client, live.number, policy.suite, [with_notice(found[-1].body, sentence)])
