"""Attacks by processes and on resources (section C of docs/security.md)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.exchange import GRACE_S
from gatebot.process.program import Ended, Limits
from tests.security.conftest import NO_LANDLOCK, SYSTEM_PYTHON, Sandbox, Victim, needs_root

pytestmark = needs_root
BOMB = """
import os
while True:
    try: child = os.fork()
    except OSError: continue
    if child == 0: os.setsid()
"""


def processes_of(uid: int) -> list[str]:
    """Process ids that run as this user."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    found.append(entry.name)
            except OSError:
                continue
    return found


def test_s28_two_fork_bombs_beside_four_others(sandbox: Sandbox) -> None:
    ended: dict[int, Ended] = {}

    def trial(number: int) -> None:
        bomb = number < 2
        code = BOMB if bomb else f"import time; time.sleep(0.3); print({number})"
        ended[number] = sandbox.run(
            code, deadline_s=0.8 if bomb else 60.0, limits=Limits(processes=100 if bomb else None)
        )

    threads = [threading.Thread(target=trial, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ended[number].how for number in range(6)] == ["timeout"] * 2 + ["exited"] * 4
    assert [ended[number].stdout for number in range(2, 6)] == [b"2\n", b"3\n", b"4\n", b"5\n"]
    assert not any(one.leftover for one in ended.values())
    assert all(ended[number].wall_s < 0.8 + GRACE_S for number in range(2))


def test_s29_a_daemon_that_holds_the_output(sandbox: Sandbox) -> None:
    code = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: time.sleep(600)
            os._exit(0)
        os.wait()
        print("answer")
    """
    with sandbox.launchers.run_directory() as directory:
        began = time.monotonic()
        ended = sandbox.run_in(directory, code)
        assert time.monotonic() - began < 10
        assert (ended.ok, ended.stdout, ended.strays >= 1) == (True, b"answer\n", True)
        assert directory.user is not None
        assert processes_of(directory.user.uid) == []


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(600)",
        "import sys, time\nwhile True: print('.', flush=True); time.sleep(0.1)",
        "import os; os.kill(os.getpid(), 19)",
        "import signal, time\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(600)",
        "import os, time\nos.fork() or os.setsid()\ntime.sleep(600)",
    ],
    ids=["sleeps", "drips", "stops itself", "ignores signals", "two sessions"],
)
def test_s31_whatever_hangs_ends_at_the_deadline(sandbox: Sandbox, code: str) -> None:
    with sandbox.launchers.run_directory() as directory:
        ended = sandbox.run_in(directory, code, deadline_s=0.6)
        assert (ended.how, ended.ok, ended.leftover) == ("timeout", False, False)
        assert ended.wall_s < 0.6 + GRACE_S
        assert directory.user is not None
        assert processes_of(directory.user.uid) == []


FILLING = Limits(file_bytes=4_000_000, tree_bytes=10_000_000, tree_entries=500)


@pytest.mark.parametrize(
    "code",
    [
        "for n in range(9): open(str(n), 'wb').write(b'x' * 3_000_000)",
        "for n in range(2000): open(str(n), 'w').close()",
        "for n in range(2000): os.mkdir(str(n))",
        "for _ in range(40): os.mkdir('d' * 200); os.chdir('d' * 200)",
        (
            "held = []\nfor n in range(9):\n    held.append(open('f', 'wb', buffering=0)); os.unlink('f')\n"
            "    held[-1].write(b'x' * 3_000_000)"
        ),
        "os.chdir('/dev/shm')\nfor n in range(9): open(f'{os.getpid()}-{n}', 'wb').write(b'x' * 3_000_000)",
        "os.chdir(os.environ['TMPDIR'])\nfor n in range(9): open(str(n), 'wb').write(b'x' * 3_000_000)",
    ],
    ids=["bytes", "files", "folders", "depth", "deleted but open", "shared memory", "TMPDIR"],
)
def test_s34_filling_the_disk_ends_the_trial(sandbox: Sandbox, code: str) -> None:
    with sandbox.launchers.run_directory() as directory:
        ended = sandbox.run_in(
            directory,
            f"import os, time\nos.chdir(os.environ['HOME'])\n{code}\ntime.sleep(20)",
            limits=FILLING,
        )
        uid = directory.user.uid if directory.user else 0
    assert ended.how == "tree_cap", ended.stderr
    assert not directory.path.exists()
    assert [path for path in Path("/dev/shm").iterdir() if path.stat().st_uid == uid] == []


def test_s34_one_file_is_bounded_and_no_place_but_its_own_is_writable(sandbox: Sandbox) -> None:
    code = """
        import os, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        places = ["/tmp", "/var/tmp", "/", "/run", "/dev", os.getcwd(), os.path.dirname(os.environ["HOME"])]
        for place in places:
            try: open(place + "/gatebot-was-here", "w"); print("wrote", place)
            except PermissionError: pass
        try: open(os.environ["HOME"] + "/sparse", "wb").truncate(10**12); print("sparse")
        except OSError as error: print(error.errno)
    """
    ended = sandbox.run(code, limits=FILLING)
    assert ended.stdout == b"27\n", ended.stderr  # EFBIG, and nothing written elsewhere


def test_s34_without_landlock_what_a_trial_leaves_elsewhere_is_removed(victim: Victim) -> None:
    leave = """
        import os
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            os.mkdir(place + "/gatebot-left"); open(place + "/gatebot-left/file", "w").write("x")
        print("left")
    """
    said = victim.run(NO_LANDLOCK + f"print(hostile({textwrap.dedent(leave)!r}).stdout)", user=None, env={})
    assert said == "b'left\\n'\n"
    assert [place for place in ("/tmp", "/var/tmp", "/dev/shm") if Path(place, "gatebot-left").exists()] == []


def test_s35_cleaning_up_follows_no_link_and_stops_at_nothing(sandbox: Sandbox) -> None:
    canary = sandbox.place / "canary"
    canary.mkdir()
    (canary / "file").write_text("alive")
    canary.chmod(0o777)
    code = f"""
        import os
        os.chdir(os.environ["HOME"])
        os.symlink({str(canary)!r}, "link")
        os.symlink("/dev/zero", "endless")
        os.mkfifo("fifo")
        os.mkdir("locked"); open("locked/f", "w").close(); os.chmod("locked", 0)
        open("-rf", "w").close(); open("new\\nline", "w").close(); open(b"\\xff\\xfe", "w").close()
        for _ in range(3000): os.mkdir("d"); os.chdir("d")
    """
    with sandbox.launchers.run_directory() as directory:
        assert sandbox.run_in(directory, code, limits=Limits()).ok
    assert not directory.path.exists()
    assert (canary / "file").read_text() == "alive"


def test_s37_no_terminal_no_session_no_keyring_of_gatebots(sandbox: Sandbox) -> None:
    code = """
        import ctypes, fcntl, os, termios
        print(os.getsid(0) == os.getpid())
        try: os.open("/dev/tty", os.O_RDWR); print("terminal")
        except OSError: print("none")
        try: fcntl.ioctl(0, termios.TIOCSTI, b"x"); print("typed")
        except OSError: print("none")
        libc = ctypes.CDLL(None, use_errno=True)
        number = {"x86_64": 250}.get(os.uname().machine, 219)
        print(libc.syscall(number, 0, -3, 0))
    """
    ours = subprocess.run(
        [
            SYSTEM_PYTHON,
            "-c",
            (
                "import ctypes, os; number = {'x86_64': 250}.get(os.uname().machine, 219); "
                "print(ctypes.CDLL(None).syscall(number, 0, -3, 0))"
            ),
        ],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    own, terminal, typed, keyring = sandbox.run(code).stdout.decode().split()
    assert (own, terminal, typed) == ("True", "none", "none")
    assert keyring != ours or ours == "-1"  # -1: this kernel, or its container, has no keyrings


def test_s38_what_one_trial_shares_no_other_trial_finds(sandbox: Sandbox) -> None:
    """System V objects, POSIX shared memory, abstract sockets; the first are gone with the trial that made them."""
    makes = """
        import ctypes, os, socket, sys
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.shmget(0x6a7e, 4096, 0o1666), libc.semget(0x6a7e, 1, 0o1666), libc.msgget(0x6a7e, 0o1666))
        open("/dev/shm/gatebot-left", "w").write("left"); os.mkdir("/dev/shm/gatebot-folder")
        libc.mq_open(b"/gatebot", os.O_CREAT | os.O_RDWR, 0o666, None)
        print(libc.mq_open(b"/gatebot", os.O_RDWR))
    """
    made = sandbox.run(makes).stdout.decode().split()
    assert [int(number) >= 0 for number in made] == [True, True, True, False]
    finds = """
        import ctypes, os
        libc = ctypes.CDLL(None)
        print(libc.shmget(0x6a7e, 0, 0), libc.semget(0x6a7e, 0, 0), libc.msgget(0x6a7e, 0))
        print([name for name in os.listdir("/dev/shm") if name.startswith("gatebot-")])
    """
    assert sandbox.run(finds).stdout.decode() == "-1 -1 -1\n[]\n"


def test_s38_an_abstract_socket_of_another_trial_is_out_of_reach(sandbox: Sandbox) -> None:
    with sandbox.launchers.run_directory() as directory:
        listening = threading.Thread(
            target=sandbox.run_in,
            args=(
                directory,
                """
                import os, socket, time
                server = socket.socket(socket.AF_UNIX); server.bind("\\0gatebot-abstract"); server.listen()
                open(os.environ["HOME"] + "/up", "w").close()
                server.settimeout(10); server.accept()
                """,
            ),
        )
        listening.start()
        while listening.is_alive() and not (directory.home / "up").exists():
            listening.join(0.02)
        code = """
            import socket
            try: socket.socket(socket.AF_UNIX).connect("\\0gatebot-abstract"); print("connected")
            except PermissionError: print("denied")
        """
        assert sandbox.run(code).stdout == b"denied\n"
        assert listening.is_alive()
        for pid in processes_of(directory.user.uid if directory.user else -1):
            os.kill(int(pid), signal.SIGKILL)
        listening.join(10)


def test_s40_neither_a_set_uid_program_nor_a_file_capability_gains_anything(sandbox: Sandbox) -> None:
    for name, mode in (("suid-cat", 0o4755), ("sgid-cat", 0o2755)):
        shutil.copy("/bin/cat", sandbox.checkout / name)
        (sandbox.checkout / name).chmod(mode)
    (sandbox.place / "shadow").write_text("secret")
    (sandbox.place / "shadow").chmod(0o600)
    capable = sandbox.checkout / "capable-cat"
    shutil.copy("/bin/cat", capable)
    # VFS_CAP_REVISION_2 with the effective bit; permitted = CAP_DAC_OVERRIDE | CAP_DAC_READ_SEARCH
    os.setxattr(capable, "security.capability", bytes.fromhex("0100000206000000000000000000000000000000"))
    code = """
        import subprocess
        for name in ("suid-cat", "sgid-cat", "capable-cat"):
            try: print(subprocess.run(["./" + name, "/etc/shadow"], capture_output=True).stdout)
            except PermissionError: print(b"")
    """
    ended = sandbox.run(code)
    assert ended.stdout == b"b''\n" * 3, ended.stderr


@pytest.fixture
def marker(open_place: Path) -> Iterator[Path]:
    path = Path("/dev/shm") / f"gatebot-test-{os.getpid()}"
    path.touch()
    path.chmod(0o666)
    yield path
    path.unlink()


def test_s43_no_agent_outlives_a_gatebot_that_is_killed(victim: Victim, marker: Path) -> None:
    agent = f"""
import os, time
os.fork() or os.setsid()
with open({str(marker)!r}, "a") as file: file.write(str(os.getpid()) + chr(10))
time.sleep(600)
"""
    with subprocess.Popen(victim.command("hostile(sys.argv[2])", agent), env={}) as process:
        pids: list[str] = []
        while process.poll() is None and len(pids) < 2:
            pids = marker.read_text().split()
        process.kill()
    limit = time.monotonic() + 5
    while any(Path("/proc", pid).exists() for pid in pids) and time.monotonic() < limit:
        os.sched_yield()
    assert len(pids) == 2
    assert [pid for pid in pids if Path("/proc", pid).exists()] == []
