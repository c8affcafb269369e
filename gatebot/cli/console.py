"""What a person sees on a terminal: plain text on standard output, progress and errors on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from gatebot.errors import ConfigError, GatebotError

CORRECT_IT = "correct it; `gatebot validate` checks the suite without running anything"
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


def say(text: str) -> None:
    """Write text and a newline to standard output, whatever its encoding."""
    _write(sys.stdout, text + "\n")


def warn(text: str) -> None:
    """Write text and a newline to standard error."""
    _write(sys.stderr, text + "\n")


def show_error(error: GatebotError) -> None:
    """Write `error: …`, and `hint: …` where there is something to add to it."""
    warn(f"error: {error}".translate(_CONTROL))
    hint = error.hint or (CORRECT_IT if isinstance(error, ConfigError) else "")
    if hint:
        warn(f"\nhint: {hint}".translate(_CONTROL))
    for other in error.also if isinstance(error, ConfigError) else ():
        warn(f"\nalso: {other}".translate(_CONTROL))
        if other.hint:
            warn(f"  hint: {other.hint}".translate(_CONTROL))


def say_exactly(data: bytes) -> None:
    """Write bytes to standard output as they are."""
    if sys.stdout is None:  # closed by who started us
        return
    with _reader_may_leave(sys.stdout):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()


def _write(stream: TextIO | None, text: str) -> None:
    """Characters the terminal's encoding lacks are written as escapes: a locale must never end a run.

    `stream` is None where it was closed before gatebot started (`gatebot … 2>&-`).
    """
    if stream is None:
        return
    encoding = stream.encoding or "ascii"
    with _reader_may_leave(stream):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()


@contextmanager
def _reader_may_leave(stream: TextIO) -> Generator[None]:
    """Go on in silence when nobody reads any more (`gatebot … | head`): the exit code is still to be told."""
    try:
        yield
    except OSError:  # EPIPE, or a full disk behind the redirection: the results are on disk already
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
