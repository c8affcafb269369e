"""The one issue of a drift: opened when a change is proven, kept up to date, closed when the change is gone."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.commands.ci.context import CiContext
from gatebot.github_api.errors import ApiError
from gatebot.github_api.issues import (
    Issue,
    IssueText,
    close_issue,
    closed_by,
    open_issue,
    our_issues,
    update_issue,
)
from gatebot.github_api.workflow_commands import annotation_lines
from gatebot.model.publication import Annotation
from gatebot.render.drift_issue import DriftNews, drift_body, drift_marker, drift_title, with_news
from gatebot.render.state import CommentState, decode_state


@dataclass(frozen=True, slots=True)
class DriftTold:
    """What was done, in a sentence, and whether the issue now says what this run has shown."""

    said: str
    published: bool = True


def tell_drift(ci: CiContext, news: DriftNews) -> DriftTold:
    """Bring the suite's issue up to date: at most one write, but for a race. A refusal is said and decides nothing."""
    try:
        return _tell(ci, news)
    except ApiError as error:
        hint = f"; {error.hint}" if error.hint else ""
        message = f"issue not published: {error.message}{hint}"
        for line in annotation_lines([Annotation("", message, "gatebot", level="warning")]):
            ci.say(line)
        return DriftTold("the issue could not be written", published=False)


def _tell(ci: CiContext, news: DriftNews) -> DriftTold:
    ours = our_issues(ci.client, drift_marker(news.suite), ci.app)
    there = [one for one in ours if one.open]
    if there and _is_newer(decode_state(there[-1].body), news.state):
        return DriftTold(f"issue #{there[-1].number} is a newer run's: it is left alone", published=False)
    if news.drift.kind == "changed":
        return _changed(ci, news, ours)
    if not there:
        return DriftTold(f"{news.drift.reason}; there is no open issue", published=False)
    return _standing(ci, news, there[-1])


def _changed(ci: CiContext, news: DriftNews, ours: tuple[Issue, ...]) -> DriftTold:
    text = IssueText(drift_title(news.suite), drift_body(news))
    there = [one for one in ours if one.open]
    if there:
        written = update_issue(ci.client, there[-1], text)
        return DriftTold(f"issue #{there[-1].number} {'updated' if written else 'says so already'}")
    if ours and _was_dismissed(ci, ours[0], news.state):
        return DriftTold(
            f"issue #{ours[0].number} about the same stored results was closed by a person: none is opened"
        )
    return DriftTold(f"issue #{open_issue(ci.client, text, ci.app).number} opened")


def _standing(ci: CiContext, news: DriftNews, issue: Issue) -> DriftTold:
    """What becomes of an open issue when this run proves no change."""
    kind = news.drift.kind
    said = {
        "same": f"Gone: on {news.when} nothing differed from the stored results any more.",
        "unclear": f"On {news.when} the change was neither proven nor excluded: {news.drift.reason}.",
        "not_evaluated": f"On {news.when} it could not be evaluated whether the change lasts: {news.drift.reason}.",
    }[kind]
    text = IssueText(issue.title, with_news(issue.body, said))
    if kind == "same":
        close_issue(ci.client, issue, text)
        return DriftTold(f"issue #{issue.number} closed: the change is gone")
    update_issue(ci.client, issue, text)
    return DriftTold(f"issue #{issue.number} stays open: {news.drift.reason}")


def _was_dismissed(ci: CiContext, newest: Issue, state: CommentState) -> bool:
    """Whether a person closed the newest issue, and it was about the same stored results."""
    said = decode_state(newest.body)
    if said is None or not state.result_digest or said.result_digest != state.result_digest[:100]:
        return False
    who = closed_by(ci.client, newest)
    return bool(who) and who != f"{ci.app}[bot]"


def _is_newer(there: CommentState | None, mine: CommentState) -> bool:
    if there is None or not there.run_id.isdecimal() or not mine.run_id.isdecimal():
        return False
    return (int(there.run_id), there.attempt) > (int(mine.run_id), mine.attempt)
