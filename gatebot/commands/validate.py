"""`gatebot validate`: is the suite sound? Nothing is run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatebot.graders.meaning import INSTALL, compares_meaning, missing
from gatebot.graders.reference_graders import reference_graders
from gatebot.model.suite import Suite
from gatebot.suite.finding import Finding
from gatebot.suite.lint import lint_suite, raise_errors
from gatebot.suite.load import LoadedCase, load_cases, load_config
from gatebot.suite.source import suite_directory


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
    findings = lint_suite(config_file, cases)
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


def _cannot_compare(item: LoadedCase, lacking: str) -> Finding:
    """Sound, but not to be run here: the extra that compares meanings is not installed."""
    place = item.document.locate(("expect", "answer", "similar", "semantic"), key=True)
    return Finding("warning", place, f"this installation cannot compare meanings ({lacking})", INSTALL)
