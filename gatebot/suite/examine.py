"""Everything that is wrong with a suite at once, instead of the first mistake: what `gatebot validate` tells."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.errors import ConfigError, Location
from gatebot.model.suite import Suite
from gatebot.suite.finding import Finding
from gatebot.suite.grader_files import ListedOnce
from gatebot.suite.lint import lint_suite
from gatebot.suite.load import CONFIG_NAME, ConfigFile, LoadedCase, by_id, case_paths, load_config, load_file
from gatebot.suite.source import FileSource


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found, errors first. `suite` is None when there are errors."""

    suite: Suite | None
    findings: tuple[Finding, ...]


def examine(source: FileSource, config: str = CONFIG_NAME) -> Examination:
    """Read the configuration and every case, and go on after a mistake: one finding per broken file, and all of lint's.

    Raises nothing of its own; a source may raise what it raises.
    """
    source = ListedOnce(source)
    try:
        file = load_config(source, config)
        paths = case_paths(source, file)
    except ConfigError as error:
        return Examination(None, (_finding(error, config),))
    broken: list[Finding] = []
    cases: list[LoadedCase] = []
    for path in paths:
        try:
            cases.extend(load_file(source, path, file.folder))
        except ConfigError as error:
            broken.append(_finding(error, path))
    try:
        sound = by_id(cases)
    except ConfigError as error:
        sound = tuple(cases)
        broken.append(_finding(error, config))
    return _examined(file, sound, broken)


def _examined(file: ConfigFile, cases: tuple[LoadedCase, ...], broken: list[Finding]) -> Examination:
    """Lint what could be read. With files broken, what the configuration names may be in one of them."""
    linted = lint_suite(file, cases, same_source=not broken)
    errors = [*broken, *(finding for finding in linted if finding.level == "error")]
    warnings = [finding for finding in linted if finding.level == "warning"]
    if errors:
        return Examination(None, (*errors, *warnings))
    return Examination(Suite(file.config, tuple(item.case for item in cases)), tuple(warnings))


def _finding(error: ConfigError, path: str) -> Finding:
    return Finding("error", error.location or Location(path), error.message, error.hint)
