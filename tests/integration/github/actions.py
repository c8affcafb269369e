"""GitHub Actions as far as `gatebot ci` sees it: events as files, the runner's environment, artifacts that are uploaded."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gatebot.cli.app import run
from gatebot.model.json_value import JsonObject, is_object
from tests.fakes.github import wire
from tests.fakes.github.state import GitHubState, Run

BOT = "github-actions[bot]"
LABELS = ("labeled", "unlabeled")


@dataclass(frozen=True, slots=True)
class Job:
    """How a job ended, and what it handed the runner."""

    code: int
    log: str
    summary: str
    outputs: str
    results: Path


@dataclass
class Actions:
    """Runs jobs one after the other; each is a run of its own unless told otherwise."""

    hub: GitHubState
    api: str
    place: Path
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]
    suite: str = "shop"
    token: str = "ghs_bot"
    variables: dict[str, str] = field(default_factory=dict[str, str])
    runs: int = 1000

    def event(self, name: str, payload: JsonObject, *, run_id: int = 0, attempt: int = 1) -> Job:
        """Run `gatebot ci` for one event, then upload its results as the workflow does."""
        self.runs += 1
        number = run_id or self.runs
        self.hub.runs[number] = run_of(name, payload, self.hub)
        place = self.place / f"run-{number}-{attempt}-{self.runs}"
        place.mkdir(parents=True)
        (place / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        out = f"results-{number}-{attempt}"
        self._environment(name, place, number, attempt)
        self.capture.readouterr()
        code = run(["ci", "--out", out])
        said = self.capture.readouterr()
        results = self.hub.project.root / out
        self._upload(number, attempt, results)
        outputs = _read(place / "output.txt")
        self._upload_store(number, outputs)
        return Job(code, said.out + said.err, _read(place / "summary.md"), outputs, results)

    def pull_request(
        self, action: str, number: int = 1, *, sender: str = "author", run_id: int = 0, attempt: int = 1
    ) -> Job:
        """A pull_request event of the gate's workflow."""
        return self.event(
            "pull_request", self.payload(action, number, sender), run_id=run_id, attempt=attempt
        )

    def push(self, branch: str = "main", *, run_id: int = 0, attempt: int = 1) -> Job:
        """A push event of the base's workflow, about the branch's tip."""
        return self.event("push", self.pushed(branch), run_id=run_id, attempt=attempt)

    def pushed(self, branch: str = "main") -> JsonObject:
        """The payload of a push, as the branch is now."""
        repository: JsonObject = {"full_name": self.hub.name, "default_branch": "main"}
        return {"ref": f"refs/heads/{branch}", "after": self.hub.tip(branch), "repository": repository}

    def schedule(self, *, run_id: int = 0) -> Job:
        """The clock starts the base's other workflow."""
        return self.event("schedule", {"schedule": "17 4 * * *"}, run_id=run_id)

    def label(self, name: str, actor: str, number: int = 1) -> Job:
        """Somebody sets a label, and the label workflow runs."""
        self.hub.label(number, name, actor)
        return self.event("pull_request_target", self.payload("labeled", number, actor, name))

    def payload(self, action: str, number: int, sender: str, label: str = "") -> JsonObject:
        """The payload of an event about a pull request, as it is now."""
        told: dict[str, JsonObject] = {"label": {"name": label}} if action in LABELS else {}
        pull = {**wire.pull(self.hub, self.hub.pulls[number]), "updated_at": self.hub.now()}
        return {"action": action, "number": number, "pull_request": pull, "sender": wire.user(sender), **told}

    def _environment(self, name: str, place: Path, run_id: int, attempt: int) -> None:
        server = self.api.removesuffix("/api/v3")
        wanted: Mapping[str, str] = {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_REPOSITORY": self.hub.name,
            "GITHUB_API_URL": self.api,
            "GITHUB_SERVER_URL": server,
            "GITHUB_RUN_ID": str(run_id),
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_WORKSPACE": str(self.hub.project.root),
            "GITHUB_OUTPUT": str(place / "output.txt"),
            "GITHUB_STEP_SUMMARY": str(place / "summary.md"),
            "INPUT_GITHUB-TOKEN": self.token,
            **self.variables,
        }
        for key, value in wanted.items():
            self.patch.setenv(key, value)

    def _upload_store(self, run_id: int, outputs: str) -> None:
        """The step of the base's workflows that uploads what was handed on; a pull request's workflow has none."""
        told = dict(re.findall(r"^([a-z-]+)<<(?:\S+)\n(.*)\n", outputs, re.MULTILINE))
        if "store" not in told:
            return
        held = self.hub.artifacts.setdefault(run_id, [])
        held.append((self.hub.next_id(), told["store-name"], zipped(self.hub.project.root / told["store"])))

    def _upload(self, run_id: int, attempt: int, results: Path) -> None:
        if not results.is_dir():
            return
        name = f"gatebot-results-{self.suite}-{attempt}"
        held = self.hub.artifacts.setdefault(run_id, [])
        held.append((self.hub.next_id(), name, zipped(results)))


def zipped(folder: Path) -> bytes:
    """The folder's files as upload-artifact packs them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return buffer.getvalue()


def run_of(event: str, payload: JsonObject, hub: GitHubState) -> Run:
    """The run that GitHub starts for an event: which branch, commit and repository it belongs to, and who started it."""
    sender = payload.get("sender")
    actor = str(sender["login"]) if is_object(sender) else "author"
    pull = payload.get("pull_request")
    if is_object(pull) and event == "pull_request":
        head = pull["head"]
        assert is_object(head)
        repo = head["repo"]
        home = str(repo["full_name"]) if is_object(repo) else None
        return Run(event, str(head["ref"]), str(head["sha"]), home, actor=actor, by=actor)
    if event == "push":
        ref = str(payload["ref"])
        return Run(event, ref.removeprefix("refs/heads/").removeprefix("refs/tags/"), str(payload["after"]))
    if event == "workflow_dispatch":
        return _dispatched(payload, hub, actor)
    return Run(event, "main", hub.tip("main"))


def _dispatched(payload: JsonObject, hub: GitHubState, actor: str) -> Run:
    """A run started by hand; the live run's workflow makes its name of the inputs."""
    inputs = payload.get("inputs")
    number, sha = (inputs.get(key, "") if is_object(inputs) else "" for key in ("pull-request", "head-sha"))
    title = f"gatebot live: #{number} at {sha}"
    path = ".github/workflows/gatebot-live.yml"
    return Run("workflow_dispatch", "main", hub.tip("main"), path=path, title=title, actor=actor, by=actor)


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""
