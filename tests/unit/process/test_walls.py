"""What a trial may read and write: its own, its environment, the system; a link chosen by a setup opens no home."""

from __future__ import annotations

from pathlib import Path

from gatebot.process.isolation import closed_to_others
from gatebot.process.run_directory import run_directory
from gatebot.process.walls import DEVICES, SYSTEM, environment_of, walls_around


def environment(place: Path, interpreter: Path) -> Path:
    folder = place / "env" / "bin"
    folder.mkdir(parents=True)
    (folder / "python3").symlink_to(interpreter)
    return folder


def test_reading_is_for_what_is_needed_and_writing_for_the_run_s_own(tmp_path: Path) -> None:
    with run_directory(tmp_path) as run:
        walls = walls_around(run, (tmp_path / "checkout",), (tmp_path / "env" / "bin",))
        assert walls.readable == (*SYSTEM, run.path, tmp_path / "checkout", tmp_path / "env")
        assert walls.writable == (run.home, run.scratch, *DEVICES)
        assert walls_around(run, (), (), (tmp_path,)).writable == (run.home, run.scratch, tmp_path, *DEVICES)


def test_an_installation_is_where_the_environment_s_python_lies(tmp_path: Path) -> None:
    installation = tmp_path / "python"
    (installation / "bin").mkdir(parents=True)
    (installation / "lib" / "python3.12").mkdir(parents=True)
    (installation / "lib" / "python3.12" / "os.py").touch()
    (installation / "bin" / "python3.12").touch()
    folder = environment(tmp_path, installation / "bin" / "python3.12")
    assert environment_of(folder) == [tmp_path / "env", installation]


def test_a_link_into_somebody_s_home_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "home" / "bin").mkdir(parents=True)
    (tmp_path / "home" / "bin" / "python3").touch()
    folder = environment(tmp_path, tmp_path / "home" / "bin" / "python3")
    assert environment_of(folder) == [tmp_path / "env"]


def test_a_directory_of_programs_that_is_no_bin_is_taken_alone(tmp_path: Path) -> None:
    assert environment_of(tmp_path / "tools") == [tmp_path / "tools"]


def test_a_ring_of_links_in_place_of_an_interpreter_is_no_fault_of_ours(tmp_path: Path) -> None:
    """A setup may leave one behind: the trial then fails, and not gatebot."""
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to("python3")
    (folder / "python3").symlink_to("python")
    assert environment_of(folder) == [tmp_path / "venv"]
    assert isinstance(closed_to_others((folder,)), str)
