"""What one trial may leave for, take from, or do to another, and how it may try to outlive itself (sections C and D)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gatebot.process.exchange import GRACE_S
from gatebot.process.program import Ended
from tests.security.conftest import Sandbox, needs_root
from tests.security.test_processes import processes_of

pytestmark = needs_root
KEYS = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
add, request, control = {"x86_64": (248, 249, 250)}.get(os.uname().machine, (217, 218, 219))
made = libc.syscall(add, b"user", b"gatebot-left", b"poison", 6, -4)
found = libc.syscall(request, b"user", b"gatebot-left", None, -4)
print(made > 0, found > 0, libc.syscall(control, 0, -4, 1) > 0, libc.syscall(control, 22, -1, -4) > 0)
"""


def test_s38_no_key_waits_for_whoever_has_that_user_next(sandbox: Sandbox) -> None:
    """A user's keyring outlives its processes, and users are handed out again."""
    with sandbox.launchers.run_directory() as directory:
        for _ in range(2):
            ended = sandbox.run_in(directory, KEYS)
            assert ended.stdout.split() == [b"False"] * 4, ended.stderr


def together(sandbox: Sandbox, first: str, second: str) -> tuple[Ended, Ended]:
    """Run the second while the first runs, which has to end by itself once the second has ended."""
    ended: list[Ended] = []
    with sandbox.launchers.run_directory() as directory:
        thread = threading.Thread(target=lambda: ended.append(sandbox.run_in(directory, first)))
        thread.start()
        while thread.is_alive() and not (directory.home / "up").exists():
            thread.join(0.02)
        other = sandbox.run(second, stdin=str(directory.path).encode())
        if thread.is_alive():
            (directory.home / "done").touch()
        thread.join()
    return ended[0], other


WAIT = """
import os, time
open(os.environ["HOME"] + "/up", "w").close()
while not os.path.exists(os.environ["HOME"] + "/done"): time.sleep(0.02)
"""


def test_s38_no_open_file_is_handed_over_in_shared_memory(sandbox: Sandbox) -> None:
    """A socket, pipe or link that everybody may open, where two users both may write."""
    makes = """
        import os, socket
        for make in (
            lambda: socket.socket(socket.AF_UNIX).bind("/dev/shm/gatebot-meet"),
            lambda: os.mkfifo("/dev/shm/gatebot-pipe", 0o666),
            lambda: os.symlink("/etc/passwd", "/dev/shm/gatebot-link"),
        ):
            try: make(); print("made")
            except PermissionError: print("denied")
        open("/dev/shm/gatebot-file", "w").close()
        import multiprocessing; multiprocessing.Lock(); print("works")
    """
    ended = sandbox.run(makes)
    assert ended.stdout.split() == [b"denied"] * 3 + [b"works"], ended.stderr


def test_s38_nothing_of_a_running_neighbour_is_in_reach(sandbox: Sandbox) -> None:
    """Its directories (opened to all by itself), environment, memory, descriptors, limits, signals, trace."""
    first = (
        'import os\nos.chmod(os.environ["HOME"], 0o777)\nopen(os.environ["HOME"] + "/open", "w").write("x")\n'
    )
    second = """
        import ctypes, os, resource, signal, sys
        path = sys.stdin.read()
        neighbours = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid != os.getpid()
                      and 61000 <= os.stat(f"/proc/{pid}").st_uid < 65000 and os.stat(f"/proc/{pid}").st_uid != os.getuid()]
        print(bool(neighbours))
        libc = ctypes.CDLL(None, use_errno=True)
        def trace(pid):
            if libc.ptrace(0x4206, pid, None, None) < 0: raise PermissionError
        def descriptor(pid):
            if libc.syscall(438, libc.syscall(434, pid, 0), 0, 0) < 0: raise PermissionError
        for pid in neighbours[:1]:
            for attempt in (
                lambda: open(os.path.join(path, "home", "open")).read(),
                lambda: open(os.path.join(path, "home", "new"), "w"),
                lambda: os.listdir(path),
                lambda: os.listdir(os.path.dirname(path)),
                lambda: open(f"/proc/{pid}/environ").read(),
                lambda: open(f"/proc/{pid}/mem", "rb").read(1),
                lambda: os.listdir(f"/proc/{pid}/cwd/"),
                lambda: os.listdir(f"/proc/{pid}/fd"),
                lambda: os.kill(pid, 0),
                lambda: trace(pid),
                lambda: descriptor(pid),
                lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, 1)),
                lambda: os.sched_setaffinity(pid, {0}),
                lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
                lambda: os.setpriority(os.PRIO_USER, os.stat(f"/proc/{pid}").st_uid, 19),
            ):
                try: attempt(); print("open")
                except PermissionError: print("denied")
    """
    _, ended = together(sandbox, first + WAIT, second)
    there, *outcomes = ended.stdout.split()
    assert there == b"True", ended.stderr
    assert outcomes == [b"denied"] * 15, ended.stderr


OUTLIVE = {
    "a process 1 of its own": """
        import ctypes, os, time
        libc = ctypes.CDLL(None, use_errno=True)
        uid = os.getuid()
        libc.unshare(0x10000000 | 0x20000000 | 0x00020000 | 0x08000000 | 0x40000000)
        for name, text in (("setgroups", "deny"), ("gid_map", f"0 {uid} 1"), ("uid_map", f"0 {uid} 1")):
            try: open(f"/proc/self/{name}", "w").write(text)
            except OSError: pass
        for _ in range(3):
            if os.fork() == 0:
                os.setsid(); time.sleep(600)
    """,
    "brothers of its own father": """
        import ctypes, os, time
        libc = ctypes.CDLL(None, use_errno=True)
        number = {"x86_64": 56}.get(os.uname().machine, 220)
        for _ in range(5):
            if libc.syscall(number, 0x00008000 | 17, 0, 0, 0, 0) == 0:
                os.setsid(); time.sleep(600)
    """,
    "killers of killers": """
        import os, time
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                while True:
                    try: os.kill(-1, 9)
                    except OSError: pass
    """,
    "forks at its end": """
        import os, time
        def again():
            while True:
                if os.fork() == 0:
                    os.setsid(); os.fork(); time.sleep(0.001); continue
                os._exit(0)
        if os.fork() == 0: again()
    """,
    "stopped and traced": """
        import ctypes, os, signal, time
        libc = ctypes.CDLL(None, use_errno=True)
        child = os.fork()
        if child == 0:
            os.setsid(); time.sleep(600)
        libc.ptrace(0x4206, child, None, None)
        other = os.fork()
        if other == 0:
            os.setsid(); os.kill(os.getpid(), signal.SIGSTOP)
        if os.fork() == 0:
            os.setsid(); [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 13, 15)]; time.sleep(600)
    """,
    "a timer and another name": """
        import ctypes, os, signal, time
        libc = ctypes.CDLL(None)
        libc.prctl(1, 0, 0, 0, 0); libc.prctl(15, b"systemd", 0, 0, 0)
        if os.fork() == 0:
            os.setsid(); signal.signal(signal.SIGALRM, lambda *_: os.fork()); signal.setitimer(signal.ITIMER_REAL, .01, .01)
            while True: time.sleep(9)
    """,
}


@pytest.mark.parametrize("way", sorted(OUTLIVE))
@pytest.mark.parametrize("ends", [True, False], ids=["ends", "hangs"])
def test_s31_nothing_outlives_its_trial_by_two_seconds(sandbox: Sandbox, way: str, ends: bool) -> None:
    """Whether the main process ends by itself or is ended; measured from then until the last of them is gone."""
    tail = "" if ends else "\n        import time\n        time.sleep(600)"
    with sandbox.launchers.run_directory() as directory:
        ended = sandbox.run_in(directory, OUTLIVE[way].rstrip() + tail, deadline_s=20.0 if ends else 1.0)
        assert directory.user is not None
        assert processes_of(directory.user.uid) == []
    assert not ended.leftover  # gatebot waits for GRACE_S, and then goes on without
    assert GRACE_S <= 2.0
    assert ended.how in (("exited", "signaled") if ends else ("timeout", "signaled", "exited"))


def test_s40_a_root_of_its_own_namespace_gains_nothing(sandbox: Sandbox) -> None:
    code = """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        uid = os.getuid()
        libc.unshare(0x10000000 | 0x00020000)
        for name, text in (("setgroups", "deny"), ("gid_map", f"0 {uid} 1"), ("uid_map", f"0 {uid} 1")):
            try: open(f"/proc/self/{name}", "w").write(text)
            except OSError: pass
        for attempt in (
            lambda: open("/etc/shadow").read(),
            lambda: open("/tmp/gatebot-was-here", "w"),
            lambda: os.listdir("/proc/1/root/"),
            lambda: open("/proc/sys/kernel/core_pattern", "w"),
        ):
            try: attempt(); print("open")
            except OSError: print("denied")
        print(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), libc.mount(b"/", b"/mnt", None, 4096, None))
    """
    said = sandbox.run(code).stdout.split()
    assert said == [b"denied"] * 4 + [b"-1", b"-1"]
    assert not Path("/tmp/gatebot-was-here").exists()


def test_s32_a_hog_costs_its_neighbour_time_and_no_trial(sandbox: Sandbox) -> None:
    """Eight busy processes beside one that needs a tenth of a second: both get their share, neither is lost."""
    hog = (
        "import os\nfor _ in range(3): os.fork()\nopen(os.environ['HOME'] + f'/{os.getpid()}', 'w')\n"
        + WAIT.replace("time.sleep(0.02)", "pass")
    )
    work = "sum(range(1_000_000)); print('done')"
    hogged, ended = together(sandbox, hog, work)
    assert (ended.ok, ended.stdout) == (True, b"done\n")
    assert hogged.ok
    assert os.cpu_count() is not None


def test_s46_neither_descriptors_nor_pipes_lead_back(sandbox: Sandbox) -> None:
    """The pipes of a run, opened anew through /proc, enlarged, made someone else's business: gatebot reads on."""
    code = """
        import fcntl, os, sys
        for number in (0, 1, 2):
            for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
                try: os.open(f"/proc/self/fd/{number}", mode | os.O_NONBLOCK)
                except OSError: pass
        for attempt in (
            lambda: fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20),
            lambda: fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid()),
            lambda: fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK),
        ):
            try: attempt()
            except OSError: pass
        os.set_blocking(1, True)
        print("answer", sys.stdin.read())
    """
    ended = sandbox.run(code, stdin=b"question")
    assert (ended.how, ended.stdout) == ("exited", b"answer question\n"), ended.stderr
    assert not ended.leftover
    assert sandbox.run("print(1)").ok
