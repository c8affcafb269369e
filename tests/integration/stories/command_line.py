"""Runs the real command line in this process, or in one of its own, and reads what it left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from pydantic import JsonValue

from gatebot.cli.app import run
from gatebot.model.trial import Trial
from gatebot.results.journal import read_trials

JsonObject: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command line ended."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """Everything it said."""
        return self.out + self.err


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Command lines in this process; `results` is the directory they write to unless told otherwise."""

    capture: pytest.CaptureFixture[str]
    results: Path

    def __call__(self, *argv: str | Path) -> Ended:
        """Run one command line."""
        self.capture.readouterr()
        code = run([str(word) for word in argv])
        said = self.capture.readouterr()
        return Ended(code, said.out, said.err)

    def gate(self, repo: Path, base: str, head: str, *more: str | Path) -> Ended:
        """Gate `head` against `base` into `results`."""
        return self("gate", "--repo", repo, "--base", base, "--head", head, "--out", self.results, *more)

    def report(self) -> JsonObject:
        """report.json, read as strictly as JSON asks for."""
        return strict_json((self.results / "report.json").read_text("utf-8"))

    def comment(self) -> str:
        """comment.md."""
        return (self.results / "comment.md").read_text("utf-8")

    def trials(self) -> list[Trial]:
        """The trials in the journal."""
        return list(read_trials(self.results / "trials.jsonl"))


def strict_json(text: str) -> JsonObject:
    """A JSON object; NaN and Infinity, which JSON does not have, are refused."""

    def refuse(name: str) -> None:
        message = f"{name} is not JSON"
        raise ValueError(message)

    found: JsonObject = json.loads(text, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def subprocess_argv(*argv: str | Path) -> list[str]:
    """The same command line for a process of its own."""
    return [sys.executable, "-m", "gatebot", *(str(word) for word in argv)]


def in_own_process(*argv: str | Path, environment: Mapping[str, str] | None = None) -> Ended:
    """Run one command line in a process of its own."""
    done = subprocess.run(
        subprocess_argv(*argv),
        capture_output=True,
        check=False,
        env={**os.environ, **(environment or {})},
        timeout=100,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def rows(report: JsonObject, name: str) -> dict[str, JsonObject]:
    """A list of the report (`metrics` by name, `cases` by id) as a mapping."""
    listed = report[name]
    assert isinstance(listed, list)
    found: dict[str, JsonObject] = {}
    for row in listed:
        assert isinstance(row, dict)
        key = row["name" if name == "metrics" else "id"]
        assert isinstance(key, str)
        found[key] = row
    return found


def part(row: JsonObject, name: str) -> JsonObject:
    """A field that is an object."""
    value = row[name]
    assert isinstance(value, dict)
    return value
