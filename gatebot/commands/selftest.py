"""`gatebot selftest`: the sandbox tried on this machine, as every evaluation tries it first."""

from __future__ import annotations

from gatebot.process.isolation import IsolationReport, Network
from gatebot.process.launch import Launchers
from gatebot.workspace.session import session_directory


def selftest(network: Network) -> IsolationReport:
    """Which walls stand around trials that get this network. Raises InfrastructureError without a place to try."""
    with session_directory() as session, Launchers(session) as launchers:
        return launchers.isolation(network=network)


def in_words(report: IsolationReport) -> list[str]:
    """One line per attack, then what is missing, then the whole in a sentence."""
    return [
        *(f"held      {name}" for name in report.held),
        *(f"NOT held  {name}" for name in report.breaches),
        *(f"missing   {reason}" for reason in report.missing),
        str(report),
    ]
