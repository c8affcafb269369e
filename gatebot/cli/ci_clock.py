"""What `gatebot ci` needs from the outside: the environment, clocks, random words, signals."""

from __future__ import annotations

import datetime
import secrets
import signal
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from gatebot.cli.console import say
from gatebot.cli.keeping import cache_place
from gatebot.commands.ci.context import CiContext, config_path
from gatebot.errors import Cancelled, UsageError
from gatebot.github_api.app_tokens import AppKey, AppTokens
from gatebot.github_api.client import Access, Client
from gatebot.github_api.event import RunnerEnvironment, runner_environment
from gatebot.github_api.retry import Clock
from gatebot.github_api.workflow_commands import mask_lines


@contextmanager
def running_context(config: str, out: str, app: str, variables: Mapping[str, str]) -> Generator[CiContext]:
    """The context of this run; SIGTERM ends it as Ctrl-C does, so that the check is completed. Raises UsageError."""
    environment = runner_environment(variables)
    if not environment.token:
        raise UsageError("no token was given", "hand it on: `github-token: ${{ github.token }}`")
    _mask(environment.token)
    pace = 0.0 if environment.api_url.startswith("http://127.0.0.1:") else 1.0
    access = Access(environment.api_url, environment.repo, environment.token, pace_s=pace)
    tokens = _app_tokens(environment)
    if tokens is not None:
        access = replace(access, token=tokens.make(), renewed=tokens.make)
        app = tokens.slug()
    context = CiContext(
        client=Client(access, Clock(time.time, time.sleep)),
        environment=environment,
        config=config_path(config),
        out=config_path(out),
        app=app,
        say=say,
        random_word=lambda: secrets.token_hex(16),
        now=lambda: datetime.datetime.now(datetime.UTC),
        variables=variables,
        cache=cache_place(None),
    )
    before = signal.signal(signal.SIGTERM, _ended)
    try:
        yield context
    finally:
        signal.signal(signal.SIGTERM, before)


def _app_tokens(environment: RunnerEnvironment) -> AppTokens | None:
    """The App whose tokens are to be made, if its id and key were given. Raises UsageError."""
    if not environment.app_id and not environment.app_key:
        return None
    _mask(environment.app_key)
    if not environment.app_id or not environment.app_key:
        raise UsageError("of app-id and app-private-key only one was given", "hand on both, or neither")
    key = AppKey(environment.app_id, environment.app_key)
    return AppTokens(environment.api_url, environment.repo, key, _mask)


def _mask(secret: str) -> None:
    for line in mask_lines(secret):
        say(line)


def client_if_told(variables: Mapping[str, str]) -> Client | None:
    """A client from GITHUB_TOKEN and GITHUB_REPOSITORY; None when one is missing. Somebody waits for it: not for long."""
    token, repo = variables.get("GITHUB_TOKEN", ""), variables.get("GITHUB_REPOSITORY", "")
    if not token or not repo:
        return None
    api = variables.get("GITHUB_API_URL") or "https://api.github.com"
    return Client(Access(api, repo, token, wait_s=10), Clock(time.time, time.sleep))


def _ended(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Cancelled(0, 0)
