"""What is to be told or written, as values: the parts of the outside that only `github_api` and `commands` carry out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CheckConclusion = Literal["success", "failure"]
"""Never neutral or skipped: GitHub lets those pass a required check."""

AnnotationLevel = Literal["notice", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file of the repository before and after, by its path from the repository's root."""

    path: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark on a file of the head; `line` is 1-based, `path` from the repository's root."""

    path: str
    message: str
    title: str = ""
    line: int = 1
    level: AnnotationLevel = "failure"


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """What a check run says: one sentence, Markdown of at most 65,535 characters each, annotations."""

    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything one evaluation tells: comment (its ladder of shorter forms), check, job summary, step outputs."""

    comments: tuple[str, ...]
    check: CheckOutput
    conclusion: CheckConclusion
    summary_page: str
    outputs: tuple[tuple[str, str], ...] = ()
