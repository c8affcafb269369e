"""What another user cannot enter is named with its mode; the report says what holds and what does not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.isolation import IsolationReport, closed_to_others


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


def test_the_report_in_words() -> None:
    assert str(IsolationReport(own_user=True)).startswith("each trial under an unprivileged user of its own")
    degraded = IsolationReport(own_user=False, missing=("gatebot is not root", "the network is open"))
    assert str(degraded).startswith("degraded: ")
    assert str(degraded).endswith("; gatebot is not root; the network is open")
