"""Packages are told by their directories' names, whatever else lies there; differences are named, and bounded."""

from __future__ import annotations

from pathlib import Path

from gatebot.workspace.installed import difference, installed_packages


def environment(place: Path, *names: str) -> tuple[Path, ...]:
    for name in names:
        (place / "lib" / "python3.11" / "site-packages" / name).mkdir(parents=True)
    return (place / "bin",)


def test_names_are_normalised_and_what_is_no_package_is_passed_over(tmp_path: Path) -> None:
    bin_dirs = environment(
        tmp_path,
        "Typing_Extensions-4.12.2.dist-info",
        "ruamel.yaml-0.18.6.dist-info",
        "local-1.0+cpu.dist-info",
        "requests",
        "-1.0.dist-info",
        "evil`$(id)`-1.0.dist-info",
        "evil-1.0|@team.dist-info",
        f"{'long' * 40}-1.dist-info",
    )
    found = {"local": "1.0+cpu", "ruamel-yaml": "0.18.6", "typing-extensions": "4.12.2"}
    assert installed_packages(bin_dirs) == found
    assert list(installed_packages(bin_dirs)) == sorted(found)


def test_without_an_environment_there_are_none(tmp_path: Path) -> None:
    assert installed_packages(()) == {}
    assert installed_packages((tmp_path / "bin",)) == {}


def test_equal_environments_differ_in_nothing() -> None:
    assert difference({"a": "1"}, {"a": "1"}) == ""


def test_what_differs_is_named(tmp_path: Path) -> None:
    base = {"both": "1", "changed": "1.0", "gone": "2"}
    head = {"both": "1", "changed": "1.1", "new": "3"}
    assert difference(base, head) == "changed 1.0 → 1.1, gone 2 → absent, new absent → 3"
    many = difference({}, {f"p{number:02}": "1" for number in range(20)})
    assert many.endswith("p07 absent → 1 and 12 more")
    assert tmp_path.exists()
