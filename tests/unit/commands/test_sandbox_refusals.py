"""When nothing is started: by what the sandbox holds, who gatebot is, and which tokens are in reach."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

import pytest

from gatebot.commands.request import EvaluationRequest
from gatebot.commands.sandbox import BESIDE_A_TOKEN, examine_sandbox, serves
from gatebot.errors import InfrastructureError
from gatebot.model.agent import AgentConfig
from gatebot.model.config import Config
from gatebot.process.isolation import IsolationReport, Network

WHOLE = IsolationReport(own_user=True, offline=False, walled=True, held=("a",))
WALLED = IsolationReport(own_user=False, offline=False, walled=True, held=("a",))
NAKED = IsolationReport(own_user=False, offline=False, walled=False, held=("a",), breaches=("b",))
OPEN_FILES = IsolationReport(own_user=True, offline=False, walled=False, held=("a",), breaches=("b",))


@dataclass(frozen=True)
class Machine:
    """What launchers would find on it."""

    report: IsolationReport

    def isolation(self, needed: Iterable[PurePath] = (), network: Network = "open") -> IsolationReport:
        del needed, network
        return self.report


def examined(
    report: IsolationReport,
    place: Path,
    *,
    environment: dict[str, str] | None = None,
    unsafe: bool = False,
    served: bool = False,
    isolation: str = "auto",
) -> IsolationReport:
    config = Config.model_validate(
        {
            "version": 1,
            "suite": "s",
            "agent": {"command": ["a"]},
            "isolation": isolation,
            "network": "loopback",
        }
    )
    request = EvaluationRequest(
        repo=place,
        config="gatebot.yaml",
        out=place / "out",
        today=datetime.date(2026, 1, 1),
        environment=environment or {},
        unsafe=unsafe,
    )
    return examine_sandbox(Machine(report), config, request, served=served)  # pyright: ignore[reportArgumentType]


@pytest.fixture(params=[0, 1000], ids=["root", "ordinary"])
def user(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    number = int(request.param)
    monkeypatch.setattr(os, "geteuid", lambda: number)
    return number


@pytest.mark.parametrize(
    ("report", "refused_for"),
    [(WHOLE, set[int]()), (OPEN_FILES, set[int]()), (WALLED, {0}), (NAKED, {0, 1000})],
    ids=["whole", "no Landlock", "no user", "neither"],
)
def test_without_a_token(tmp_path: Path, user: int, report: IsolationReport, refused_for: set[int]) -> None:
    if user in refused_for:
        with pytest.raises(InfrastructureError, match="no agent is started"):
            examined(report, tmp_path)
    else:
        assert examined(report, tmp_path) == report
    assert examined(report, tmp_path, unsafe=True) == report


@pytest.mark.parametrize(
    "name", ["GITHUB_TOKEN", "INPUT_GITHUB-TOKEN", "ACTIONS_RUNTIME_TOKEN", BESIDE_A_TOKEN]
)
@pytest.mark.parametrize("report", [WALLED, NAKED, OPEN_FILES])
@pytest.mark.usefixtures("user")
def test_beside_a_token_a_sandbox_that_is_not_whole_starts_nothing(
    tmp_path: Path, name: str, report: IsolationReport
) -> None:
    with pytest.raises(InfrastructureError, match=f"{name} is set") as caught:
        examined(report, tmp_path, environment={name: "x"})
    assert "--unsafe-no-sandbox" in caught.value.hint
    assert examined(WHOLE, tmp_path, environment={name: "x"}) == WHOLE


def test_where_nothing_stands_between_the_way_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(InfrastructureError) as caught:
        examined(NAKED, tmp_path)
    assert "nothing stands between agents and the files of gatebot's user" in str(caught.value)
    assert caught.value.hint.startswith("use a kernel with Landlock")


def test_a_server_needs_gatebot_s_own_loopback(tmp_path: Path) -> None:
    alone = IsolationReport(own_user=True, offline=False, walled=True, loopback=True, held=("a",))
    assert examined(alone, tmp_path) == alone
    said = examined(alone, tmp_path, served=True)
    assert (said.loopback, said.complete) == (False, False)
    with pytest.raises(InfrastructureError, match="must reach the server"):
        examined(alone, tmp_path, served=True, isolation="required")
    agent = {"http": {"url": "http://127.0.0.1:{port}/", "start": ["a"]}}
    assert serves(AgentConfig.model_validate(agent))
    assert not serves(AgentConfig.model_validate({"command": ["a"]}))
