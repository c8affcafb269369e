"""Our check run on a commit: one per suite, in progress early, always completed, never neutral or skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.model.json_value import JsonObject
from gatebot.model.publication import Annotation, CheckConclusion, CheckOutput
from gatebot.render.check import MAX_TEXT, MAX_TITLE, run_of

BATCH = 50
MAX_ANNOTATIONS = 250
MAX_DESCRIPTION = 140


@dataclass(frozen=True, slots=True)
class Check:
    """A check run as GitHub keeps it. `conclusion` is "" while it is not completed; `app` is its App's slug."""

    id: int
    name: str
    head_sha: str
    external_id: str
    status: str
    conclusion: str
    text: str
    app: str


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """Which check: its name, the commit, the run it belongs to (external id), the page it links to, and our App."""

    name: str
    sha: str
    external_id: str
    details_url: str
    app: str


def is_ours(check: Check, app: str) -> bool:
    """Whether our App made the check, and for a run of gatebot."""
    return check.app == app and run_of(check.external_id) is not None


def checks_on(client: Client, sha: str, name: str) -> tuple[Check, ...]:
    """Every check run of that name on the commit, whoever made it, newest first. Raises ApiError."""
    listed = client.pages(f"/commits/{sha}/check-runs", "check", "check_runs", check_name=name, filter="all")
    found = (check for check in map(_check, listed) if check.name == name)
    return tuple(sorted(found, key=lambda check: -check.id))


def start_check(client: Client, spec: CheckSpec) -> Check | None:
    """Show that the evaluation is running; our App's check of an earlier run on the commit is taken over.

    None when a newer run has the check already: only one of our App's can say so, whatever another one calls itself.
    Raises ApiError.
    """
    mine = run_of(spec.external_id) or (0, 0)
    ours = [check for check in checks_on(client, spec.sha, spec.name) if is_ours(check, spec.app)]
    if ours:
        if (run_of(ours[0].external_id) or (0, 0)) > mine:
            return None
        body: JsonObject = {
            "status": "in_progress",
            "external_id": spec.external_id,
            "details_url": spec.details_url,
        }
        try:
            return _check(_object(client.change("PATCH", f"/check-runs/{ours[0].id}", body, "check")))
        except ApiError as error:
            if error.kind not in ("permission", "not_found"):
                raise  # one that may not be changed after all: ours is made beside it
    return _create(client, spec)


def started_check(client: Client, spec: CheckSpec) -> Check | None:
    """The check that `start_check` has made or taken over for this run, if GitHub has it. Raises ApiError."""
    found = checks_on(client, spec.sha, spec.name)
    return next(
        (one for one in found if is_ours(one, spec.app) and one.external_id == spec.external_id), None
    )


def _create(client: Client, spec: CheckSpec) -> Check:
    def already() -> JsonObject | None:
        there = client.pages(f"/commits/{spec.sha}/check-runs", "check", "check_runs", check_name=spec.name)
        return next((one for one in there if one.get("external_id") == spec.external_id), None)

    body: JsonObject = {
        "name": spec.name,
        "head_sha": spec.sha,
        "status": "in_progress",
        "external_id": spec.external_id,
        "details_url": spec.details_url,
    }
    return _check(client.create("/check-runs", body, "check", already))


def finish_check(client: Client, check: Check, conclusion: CheckConclusion, output: CheckOutput) -> bool:
    """Complete the check, unless a newer run has taken it over; whether it was ours to complete. Raises ApiError.

    Annotations go out 50 at a time. When GitHub rejects the whole output, a short one completes the check all the
    same: it must never stay in progress.
    """
    there = _check(_object(client.get(f"/check-runs/{check.id}", "check")))
    if there.external_id != check.external_id:
        return False
    batches = _batches(output.annotations[:MAX_ANNOTATIONS])
    path = f"/check-runs/{check.id}"
    done: JsonObject = {"status": "completed", "conclusion": conclusion}
    try:
        client.change("PATCH", path, {**done, "output": _output(output, batches[0])}, "check")
        for batch in batches[1:]:
            client.change("PATCH", path, {"output": _output(output, batch)}, "check")
    except ApiError as error:
        if error.kind != "invalid":
            raise
        short = replace(output, summary="The whole result is in the run's summary.", annotations=())
        client.change("PATCH", path, {**done, "output": _output(short, ())}, "check")
    return True


def publish_status(
    client: Client, sha: str, context: str, conclusion: CheckConclusion, told: tuple[str, str]
) -> None:
    """The fallback where checks may not be written: a commit status. `told` = (sentence, address). Raises ApiError."""
    description = told[0].encode("ascii", "replace").decode("ascii")[:MAX_DESCRIPTION]
    body: JsonObject = {
        "state": conclusion,
        "context": context,
        "description": description,
        "target_url": told[1],
    }
    client.create(f"/statuses/{sha}", body, "status", lambda: None)


def _batches(annotations: Sequence[Annotation]) -> list[Sequence[Annotation]]:
    return [annotations[start : start + BATCH] for start in range(0, len(annotations), BATCH)] or [()]


def _output(output: CheckOutput, batch: Sequence[Annotation]) -> JsonObject:
    found: dict[str, str | list[JsonObject]] = {
        "title": output.title[:MAX_TITLE],
        "summary": _fitting(output.summary),
        "text": output.text,
    }
    if batch:
        found["annotations"] = [
            {
                "path": one.path,
                "start_line": one.line,
                "end_line": one.line,
                "annotation_level": one.level,
                "message": one.message[:4096],
                **({"title": one.title[:MAX_TITLE]} if one.title else {}),
            }
            for one in batch
        ]
    return found


def _fitting(summary: str) -> str:
    """The summary, or a pointer where it would be longer than GitHub takes: nothing is cut inside a block."""
    if len(summary.encode("utf-8")) <= MAX_TEXT:
        return summary
    return "The whole result is in the comment and in the run's summary."


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise fields.malformed("check run")
    return value  # pyright: ignore[reportUnknownVariableType]


def _check(found: JsonObject) -> Check:
    return Check(
        id=fields.number(found, "id"),
        name=fields.text(found, "name", 500),
        head_sha=fields.sha(found, "head_sha"),
        external_id=fields.text_or_empty(found, "external_id", 1000),
        status=fields.text(found, "status", 50),
        conclusion=fields.text_or_empty(found, "conclusion", 50),
        text=fields.text_or_empty(fields.part_or_empty(found, "output"), "text", MAX_TEXT + 1),
        app=fields.text_or_empty(fields.part_or_empty(found, "app"), "slug", 200),
    )
