"""Every test has a cache of its own, which trials' users can enter, and which is gone at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.run_directory import remove_tree


@pytest.fixture(scope="session")
def caches() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-cache-"))
    place.chmod(0o711)
    yield place
    assert remove_tree(place)


@pytest.fixture(autouse=True)
def cache(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache directory; gatebot's own is `gatebot` below it."""
    place = Path(tempfile.mkdtemp(dir=caches))
    place.chmod(0o711)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place
