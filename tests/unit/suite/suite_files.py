"""Small suites for tests, held in memory or written to a directory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gatebot.errors import ConfigError
from gatebot.model.suite import Case
from gatebot.suite.lint import Finding, lint_suite
from gatebot.suite.load import load_cases, load_config

CONFIG = "version: 1\nsuite: demo\nagent: oracle\n"
CASE = "input: hi\nexpect: {require: [greet]}\n"


@dataclass(frozen=True, slots=True)
class FilesInMemory:
    """A file source that is a dictionary: stands for a commit's tree."""

    files: Mapping[str, str]

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path].encode("utf-8", "surrogatepass")

    def list(self) -> Sequence[str]:
        return sorted(self.files)


def suite_of(case: str = CASE, config: str = CONFIG) -> FilesInMemory:
    """A suite of one case, golden/case.yaml."""
    return FilesInMemory({"gatebot.yaml": config, "golden/case.yaml": case})


def case_of(text: str) -> Case:
    """The one case whose file holds `text`."""
    source = suite_of(text)
    (loaded,) = load_cases(source, load_config(source))
    return loaded.case


def findings_of(case: str = CASE, config: str = CONFIG) -> tuple[Finding, ...]:
    """What linting says of a suite of one case."""
    source = suite_of(case, config)
    file = load_config(source)
    return lint_suite(file, load_cases(source, file))


def told(error: ConfigError) -> tuple[str, str]:
    """The error as people see it: with its place, and the hint."""
    return str(error), error.hint
