"""Which files of the suite a case's graders are made of: found, hashed, and missed before anything runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gatebot.errors import ConfigError, Location
from gatebot.model.case import AnswerExpectation, Expect
from gatebot.model.suite import SuiteFile
from gatebot.suite.source import FileSource, matching
from gatebot.suite.yaml_places import Path
from gatebot.suite.yaml_reader import MAX_FILE_BYTES, YamlDocument

MAX_FILES: Final = 1000
_ANSWER: Final = ("expect", "answer")
_SCRIPTS: Final = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".r")
"""Arguments that end so are taken for a program's file; one that is not there would fail every trial, unseen."""


@dataclass(slots=True)
class ListedOnce:
    """A source whose list of files is made once: every case with a grader asks for it."""

    source: FileSource
    _listed: Sequence[str] | None = field(default=None, init=False)

    def read(self, path: str) -> bytes:
        """As the source says."""
        return self.source.read(path)

    def list(self) -> Sequence[str]:
        """As the source said the first time."""
        if self._listed is None:
            self._listed = self.source.list()
        return self._listed


@dataclass(frozen=True, slots=True)
class _Named:
    """A glob or path a grader names, and where in the case file it does. `needed`: it is wrong without a match."""

    place: Path
    pattern: str
    needed: bool


def grader_files(source: FileSource, folder: str, expect: Expect, document: YamlDocument) -> dict[str, str]:
    """Path relative to `folder` (the suite's) → sha256 in hex of every file the graders of a case are made of, sorted.

    Those are what `files` matches, what of `run` names a file, and the module of `python`. Raises ConfigError, placed
    in the case file, for one that is not there, is too large, or leads out of the suite.
    """
    answer = expect.answer
    if answer is None or (answer.command is None and answer.python is None):
        return {}
    found: dict[str, str] = {}
    for named in _named(source, folder, answer):
        paths = _matches(source, folder, named, document)
        if not paths and named.needed:
            raise ConfigError(
                f"no file of the suite matches {named.pattern!a}: the grader could not do its work",
                "graders are files below the folder of gatebot.yaml; check the path",
                location=document.locate(named.place),
            )
        for path in paths:
            if path not in found:
                found[path] = _digest(source, folder, path, document.locate(named.place))
    if len(found) > MAX_FILES:
        raise ConfigError(
            f"the graders name {len(found):,} files, more than {MAX_FILES:,}",
            "narrow the globs",
            location=document.locate(_ANSWER, key=True),
        )
    return dict(sorted(found.items()))


def hidden_grader_files(source: FileSource, folder: str, expect: Expect) -> frozenset[str]:
    """Full paths of `source` that the graders of a case name, whether or not the case was read from there."""
    answer = expect.answer
    if answer is None or (answer.command is None and answer.python is None):
        return frozenset()
    prefix = _prefix(folder)
    hidden: set[str] = set()
    for named in _named(source, folder, answer):
        try:
            hidden.update(matching(source, folder, named.pattern))
        except ValueError:
            continue  # refused where the case is loaded
        hidden.update({prefix + named.pattern} & set(source.list()))
    return frozenset(hidden)


def read_grader_files(source: FileSource, folder: str, files: dict[str, str]) -> tuple[SuiteFile, ...]:
    """The files by the paths and digests that `grader_files` gave. Raises ConfigError for one that has changed since."""
    read: list[SuiteFile] = []
    for path, digest in files.items():
        content = source.read(_prefix(folder) + path)
        if hashlib.sha256(content).hexdigest() != digest:
            raise ConfigError(
                "the grader's file changed while the suite was read",
                "leave the files alone while gatebot starts",
                location=Location(_prefix(folder) + path),
            )
        read.append(SuiteFile(path, content))
    return tuple(read)


def _named(source: FileSource, folder: str, answer: AnswerExpectation) -> Iterator[_Named]:
    if answer.command is not None:
        for number, word in enumerate(answer.command.run):
            plain = word.removeprefix("./")
            needed = (number == 0 and "/" in word.lstrip("/") and not word.startswith("/")) or (
                number > 0 and plain.endswith(_SCRIPTS) and not plain.startswith(("/", "-"))
            )
            if needed or _is_file(source, folder, plain):
                yield _Named((*_ANSWER, "command", "run", number), plain, needed)
        for number, pattern in enumerate(answer.command.files):
            yield _Named((*_ANSWER, "command", "files", number), pattern, needed=True)
    if answer.function is not None:
        written = isinstance(answer.python, str)
        place: Path = (*_ANSWER, "python") if written else (*_ANSWER, "python", "call")
        module = answer.function.call.partition(":")[0]
        for pattern in module_files(source, folder, module):
            yield _Named(place, pattern, needed=True)
        for number, pattern in enumerate(answer.function.files):
            yield _Named((*_ANSWER, "python", "files", number), pattern, needed=True)


def module_files(source: FileSource, folder: str, module: str) -> list[str]:
    """The file of `checks.py` or of the module `package.module`, with the `__init__.py` of the packages it lies in."""
    if module.endswith(".py"):
        return [module.removeprefix("./")]
    parts = module.split(".")
    packages = ["/".join((*parts[:depth], "__init__.py")) for depth in range(1, len(parts) + 1)]
    present = [path for path in packages if _is_file(source, folder, path)]
    return present if packages[-1] in present else [*present, "/".join(parts) + ".py"]


def _matches(source: FileSource, folder: str, named: _Named, document: YamlDocument) -> list[str]:
    prefix = _prefix(folder)
    if _is_file(source, folder, named.pattern):
        return [named.pattern]
    try:
        return [path.removeprefix(prefix) for path in matching(source, folder, named.pattern)]
    except ValueError as error:
        raise ConfigError(
            str(error),
            "write it relative to gatebot.yaml, without '..'",
            location=document.locate(named.place),
        ) from None


def _digest(source: FileSource, folder: str, path: str, place: Location) -> str:
    try:
        content = source.read(_prefix(folder) + path)
    except FileNotFoundError:
        raise ConfigError(f"the grader's file {path!a} cannot be read", "check it", location=place) from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError(
            f"the grader's file {path!a} is larger than {MAX_FILE_BYTES // 1024} kB",
            "graders are programs and small fixtures: make the large file from a small one",
            location=place,
        )
    return hashlib.sha256(content).hexdigest()


def _is_file(source: FileSource, folder: str, path: str) -> bool:
    return path != "" and _prefix(folder) + path in set(source.list())


def _prefix(folder: str) -> str:
    return f"{folder}/" if folder else ""
