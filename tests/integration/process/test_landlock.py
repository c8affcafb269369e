"""Landlock as the kernel has it: what is closed, what stays open, and that children inherit it."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatebot.process import landlock

pytestmark = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
ROOT = Path(__file__).parents[3]
SYSTEM = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", sys.prefix, sys.base_prefix]


def behind(code: str, readable: list[str], writable: list[str], *, offline: bool = False) -> list[str]:
    """What the code prints, line by line, in a process that closed itself in."""
    script = (
        "import os, socket, subprocess, sys\n"
        f"sys.path.append({str(ROOT)!r})\n"
        "from gatebot.process import kernel, landlock\n"
        "kernel.set_process_option(kernel.PR_SET_NO_NEW_PRIVS, 1)\n"
        f"landlock.close_files({[*SYSTEM, *readable]!r}, {writable!r}, offline={offline})\n"
        "def attempt(what):\n"
        "    try: what(); print('open')\n"
        "    except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script + code], capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_reading_and_writing_follow_the_lists(tmp_path: Path) -> None:
    for name in ("read", "write", "neither"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    code = "".join(
        f"attempt(lambda: open({str(tmp_path / name / 'file')!r}).read())\n"
        f"attempt(lambda: open({str(tmp_path / name / 'new')!r}, 'w'))\n"
        f"attempt(lambda: os.truncate({str(tmp_path / name / 'file')!r}, 0))\n"
        f"attempt(lambda: os.unlink({str(tmp_path / name / 'file')!r}))\n"
        for name in ("read", "write", "neither")
    )
    said = behind(code, [str(tmp_path / "read")], [str(tmp_path / "write"), str(tmp_path / "gone")])
    denied = str(errno.EACCES)
    assert said == ["open", denied, denied, denied, "open", "open", "open", "open", *[denied] * 4]


def test_a_single_file_may_be_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    code = "".join(f"attempt(lambda: open({str(tmp_path / name)!r}).read())\n" for name in ("one", "two"))
    assert behind(code, [str(tmp_path / "one")], []) == ["open", str(errno.EACCES)]


def test_children_are_behind_the_same_wall(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    code = f"print(subprocess.run(['cat', {str(tmp_path / 'secret')!r}], stderr=-3).returncode)\n"
    assert behind(code, [], ["/dev/null"]) == ["1"]


def test_the_parent_can_be_neither_traced_nor_signalled() -> None:
    code = "attempt(lambda: os.kill(os.getppid(), 0))\nattempt(lambda: open(f'/proc/{os.getppid()}/mem'))\n"
    signalled = str(errno.EPERM) if landlock.scopes(landlock.version()) else "open"
    assert behind(code, [], []) == [signalled, str(errno.EACCES)]


def test_offline_closes_tcp() -> None:
    if landlock.version() < 4:
        pytest.skip("Landlock of this kernel knows no ports")
    code = "attempt(lambda: socket.socket().connect(('127.0.0.1', 9)))\nattempt(lambda: socket.socket().bind(('', 0)))\n"
    assert behind(code, [], [], offline=True) == [str(errno.EACCES)] * 2
    assert behind(code, [], []) == [str(errno.ECONNREFUSED), "open"]


def test_without_no_new_privileges_an_ordinary_user_is_refused() -> None:
    if os.geteuid() == 0:
        pytest.skip("root may do without")
    with pytest.raises(OSError, match="restrict"):
        landlock.close_files([], [], offline=False)


def test_where_there_is_none_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    with pytest.raises(OSError, match="no Landlock") as caught:
        landlock.close_files([], [], offline=False)
    assert caught.value.errno == errno.ENOSYS


def test_the_structures_have_the_kernel_s_sizes() -> None:
    assert ctypes.sizeof(landlock._Ruleset) == 24  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    assert ctypes.sizeof(landlock._PathRule) == 12  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
