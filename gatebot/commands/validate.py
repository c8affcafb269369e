"""`gatebot validate`: is the suite sound? Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gatebot.commands.agent_command import command_warnings, paths_warning
from gatebot.commands.changed_files import checked_glob, touched
from gatebot.errors import Location
from gatebot.graders.meaning import INSTALL, compares_meaning, missing
from gatebot.graders.reference_graders import reference_graders
from gatebot.model.suite import Suite
from gatebot.suite.finding import Finding
from gatebot.suite.lint import lint_suite, raise_errors
from gatebot.suite.load import ConfigFile, LoadedCase, load_cases, load_config
from gatebot.suite.source import DirectorySource, suite_directory


@dataclass(frozen=True, slots=True)
class Validated:
    """A sound suite and what could be better in it."""

    suite: Suite
    warnings: tuple[Finding, ...]


def validate(root: Path, config: str) -> Validated:
    """Load and check the suite in `root`. Raises ConfigError for the first mistake."""
    source = suite_directory(root)
    config_file = load_config(source, config)
    cases = load_cases(source, config_file)
    findings = (
        *lint_suite(config_file, cases),
        *_paths(config_file, source, root),
        *command_warnings(config_file, root),
        *(paths_warning(config_file, root) if (root / ".git").exists() else ()),
        *_unmatched(config_file, cases, source),
    )
    raise_errors(findings)
    if config_file.config.trajectory.engine == "agentevals":
        for (
            item
        ) in cases:  # what the library cannot say is refused now, and not when the trials have been paid for
            reference_graders(item.case, config_file.config.trajectory)
    warnings = tuple(finding for finding in findings if finding.level == "warning")
    lacking = missing()
    if lacking:
        warnings += tuple(_cannot_compare(item, lacking) for item in cases if compares_meaning(item.case))
    return Validated(Suite(config_file.config, tuple(item.case for item in cases)), warnings)


def _paths(config: ConfigFile, source: DirectorySource, root: Path) -> Iterator[Finding]:
    """Globs of `paths` that mean nothing here, or name no file: a pull request would pass without a run by mistake.

    Which files there are is known only where the repository's root was given, and not of hidden ones.
    """
    files = source.list() if config.config.paths and (root / ".git").exists() else ()
    for number, pattern in enumerate(config.config.paths):
        place = config.document.locate(("paths", number))
        try:
            named = touched(files, (checked_glob(pattern),))
        except ValueError as error:
            yield Finding("error", place, str(error), "`paths` are globs from the repository's root")
            continue
        unseen = any(part.startswith(".") or part == "node_modules" for part in pattern.split("/"))
        if files and not named and not unseen:
            message = f"the glob '{pattern}' names no file of this repository"
            yield Finding(
                "warning", place, message, "a pull request that changes only what it was to name is not run"
            )


def _unmatched(config: ConfigFile, cases: Sequence[LoadedCase], source: DirectorySource) -> Iterator[Finding]:
    """Files that end in .yml in a folder of cases, which no glob takes: whoever wrote one believes that it is a case."""
    loaded = {item.document.path for item in cases}
    folders = {str(PurePosixPath(path).parent) for path in loaded} - {config.folder or "."}
    for path in source.list():
        if path.endswith(".yml") and path not in loaded and str(PurePosixPath(path).parent) in folders:
            message = "the file lies among the cases, and no glob of `cases` takes it"
            yield Finding("warning", Location(path), message, "rename it to .yaml, or name it in `cases`")


def _cannot_compare(item: LoadedCase, lacking: str) -> Finding:
    """Sound, but not to be run here: the extra that compares meanings is not installed."""
    place = item.document.locate(("expect", "answer", "similar", "semantic"), key=True)
    return Finding("warning", place, f"this installation cannot compare meanings ({lacking})", INSTALL)
