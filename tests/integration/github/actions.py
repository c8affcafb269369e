"""GitHub Actions as far as `gatebot ci` sees it: events as files, the runner's environment, artifacts that are uploaded."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gatebot.cli.app import run
from gatebot.model.json_value import JsonObject
from tests.fakes.github import wire
from tests.fakes.github.state import GitHubState

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
        return Job(
            code, said.out + said.err, _read(place / "summary.md"), _read(place / "output.txt"), results
        )

    def pull_request(
        self, action: str, number: int = 1, *, sender: str = "author", run_id: int = 0, attempt: int = 1
    ) -> Job:
        """A pull_request event of the gate's workflow."""
        return self.event(
            "pull_request", self.payload(action, number, sender), run_id=run_id, attempt=attempt
        )

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

    def _upload(self, run_id: int, attempt: int, results: Path) -> None:
        if not results.is_dir():
            return
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(results.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(results))
        name = f"gatebot-results-{self.suite}-{attempt}"
        held = self.hub.artifacts.setdefault(run_id, [])
        held.append((self.hub.next_id(), name, buffer.getvalue()))


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""
