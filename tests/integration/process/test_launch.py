"""Real programs, well and badly behaved: each ends in a typed value, in time, and leaves nothing running."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, LaunchRefusedError, Limits, Program, shell_argv

PATH = "/usr/local/bin:/usr/bin:/bin"
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("daemon.pid", "w").write(str(os.getpid()))
        os.rename("daemon.pid", "daemon")
        time.sleep(600)
    os._exit(0)
while not os.path.exists("daemon"):
    time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


def program(folder: Path, *argv: str, **rest: object) -> Program:
    given: dict[str, object] = {"deadline_s": 10.0, "env": {"PATH": PATH}, **rest}
    return Program(argv, folder, **given)  # pyright: ignore[reportArgumentType]


def python(folder: Path, code: str, **rest: object) -> Program:
    return program(folder, sys.executable, "-I", "-S", "-c", code, **rest)


def open_files() -> set[int]:
    """The descriptors of this process, without the one that lists them."""
    listed = {int(entry.name) for entry in Path("/proc/self/fd").iterdir()}
    return {descriptor for descriptor in listed if Path(f"/proc/self/fd/{descriptor}").exists()}


def own_children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text()


def assert_gone(pid_file: Path) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_output_and_exit_code_come_back(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("pwd; echo oops >&2; exit 3")))
    assert (ended.how, ended.exit_code, ended.signal, ended.ok) == ("exited", 3, None, False)
    assert ended.stdout.decode().strip() == str(tmp_path)
    assert ended.stderr == b"oops\n"
    assert 0 < ended.wall_s < 10
    assert ended.cpu_s is not None
    assert ended.cpu_s > 0
    assert ended.strays == 0
    assert not ended.leftover


def test_input_goes_in_whole_and_ends(launchers: Launchers, tmp_path: Path) -> None:
    data = bytes(range(256)) * 4000
    assert launchers.launch(program(tmp_path, "cat", stdin=data)).stdout == data


def test_input_that_nobody_reads_blocks_nothing(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, "true", stdin=b"x" * 5_000_000))
    assert ended.ok
    assert ended.wall_s < 5


def test_the_environment_is_what_was_given_and_nothing_else(
    launchers: Launchers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "SENTINEL")
    ended = launchers.launch(program(tmp_path, "env", env={"PATH": PATH, "A": "b c"}))
    assert sorted(ended.stdout.decode().splitlines()) == ["A=b c", f"PATH={PATH}"]


def test_the_launcher_holds_no_variable_either(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("cat /proc/$PPID/environ")))
    assert ended.stdout == b""


def test_arguments_reach_the_program_unread_by_any_shell(launchers: Launchers, tmp_path: Path) -> None:
    hostile = ("$(touch pwned)", "`id`", "a;b", "-q", "${IFS}", "*", "'", '"', "\n", "ü", "\udcff")
    ended = launchers.launch(program(tmp_path, "printf", "%s\\0", *hostile))
    assert ended.stdout == b"".join(os.fsencode(part) + b"\0" for part in hostile)
    assert list(tmp_path.iterdir()) == []


def test_no_descriptor_is_inherited(launchers: Launchers, tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        ended = launchers.launch(python(tmp_path, "import os; print(sorted(os.listdir('/proc/self/fd')))"))
    assert ended.stdout.decode().strip() == "['0', '1', '2', '3']"  # 3 is the listing itself


@pytest.mark.parametrize(
    ("argv", "stage", "number"),
    [
        (("no-such-program",), "program", errno.ENOENT),
        (("./no-such-file",), "exec", errno.ENOENT),
        (("./not-executable",), "exec", errno.EACCES),
        (("./no-interpreter",), "exec", errno.ENOENT),
        (("./garbage",), "exec", errno.ENOEXEC),
        (("true", "a\0b"), "exec", errno.EINVAL),
    ],
)
def test_what_cannot_start_says_why(
    launchers: Launchers, tmp_path: Path, argv: tuple[str, ...], stage: str, number: int
) -> None:
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    for name, text in (("no-interpreter", "#!/no/such/interpreter\n"), ("garbage", "\x01\x02")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    ended = launchers.launch(program(tmp_path, *argv))
    assert (ended.how, ended.stage, ended.errno) == ("not_started", stage, number)


def test_a_working_directory_that_is_not_there_says_so(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path / "gone", "true"))
    assert (ended.how, ended.stage, ended.errno) == ("not_started", "cwd", errno.ENOENT)


def test_a_broken_entry_early_on_the_path_is_not_passed_over(launchers: Launchers, tmp_path: Path) -> None:
    (tmp_path / "true").symlink_to("/no/such/interpreter")
    ended = launchers.launch(program(tmp_path, "true", env={"PATH": f"{tmp_path}:{PATH}"}))
    assert (ended.how, ended.stage, ended.errno) == ("not_started", "exec", errno.ENOENT)


def test_the_deadline_ends_what_ignores_every_wish_to_end(launchers: Launchers, tmp_path: Path) -> None:
    line = "trap '' TERM INT HUP; echo up; while :; do sleep 600; done"
    ended = launchers.launch(program(tmp_path, *shell_argv(line), deadline_s=0.8))
    assert (ended.how, ended.exit_code, ended.signal) == ("timeout", None, None)
    assert ended.stdout == b"up\n"
    assert 0.5 <= ended.wall_s < 2.8  # the launcher begins to count a little later than gatebot
    assert not ended.leftover


def test_a_stopped_process_is_ended_too(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("kill -STOP $$"), deadline_s=0.3))
    assert ended.how == "timeout"
    assert not ended.leftover


def test_a_signal_is_named(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("kill -SEGV $$")))
    assert (ended.how, ended.exit_code, ended.signal) == ("signaled", None, signal.SIGSEGV)


def test_a_flood_ends_at_the_cap_and_stays_bounded(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, "yes", max_stdout_bytes=1_000_000))
    assert ended.how == "output_cap"
    assert len(ended.stdout) == 1_000_000
    assert ended.wall_s < 5


def test_output_of_exactly_the_cap_is_fine(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, "head", "-c", "100000", "/dev/zero", max_stdout_bytes=100_000))
    assert ended.ok
    assert len(ended.stdout) == 100_000


def test_of_standard_error_the_tail_is_kept(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("seq 100000 >&2"), stderr_tail_bytes=100))
    assert ended.ok
    assert len(ended.stderr) == 100
    assert ended.stderr.endswith(b"99999\n100000\n")
    assert ended.stderr_cut


def test_a_daemon_in_its_own_session_is_ended_and_holds_nothing_up(
    launchers: Launchers, tmp_path: Path
) -> None:
    began = time.monotonic()
    ended = launchers.launch(python(tmp_path, DAEMON + "print('answer')"))
    assert time.monotonic() - began < 5
    assert ended.ok
    assert ended.stdout == b"answer\n"
    assert ended.strays >= 1
    assert_gone(tmp_path / "daemon")


def test_a_daemon_of_a_run_that_times_out_is_ended(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(python(tmp_path, DAEMON + "time.sleep(600)", deadline_s=1.0))
    assert ended.how == "timeout"
    assert not ended.leftover
    assert_gone(tmp_path / "daemon")


def test_limits_bind(launchers: Launchers, tmp_path: Path) -> None:
    code = (
        "import resource as r\n"
        "print(*(r.getrlimit(n) for n in (r.RLIMIT_CORE, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE)), sep='\\n')"
    )
    limits = Limits(open_files=100, file_bytes=5000)
    ended = launchers.launch(python(tmp_path, code, limits=limits))
    assert ended.stdout.decode().split("\n")[:3] == ["(0, 0)", "(100, 100)", "(5000, 5000)"]


def test_a_child_can_gain_no_privilege_and_goes_first_when_memory_is_short(
    launchers: Launchers, tmp_path: Path
) -> None:
    ended = launchers.launch(
        program(tmp_path, *shell_argv("grep NoNewPrivs /proc/self/status; cat /proc/self/oom_score_adj"))
    )
    assert ended.stdout.split() == [b"NoNewPrivs:", b"1", b"1000"]


def test_an_offline_program_makes_no_socket_but_unix_ones(launchers: Launchers, tmp_path: Path) -> None:
    code = (
        "import socket, subprocess, sys\n"
        "for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):\n"
        "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):\n"
        "        try: socket.socket(family, kind); print('open', family, kind)\n"
        "        except PermissionError: pass\n"
        "one, other = socket.socketpair(); one.send(b'x'); print(other.recv(1))\n"
        "socket.socket(socket.AF_UNIX).close()\n"
        "if len(sys.argv) < 2: subprocess.run([sys.executable, '-I', '-c', sys.stdin.read(), 'child'])\n"
    )
    ended = launchers.launch(python(tmp_path, code, offline=True, stdin=code.encode()))
    assert ended.stderr == b""
    assert ended.stdout == b"b'x'\nb'x'\n"
    assert b"open" in launchers.launch(python(tmp_path, code, stdin=b"")).stdout


def test_an_offline_program_can_ask_for_nothing_by_io_uring_or_foreign_calls(
    launchers: Launchers, tmp_path: Path
) -> None:
    code = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for number in (425, 0x40000000 + 41):\n"
        "    libc.syscall(number, 2, 1, 0)\n    print(errno.errorcode[ctypes.get_errno()])\n"
    )
    assert launchers.launch(python(tmp_path, code, offline=True)).stdout == b"ENOSYS\nENOSYS\n"


def test_each_run_has_a_session_of_its_own(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(python(tmp_path, "import os; print(os.getsid(0) == os.getpid())"))
    assert ended.stdout == b"True\n"


def test_signals_that_python_ignores_are_back_to_normal(launchers: Launchers, tmp_path: Path) -> None:
    ended = launchers.launch(program(tmp_path, *shell_argv("grep -E 'Sig(Ign|Blk)' /proc/self/status")))
    libc_own = 0b11 << 31  # signals 32 and 33 are the C library's; whoever started the tests may ignore them
    assert [int(word, 16) & ~libc_own for word in ended.stdout.split()[1::2]] == [0, 0]


def test_many_threads_launch_at_once(launchers: Launchers, tmp_path: Path) -> None:
    results: dict[int, Ended] = {}

    def run(number: int) -> None:
        results[number] = launchers.launch(program(tmp_path, "echo", str(number)))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: int(ended.stdout) for number, ended in results.items()} == {n: n for n in range(24)}


def test_no_descriptor_and_no_process_is_left_behind(tmp_path: Path) -> None:
    files, children = open_files(), own_children()
    with Launchers() as pool:
        for _ in range(5):
            pool.launch(program(tmp_path, "true", stdin=b"x" * 100_000))
            pool.launch(program(tmp_path, "no-such-program"))
            pool.launch(program(tmp_path, "yes", max_stdout_bytes=10))
    assert (open_files(), own_children()) == (files, children)


def test_a_full_descriptor_table_is_no_exception(tmp_path: Path) -> None:
    with Launchers() as pool:
        pool.launch(program(tmp_path, "true"))
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(open_files()) + 8, hard))
        taken: list[int] = []
        try:
            with contextlib.suppress(OSError):
                while True:
                    taken.append(os.open("/dev/null", os.O_RDONLY))
            full = pool.launch(program(tmp_path, "true"))
            os.close(taken.pop())
            os.close(taken.pop())
            nearly_full = pool.launch(program(tmp_path, "true"))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for descriptor in taken:
                os.close(descriptor)
        for ended in (full, nearly_full):
            assert (ended.how, ended.stage, ended.errno) == ("not_started", "fork", errno.EMFILE)
        assert pool.launch(program(tmp_path, "true")).ok


def test_terminate_all_ends_what_runs_and_refuses_the_rest(tmp_path: Path) -> None:
    ended: list[Ended] = []
    with Launchers() as pool:
        running = threading.Thread(
            target=lambda: ended.append(pool.launch(python(tmp_path, DAEMON + "time.sleep(600)")))
        )
        running.start()
        while not (tmp_path / "daemon").exists():
            running.join(0.01)
        began = time.monotonic()
        pool.terminate_all()
        running.join()
        assert time.monotonic() - began < 2
        with pytest.raises(LaunchRefusedError):
            pool.launch(program(tmp_path, "true"))
    assert ended[0].how == "terminated"
    assert_gone(tmp_path / "daemon")


def test_a_run_does_not_outlive_gatebot(tmp_path: Path) -> None:
    """A process that launches and is killed with -9 leaves nothing of what it started."""
    code = (
        "import sys; from pathlib import Path\n"
        "from gatebot.process.launch import Launchers\nfrom gatebot.process.program import Program\n"
        f"Launchers().launch(Program((sys.executable, '-c', {DAEMON + 'time.sleep(600)'!r}), Path({str(tmp_path)!r}), "
        "{'PATH': ''}, 600.0))"
    )
    root = str(Path(__file__).parents[3])
    gatebot = os.posix_spawn(sys.executable, [sys.executable, "-c", code], {"PYTHONPATH": root})
    while not (tmp_path / "daemon").exists():
        time.sleep(0.01)
    os.kill(gatebot, signal.SIGKILL)
    os.waitpid(gatebot, 0)
    pid = int((tmp_path / "daemon").read_text())
    limit = time.monotonic() + 5
    while time.monotonic() < limit and Path(f"/proc/{pid}").exists():
        time.sleep(0.01)
    assert_gone(tmp_path / "daemon")


def test_without_a_user_of_its_own_a_run_bends_no_limits_but_its_own(
    launchers: Launchers, tmp_path: Path
) -> None:
    """A second of processor time, set as a limit of a program of the same user, ends that."""
    code = (
        "import os, resource as r\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (50, 50)); print(r.prlimit(0, r.RLIMIT_NOFILE))\n"
        f"for pid in (os.getppid(), {os.getpid()}):\n"
        "    try: print('bent', r.prlimit(pid, r.RLIMIT_CORE))\n"
        "    except PermissionError: print('denied')\n"
    )
    ended = launchers.launch(python(tmp_path, code))
    assert ended.stdout == b"(50, 50)\ndenied\ndenied\n", ended.stderr
