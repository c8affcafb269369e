"""From the configuration's `agent` to an agent that runs trials."""

from __future__ import annotations

from pathlib import Path

from gatebot.agents.graders import GraderFiles, Graders
from gatebot.agents.program_agent import Prepare, ProgramAgent
from gatebot.model.config import AgentConfig
from gatebot.ports import Agent
from gatebot.process.launch import Launchers


def make_agent(
    config: AgentConfig, *, launchers: Launchers, directory: Path, graders: GraderFiles | None = None
) -> Agent:
    """The agent that `config` describes, for both sides alike: what differs comes with each trial's environment.

    `directory` is where gatebot.yaml lies; `replay` is relative to it. `graders` are the files of the cases' own
    graders; recorded trials keep what graders said of them then. Raises InputFileError for a recording that cannot be
    read, ConfigError for a URL that must not be asked.
    """
    after = Graders(launchers, graders or {})
    copies = config.workspace == "copy"
    if config.builtin is not None:
        from gatebot.agents.builtin import NopAgent, OracleAgent

        builtin = OracleAgent() if config.builtin == "oracle" else NopAgent()
        return after.following(builtin, copies=copies)
    if config.replay is not None:
        from gatebot.agents.replay import ReplayAgent

        return ReplayAgent(directory / config.replay)
    if config.http is not None:
        from gatebot.agents.http_agent import HttpAgent  # with TLS, which takes its time

        served = HttpAgent(config.http, launchers, config.max_output_mb)
        return after.following(served, copies=False)
    prepare = _prepare(config)
    return ProgramAgent(launchers, prepare, config.max_output_mb, copies=copies, finish=after.finish)


def _prepare(config: AgentConfig) -> Prepare:
    if config.python is not None:
        from gatebot.agents.python_function import python_function

        return python_function(config.python)
    argv = config.command or ()
    return lambda _directory, _environment: argv
