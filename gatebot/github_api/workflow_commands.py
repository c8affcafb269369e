"""What the runner reads from us: annotations and masks on standard output, outputs and summary in files.

Escapes follow actions/toolkit: data `%`, CR, LF; properties also `:` and `,`. Outputs use a random delimiter that does
not occur in the value, so that no value can define a further output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from gatebot.model.publication import Annotation

MAX_SUMMARY_BYTES = 1024 * 1024
MAX_ANNOTATIONS = 10
MAX_MESSAGE = 4096
_COMMANDS = {"failure": "error", "warning": "warning", "notice": "notice"}


def annotation_line(annotation: Annotation) -> str:
    """An annotation as one workflow command."""
    command = _COMMANDS[annotation.level]
    properties = [("title", annotation.title)] if annotation.title else []
    if annotation.path:
        properties = [("file", annotation.path), ("line", str(annotation.line)), *properties]
    told = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{command}{' ' if told else ''}{told}::{_data(annotation.message[:MAX_MESSAGE])}"


def annotation_lines(annotations: Iterable[Annotation]) -> list[str]:
    """At most ten annotations of each level: what a step may make."""
    left = dict.fromkeys(_COMMANDS, MAX_ANNOTATIONS)
    lines: list[str] = []
    for annotation in annotations:
        if left[annotation.level] > 0:
            left[annotation.level] -= 1
            lines.append(annotation_line(annotation))
    return lines


def mask_lines(secret: str) -> list[str]:
    """Commands that mask a secret, each of its lines by itself; none for what is too short to mask."""
    return [f"::add-mask::{_data(line)}" for line in secret.splitlines() if len(line.strip()) >= 4]


def write_outputs(
    place: str, outputs: Iterable[tuple[str, str]], random_word: Callable[[], str]
) -> list[tuple[str, str]]:
    """Append step outputs to the file at `place`; hands back what was written ("" or absent on old GHES: nothing).

    `random_word` makes an unguessable word; one that occurs in a value is not used.
    """
    if not place:
        return []
    written: list[tuple[str, str]] = []
    block = ""
    for name, value in outputs:
        delimiter = f"gatebot_{random_word()}"
        while delimiter in value:
            delimiter = f"gatebot_{random_word()}"
        block += f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
        written.append((name, value))
    return written if _append(place, block) else []


def write_summary(place: str, page: str) -> bool:
    """Append the page to the job summary unless it is too large for it; whether it was written."""
    if not place or len(page.encode("utf-8")) + 1 > MAX_SUMMARY_BYTES:
        return False
    return _append(place, page + "\n")


def _append(place: str, text: str) -> bool:
    try:
        with Path(place).open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except OSError:
        return False
    return True


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
