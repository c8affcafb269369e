"""What an acceptance rests on: the check of exactly this head, and the files its digests name. Anything else is refused."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass

from gatebot.errors import GatebotError, UsageError
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.artifacts import artifact_name, members, run_artifact
from gatebot.github_api.checks import Check
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.model.acceptance import GoldenCandidate
from gatebot.model.config import Config
from gatebot.model.event import PullRequestState
from gatebot.model.publication import FileChange
from gatebot.model.report import Report
from gatebot.render.check import Binding, read_binding
from gatebot.results.candidate import (
    CANDIDATE_FILE,
    CANDIDATE_FOLDER,
    MAX_CANDIDATE_BYTES,
    candidate_digest,
    decode_candidate,
)
from gatebot.results.store import REPORT_FILE, decode_report
from gatebot.suite.snapshot import policy_digest

MAX_REPORT_BYTES = 64 * 1024 * 1024


class RefusedError(UsageError):
    """An acceptance that is not made; the sentence goes into the comment. `patch`: what could not be pushed."""

    def __init__(self, message: str, patch: tuple[FileChange, ...] = ()) -> None:
        self.patch = patch
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evaluated check with its binding, and the candidate and report that its digests name."""

    check: Check
    binding: Binding
    candidate: GoldenCandidate
    candidate_bytes: bytes
    report: Report


def bound_check(
    client: Client, live: PullRequestState, policy: Config, app: str, today: datetime.date
) -> tuple[Check, Binding]:
    """The finished check of exactly this head, base branch and policy. Raises RefusedError, ApiError."""
    check = our_check(client, live.head_sha, policy.suite, app)
    if check is None:
        raise RefusedError(
            f"there is no result for `{live.head_sha[:7]}` yet: wait for its run, then label again"
        )
    if check.status != "completed":
        raise RefusedError(
            f"`{live.head_sha[:7]}` is still being evaluated: label again when the check is done"
        )
    binding = read_binding(check.text)
    if binding is None or binding.suite != policy.suite:
        raise RefusedError("the check does not say what it stands for: run the gate again")
    if binding.head_sha != live.head_sha:
        raise RefusedError(
            f"the results are for `{binding.head_sha[:7]}`, the head is `{live.head_sha[:7]}`: wait for the new run"
        )
    if binding.base_ref != live.base_ref:
        raise RefusedError("the pull request has another base branch now: wait for the new run")
    kept = tuple(entry for entry in policy.quarantine if entry.until >= today)
    if binding.policy_digest != policy_digest(policy.model_copy(update={"quarantine": kept})):
        raise RefusedError("the gate's policy on the base branch has changed since: run the gate again")
    if binding.conclusion == "not_evaluated":
        raise RefusedError("the evaluation is not complete: there is nothing that could be accepted")
    return check, binding


def evidence(client: Client, check: Check, binding: Binding) -> Evidence:
    """The files of the bound run, verified by their digests. Raises RefusedError, ApiError."""
    candidate_name = f"{CANDIDATE_FOLDER}/{CANDIDATE_FILE}"
    limits = {candidate_name: MAX_CANDIDATE_BYTES, REPORT_FILE: MAX_REPORT_BYTES}
    try:
        held_there = run_artifact(client, binding.run_id, artifact_name(binding.suite, binding.attempt))
    except ApiError as error:
        if error.kind != "not_found":
            raise
        raise RefusedError(
            "the run's results are gone, or were never uploaded: run the gate again"
        ) from error
    try:
        files = members(held_there, limits)
    except GatebotError as error:
        raise RefusedError(f"the run's results cannot be read: {error.message}") from error
    held, told = files.get(candidate_name), files.get(REPORT_FILE)
    if held is None or candidate_digest(held) != binding.candidate_digest:
        raise RefusedError("the run's golden candidate is not the one the check was made with")
    if told is None or hashlib.sha256(told).hexdigest() != binding.report_digest:
        raise RefusedError("the run's report is not the one the check was made with")
    try:
        return Evidence(check, binding, decode_candidate(held), held, decode_report(told))
    except GatebotError as error:
        raise RefusedError(f"the run's files cannot be read: {error.message}") from error
