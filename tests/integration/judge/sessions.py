"""Sessions against a loopback server."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatebot.judge.opening import Surroundings, open_session
from gatebot.judge.session import JudgingSession
from gatebot.model.json_value import JsonValue
from gatebot.model.judge import JudgeConfig
from tests.fakes.anthropic_server import KEY, AnthropicServer
from tests.integration.judge.clock import FakeClock


@dataclass(frozen=True)
class Bench:
    """A server, a clock, and sessions on them."""

    server: AnthropicServer
    clock: FakeClock
    cache: Path | None = None

    @contextmanager
    def session(self, *, pending: tuple[str, ...] = (), **config: JsonValue) -> Generator[JudgingSession]:
        """A session of a configuration; the loopback address is filled in."""
        made = judge_config(self.server, **config)
        around = Surroundings(KEY, (), self.cache, self.clock.clock(), pending)
        session = open_session(made, around)
        yield session
        session.asker.api.close()


def judge_config(server: AnthropicServer, **config: JsonValue) -> JudgeConfig:
    """A configuration as a person writes it, for the loopback server."""
    return JudgeConfig.model_validate({"base_url": server.url, **config})
