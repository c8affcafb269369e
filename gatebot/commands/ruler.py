"""The ruler: which configuration, cases and agents an evaluation uses. It comes from the base (architecture, 3)."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gatebot.agents.graders import GraderFiles
from gatebot.commands.emptied import emptied_suite
from gatebot.commands.judge_policy import judge_in_force
from gatebot.errors import ConfigError, UsageError
from gatebot.graders.meaning import require_for
from gatebot.model.config import AgentConfig, Config
from gatebot.model.plan import CaseNotice
from gatebot.model.suite import Case, Suite, SuiteFile
from gatebot.suite.grader_files import ListedOnce, hidden_grader_files, read_grader_files
from gatebot.suite.lint import lint_suite, raise_errors
from gatebot.suite.load import ConfigFile, LoadedCase, load_cases, load_config
from gatebot.suite.source import FileSource

FIRST_PULL_REQUEST = "no baseline yet"


@dataclass(frozen=True, slots=True)
class Ruler:
    """What both sides are measured by.

    `suite` holds the policy's configuration and every case that runs. `base_agent` None: there is no baseline, and
    `no_baseline` says why. `gating` are the ids that count. `notes` are sentences for the report. `graders` are the
    files that the cases' own graders are made of, from where each case is from. `emptied`: see `emptied_suite`.
    """

    suite: Suite
    head_agent: AgentConfig
    base_agent: AgentConfig | None
    gating: frozenset[str]
    notices: tuple[CaseNotice, ...] = ()
    no_baseline: str = ""
    notes: tuple[str, ...] = ()
    graders: GraderFiles = field(default_factory=dict[str, tuple[SuiteFile, ...]])
    emptied: str = ""

    def with_notes(self, *notes: str) -> Ruler:
        """The same ruler with further sentences for the report."""
        return replace(self, notes=(*self.notes, *notes))

    def with_alpha_share(self, share: float) -> Ruler:
        """The same ruler with a part of its alpha, `share` in (0, 1]."""
        if share == 1.0:
            return self
        config = self.suite.config
        gate = config.gate.model_copy(update={"alpha": config.gate.alpha * share})
        return replace(self, suite=replace(self.suite, config=config.model_copy(update={"gate": gate})))

    @property
    def new(self) -> frozenset[str]:
        """Cases that are on the head alone."""
        return frozenset(notice.case for notice in self.notices if notice.kind == "new")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where to read: policy at the base's tip, cases at the fork (merge base), the head's own files."""

    tip: FileSource
    fork: FileSource
    head: FileSource


def one_side_ruler(source: FileSource, config_path: str, only: Sequence[str], today: datetime.date) -> Ruler:
    """The ruler of one side alone: everything from that side. Raises ConfigError, UsageError."""
    config, cases = _checked(source, source, config_path)
    in_force, notes = _in_force(config.config, today)
    suite = Suite(in_force, choose(cases, only))
    require_for(suite.cases)
    graders = _graders(source, config_path, suite.cases)
    return Ruler(suite, in_force.agent, None, gating_cases(suite, ()), notes=notes, graders=graders)


def pull_request_ruler(
    sources: Sources, config_path: str, only: Sequence[str], today: datetime.date
) -> Ruler:
    """The ruler of base against head. Raises ConfigError for a broken file of either side, UsageError for --case."""
    if not _has(sources.tip, config_path):
        alone = one_side_ruler(sources.head, config_path, only, today)
        return replace(alone, no_baseline=FIRST_PULL_REQUEST)
    cases_from = sources.fork if _has(sources.fork, config_path) else sources.tip
    policy, base_cases = _checked(sources.tip, cases_from, config_path)
    head_config = load_config(sources.head, config_path) if _has(sources.head, config_path) else None
    if head_config is not None:
        _refuse_player(policy.config, head_config.config, config_path)
    head_cases = _head_cases(sources.head, policy)
    notices = _notices(base_cases, head_cases)
    new = [case for case in head_cases if case.id not in {c.id for c in base_cases}]
    chosen = choose(sorted([*base_cases, *new], key=lambda case: case.id), only)
    ids = {case.id for case in chosen}
    kept = tuple(notice for notice in notices if notice.case in ids)
    base_config = load_config(cases_from, config_path).config
    in_force, expired = _in_force(policy.config, today)
    suite = Suite(in_force, chosen)
    require_for(suite.cases)
    before = gating_cases(Suite(in_force, base_cases), ())
    gating = [case for case in base_cases if case.id in before]
    begun = _has(sources.fork, config_path)  # before a suite there was nothing that a branch could take away
    return Ruler(
        suite=suite,
        head_agent=_side_agent(policy.config, head_config.config if head_config else policy.config),
        base_agent=_side_agent(policy.config, base_config),
        gating=gating_cases(suite, kept),
        notices=kept,
        notes=(*expired, *_policy_notes(policy.config, head_config), *_case_notes(kept)),
        graders={
            **_graders(cases_from, config_path, [case for case in chosen if case not in new]),
            **_graders(sources.head, config_path, [case for case in chosen if case in new]),
        },
        emptied=emptied_suite(gating, head_cases, sources.head, policy, head_config, today) if begun else "",
    )


def agent_files(source: FileSource, config_path: str, suite: Suite) -> frozenset[str]:
    """Paths an agent must not see: the configuration, every case file, by the suite's and the tree's own globs, and
    what the suite's cases name as their graders' files.
    """
    policy = suite.config
    hidden = {config_path}
    listed = ListedOnce(source)
    for case in suite.cases:
        hidden |= hidden_grader_files(listed, config_path.rpartition("/")[0], case.expect)
    for patterns in {
        policy.cases,
        *([load_config(source, config_path).config.cases] if _has(source, config_path) else []),
    }:
        hidden |= _globbed(source, config_path, patterns)
    return frozenset(hidden)


def _graders(source: FileSource, config_path: str, cases: Sequence[Case]) -> GraderFiles:
    folder = config_path.rpartition("/")[0]
    return {
        case.id: read_grader_files(source, folder, case.grader_files) for case in cases if case.grader_files
    }


def choose(cases: Sequence[Case], only: Sequence[str]) -> tuple[Case, ...]:
    """All cases, or those named. Raises UsageError for an unknown id."""
    known = {case.id: case for case in cases}
    for name in only:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`gatebot validate` lists the cases"
            raise UsageError(f"there is no case {name!a}", hint)
    return tuple(known[name] for name in sorted(set(only))) if only else tuple(cases)


def gating_cases(suite: Suite, notices: Sequence[CaseNotice]) -> frozenset[str]:
    """The cases that count: neither new on the head nor in quarantine."""
    away = {entry.case for entry in suite.config.quarantine}
    away |= {notice.case for notice in notices if notice.kind == "new"}
    return frozenset(case.id for case in suite.cases) - away


def _in_force(config: Config, today: datetime.date) -> tuple[Config, tuple[str, ...]]:
    """The configuration as it counts today, and a note on whatever of it does not: quarantines that are over, judge
    metrics that may not gate.
    """
    over = [entry for entry in config.quarantine if entry.until < today]
    kept = tuple(entry for entry in config.quarantine if entry.until >= today)
    notes = tuple(f"The quarantine of {entry.case} ended on {entry.until}; it gates again." for entry in over)
    judged, told = judge_in_force(config)
    return (judged.model_copy(update={"quarantine": kept}) if over else judged), (*notes, *told)


def _has(source: FileSource, path: str) -> bool:
    try:
        source.read(path)
    except FileNotFoundError:
        return False
    return True


def _checked(policy: FileSource, cases: FileSource, config_path: str) -> tuple[ConfigFile, tuple[Case, ...]]:
    config = load_config(policy, config_path)
    loaded = load_cases(cases, config)
    raise_errors(lint_suite(config, loaded, same_source=policy is cases))
    return config, tuple(item.case for item in loaded)


def _head_cases(source: FileSource, policy: ConfigFile) -> tuple[Case, ...]:
    """The head's cases by the policy's globs; none when it has no such file any more."""
    if not _globbed(source, policy.document.path, policy.config.cases):
        return ()
    loaded: tuple[LoadedCase, ...] = load_cases(source, policy)
    raise_errors(lint_suite(policy, loaded, same_source=False))
    return tuple(item.case for item in loaded)


def _globbed(source: FileSource, config_path: str, patterns: Sequence[str]) -> set[str]:
    from gatebot.suite.source import matching

    folder = config_path.rpartition("/")[0]
    return {path for pattern in patterns for path in matching(source, folder, pattern)}


def _notices(base: Sequence[Case], head: Sequence[Case]) -> tuple[CaseNotice, ...]:
    base_by_id, head_by_id = ({case.id: case for case in side} for side in (base, head))
    notices = [CaseNotice(case, "new") for case in head_by_id if case not in base_by_id]
    notices += [CaseNotice(case, "removed") for case in base_by_id if case not in head_by_id]
    notices += [
        CaseNotice(case, "changed")
        for case in base_by_id
        if case in head_by_id and replace(base_by_id[case], path="") != replace(head_by_id[case], path="")
    ]
    return tuple(sorted(notices, key=lambda notice: (notice.case, notice.kind)))


def _side_agent(policy: Config, side: Config) -> AgentConfig:
    """The side's own way to start its agent; time-out, environment names, caps and where it may lie are policy."""
    own = side.agent
    http = own.http
    if http is not None:
        private = policy.agent.http is not None and policy.agent.http.allow_private
        http = http.model_copy(update={"allow_private": private})
    return policy.agent.model_copy(
        update={
            "command": own.command,
            "python": own.python,
            "http": http,
            "replay": own.replay,
            "builtin": own.builtin,
            "setup": own.setup,
        }
    )


def _refuse_player(policy: Config, head: Config, config_path: str) -> None:
    """A head that plays the golden or a recording measures nothing: only a base of that kind may bring it."""
    played = ("oracle", "replay")
    if head.agent.kind in played and policy.agent.kind not in (*played, "nop"):
        message = f"{config_path} of the head swaps the agent for `{head.agent.kind}`, which runs nothing"
        raise ConfigError(message, f"the base runs a {policy.agent.kind} agent; so must the head")


def _policy_notes(policy: Config, head: ConfigFile | None) -> list[str]:
    if head is None:
        return ["This pull request removes the configuration; the base's was used."]
    changed = [
        name
        for name in (
            "gate",
            "seeds",
            "budget",
            "quarantine",
            "accept",
            "trajectory",
            "network",
            "isolation",
            "judge",
            "cases",
            "prices",
            "base",
            "paths",
            "on_missing_base",
            "comment",
            "job_exit",
            "forks",
        )
        if getattr(policy, name) != getattr(head.config, name)
    ]
    changed += [
        f"agent.{name}"
        for name in ("env", "timeout", "max_output_mb", "workspace")
        if getattr(policy.agent, name) != getattr(head.config.agent, name)
    ]
    if not changed:
        return []
    return [
        f"This pull request changes {', '.join(changed)} in the configuration; that counts once it is merged."
    ]


def _case_notes(notices: Sequence[CaseNotice]) -> list[str]:
    notes: list[str] = []
    for kind, text in (
        ("changed", "edited in this pull request; the base's version was used"),
        ("removed", "removed in this pull request; until that is merged, the base's version counts"),
        ("new", "new in this pull request; shown, and gating once merged"),
    ):
        named = [notice.case for notice in notices if notice.kind == kind]
        if named:
            shown = ", ".join(f"`{case}`" for case in named[:5]) + (
                f" and {len(named) - 5} more" if len(named) > 5 else ""
            )
            notes.append(f"{len(named)} case{'s' if len(named) > 1 else ''} {text}: {shown}.")
    return notes
