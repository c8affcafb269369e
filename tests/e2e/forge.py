"""A repository on the fake GitHub whose workflows are the copied examples, run by act with the tokens GitHub would give them."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import yaml

from gatebot.model.json_value import JsonObject
from tests.builders import Project
from tests.e2e import act
from tests.fakes.github import wire
from tests.fakes.github.git_http import serving_git
from tests.fakes.github.server import serving
from tests.fakes.github.state import GitHubState, Level, Token
from tests.integration.github.actions import run_of

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / "examples" / "workflows"
OURS = "gatebot/gatebot"
BOT = "github-actions[bot]"
TOKEN = "ghs_endtoendtoken0123456789"
LABELS = ("labeled", "unlabeled")


@dataclass
class Forge:
    """One repository. Each event is a workflow run of its own, with its own number.

    `secrets` and `world`: the repository's secrets, and variables that every step has. `read_only`: what GitHub makes of
    the token in a fork's run.
    """

    machine: act.Machine
    hub: GitHubState
    api: str
    server: str
    place: Path
    action: Path
    name: str
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    world: dict[str, str] = field(default_factory=dict[str, str])
    runs: int = 7000
    read_only: bool = False

    @property
    def project(self) -> Project:
        """The repository's working tree."""
        return self.hub.project

    def pull_request(self, action: str, number: int = 1, **more: JsonObject) -> act.Ran:
        """The gate's workflow for a pull_request event."""
        return self.event("gatebot.yml", "pull_request", {**self.payload(action, number, "author"), **more})

    def pushed(self) -> act.Ran:
        """The base's workflow for a push to the default branch; the fake's working tree is what gets checked out."""
        self.project.branch("main", self.hub.tip("main"))
        payload: JsonObject = {"ref": "refs/heads/main", "after": self.hub.tip("main")}
        return self.event("gatebot-base.yml", "push", payload)

    def scheduled(self) -> act.Ran:
        """The clock starts the workflow that looks for drift."""
        self.project.branch("main", self.hub.tip("main"))
        return self.event("gatebot-schedule.yml", "schedule", {"schedule": "17 4 * * *"})

    def label(self, name: str, actor: str, number: int = 1) -> act.Ran:
        """Somebody sets a label; the label workflow runs on the default branch's files, as pull_request_target does."""
        self.hub.label(number, name, actor)
        payload = self.payload("labeled", number, actor, name)
        return self.event("gatebot-label.yml", "pull_request_target", payload, actor=actor)

    def event(self, workflow: str, event: str, payload: JsonObject, *, actor: str = "author") -> act.Ran:
        """Run one workflow for one event; afterwards its artifact is on the fake GitHub."""
        order = self.order(workflow, event, payload, actor=actor)
        self.hub.runs[self.runs] = replace(
            run_of(event, payload, self.hub), path=f".github/workflows/{workflow}"
        )
        ran = act.run(self.machine, order)
        self.collect(order)
        return ran

    def ended(self, run: int, *, workflow: str = "gatebot-report.yml") -> act.Ran:
        """The end of a run is told to the report's workflow, as workflow_run does: on the default branch's files."""
        told = self.hub.runs[run]
        home: JsonObject = {"full_name": told.head_repo or self.hub.name}
        payload: JsonObject = {
            "id": run,
            "run_attempt": told.attempt,
            "event": told.event,
            "head_sha": told.head_sha,
            "head_branch": told.head_branch,
            "head_repository": home,
            "pull_requests": [],
        }
        return self.event(workflow, "workflow_run", {"action": "completed", "workflow_run": payload})

    def order(self, workflow: str, event: str, payload: JsonObject, *, actor: str = "author") -> act.Order:
        """What act is asked for, with a token that may what the workflow's job asks for, and no more."""
        self.runs += 1
        name = f"{self.name}-{self.runs - 7000}-{event}"
        shutil.copytree(WORKFLOWS, self.place / name / "workflows", dirs_exist_ok=True)
        path = self.place / name / "workflows" / workflow
        self.hub.tokens[TOKEN] = Token(BOT, "github-actions", self.permissions(path))
        return act.Order(
            repository=self.project.root,
            workflow=str(path),
            event=event,
            payload={**payload, "repository": {"full_name": self.hub.name, "default_branch": "main"}},
            name=name,
            variables=self.variables(),
            secrets={"GITHUB_TOKEN": TOKEN, **self.secrets},
            actions=local_actions(path, self.action),
            uploads=self.place / name / "uploads",
            actor=actor,
        )

    def variables(self) -> Mapping[str, str]:
        """Where GitHub is, and which run this is: what act would otherwise make up."""
        return {
            "GITHUB_API_URL": self.api,
            "GITHUB_SERVER_URL": self.server,
            "GITHUB_REPOSITORY": self.hub.name,
            "GITHUB_RUN_ID": str(self.runs),
            "GITHUB_RUN_ATTEMPT": "1",
            **self.world,
        }

    def permissions(self, workflow: Path) -> dict[str, Level]:
        """What the workflow's job asks for; for a fork's head GitHub makes everything read-only."""
        document = cast(
            "dict[str, dict[str, dict[str, dict[str, str]]]]", yaml.safe_load(workflow.read_text("utf-8"))
        )
        jobs = list(document["jobs"].values())
        asked = {name: level for job in jobs for name, level in job.get("permissions", {}).items()}
        held = {name.replace("-", "_"): "read" if self.read_only else level for name, level in asked.items()}
        return cast("dict[str, Level]", held)

    def payload(self, action: str, number: int, sender: str, label: str = "") -> JsonObject:
        """A pull request's event, as the pull request is now."""
        told: dict[str, JsonObject] = {"label": {"name": label}} if action in LABELS else {}
        pull = {**wire.pull(self.hub, self.hub.pulls[number]), "updated_at": self.hub.now()}
        return {"action": action, "number": number, "pull_request": pull, "sender": wire.user(sender), **told}

    def collect(self, order: act.Order) -> None:
        """What the run uploaded becomes its artifacts."""
        for folder in sorted(order.uploads.iterdir()):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                    archive.write(path, path.relative_to(folder))
            run = int(order.variables["GITHUB_RUN_ID"])
            held = self.hub.artifacts.setdefault(run, [])
            held.append((self.hub.next_id(), folder.name, buffer.getvalue()))

    def keep_comment(self, name: str) -> str:
        """The bot's one comment, also kept beside the logs."""
        found = [one.body for one in self.hub.comments if one.login == BOT and not one.minimized]
        assert len(found) == 1, found
        (self.machine.logs / f"{self.name}-{name}.comment.md").write_text(found[0], encoding="utf-8")
        return found[0]


def local_actions(workflow: Path, action: Path) -> dict[str, Path]:
    """Folders for the actions a workflow uses: ours, and a stand-in for uploading; act itself does a plain checkout."""
    document = cast(
        "dict[str, dict[str, dict[str, list[dict[str, str]]]]]", yaml.safe_load(workflow.read_text("utf-8"))
    )
    used = {
        step["uses"] for job in document["jobs"].values() for step in job.get("steps", []) if "uses" in step
    }
    stand_in = Path(__file__).parent / "actions" / "upload-artifact"
    known = {OURS: action, "actions/upload-artifact": stand_in}
    return {name: known[name.split("@")[0]] for name in sorted(used) if name.split("@")[0] in known}


@contextmanager
def forge(
    machine: act.Machine, action: Path, place: Path, name: str, files: Mapping[str, str | None]
) -> Generator[Forge]:
    """A repository with these files on `main` and one pull request of the branch `topic`, served on loopback."""
    state_name = "acme/shop"
    project = Project(place / "remote" / state_name, files)
    state = GitHubState(project, state_name)
    state.roles |= {"alice": "maintain", "trixie": "triage"}
    project.branch("topic", str(project.repository.head.target))
    state.open_pull("topic")
    (place / "remote" / f"{state_name}.git").symlink_to(project.root / ".git")
    with serving(state) as api, serving_git(place / "remote", TOKEN) as server:
        yield Forge(replace(machine, home=place / "home"), state, api, server, place, action, name)
