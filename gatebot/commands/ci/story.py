"""`gatebot ci`: read the event, find the activity it asks for, and do it."""

from __future__ import annotations

from contextlib import suppress

from gatebot.commands.ci.context import NOTHING_TO_DO, CiContext, CiOutcome
from gatebot.core.activity import activity_of
from gatebot.errors import UsageError
from gatebot.github_api.event import read_event
from gatebot.github_api.workflow_commands import write_outputs, write_summary
from gatebot.model.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
)
from gatebot.model.publication import FileChange
from gatebot.render.golden_diff import diff_lines
from gatebot.render.markdown import fence, stack, text
from gatebot.workspace.ownership import hand_back


def ci(context: CiContext) -> CiOutcome:
    """Do what the event asks for, and leave nothing in the workspace that its owner cannot remove. Raises GatebotError."""
    try:
        return _done(context)
    finally:
        with suppress(OSError):  # who may write no more changes no verdict by it
            hand_back(context.environment.workspace, context.out)


def _done(context: CiContext) -> CiOutcome:
    event = read_event(context.environment)
    activity = activity_of(event)
    context.say(f"activity: {activity.asked} ({activity.reason})")
    if activity.asked == "nothing":
        return NOTHING_TO_DO
    if activity.asked == "gate":
        return _gate(context, event)
    if activity.asked == "merge_group" and isinstance(event, MergeGroupEvent):
        from gatebot.commands.ci.gate import gate_merge_group

        return gate_merge_group(context, event)
    if activity.asked == "report" and isinstance(event, WorkflowRunEvent):
        from gatebot.commands.ci.ended_report import report_ended

        return report_ended(context, event)
    if activity.asked == "fork_run" and isinstance(event, PullRequestEvent):
        from gatebot.commands.ci.fork_run import fork_run

        return fork_run(context, event)
    if activity.asked == "live_run" and isinstance(event, DispatchEvent):
        from gatebot.commands.ci.live_run import live_run

        return live_run(context, event)
    if activity.asked == "push" and isinstance(event, PushEvent | DispatchEvent):
        from gatebot.commands.ci.push import push

        pushed = isinstance(event, PushEvent)
        return push(context, event.after if pushed else None, counts=pushed)
    if activity.asked == "drift":
        from gatebot.commands.ci.schedule import schedule

        return schedule(context)
    if activity.asked in ("label", "void_labels") and isinstance(event, PullRequestEvent):
        return _label(context, event, void=activity.asked == "void_labels")
    raise UsageError(
        f"the activity {activity.asked} is not part of this version",
        "use the workflows of examples/workflows: they start on the events that are",
    )


def _gate(context: CiContext, event: Event) -> CiOutcome:
    from gatebot.commands.ci.gate import gate_pull_request
    from gatebot.github_api.pull_requests import pull_request

    if isinstance(event, PullRequestEvent):
        return gate_pull_request(
            context, event.pull_request.number, event.pull_request.head_sha, event.before
        )
    asked = event.inputs.get("pull-request", "") if isinstance(event, DispatchEvent) else ""
    if not asked.isdecimal() or len(asked) > 9:
        raise UsageError(f"the input pull-request {asked[:40]!a} is no number")
    live = pull_request(context.client, int(asked))
    if live.from_fork:
        raise UsageError(
            "the code of another repository is never run beside a token that can write",
            "start the workflow `gatebot live`, whose job has none: it asks for the head's commit too",
        )
    return gate_pull_request(context, live.number, live.head_sha)


def _label(context: CiContext, event: PullRequestEvent, *, void: bool) -> CiOutcome:
    from gatebot.commands.accept.label import on_label
    from gatebot.commands.accept.label_run import LabelRun
    from gatebot.commands.accept.overriding import void_labels

    environment = context.environment
    run = LabelRun(
        client=context.client,
        config=context.config,
        app=context.app,
        now=context.now(),
        run_id=environment.run_id,
        attempt=environment.attempt,
        run_url=environment.run_url,
    )
    outcome = (void_labels if void else on_label)(run, event)
    context.say(outcome.done)
    if outcome.patch:
        _leave_patch(context, outcome.patch)
    outputs = (("conclusion", "fail" if outcome.refused else "pass"), ("accepted-commit", outcome.commit))
    write_outputs(environment.output_file, outputs, context.random_word)
    return CiOutcome("fail" if outcome.refused else "pass")


def _leave_patch(context: CiContext, changes: tuple[FileChange, ...]) -> None:
    """What could not be pushed, as a patch in the job's summary and in the results directory."""
    patch = "\n".join(diff_lines(changes)) + "\n"
    place = context.out_path
    place.mkdir(parents=True, exist_ok=True)
    (place / "accept.patch").write_text(patch, encoding="utf-8")
    told = text("What accepting would have written; apply it with git apply, commit and push.")
    write_summary(context.environment.summary_file, stack(told, fence(patch, "diff")))
