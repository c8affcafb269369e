"""How the publisher connects: by default no variable of an earlier step can lead its token astray."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Literal

from gatebot.errors import UsageError
from gatebot.workspace.certificates import FOR_HTTP, check_certificates

Connect = Literal["directly", "environment"]

_LOGINS = "NETRC"
"""Names the file whose logins the HTTP library would send in the token's place; the default is in HOME."""


def connection(word: str) -> Connect:
    """What `--connect` asks for. Raises UsageError."""
    match word:
        case "directly" | "environment":
            return word
        case _:
            raise UsageError(f"--connect is no {word[:40]!a}", "write directly or environment")


def leads_astray(name: str) -> bool:
    """Whether a variable can send connections over somebody's proxy, or make somebody's certificates trusted."""
    upper = name.upper()
    return upper.endswith("_PROXY") or upper in FOR_HTTP or upper == _LOGINS


def astray(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The names among `variables` that `leads_astray`, sorted."""
    return tuple(sorted(filter(leads_astray, variables)))


@contextmanager
def connected(how: Connect) -> Generator[tuple[str, ...]]:
    """Within the block this process connects as asked; the names that were put aside, sorted.

    An earlier step of the job may have set them for every later one: a proxy and a certificate together read the token.
    Raises UsageError where the environment is to be heeded and names certificates that are none.
    """
    if how == "environment":
        check_certificates(os.environ)
        yield ()
        return
    names = astray(os.environ)
    before = {name: os.environ.pop(name) for name in names}
    os.environ[_LOGINS] = os.devnull
    try:
        yield names
    finally:
        del os.environ[_LOGINS]
        os.environ.update(before)
