"""What another user cannot enter is named with its mode; the report says what holds and what does not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.isolation import Network, closed_to_others, describe


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory everybody can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_directory_open_to_all_is_fine(place: Path) -> None:
    inner = place / "passage" / "inner"
    inner.mkdir(parents=True)
    (place / "passage").chmod(0o711)
    inner.chmod(0o755)
    assert closed_to_others([inner, Path("/usr/bin")]) == ""


@pytest.mark.parametrize(
    ("mode", "shown"), [(0o700, "0700"), (0o750, "0750"), (0o711, "0711"), (0o754, "0754")]
)
def test_a_closed_directory_is_named(place: Path, mode: int, shown: str) -> None:
    closed = place / "closed"
    closed.mkdir()
    closed.chmod(mode)
    assert closed_to_others([closed]) == f"{closed} (mode {shown}) cannot be entered by another user"


def test_a_closed_parent_is_named(place: Path) -> None:
    (place / "home" / "project").mkdir(parents=True)
    (place / "home").chmod(0o700)
    assert closed_to_others([place / "home" / "project"]).startswith(f"{place / 'home'} (mode 0700)")


def test_where_a_link_leads_counts(place: Path) -> None:
    (place / "home" / "project").mkdir(parents=True)
    (place / "home").chmod(0o700)
    (place / "link").symlink_to(place / "home" / "project")
    assert "home (mode 0700)" in closed_to_others([place / "link"])


def test_an_environment_whose_python_lies_in_a_closed_home_is_named(place: Path) -> None:
    interpreter = place / "home" / "python3.12"
    interpreter.parent.mkdir()
    interpreter.write_text("")
    interpreter.parent.chmod(0o700)
    (place / "env" / "bin").mkdir(parents=True)
    (place / "env" / "bin" / "python").symlink_to(interpreter)
    assert "home (mode 0700)" in closed_to_others([place / "env" / "bin"])


def test_what_is_not_there_is_left_to_the_start_of_the_program(place: Path) -> None:
    assert closed_to_others([place / "gone"]) == ""


@pytest.mark.parametrize(
    ("no_user", "no_filter", "network", "words"),
    [
        (
            "",
            "",
            "none",
            (
                "each trial under an unprivileged user of its own, with a clean environment and no network; "
                "files that everybody may read are open to agents"
            ),
        ),
        (
            "gatebot is not root",
            "no filter",
            "none",
            (
                "degraded: agents ran as gatebot's own user, with a clean environment; gatebot is not root; "
                "files that everybody may read are open to agents; the network could not be closed: no filter"
            ),
        ),
        (
            "",
            "no filter",
            "open",
            (
                "each trial under an unprivileged user of its own, with a clean environment; "
                "files that everybody may read are open to agents; the network is open"
            ),
        ),
        (
            "",
            "",
            "loopback",
            (
                "each trial under an unprivileged user of its own, with a clean environment; "
                "files that everybody may read are open to agents; "
                "the network is open: loopback alone cannot be enforced yet"
            ),
        ),
    ],
)
def test_the_report_in_words(no_user: str, no_filter: str, network: Network, words: str) -> None:
    assert str(describe(no_user, no_filter, network)) == words
