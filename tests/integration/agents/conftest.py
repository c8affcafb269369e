"""A checkout that every user can enter, unlike pytest's own directories, which are closed to others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_checkout() -> Iterator[Path]:
    """An empty checkout of mode 0755."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)
