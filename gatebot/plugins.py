"""A name → an implementation: which agent a configuration asks for."""

from __future__ import annotations

from pathlib import Path

from gatebot.agents.build import make_agent as _build
from gatebot.agents.graders import GraderFiles
from gatebot.model.config import AgentConfig
from gatebot.ports import Agent
from gatebot.process.launch import Launchers


def make_agent(
    config: AgentConfig, directory: Path, launchers: Launchers, graders: GraderFiles | None = None
) -> Agent:
    """The agent a side's configuration names; paths in it are relative to `directory`. Raises ConfigError.

    `graders`: case id → the files its own graders are made of.
    """
    return _build(config, launchers=launchers, directory=directory, graders=graders)
