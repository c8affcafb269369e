"""`gatebot init`: configuration, a first case and the workflows, from the answers to three questions."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.errors import UsageError
from gatebot.model.written import ENV_NAME_PATTERN, SLUG_PATTERN
from gatebot.results.plain_file import replace_file
from gatebot.suite.load import CONFIG_NAME, load_suite, load_suite_from
from gatebot.suite.source import DirectorySource
from gatebot.workspace.repository import main_branch

TEMPLATES = Path(__file__).parent / "templates"
WORKFLOWS = (
    "gatebot.yml",
    "gatebot-label.yml",
    "gatebot-report.yml",
    "gatebot-live.yml",
    "gatebot-base.yml",
    "gatebot-schedule.yml",
)
PLACEHOLDER = f"gatebot/gatebot@{0:040}"
"""What the workflows to copy name: the release's commit is not known here."""
_ACTION = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}@[0-9a-f]{40}")
_BRANCHES = "branches: [main, master]"
_CONFIG = """\
version: 1
suite: {suite}
agent:
  command: {command}
{env}cases: ["golden/*.yaml"]
gate:
  metrics:
    pass_rate: {{margin: 0.10}}
    trajectory_match: {{margin: 0.10}}
    param_accuracy: {{margin: 0.10}}
    convergence: {{margin: 0.10}}
"""
_CASE = """\
# What a user might ask, and what the answer must hold. `gatebot record` adds what the agent does today as the golden.
input: {question}
expect:
  answer: {{contains: {contains}}}
"""


@dataclass(frozen=True, slots=True)
class Answers:
    """How the agent is started (a command line), the suite's name, the environment names it needs, a first question.

    `contains`: a word that the answer to the question must hold. `action`: the action as workflows name it, with the
    release's commit (owner/repository@commit); "" leaves the place for it in the workflows. `branch`: the default
    branch where it is neither main nor master, "" when unknown.
    """

    command: str
    suite: str
    env: tuple[str, ...] = ()
    question: str = "What can you do for me?"
    contains: str = "help"
    action: str = ""
    branch: str = ""


class _Planned:
    """The files below a directory as they will be once those that are planned are written."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        self._there = DirectorySource(root)
        self._files = files

    def read(self, path: str) -> bytes:
        """The planned file's bytes, else those of the one that is there. Raises as `DirectorySource.read` does."""
        planned = self._files.get(path)
        return self._there.read(path) if planned is None else planned.encode("utf-8")

    def list(self) -> Sequence[str]:
        """Sorted paths of all files."""
        return sorted({*self._there.list(), *self._files})


def suite_name(folder: str) -> str:
    """A valid suite name from a folder's: what a name may not hold becomes one hyphen; `suite` where nothing is left."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", folder).lstrip("._-")[:100].rstrip("._-") or "suite"


def init(root: Path, answers: Answers, *, workflows: bool = True) -> tuple[str, ...]:
    """Write the files below `root` that are not there yet; a suite that exists is kept whole. Hands back what was
    written, sorted.

    Raises UsageError when everything exists or an answer cannot be used, ConfigError when the result would not load;
    nothing is written then.
    """
    answers = replace(answers, branch=answers.branch or main_branch(root))
    _check_env(answers.env)
    if (root / CONFIG_NAME).exists():
        own = load_suite(root).config.agent.env  # a broken one is told before anything is written
        env = tuple(dict.fromkeys((*answers.env, *own)))
        files = planned_workflows(replace(answers, env=env)) if workflows else {}
    else:
        files = {**planned_suite(answers), **(planned_workflows(answers) if workflows else {})}
    files = {path: text for path, text in files.items() if not (root / path).exists()}
    if not files:
        raise UsageError(
            "everything exists already: nothing was written", "remove what is to be written anew"
        )
    planned = _Planned(root, files)
    load_suite_from(planned, planned)
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, text.encode("utf-8"))
    return tuple(sorted(files))


def _check_env(names: Sequence[str]) -> None:
    for name in names:
        if not re.fullmatch(ENV_NAME_PATTERN, name):
            raise UsageError(
                f"{name[:80]!a} is no name of an environment variable",
                "letters, digits and '_'; never its value",
            )


def planned_suite(answers: Answers) -> dict[str, str]:
    """Path → text of the configuration and the first case. Raises UsageError."""
    try:
        argv = shlex.split(answers.command)
    except ValueError as error:
        raise UsageError(f"the agent's command cannot be read: {error}") from error
    if not argv:
        raise UsageError("how is the agent started?", "for example: --agent 'python3 agent.py'")
    if not re.fullmatch(SLUG_PATTERN, answers.suite):
        raise UsageError(
            f"{answers.suite[:80]!a} cannot be a suite's name",
            f"for example: --suite {suite_name(answers.suite)}",
        )
    env = f"  env: {json.dumps(list(answers.env))}\n" if answers.env else ""
    return {
        CONFIG_NAME: _CONFIG.format(suite=answers.suite, command=json.dumps(argv), env=env),
        "golden/first.yaml": _CASE.format(
            question=json.dumps(answers.question), contains=json.dumps(answers.contains)
        ),
    }


def planned_workflows(answers: Answers) -> dict[str, str]:
    """Path → text of the workflows. Raises UsageError for an action that names no release."""
    if answers.action and not _ACTION.fullmatch(answers.action):
        raise UsageError(
            f"{answers.action[:80]!a} names no release of the action",
            "write owner/repository@commit, with all 40 digits of the commit: a tag can be moved",
        )
    files: dict[str, str] = {}
    for name in WORKFLOWS:
        text = (TEMPLATES / name).read_text("utf-8").replace(PLACEHOLDER, answers.action or PLACEHOLDER)
        text = text.replace(_BRANCHES, _with_branch(answers.branch))
        files[f".github/workflows/{name}"] = with_secrets(text, answers.env)
    return files


def _with_branch(branch: str) -> str:
    """The branches whose pushes run the base; GitHub reads the name as a pattern, in which `+` and `!` are signs."""
    if branch in ("", "main", "master"):
        return _BRANCHES
    quoted = json.dumps(re.sub(r"([+!])", r"\\\1", branch), ensure_ascii=False)
    return f"branches: [{quoted}, main, master]"


def with_secrets(workflow: str, env: Sequence[str]) -> str:
    """The workflow with each name the agent needs handed to gatebot's step from a secret of the same name."""
    line = "          anthropic-api-key: ${{ secrets.ANTHROPIC_API_KEY }}\n"
    if line not in workflow:
        return workflow
    kept = line if "ANTHROPIC_API_KEY" in env else ""
    others = [name for name in env if name != "ANTHROPIC_API_KEY"]
    block = "".join(f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in others)
    inputs = f"        with:\n{kept}" if kept else ""
    handed = f"        env:\n{block}" if block else ""
    return workflow.replace(f"        with:\n{line}", inputs + handed)
