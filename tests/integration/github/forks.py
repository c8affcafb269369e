"""Forks as GitHub has them: a run with a token that only reads, its end told to a run with one that writes, and by hand."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.recorded_side import head_origin
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.run import one_side
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trial import Side, Trial
from gatebot.results.base_results import BASE_RESULTS_FILE, RecordedTrial, encode_base_results
from gatebot.results.trial_line import encode_trial
from gatebot.runner.schedule import seed_for
from tests.builders import Project, shop
from tests.fakes.github import wire
from tests.fakes.github.git_http import serving_git
from tests.fakes.github.state import CheckRun, GitHubState, Level, Run, Token
from tests.integration.github.actions import BOT, Actions, Job, zipped

MALLORY = "mallory/shop"
FORK_TOKEN = "ghs_fork_reads"
LIVE_TOKEN = "ghs_live_reads"
REPORT_TOKEN = "ghs_report"
FORKED: dict[str, Level] = {"checks": "read", "contents": "read", "pull_requests": "read"}
"""What GitHub leaves of the gate's permissions in a run of a fork."""
LIVE: dict[str, Level] = {"contents": "read", "pull_requests": "read"}
REPORT: dict[str, Level] = {
    "actions": "read",
    "checks": "write",
    "contents": "read",
    "pull_requests": "write",
}
ARTIFACT = "gatebot-results-shop-1"
SMALL = ("price", "refund")
RIGHT = {case: f"the {case} is known" for case in SMALL}
WRONG = {case: f"nobody tells the {case}" for case in SMALL}
WORKFLOWS = {f".github/workflows/{name}.yml": "name: x\n" for name in ("gatebot", "gatebot-live")}


@dataclass
class Forks:
    """A pull request from a fork and everything that happens to it. Every step is a job of its own."""

    actions: Actions
    hub: GitHubState
    project: Project
    git: str
    place: Path

    def opened(self, *, run_id: int = 0) -> tuple[int, Job]:
        """The gate's workflow on the fork's pull request, with a token that only reads: (run, job)."""
        self.hub.pulls[1].head_repo = MALLORY
        self.actions.token = FORK_TOKEN
        number = run_id or self.actions.runs + 1
        job = self.actions.pull_request("opened", sender="mallory", run_id=run_id)
        return number, job

    def live(self, sender: str = "alice", *, number: str = "1", sha: str = "") -> tuple[int, Job]:
        """Somebody starts the live workflow: (run, job)."""
        self.actions.token = LIVE_TOKEN
        inputs: JsonObject = {"pull-request": number, "head-sha": sha or self.hub.head_of(self.hub.pulls[1])}
        run = self.actions.runs + 1
        payload: JsonObject = {"inputs": inputs, "sender": wire.user(sender)}
        return run, self.actions.event("workflow_dispatch", payload)

    def report(self, run_id: int, *, really: Run | None = None) -> Job:
        """The end of a run is told to the report's workflow, whose workspace is empty.

        `really`: what GitHub answers about the run when it is asked, where that is not what the event says.
        """
        run = self.hub.runs[run_id]
        home: JsonObject | None = {"full_name": run.head_repo or self.hub.name}
        told: JsonObject = {
            "id": run_id,
            "run_attempt": run.attempt,
            "event": run.event,
            "head_sha": run.head_sha,
            "head_branch": run.head_branch,
            "head_repository": home if run.head_repo is not None else None,
            "pull_requests": [],
        }
        if really is not None:
            self.hub.runs[run_id] = really
        workspace = self.place / f"report-{self.actions.runs + 1}"
        workspace.mkdir(parents=True)
        kept, self.actions.token = self.actions.variables, REPORT_TOKEN
        self.actions.variables = {**kept, "GITHUB_WORKSPACE": str(workspace), "GITHUB_SERVER_URL": self.git}
        try:
            job = self.actions.event("workflow_run", {"action": "completed", "workflow_run": told})
        finally:
            self.actions.variables = kept
            self.actions.patch.delenv("GITHUB_SERVER_URL")
        results = workspace / job.results.name
        if results.is_dir():
            held = self.hub.artifacts.setdefault(self.actions.runs, [])
            held.append((self.hub.next_id(), ARTIFACT, zipped(results)))
        return replace(job, results=results)

    def upload(self, run_id: int, data: bytes, name: str = ARTIFACT) -> None:
        """What the fork's own workflow file uploads in place of what was recorded."""
        self.hub.artifacts[run_id] = [(self.hub.next_id(), name, data)]

    def changed(self, run_id: int, change: Callable[[dict[str, bytes]], None]) -> None:
        """The fork changes the files of what was recorded, and uploads them."""
        files = unzipped(self.hub.artifacts[run_id][-1][2])
        change(files)
        self.upload(run_id, packed(files))

    def check(self) -> CheckRun:
        """The one check of the gate on the head of the pull request."""
        sha = self.hub.head_of(self.hub.pulls[1])
        found = [one for one in self.hub.checks if (one.head_sha, one.name) == (sha, "gatebot / shop")]
        assert len(found) == 1
        return found[0]

    def comment(self, number: int = 1) -> str:
        """Our one comment on a pull request."""
        found = [one.body for one in self.hub.comments if one.login == BOT and one.number == number]
        assert len(found) == 1
        return found[0]


def two_cases(place: Path) -> Project:
    """A repository with a suite of two cases and the workflows that forks need."""
    return Project(place, {**shop(names=SMALL), **WORKFLOWS})


def spy(condition: str, look: str = "") -> str:
    """An agent that answers `leaked` where `condition` holds of `held`: its environment, and what `look` adds to it."""
    return (
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "held = ' '.join(f'{key}={value}' for key, value in os.environ.items())\n"
        f"{look}found = {condition}\n"
        "print('leaked' if found else json.load(open('book.json'))[request['case']])\n"
    )


def left_by(job: Job) -> bytes:
    """Every byte of the results that a job left."""
    return b"".join(path.read_bytes() for path in job.results.rglob("*") if path.is_file())


def unzipped(data: bytes) -> dict[str, bytes]:
    """The files of a zip of our own making."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def edited(lines: bytes, **changed: JsonValue) -> bytes:
    """Every line of trials.jsonl with these fields."""
    found: list[JsonObject] = [json.loads(line) for line in lines.splitlines()]
    return b"".join(json.dumps({**one, **changed}).encode() + b"\n" for one in found)


@contextmanager
def forked(actions: Actions, hub: GitHubState, project: Project, place: Path) -> Generator[Forks]:
    """The tokens, and the repository served as git."""
    hub.tokens[FORK_TOKEN] = Token(BOT, "github-actions", dict(FORKED))
    hub.tokens[LIVE_TOKEN] = Token(BOT, "github-actions", dict(LIVE))
    hub.tokens[REPORT_TOKEN] = Token(BOT, "github-actions", dict(REPORT))
    served = place / "git" / "acme"
    served.mkdir(parents=True)
    (served / "shop").symlink_to(project.root)
    with serving_git(place / "git", REPORT_TOKEN) as url:
        yield Forks(actions, hub, project, url, place / "workspaces")


def trials(answers: Mapping[str, str], slots: range = range(1, 4), side: Side = "head") -> bytes:
    """trials.jsonl of an agent that always gives these answers."""
    return b"".join(
        encode_trial(Trial(case, side, slot, seed_for(case, slot), "completed", answer=answer))
        for case, answer in sorted(answers.items())
        for slot in slots
    )


def fill_store(forks: Forks, answers: Mapping[str, str], *, run_id: int = 500, slots: int = 10) -> None:
    """The base's stored results, as pushes to the default branch would have left them."""
    place = forks.place / f"store-{run_id}"
    today = datetime.datetime.now(datetime.UTC).date()
    request = EvaluationRequest(forks.project.root, "gatebot.yaml", place, today)
    tip = forks.hub.tip("main")
    origin = head_origin(one_side(request, head=tip), {})
    held = [
        RecordedTrial(
            origin.of(case, slot),
            today,
            "recording",
            Trial(case, "base", slot, seed_for(case, slot), "completed", answer=answer),
        )
        for case, answer in answers.items()
        for slot in range(1, slots + 1)
    ]
    forks.hub.runs[run_id] = Run("push", "main", tip)
    data = packed({BASE_RESULTS_FILE: encode_base_results(held)})
    forks.hub.artifacts[run_id] = [(forks.hub.next_id(), "gatebot-base-shop", data)]


def ended(forks: Forks, data: bytes | None, *, run_id: int = 700) -> int:
    """A fork's run that has ended and uploaded `data`, without having been run here."""
    pull = forks.hub.pulls[1]
    pull.head_repo = MALLORY
    forks.hub.runs[run_id] = Run(
        "pull_request", pull.head_ref, forks.hub.head_of(pull), MALLORY, actor="mallory", by="mallory"
    )
    if data is not None:
        forks.upload(run_id, data)
    return run_id
