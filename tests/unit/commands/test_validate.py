"""What validating says of `paths`: a glob that names nothing lets pull requests pass without a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.validate import validate
from gatebot.errors import ConfigError
from tests.builders import CONFIG, shop


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The root of a repository that holds the shop."""
    (tmp_path / ".git").mkdir()
    for name, text in shop().items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path


def with_paths(suite: Path, paths: str) -> list[str]:
    """The messages of the warnings."""
    (suite / "gatebot.yaml").write_text(f"{CONFIG}paths: {paths}\n", encoding="utf-8")
    return [one.message for one in validate(suite, "gatebot.yaml").warnings]


def test_a_glob_that_names_no_file_is_warned_of(suite: Path) -> None:
    before = with_paths(suite, "[agent.py, golden, '.github/**', 'web/node_modules/x']")
    found = with_paths(suite, "[agnet.py, golden]")
    assert [one for one in found if one not in before] == [
        "the glob 'agnet.py' names no file of this repository"
    ]


def test_below_the_root_it_is_not_known_which_files_there_are(suite: Path) -> None:
    (suite / ".git").rmdir()
    assert with_paths(suite, "[elsewhere]") == with_paths(suite, "[agent.py]")


def test_a_glob_of_another_tools_is_an_error_at_its_place(suite: Path) -> None:
    with pytest.raises(ConfigError, match="cannot exclude") as caught:
        with_paths(suite, "[agent.py, '!docs/**']")
    assert caught.value.location is not None
    assert caught.value.location.line == CONFIG.count("\n") + 1
