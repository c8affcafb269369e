"""A name → an implementation: which agent a configuration asks for."""

from __future__ import annotations

from pathlib import Path

from gatebot.agents.build import make_agent as _build
from gatebot.model.config import AgentConfig
from gatebot.ports import Agent
from gatebot.process.launch import Launchers


def make_agent(config: AgentConfig, directory: Path, launchers: Launchers) -> Agent:
    """The agent a side's configuration names; paths in it are relative to `directory`. Raises ConfigError."""
    return _build(config, launchers=launchers, directory=directory)
