"""A variable that names certificates which are none is told by its name, before a library trips over it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import certifi
import pytest

from gatebot.errors import UsageError
from gatebot.workspace.certificates import FOR_HTTP, check_certificates

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", FOR_HTTP)
def test_what_is_no_certificate_is_refused_by_name(tmp_path: Path, name: str) -> None:
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("none\n", encoding="utf-8")
    for place in (garbage, tmp_path / "missing.pem"):
        with pytest.raises(UsageError, match=f"the environment's {name} names .*{place.name}") as caught:
            check_certificates({name: str(place)})
        assert f"unset {name}" in caught.value.hint


@pytest.mark.parametrize("name", FOR_HTTP)
def test_what_can_be_used_is_let_be(tmp_path: Path, name: str) -> None:
    good = str(tmp_path) if name == "SSL_CERT_DIR" else certifi.where()
    for value in (good, ""):
        check_certificates({name: value})
    check_certificates({})


def test_a_directory_is_no_file_of_certificates(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        check_certificates({"SSL_CERT_FILE": str(tmp_path)})


ODD = ("garbage", "missing", "a directory", "a pipe")


def odd(kind: str, place: Path) -> Path:
    """What is no file of certificates."""
    if kind == "garbage":
        place.write_text("none\n", encoding="utf-8")
    elif kind == "a directory":
        place.mkdir()
    elif kind == "a pipe":
        os.mkfifo(place)
    return place


@pytest.mark.parametrize("kind", ODD)
def test_what_reads_commits_needs_no_certificates(tmp_path: Path, kind: str) -> None:
    for value in (str(odd(kind, tmp_path / "odd.pem")), "x" * 5_000, "/dev/null"):
        ended = subprocess.run(
            [sys.executable, "-m", "gatebot", "run"],
            cwd=tmp_path,
            env={**os.environ, "SSL_CERT_FILE": value, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == 2, ended.stderr
        assert "is not in a git repository" in ended.stderr
        assert "SSL_CERT_FILE" not in ended.stderr


@pytest.mark.parametrize("kind", ODD)
def test_what_connects_by_them_is_told(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        check_certificates({"SSL_CERT_FILE": str(odd(kind, tmp_path / "odd.pem"))})
    with pytest.raises(UsageError, match="CURL_CA_BUNDLE"):
        check_certificates({"CURL_CA_BUNDLE": "x" * 5_000})
