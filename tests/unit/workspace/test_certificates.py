"""A variable that names certificates which are none is told by its name, before a library trips over it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import certifi
import pytest

from gatebot.errors import UsageError
from gatebot.workspace.certificates import FOR_HTTP, check_before_libgit2, check_certificates


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


def test_before_libgit2_a_file_that_is_not_there_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As Nix sets it, so that nobody trusts anything by chance."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "no-cert-file.crt"))
    check_before_libgit2()
    ended = subprocess.run([sys.executable, "-c", "import pygit2"], check=False)
    assert ended.returncode == 0


@pytest.mark.parametrize("command", [("gate", "--base", "HEAD"), ("run",), ("demo",)])
def test_a_process_that_is_started_so_says_it_in_a_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("none\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "gatebot", *command],
        cwd=tmp_path,
        env={**os.environ, "SSL_CERT_FILE": str(garbage)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 2, ended.stderr
    assert "SSL_CERT_FILE" in ended.stderr
    assert "unset SSL_CERT_FILE" in ended.stderr
    assert "bug" not in ended.stderr
