"""From the configuration's `agent` to an agent that runs trials."""

from __future__ import annotations

from pathlib import Path

from gatebot.agents.builtin import NopAgent, OracleAgent
from gatebot.agents.program_agent import ProgramAgent
from gatebot.agents.python_function import python_function
from gatebot.agents.replay import ReplayAgent
from gatebot.errors import ConfigError
from gatebot.model.config import AgentConfig
from gatebot.ports import Agent
from gatebot.process.launch import Launchers


def make_agent(config: AgentConfig, *, launchers: Launchers, directory: Path) -> Agent:
    """The agent that `config` describes, for both sides alike: what differs comes with each trial's environment.

    `directory` is where gatebot.yaml lies; `replay` is relative to it. Raises InputFileError for a recording that
    cannot be read, ConfigError for a kind of agent that is not built in.
    """
    if config.builtin == "oracle":
        return OracleAgent()
    if config.builtin == "nop":
        return NopAgent()
    if config.replay is not None:
        return ReplayAgent(directory / config.replay)
    if config.command is not None:
        argv = config.command
        return ProgramAgent(launchers, lambda _directory, _environment: argv, config.max_output_mb)
    if config.python is not None:
        return ProgramAgent(launchers, python_function(config.python), config.max_output_mb)
    message = f"agents of kind {config.kind} are not built in"
    raise ConfigError(message, "use command, python, replay, oracle or nop")
