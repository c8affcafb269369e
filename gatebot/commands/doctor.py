"""`gatebot doctor`: what is missing between this repository and a gate that works; on GitHub too, when a token is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, cast

import yaml

from gatebot.commands.agent_command import command_warnings, paths_warning
from gatebot.commands.init import PLACEHOLDER, WORKFLOWS
from gatebot.errors import GatebotError
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.github_api.repository import branch_requires, default_branch, has_label
from gatebot.model.config import Config
from gatebot.render.check import check_name
from gatebot.render.numbers import count
from gatebot.suite.load import load_config, load_suite
from gatebot.suite.source import DirectorySource
from gatebot.workspace.repository import main_branch

Level = Literal["ok", "warning", "problem"]
PERMISSIONS: dict[str, dict[str, str]] = {
    "gatebot.yml": {"actions": "read", "checks": "write", "contents": "read", "pull-requests": "write"},
    "gatebot-label.yml": {
        "actions": "read",
        "checks": "write",
        "contents": "write",
        "pull-requests": "write",
    },
    "gatebot-report.yml": {
        "actions": "read",
        "checks": "write",
        "contents": "read",
        "pull-requests": "write",
    },
    "gatebot-live.yml": {"contents": "read", "pull-requests": "read"},
    "gatebot-base.yml": {"actions": "read", "checks": "write", "contents": "read"},
    "gatebot-schedule.yml": {"actions": "read", "contents": "read", "issues": "write"},
}
_SPARING = {
    "gatebot-base.yml": ": every pull request runs its base",
    "gatebot-schedule.yml": ": nobody notices when a model or a service changes",
}
"""Workflows a gate can do without, and what is then missing."""
_MAX_WORKFLOW = 256 * 1024


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at: how it is, and what to do about it ("" when nothing)."""

    level: Level
    message: str
    todo: str = ""


def doctor(root: Path, client: Client | None) -> tuple[Diagnosis, ...]:
    """Look at suite, workflows and secrets; with a client also at labels and required checks. Never raises on what it finds."""
    found: list[Diagnosis] = []
    config: Config | None = None
    try:
        suite = load_suite(root)
        config = suite.config
        file = load_config(DirectorySource(root))
        found += [
            Diagnosis("warning", str(one), one.hint)
            for one in (*command_warnings(file, root), *paths_warning(file, root))
        ]
        bare = [case.id for case in suite.cases if not case.references]
        found.append(Diagnosis("ok", f"the suite {config.suite} loads: {count(len(suite.cases), 'case')}"))
        if bare:
            todo = "`gatebot record` writes what a known-good agent does"
            found.append(Diagnosis("warning", _without_golden(bare), todo))
    except GatebotError as error:
        found.append(Diagnosis("problem", str(error), error.hint or "`gatebot validate` says more"))
    for name in WORKFLOWS:
        found += _workflow(root, name, config)
    found += _base_branches(root, main_branch(root))
    if client is None:
        found.append(
            Diagnosis(
                "warning",
                "labels and required checks were not looked at",
                "set GITHUB_TOKEN and GITHUB_REPOSITORY",
            )
        )
    elif config is not None:
        found += _on_github(client, config)
    return tuple(found)


def _without_golden(bare: list[str]) -> str:
    if len(bare) == 1:
        return f"the case {bare[0]} has no golden"
    return f"{len(bare)} cases have no golden, {bare[0]} for one"


def _workflow(root: Path, name: str, config: Config | None) -> list[Diagnosis]:
    path = root / ".github" / "workflows" / name
    if not path.is_file():
        level: Level = "problem" if name not in _SPARING else "warning"
        why = _SPARING.get(name, "")
        return [Diagnosis(level, f".github/workflows/{name} is missing{why}", "`gatebot init` writes it")]
    try:
        text = path.read_bytes()[:_MAX_WORKFLOW].decode("utf-8")
        jobs = _mapping(_mapping(yaml.safe_load(text)).get("jobs"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        return [Diagnosis("problem", f"{name} cannot be read: {type(error).__name__}", "correct it")]
    asked = [_mapping(job).get("permissions") for job in jobs.values() if isinstance(job, dict)]
    found: list[Diagnosis] = []
    if PERMISSIONS[name] in asked:
        found.append(Diagnosis("ok", f"{name} asks for exactly the permissions it needs"))
    else:
        needed = ", ".join(f"{key}: {value}" for key, value in PERMISSIONS[name].items())
        found.append(Diagnosis("problem", f"{name} has no job with exactly these permissions", needed))
    if name in (WORKFLOWS[0], *_SPARING) and config is not None:
        missing = [one for one in config.agent.env if f"secrets.{one}" not in text]
        found += [
            Diagnosis(
                "problem", f"{one} is named in agent.env, and {name} does not hand it on", f"env: {one}"
            )
            for one in missing
        ]
    if PLACEHOLDER in text:
        line = text[: text.index(PLACEHOLDER)].count("\n") + 1
        todo = f"write owner/repository@commit in line {line}; `gatebot init --action owner/repository@commit` writes new files so"
        found.append(Diagnosis("problem", f"{name}:{line} does not name a release", todo))
    return found


def _base_branches(root: Path, branch: str) -> list[Diagnosis]:
    """Whether pushes to the default branch run the base; no word where that cannot be told."""
    path = root / ".github" / "workflows" / "gatebot-base.yml"
    try:
        document = cast("object", yaml.safe_load(path.read_bytes()[:_MAX_WORKFLOW]))
    except (yaml.YAMLError, UnicodeDecodeError, OSError):
        return []  # said already
    events = cast("Mapping[object, object]", document if isinstance(document, dict) else {})
    on = _mapping(events.get("on", events.get(True)))  # YAML 1.1 reads the key `on` as true
    named = _mapping(on.get("push")).get("branches")
    patterns = [str(one) for one in cast("list[object]", named)] if isinstance(named, list) else []
    if not branch or not patterns or any(fnmatchcase(branch, one.replace("\\", "")) for one in patterns):
        return []
    return [
        Diagnosis(
            "warning",
            f"gatebot-base.yml runs for pushes to {', '.join(patterns)}, and the default branch is {branch}",
            f"add it there under on.push.branches{_SPARING['gatebot-base.yml'].replace(':', '; until then', 1)}",
        )
    ]


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _on_github(client: Client, config: Config) -> list[Diagnosis]:
    found: list[Diagnosis] = []
    try:
        for label in (config.accept.label, config.accept.override_label):
            if has_label(client, label):
                found.append(Diagnosis("ok", f"the label {label} exists"))
            else:
                found.append(
                    Diagnosis("problem", f"the label {label} does not exist", f"gh label create {label}")
                )
        branch, name = default_branch(client), check_name(config.suite)
        if branch_requires(client, branch, name):
            found.append(Diagnosis("ok", f"{branch} requires the check {name}"))
        else:
            found.append(
                Diagnosis(
                    "warning",
                    f"{branch} does not require the check {name}",
                    "add it to a ruleset of the branch",
                )
            )
    except ApiError as error:
        found.append(Diagnosis("warning", f"GitHub could not be asked: {error.message}", error.hint))
    return found
