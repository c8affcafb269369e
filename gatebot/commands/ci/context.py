"""What every story on GitHub needs, and how it ends."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gatebot.errors import UsageError
from gatebot.github_api.client import Client
from gatebot.github_api.event import RunnerEnvironment
from gatebot.model.report import Conclusion


@dataclass(frozen=True, slots=True)
class CiContext:
    """Clients, places and clocks. `config` and `out` are relative to the workspace; `app` is the slug of our token's App.

    `variables` is the whole environment: what the runner process gets is picked from it. `say` writes a line of the log.
    `cache`: where the runner process keeps finished trials, as an `EvaluationRequest` has it.
    """

    client: Client
    environment: RunnerEnvironment
    config: str
    out: str
    app: str
    say: Callable[[str], None]
    random_word: Callable[[], str]
    now: Callable[[], datetime.datetime]
    variables: Mapping[str, str] = field(repr=False)
    cache: Path | None = None

    @property
    def today(self) -> datetime.date:
        """The day, in UTC: it decides which quarantines are over."""
        return self.now().date()

    @property
    def out_path(self) -> Path:
        """The results directory."""
        return self.environment.workspace / self.out

    @property
    def remote(self) -> Mapping[str, str]:
        """Where commits that are missing are fetched from: `url` and `token`."""
        environment = self.environment
        return {"url": f"{environment.server_url}/{environment.repo}", "token": environment.token}

    @property
    def folder(self) -> str:
        """The suite's folder in the repository; "" at its root."""
        parent = self.config.rpartition("/")[0]
        return "" if parent == "." else parent


@dataclass(frozen=True, slots=True)
class CiOutcome:
    """How a story ended. `conclusion` decides the exit code (of `observe` mode: 0); `told`: where it was published.

    `stored`: the verdict is in the check, and the policy leaves it to the check alone to be red.
    """

    conclusion: Conclusion
    observed: bool = False
    told: tuple[str, ...] = ()
    stored: bool = False


NOTHING_TO_DO = CiOutcome("pass")


def config_path(text: str) -> str:
    """The configuration's path in the repository. Raises UsageError for one that leads out of it."""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts or text.startswith("/") or not parts:
        raise UsageError(f"the input config {text!a} leads out of the repository")
    return "/".join(parts)
