"""Which variables count as tokens, whose code is a program, and what a degraded sandbox must say."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.sandbox import alert, check_entry, credentials_left, starts_programs, tokens_in
from gatebot.errors import InfrastructureError
from gatebot.model.config import AgentConfig
from gatebot.process.isolation import Obstacles, describe
from gatebot.process.selftest import SelfTest

HELD = SelfTest(("a",))


def test_github_s_tokens_are_named_and_nothing_else() -> None:
    environment = {
        "GITHUB_TOKEN": "t",
        "GH_TOKEN": "t",
        "ACTIONS_RUNTIME_TOKEN": "t",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t",
        "INPUT_GITHUB-TOKEN": "t",
        "github_token": "t",
        "GITHUB_SHA": "0",
        "GITHUB_ENTERPRISE_TOKEN": "",
        "OPENAI_API_KEY": "k",
        "MAX_TOKENS": "100",
    }
    assert tokens_in(environment) == (
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "INPUT_GITHUB-TOKEN",
        "github_token",
    )


@pytest.mark.parametrize(
    ("agent", "starts"),
    [
        (AgentConfig(command=("a",)), True),
        (AgentConfig(python="a:b"), True),
        (AgentConfig(replay="a.jsonl"), False),
        (AgentConfig(replay="a.jsonl", setup=("make",)), True),
    ],
)
def test_only_code_of_a_side_needs_a_sandbox(agent: AgentConfig, starts: bool) -> None:
    assert starts_programs(agent) is starts


def test_a_token_that_a_checkout_left_is_found(tmp_path: Path) -> None:
    repo, temp = tmp_path / "repo", tmp_path / "temp"
    (repo / ".git").mkdir(parents=True)
    temp.mkdir()
    assert credentials_left(repo, str(temp)) == credentials_left(tmp_path, "") == ()
    (repo / ".git" / "config").write_text("[http]\n  extraHeader = AUTHORIZATION: basic eA==\n")
    (temp / "git-credentials-1.config").touch()
    assert credentials_left(repo, str(temp)) == ("config", "git-credentials-1.config")
    assert credentials_left(repo, "") == ("config",)


def test_a_whole_sandbox_needs_no_alert() -> None:
    assert alert(describe(Obstacles(), "none", HELD)) == ()


@pytest.mark.parametrize(
    ("obstacles", "test", "word"),
    [
        (Obstacles(user="no user"), HELD, "no user"),
        (Obstacles(files="no Landlock"), HELD, "no Landlock"),
        (Obstacles(), SelfTest(("a",), ("trace gatebot",)), "trace gatebot"),
        (Obstacles(), SelfTest(trouble="not tried"), "not tried"),
    ],
)
def test_an_alert_says_what_is_missing(obstacles: Obstacles, test: SelfTest, word: str) -> None:
    (sentence,) = alert(describe(obstacles, "none", test))
    assert sentence.startswith("The sandbox is not whole: ")
    assert word in sentence


def test_an_interpreter_below_a_closed_home_is_an_error_that_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    home.chmod(0o700)
    with pytest.raises(InfrastructureError, match=r"mode 0700\) cannot be entered") as caught:
        check_entry(describe(Obstacles(), "none", HELD), [home / "bin"])
    assert caught.value.exit_code == 3
    assert "below /usr" in caught.value.hint
    check_entry(describe(Obstacles(user="no user"), "none", HELD), [home / "bin"])
