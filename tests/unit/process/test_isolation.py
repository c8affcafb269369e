"""What another user cannot enter is named with its mode; the report says what holds and what does not."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.isolation import Network, Obstacles, close_mounts, closed_to_others, describe
from gatebot.process.selftest import SelfTest


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root closes mounts")
def test_mounts_are_closed_to_others_and_to_nobody_else(place: Path) -> None:
    for name, mode in (("runner_temp", 0o755), ("workspace", 0o775), ("home", 0o755)):
        (place / name).mkdir()
        (place / name).chmod(mode)
        os.chown(place / name, 1001, 1001)
    (place / "workflow").symlink_to("/tmp")
    before = Path("/tmp").stat().st_mode
    close_mounts(place)
    close_mounts(place / "gone")
    modes = [(place / name).stat().st_mode & 0o777 for name in ("runner_temp", "workspace", "home")]
    assert modes == [0o750, 0o770, 0o755]
    assert (place / "workspace").stat().st_uid == 1001
    assert Path("/tmp").stat().st_mode == before


HELD = SelfTest(("a", "b"))
USERS = (
    "each trial under an unprivileged user of its own, its files behind Landlock, with a clean environment"
)
DEGRADED = "degraded: agents ran as gatebot's own user"


@pytest.mark.parametrize(
    ("obstacles", "network", "test", "words"),
    [
        (Obstacles(), "none", HELD, f"{USERS}, without network; self-test: 2 attacks held off"),
        (Obstacles(), "open", HELD, f"{USERS}; the network is open; self-test: 2 attacks held off"),
        (
            Obstacles(),
            "loopback",
            HELD,
            f"{USERS}, with no network but a loopback of its own; self-test: 2 attacks held off",
        ),
        (
            Obstacles(loopback="not permitted"),
            "loopback",
            HELD,
            (
                f"{USERS}; the network is open: no loopback of its own can be had here: not permitted; "
                "self-test: 2 attacks held off"
            ),
        ),
        (
            Obstacles(user="gatebot is not root", files="no Landlock", offline="no filter", old="old"),
            "none",
            SelfTest(("a",), ("b", "c")),
            (
                f"{DEGRADED}, with a clean environment; gatebot is not root; files and processes are open to "
                "agents: no Landlock; the network could not be closed: no filter; "
                "self-test: of 3 attacks not held off: b, c"
            ),
        ),
        (
            Obstacles(user="gatebot is not root", old="Landlock of version 2 …"),
            "none",
            SelfTest(trouble="not tried"),
            (
                f"{DEGRADED}, its files behind Landlock, with a clean environment, without network; "
                "gatebot is not root; Landlock of version 2 …; not tried"
            ),
        ),
    ],
)
def test_the_report_in_words(obstacles: Obstacles, network: Network, test: SelfTest, words: str) -> None:
    assert str(describe(obstacles, network, test)) == words


@pytest.mark.parametrize(
    ("obstacles", "network", "test", "degraded", "complete"),
    [
        (Obstacles(), "none", HELD, False, True),
        (Obstacles(), "open", HELD, False, True),
        (Obstacles(old="matters only without a user"), "open", HELD, False, True),
        (Obstacles(), "loopback", HELD, False, True),
        (Obstacles(loopback="not permitted"), "loopback", HELD, False, False),
        (Obstacles(offline="no filter"), "none", HELD, False, False),
        (Obstacles(user="no"), "none", HELD, True, False),
        (Obstacles(files="no"), "none", HELD, True, False),
        (Obstacles(), "none", SelfTest(("a",), ("b",)), True, False),
        (Obstacles(), "none", SelfTest(trouble="no python3"), True, False),
        (Obstacles(), "none", None, True, False),
    ],
)
def test_what_is_degraded_and_what_is_all_that_was_asked_for(
    obstacles: Obstacles, network: Network, test: SelfTest | None, degraded: bool, complete: bool
) -> None:
    report = describe(obstacles, network, test)
    assert (report.degraded, report.complete) == (degraded, complete)
