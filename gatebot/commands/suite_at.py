"""The cases a tree holds, told by id and by how they are graded: what an acceptance is compared with."""

from __future__ import annotations

from gatebot.model.suite import Case
from gatebot.suite.load import ConfigFile, load_cases, load_config
from gatebot.suite.snapshot import case_grading_digest
from gatebot.suite.source import FileSource, matching


def case_ids(cases: FileSource, policy: FileSource, config_path: str) -> frozenset[str]:
    """Ids of the cases a tree holds, by the policy's globs; none when it has no such file. Raises ConfigError."""
    return frozenset(case.id for case in cases_at(cases, load_config(policy, config_path)))


def grading_digests(cases: FileSource, policy: FileSource, config_path: str) -> dict[str, str]:
    """Case id → the digest of how the tree's version of the case is graded under the policy. Raises ConfigError."""
    config = load_config(policy, config_path)
    default = config.config.trajectory
    return {case.id: case_grading_digest(case, default) for case in cases_at(cases, config)}


def cases_at(source: FileSource, policy: ConfigFile) -> tuple[Case, ...]:
    """The cases a tree holds, by the policy's globs; none when it has no such file. Raises ConfigError."""
    if not any(matching(source, policy.folder, pattern) for pattern in policy.config.cases):
        return ()
    return tuple(item.case for item in load_cases(source, policy))
