"""Loads a suite: gatebot.yaml and its cases, from a directory or from commits, with every mistake placed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from gatebot.errors import ConfigError, Location
from gatebot.model.case import CaseFile
from gatebot.model.config import Config
from gatebot.model.suite import Suite
from gatebot.suite.explain import explain
from gatebot.suite.finding import MOST_TOLD, joined
from gatebot.suite.grader_files import ListedOnce, grader_files
from gatebot.suite.json_lines import is_lines, read_lines
from gatebot.suite.lint import lint_suite, raise_errors
from gatebot.suite.loaded import ConfigFile, LoadedCase
from gatebot.suite.normalize import to_case
from gatebot.suite.source import DirectorySource, FileSource, matching
from gatebot.suite.tool_file import with_tools
from gatebot.suite.yaml_reader import YamlDocument, read_yaml

__all__ = [
    "CONFIG_NAME",
    "MAX_CASES",
    "ConfigFile",
    "LoadedCase",
    "by_id",
    "case_paths",
    "load_case",
    "load_cases",
    "load_config",
    "load_file",
    "load_suite",
    "load_suite_from",
]

CONFIG_NAME = "gatebot.yaml"
MAX_CASES = 10_000


def load_suite(root: Path, config: str = CONFIG_NAME) -> Suite:
    """The suite in the directory `root`, checked: what would make a gate meaningless is an error here.

    `config` is the path of the configuration relative to `root`. Raises: ConfigError, with file, line and column.
    """
    source = DirectorySource(root)
    return load_suite_from(source, source, config)


def load_suite_from(policy: FileSource, cases: FileSource, config: str = CONFIG_NAME) -> Suite:
    """A checked suite whose configuration comes from one source and whose cases come from another.

    The configuration's globs choose the cases. Raises: ConfigError, with file, line and column.
    """
    config_file = load_config(policy, config)
    loaded = load_cases(cases, config_file)
    raise_errors(lint_suite(config_file, loaded, same_source=policy is cases))
    return Suite(config_file.config, tuple(item.case for item in loaded))


def load_config(source: FileSource, path: str = CONFIG_NAME) -> ConfigFile:
    """The configuration at `path` of `source`, with the schemas of its tools.

    Raises: ConfigError, also when there is no such file.
    """
    try:
        raw = source.read(path)
    except FileNotFoundError:
        raise ConfigError(
            "there is no such configuration",
            "name another with --config, or write one: `gatebot init`",
            location=Location(path),
        ) from None
    document = read_yaml(path, raw)
    if document.value is None:
        raise ConfigError("the configuration is empty", "`gatebot init` writes one", location=Location(path))
    try:
        config = Config.model_validate(document.value)
    except ValidationError as error:
        raise explain(error, document, Config) from None
    return with_tools(source, ConfigFile(config, document))


def load_cases(source: FileSource, config: ConfigFile) -> tuple[LoadedCase, ...]:
    """The cases the configuration's globs find in `source`, sorted by id.

    Raises: ConfigError for a bad glob, for none or more than 10,000 cases, for two cases of one id (also when they
    differ in capitals alone: some file systems cannot hold both), and for anything wrong in a case; what is wrong in
    further files is told with it.
    """
    source = ListedOnce(source)
    loaded: list[LoadedCase] = []
    wrong: list[ConfigError] = []
    for path in case_paths(source, config):
        try:
            loaded += load_file(source, path, config.folder)
        except ConfigError as error:
            wrong.append(error)
            if len(wrong) == MOST_TOLD:
                break
    if wrong:
        raise joined(wrong)
    return by_id(loaded)


def by_id(cases: Iterable[LoadedCase]) -> tuple[LoadedCase, ...]:
    """The cases sorted by id. Raises: ConfigError when two have one id, or ids that differ in capitals alone."""
    loaded = sorted(cases, key=lambda item: item.case.id)
    if len(loaded) > MAX_CASES:
        raise ConfigError(
            f"the suite has {len(loaded):,} cases, more than {MAX_CASES:,}",
            "narrow the globs",
            location=Location(loaded[0].document.path),
        )
    seen: dict[str, LoadedCase] = {}
    for item in loaded:
        first = seen.setdefault(item.case.id.casefold(), item)
        if first is not item:
            raise ConfigError(
                f"the case id '{item.case.id}' is taken: {first.document.path} has '{first.case.id}'",
                "give one of them another id (capitals alone do not tell ids apart)",
                location=item.document.locate(("id",), key=True),
            )
    return tuple(loaded)


def case_paths(source: FileSource, config: ConfigFile) -> list[str]:
    """Sorted paths of the case files. Raises: ConfigError for a glob that leads out, and for none or too many."""
    found: set[str] = set()
    for number, pattern in enumerate(config.config.cases):
        try:
            found.update(matching(source, config.folder, pattern))
        except ValueError as error:
            raise ConfigError(
                str(error),
                "write it relative to the configuration, without '..'",
                location=config.document.locate(("cases", number)),
            ) from None
    paths = sorted(found - {config.document.path})
    place = config.document.locate(("cases",))
    if not paths:
        globs = ", ".join(config.config.cases)
        raise ConfigError(
            f"the suite is empty: no case file matches {globs}", "write a first case", location=place
        )
    if len(paths) > MAX_CASES:
        raise ConfigError(
            f"the suite has {len(paths):,} cases, more than {MAX_CASES:,}", "narrow the globs", location=place
        )
    return paths


def load_file(source: FileSource, path: str, folder: str = "") -> tuple[LoadedCase, ...]:
    """The cases at `path` of `source`: one of a YAML file, one for each line of a JSON Lines file.

    Raises: ConfigError as `load_case` does; with file and line for a line, which must say its `id`.
    """
    if not is_lines(path):
        return (load_case(source, path, folder),)
    loaded: list[LoadedCase] = []
    for document in read_lines(path, _read(source, path)):
        written = _validated(document)
        if written.id is None:
            raise ConfigError(
                "a case on a line has no file's name to be called by",
                'give it an "id"',
                location=Location(path, document.line),
            )
        loaded.append(_loaded(source, written, written.id, document, folder))
    return tuple(loaded)


def load_case(source: FileSource, path: str, folder: str = "") -> LoadedCase:
    """The case at `path` of `source`; its `path` is told relative to `folder`, the suite's.

    Raises: ConfigError, also for a file name that makes no id, and for a grader whose files are not there.
    """
    document = read_yaml(path, _read(source, path))
    if document.value is None:
        raise ConfigError("the case is empty", "write at least `input:`", location=Location(path))
    written = _validated(document)
    return _loaded(source, written, written.id or _id_of(path), document, folder)


def _read(source: FileSource, path: str) -> bytes:
    if not path.isprintable():
        raise ConfigError("a case file has an unprintable name", "rename it", location=Location(ascii(path)))
    try:
        return source.read(path)
    except FileNotFoundError:
        raise ConfigError("there is no such case file", "check the path", location=Location(path)) from None


def _validated(document: YamlDocument) -> CaseFile:
    try:
        return CaseFile.model_validate(document.value)
    except ValidationError as error:
        raise explain(error, document, CaseFile) from None


def _loaded(
    source: FileSource, written: CaseFile, name: str, document: YamlDocument, folder: str
) -> LoadedCase:
    case = to_case(written, name, document)
    prefix = f"{folder}/" if folder else ""
    files = grader_files(source, folder, case.expect, document)
    return LoadedCase(replace(case, path=document.path.removeprefix(prefix), grader_files=files), document)


def _id_of(path: str) -> str:
    stem = PurePosixPath(path).stem
    try:
        CaseFile.model_validate({"id": stem, "input": "-"})
    except ValidationError:
        raise ConfigError(
            f"the file's name makes no case id: '{stem}'",
            "rename it to letters, digits, '.', '_' and '-', or write an `id:`",
            location=Location(path),
        ) from None
    return stem
