"""Errors as a person sees them, and the exit code of each conclusion."""

from __future__ import annotations

import pytest

from gatebot.cli.console import CORRECT_IT, show_error
from gatebot.cli.exit_codes import exit_code
from gatebot.errors import ConfigError, GatebotError, Location, UsageError
from gatebot.model.report import Conclusion


@pytest.mark.parametrize(
    ("conclusion", "code"), [("pass", 0), ("inconclusive", 0), ("fail", 1), ("not_evaluated", 3)]
)
def test_the_exit_code_of_a_conclusion(conclusion: Conclusion, code: int) -> None:
    assert exit_code(conclusion) == code


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UsageError("no", "do this"), "error: no\n\nhint: do this\n"),
        (UsageError("no"), "error: no\n"),
        (
            ConfigError("no", location=Location("a.yaml", 3, 1)),
            f"error: a.yaml:3:1: no\n\nhint: {CORRECT_IT}\n",
        ),
        (UsageError("a\x1b[2J\rb", "c\x07"), "error: a\\x1b[2J\\x0db\n\nhint: c\\x07\n"),
    ],
)
def test_an_error_is_a_sentence_and_what_to_do(
    capsys: pytest.CaptureFixture[str], error: GatebotError, said: str
) -> None:
    show_error(error)
    assert capsys.readouterr() == ("", said)
