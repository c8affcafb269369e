"""How fast commands start, and what they must not import."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.builders import BOOK_AGENT, CONFIG, Project, shop

HEAVY = frozenset(
    {
        "agentevals",
        "anthropic",
        "deepdiff",
        "genai_prices",
        "github",
        "jinja2",
        "numpy",
        "openevals",
        "pydantic",
        "pygit2",
        "rapidfuzz",
        "rich",
        "scipy",
        "typer",
    }
)
SDKS = HEAVY - {"jinja2", "pydantic", "pygit2", "rapidfuzz", "rich", "typer"}
REPORTING = (
    "import sys\n"
    "from gatebot.__main__ import main\n"
    "sys.argv = ['gatebot', *sys.argv[1:]]\n"
    "try:\n"
    "    main()\n"
    "except SystemExit as ended:\n"
    "    print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    "    raise\n"
)


def imported(*argv: str | Path) -> set[str]:
    """Top-level modules in memory after a command line that succeeds."""
    words = [sys.executable, "-c", REPORTING, *(str(word) for word in argv)]
    ended = subprocess.run(words, capture_output=True, check=True, timeout=60)
    return set(ended.stderr.decode().splitlines()[-1].split())


def test_version_imports_next_to_nothing() -> None:
    modules = imported("--version")
    assert "gatebot" in modules
    assert not modules & HEAVY


def test_version_is_fast() -> None:
    """0.30 s is the promise; the best of five keeps a busy machine out of it."""
    seconds: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "gatebot", "--version"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.30


@pytest.mark.parametrize("argv", [("--help",), ("gate", "--help"), ("validate", "--help")])
def test_help_imports_no_sdk(argv: tuple[str, ...]) -> None:
    assert not imported(*argv) & SDKS


def test_validate_imports_no_sdk(example: Path) -> None:
    modules = imported("validate", example)
    assert "yaml" in modules
    assert not modules & SDKS


WITHOUT_COMPARISON = HEAVY - {"pydantic", "pygit2", "typer"}
"""What one side alone has no use for: nothing is compared, no comment is filled in, and nobody is talked to."""


def ran(place: Path, *argv: str | Path, config: str = CONFIG) -> set[str]:
    """Top-level modules in memory after `argv` has run a small suite that passes, of a repository with two commits."""
    project = Project(place / "repo", shop(config=config))
    project.commit({"agent.py": BOOK_AGENT + "# changed\n"})
    modules = imported(*argv, "--repo", project.root, "--out", place / "results")
    assert (place / "results" / "report.json").is_file()
    return modules


@pytest.mark.parametrize(
    "argv",
    [("run",), ("gate", "--base", "HEAD", "--head", "HEAD")],
    ids=["one side", "the same agent on both sides"],
)
def test_where_nothing_is_compared_no_arrays_are_imported(argv: tuple[str, ...], tmp_path: Path) -> None:
    assert not ran(tmp_path, *argv) & WITHOUT_COMPARISON - ({"jinja2"} if argv[0] == "gate" else set())


def test_a_target_is_judged_with_arrays(tmp_path: Path) -> None:
    config = CONFIG + "gate: {metrics: {pass_rate: {target: 0.2}}}\n"
    assert "numpy" in ran(tmp_path, "run", config=config)


def test_a_comparison_is_made_with_arrays(tmp_path: Path) -> None:
    assert "numpy" in ran(tmp_path, "gate", "--base", "HEAD~1", "--head", "HEAD")


@pytest.fixture
def example() -> Path:
    place = Path(__file__).parents[3] / "examples" / "support-agent"
    assert (place / "gatebot.yaml").is_file()
    return place
