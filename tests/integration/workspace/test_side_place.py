"""A side's place with real processes: made once, found again, never shared, and never trusted once it was touched."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.errors import RepositoryError
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Program
from gatebot.workspace.checkout import examine
from gatebot.workspace.repository import open_repository
from gatebot.workspace.setup import Launcher
from gatebot.workspace.side_place import SideFiles, SidePlace, side_place
from gatebot.workspace.tree import nothing
from tests.builders import Project

AGENT = {"agent.py": "print('hi')\n", "lib/tool.py": "x = 1\n"}


class Quick:
    """Launches for real, but makes no Python environment: that takes seconds, and another test does it."""

    def __init__(self, launchers: Launchers) -> None:
        self._launchers = launchers
        self.run_directory = launchers.run_directory

    def launch(self, program: Program) -> Ended:
        return Ended("exited", exit_code=1) if "venv" in program.argv else self._launchers.launch(program)


@pytest.fixture(scope="module")
def real() -> Iterator[Launchers]:
    with Launchers() as opened:
        yield opened


@pytest.fixture
def launchers(real: Launchers) -> Quick:
    return Quick(real)


@pytest.fixture
def parent(cache: Path) -> Path:
    place = cache / "sides"
    place.mkdir()
    place.chmod(0o711)
    return place


@pytest.fixture
def files(tmp_path: Path) -> SideFiles:
    repository = open_repository(Project(tmp_path / "repo", AGENT).root)
    tree = repository.tree(repository.resolve("HEAD"))
    return SideFiles("head", tree, nothing, examine(tree).digest, commands=("echo x >> times",))


def made(parent: Path, launchers: Launcher, files: SideFiles) -> tuple[SidePlace, str]:
    """The place, and how often its setup ran into it."""
    with side_place(parent, launchers, files, parent.parent / "log") as place:
        times = place.directory / "times"
        return place, times.read_text(encoding="utf-8") if times.exists() else ""


def test_a_place_is_made_once_and_found_again(parent: Path, launchers: Launcher, files: SideFiles) -> None:
    first, times = made(parent, launchers, files)
    assert (first.kept, first.setup.ok, times) == (False, True, "x\n")
    again, times = made(parent, launchers, files)
    assert again == replace(first, kept=True)
    assert times == "x\n"
    assert "head" not in str(first.directory.relative_to(parent))


def edit(checkout: Path) -> None:
    (checkout / "agent.py").write_text("evil()\n", encoding="utf-8")


def add(checkout: Path) -> None:
    (checkout / "lib" / "new.py").write_text("evil()\n", encoding="utf-8")


def remove(checkout: Path) -> None:
    (checkout / "agent.py").unlink()


def date(checkout: Path) -> None:
    os.utime(checkout / "agent.py", (946_684_800, 946_684_800))


def unseal(checkout: Path) -> None:
    (checkout.parent / "seal").unlink()


@pytest.mark.parametrize("touch", [edit, add, remove, date, unseal])
def test_what_was_touched_is_made_anew(
    parent: Path, launchers: Launcher, files: SideFiles, touch: Callable[[Path], None]
) -> None:
    first, _ = made(parent, launchers, files)
    touch(first.directory)
    again, times = made(parent, launchers, files)
    assert (again.kept, times) == (False, "x\n")
    assert (again.directory / "agent.py").read_text(encoding="utf-8") == AGENT["agent.py"]
    assert made(parent, launchers, files)[0].kept


def test_nothing_is_shared_that_was_made_from_something_else(
    parent: Path, launchers: Launcher, files: SideFiles
) -> None:
    others = [
        files,
        replace(files, side="base"),
        replace(files, commands=("echo x >> times", "true")),
        replace(files, commands=()),
        replace(files, folder="lib"),
        replace(files, variables={"PIP_INDEX_URL": "http://127.0.0.1"}),
    ]
    places = {made(parent, launchers, one)[0].directory.parts[len(parent.parts)] for one in others}
    assert len(places) == len(others)


def test_two_runs_at_a_time_do_not_share_a_place(parent: Path, launchers: Launcher, files: SideFiles) -> None:
    with side_place(parent, launchers, files, parent.parent / "log") as one:
        with side_place(parent, launchers, files, parent.parent / "log") as other:
            assert one.directory != other.directory
        assert (one.directory / "times").read_text(encoding="utf-8") == "x\n"


def test_a_failed_setup_is_tried_again(parent: Path, launchers: Launcher, files: SideFiles) -> None:
    failing = replace(files, commands=("echo x >> times; exit 1",))
    for _ in range(2):
        place, times = made(parent, launchers, failing)
        assert (place.setup.ok, place.kept, times) == (False, False, "x\n")


def test_a_tree_that_changes_meanwhile_is_an_error(
    parent: Path, launchers: Launcher, files: SideFiles
) -> None:
    with (
        pytest.raises(RepositoryError, match="changed while it was read"),
        side_place(parent, launchers, replace(files, digest="0" * 64), parent.parent / "log"),
    ):
        pass


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_setup_runs_as_another_user_and_leaves_nothing_that_trials_can_write(
    parent: Path, real: Launchers, files: SideFiles
) -> None:
    secret = parent / "secret"
    secret.write_text("sentinel", encoding="utf-8")
    secret.chmod(0o600)
    files = replace(
        files,
        commands=(
            "id -u > user; mkdir made; echo hi > made/file; chmod 0700 made; chmod 4755 made/file",
            f"cat {secret} > stolen; ln {secret} hard 2>> stolen; ln -s {secret} soft",
            "cp /bin/true made/tool && python -c 'import sys; print(sys.prefix)'",
        ),
    )
    with side_place(parent, real, files, parent.parent / "log") as place:
        log = (parent.parent / "log").read_text(encoding="utf-8")
        assert place.setup.ok, log
        assert int((place.directory / "user").read_text(encoding="utf-8")) > 1001
        assert "sentinel" not in (place.directory / "stolen").read_text(encoding="utf-8")
        assert (secret.stat().st_mode & 0o7777, secret.stat().st_uid) == (0o600, 0)
        for path in (
            place.directory,
            *place.directory.rglob("*"),
            *place.setup.bin_dirs[0].parent.rglob("*"),
        ):
            found = path.lstat()
            assert found.st_uid == 0
            assert stat.S_ISLNK(found.st_mode) or not found.st_mode & (
                stat.S_IWOTH | stat.S_IWGRP | stat.S_ISUID
            )
        assert (place.directory / "made" / "tool").stat().st_mode & 0o7777 == 0o755
        with real.run_directory((place.directory,)) as run:
            program = Program(
                ("/bin/sh", "-c", "cat made/file; echo x > made/file"),
                place.directory,
                {"PATH": "/usr/bin:/bin"},
                10,
                user=run.user,
            )
            ended = real.launch(program)
        assert (ended.stdout, ended.ok) == (b"hi\n", False)
    assert made(parent, real, files)[0].kept


def test_installing_is_said_before_it_begins_and_when_it_is_over(
    parent: Path, launchers: Launcher, files: SideFiles
) -> None:
    told: list[str] = []
    for _ in range(2):  # the second time it is found, and nothing is installed
        with side_place(parent, launchers, files, parent.parent / "setup-head.log", told.append) as place:
            assert place.setup.ok
    assert told[0] == "head: installing (1 command of agent.setup); log: setup-head.log"
    assert told[1].startswith("head: installed after ")
    assert len(told) == 2
