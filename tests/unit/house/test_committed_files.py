"""What is committed holds for everybody: no address of a package registry, no path of one machine, no by-line."""

import re
import subprocess

import pytest

from tests.unit.house.source_tree import ROOT

TEXT_LIMIT = 2_000_000
# Needles are written in two halves, so that this file does not find itself.
REGISTRY = re.compile(
    r"(?:py" + "pi|python" + "hosted|npm" + r"js|deb" + r"ian)\.(?:org|com|net)\b|arti" + "factory",
    re.IGNORECASE,
)
MACHINE_PATH = re.compile(
    r"(?<![\w.~$}-])/(?:wo" + "rk|fa" + "rm|ro" + r"ot|home/\w[\w.-]*)(?:/|\b)(?![\w-])"
)
BYLINES = (
    "co-authored" + "-by",
    "generated " + "with",
    "generated " + "by an ai",
    "noreply@" + "anthropic",
)


def committed_files() -> list[str]:
    """Every file that git tracks, or would: paths relative to the root."""
    listed = subprocess.run(
        [
            "git",
            "-c",
            f"safe.directory={ROOT}",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


def faults(text: str) -> list[str]:
    """What must not be in a committed file."""
    lower = text.lower()
    found = [match[0] for pattern in (REGISTRY, MACHINE_PATH) for match in pattern.finditer(text)]
    return found + [needle for needle in BYLINES if needle in lower]


def test_no_committed_file_holds_them() -> None:
    names = committed_files()
    assert "pyproject.toml" in names
    wrong: dict[str, list[str]] = {}
    for name in names:
        text = (ROOT / name).read_bytes()[:TEXT_LIMIT].decode("utf-8", "replace")
        if name != "LICENSE" and (found := faults(text)):
            wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "--index-url https://" + "py" + "pi.org/simple",
        "open('/" + "work/main/x')",
        "/" + "root/.cache",
        "HOME=/" + "home/alice",
        "Co-Authored" + "-By: somebody",
    ],
)
def test_a_fault_is_seen(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    ["https://example.com/" + "work/x", "/github/home", "~/work", "/workspace", "a/" + "root/b", "/rooted"],
)
def test_what_is_no_fault_passes(text: str) -> None:
    assert faults(text) == []
