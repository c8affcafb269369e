"""A child's environment holds fixed names and what was allowed, whatever gatebot's own holds."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.process.environment import allowed_variables, child_environment, is_withheld

HOME, SCRATCH = PurePath("/r/home"), PurePath("/r/tmp")
RUNNER_NAMES = (
    "GITHUB_TOKEN",
    "github_token",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "RUNNER_TEMP",
    "INPUT_TOKEN",
    "LD_PRELOAD",
    "GATEBOT_SEED",
)


def test_the_fixed_names() -> None:
    assert child_environment(home=HOME, scratch=SCRATCH, seed=7) == {
        "GATEBOT_SEED": "7",
        "HOME": "/r/home",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": "/r/tmp",
        "TZ": "UTC",
    }


def test_the_sides_programs_come_first() -> None:
    made = child_environment(home=HOME, scratch=SCRATCH, bin_dirs=[PurePath("/env/bin"), PurePath("/x")])
    assert made["PATH"].startswith("/env/bin:/x:/usr/local/sbin:")
    assert "GATEBOT_SEED" not in made


@pytest.mark.parametrize("name", RUNNER_NAMES)
def test_what_belongs_to_the_runner_never_passes(name: str) -> None:
    assert is_withheld(name)
    made = child_environment(home=HOME, scratch=SCRATCH, variables={name: "SENTINEL"})
    assert "SENTINEL" not in made.values()


def test_an_allow_list_says_what_passed_what_was_withheld_and_what_is_absent() -> None:
    source = {"KEY": "k", "GITHUB_TOKEN": "t", "OTHER": "o", "PATH": "/evil"}
    allowed = allowed_variables(["ZED", "KEY", "GITHUB_TOKEN", "PATH", "KEY"], source)
    assert allowed.values == {"KEY": "k"}
    assert allowed.withheld == ("GITHUB_TOKEN", "PATH")
    assert allowed.absent == ("ZED",)


@given(st.dictionaries(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True), st.text(max_size=5)))
def test_no_variable_moves_a_fixed_name(variables: dict[str, str]) -> None:
    hostile = {**variables, "HOME": "/somewhere", "PATH": ".", "TMPDIR": "/", "LANG": "x", "TZ": "x"}
    plain = child_environment(home=HOME, scratch=SCRATCH, seed=1)
    made = child_environment(home=HOME, scratch=SCRATCH, seed=1, variables=hostile)
    assert {name: made[name] for name in plain if name != "PYTHONDONTWRITEBYTECODE"} == {
        name: value for name, value in plain.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    assert list(made) == sorted(made)
    assert {name for name in made if name not in plain} <= set(variables)
