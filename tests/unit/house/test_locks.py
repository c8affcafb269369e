"""The locks: every requirement exact and hashed, no address, nothing of pyproject.toml left out; one version."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import gatebot
from tests.unit.house.source_tree import ROOT

RUNTIME, DEV, BUILD, IMAGE, FULL, E2E = LOCKS = tuple(
    ROOT / f"requirements{part}.lock" for part in ("", "-dev", "-build", "-image", "-full", "-e2e")
)
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)
HASHED = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def entries(lock: Path) -> list[str]:
    """The requirements of a lock, each with its continuation lines."""
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def pins(lock: Path) -> dict[str, list[str]]:
    """The locked versions by canonical name: several where markers choose between them."""
    found: dict[str, list[str]] = {}
    for pin in PINNED.finditer(lock.read_text(encoding="utf-8")):
        found.setdefault(canonicalize_name(pin["name"]), []).append(pin["version"])
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_exact_and_hashed(lock: Path) -> None:
    assert entries(lock)
    assert [entry[:60] for entry in entries(lock) if not (PINNED.match(entry) and HASHED.search(entry))] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_holds_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert re.findall(r"\S*://\S*|--\S*index\S*|--find-links\S*|--trusted-host\S*| @ \S+", text) == []


@pytest.mark.parametrize(
    ("lock", "declared"),
    [
        (RUNTIME, PYPROJECT["project"]["dependencies"]),
        (DEV, PYPROJECT["project"]["dependencies"] + PYPROJECT["dependency-groups"]["dev"]),
        (DEV, PYPROJECT["project"]["optional-dependencies"]["semantic"]),
        (BUILD, PYPROJECT["build-system"]["requires"]),
        (IMAGE, PYPROJECT["dependency-groups"]["image"]),
        (FULL, PYPROJECT["dependency-groups"]["full"]),
        (E2E, PYPROJECT["dependency-groups"]["e2e"]),
    ],
    ids=["runtime", "dev", "semantic", "build", "image", "full", "e2e"],
)
def test_a_lock_satisfies_what_is_declared(lock: Path, declared: list[str]) -> None:
    locked = pins(lock)
    for requirement in map(Requirement, declared):
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement.name} is not locked: make lock"
        assert all(version in requirement.specifier for version in versions), (
            f"{requirement} is stale: make lock"
        )


@pytest.mark.parametrize("lock", [RUNTIME, BUILD], ids=lambda lock: lock.name)
def test_the_locks_agree(lock: Path) -> None:
    dev = pins(DEV)
    assert {name: versions for name, versions in pins(lock).items() if dev.get(name) != versions} == {}


def test_the_version_is_one() -> None:
    assert PYPROJECT["project"]["version"] == gatebot.__version__
