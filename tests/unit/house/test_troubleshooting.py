"""What docs/troubleshooting.md quotes in its headings is said by the package, word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
QUOTED = [
    words for line in PAGE.splitlines() if line.startswith("### ") for words in re.findall(r'"([^"]+)"', line)
]
SAID_BY_GITHUB = {"expected"}


@pytest.fixture(scope="module")
def sources() -> str:
    """Every string of the package, with the seams between adjacent literals closed."""
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "gatebot").rglob("*.py"))]
    return re.sub(r'"\s*\n\s*f?"', "", "\n".join(texts))


def test_there_are_quotes() -> None:
    assert len(QUOTED) > 10


@pytest.mark.parametrize("words", sorted(set(QUOTED) - SAID_BY_GITHUB))
def test_the_package_says_so(words: str, sources: str) -> None:
    assert words in sources
