"""Pull requests from forks: their code is not run beside a token, and the check says so in red instead of staying away.

The pull request is found from the event and the API alone. Nothing the fork's run left behind is read.
"""

from __future__ import annotations

from gatebot.commands.ci.context import NOTHING_TO_DO, CiContext, CiOutcome
from gatebot.commands.ci.telling import Target, telling
from gatebot.commands.remote_files import config_at
from gatebot.github_api.pull_requests import branch_tip, open_with_head
from gatebot.model.event import WorkflowRunEvent
from gatebot.model.publication import CheckOutput, Publication
from gatebot.render.notice import plain_comment
from gatebot.render.state import CommentState

TITLE = "not evaluated: a head from another repository"
WHY = (
    "The code of another repository is never run beside a token that can write, so this head was not judged."
)
ADVICE = (
    "A maintainer who has read the change pushes exactly this commit as a branch of this repository and opens a pull "
    "request of it: its verdict is this commit's check, here too."
)


def report_fork(ci: CiContext, event: WorkflowRunEvent) -> CiOutcome:
    """Tell the one open pull request of a fork's finished run what it waits for; quiet when it is not one."""
    head = event.head_repository
    if head is None or head.casefold() == ci.environment.repo.casefold():
        ci.say("the run was not about a head of another repository")
        return NOTHING_TO_DO
    live = open_with_head(ci.client, head, event.head_branch, event.head_sha)
    if live is None:
        ci.say("no single open pull request has this head: nothing is told")
        return NOTHING_TO_DO
    policy = config_at(ci.client, branch_tip(ci.client, live.base_ref), ci.config)
    if policy is None:
        ci.say("the base branch has no configuration: nothing is told")
        return NOTHING_TO_DO
    state = CommentState(
        head_sha=live.head_sha,
        conclusion="not_evaluated",
        run_id=str(ci.environment.run_id),
        attempt=ci.environment.attempt,
    )
    body = plain_comment(policy.suite, state, TITLE, WHY, ADVICE)
    output = CheckOutput(TITLE, f"{WHY}\n\n{ADVICE}")
    with telling(ci, Target(policy.suite, live.head_sha, live.number)) as one:
        one.finish(Publication((body,), output, "failure", f"{WHY}\n\n{ADVICE}"), comment=True)
        return CiOutcome("pass", told=tuple(one.told))
