"""Every way an agent can go wrong ends in a typed status with a reason, in time, and the next trial runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatebot.agents.build import make_agent
from gatebot.model.config import AgentConfig
from gatebot.model.trial import Status
from gatebot.ports import SideEnvironment
from gatebot.process import landlock
from gatebot.process.exchange import GRACE_S
from gatebot.process.launch import Launchers
from tests.unit.agents.tasks import task

TIMEOUT_S = 1.5
PYTHON = (Path(sys.prefix), Path(sys.base_prefix))
KILLING = "PermissionError" if landlock.scopes(landlock.version()) else "killed the process that watches"


@dataclass(frozen=True, slots=True)
class Misdeed:
    """What the agent does (Python), and what its trial must become."""

    name: str
    code: str
    status: Status
    reason: str
    answer: str | None = None
    max_output_mb: float = 16.0


def failing(name: str, code: str, reason: str, *, max_output_mb: float = 16.0) -> Misdeed:
    return Misdeed(name, code, "agent_error", reason, max_output_mb=max_output_mb)


def hanging(name: str, code: str) -> Misdeed:
    return Misdeed(name, code, "timeout", f"no answer within {TIMEOUT_S:g} s")


def harmless(name: str, code: str, answer: str) -> Misdeed:
    return Misdeed(name, code, "completed", "", answer)


MISDEEDS = (
    hanging("hangs", "time.sleep(600)"),
    hanging("ignores SIGTERM", "signal.signal(15, signal.SIG_IGN); time.sleep(600)"),
    hanging("stops itself", "os.kill(os.getpid(), signal.SIGSTOP)"),
    hanging("drips", "while True: print('.', flush=True); time.sleep(0.2)"),
    hanging("waits for a child", "os.fork() or time.sleep(600); os.wait()"),
    failing("raises", "raise KeyError('customer')", "exited with code 1: KeyError: 'customer'"),
    failing(
        "raises with an escape sequence",
        r"raise RuntimeError('\x1b[2J::error::x')",
        r"exited with code 1: RuntimeError: \u{1b}[2J::error::x",
    ),
    failing("crashes", "os.kill(os.getpid(), signal.SIGSEGV)", "ended by SIGSEGV"),
    failing("aborts", "os.abort()", "ended by SIGABRT"),
    failing("kills itself", "os.kill(os.getpid(), 9)", "ended by SIGKILL"),
    failing("exits 137", "sys.stderr.write('Killed\\n'); os._exit(137)", "exited with code 137 (SIGKILL): Killed"),
    failing("exits 255", "os._exit(255)", "exited with code 255"),
    failing("leaves without a word", "sys.exit(0)", "printed nothing"),
    failing("prints blanks", "print(' \\n\\t ')", "printed nothing"),
    failing("prints half of its JSON", "print('{\"answer\": \"y')", "printed what begins like JSON and is not"),
    failing("prints two documents", "print('{}\\n{}')", "printed what begins like JSON and is not"),
    failing("prints NaN", "print('{\"state\": NaN}')", "printed what begins like JSON and is not"),
    failing("prints a key twice", 'print(\'{"answer": "a", "answer": "b"}\')', "printed what begins like JSON"),
    failing("prints half a pair", "print('{\"answer\": \"\\\\ud800\"}')", "printed what begins like JSON"),
    failing("nests a million deep", "print('[' * 1_000_000)", "printed what begins like JSON and is not"),
    failing("nests a million keys", "print('{\"a\":' * 1_000_000)", "printed what begins like JSON"),
    failing(
        "nests a million deep and closes",
        "print('{\"state\":' + '[' * 10**6 + ']' * 10**6 + '}')",
        "printed what begins like JSON",
    ),
    failing("answers with a foreign object", "print('{\"result\": 1}')", "printed an object without any of"),
    failing("answers with a list of numbers", "print('[1, 2]')", "printed messages in no known format"),
    failing("answers with broken messages", "print('{\"messages\": {\"a\": 1}}')", "printed"),
    failing("prints latin-1", "os.write(1, b'caf\\xe9')", "printed invalid UTF-8 at byte 3"),
    failing("prints noise", "os.write(1, bytes(range(256)) * 9)", "printed invalid UTF-8 at byte 128"),
    failing(
        "prints 100 MB",
        "for _ in range(1600): os.write(1, b'x' * 65536)",
        "printed more than 16 MB on standard output",
    ),
    failing(
        "prints without end", "while True: os.write(1, b'[' * 65536)", "printed more than 0.5 MB", max_output_mb=0.5
    ),
    failing("counts tokens in words", 'print(\'{"usage": {"input_tokens": "many"}}\')', "usage.input_tokens"),
    failing("kills what watches it", "os.kill(os.getppid(), 9); time.sleep(600)", KILLING),
    failing(
        "closes everything and leaves", "os.closerange(0, 9); os._exit(0)", "printed nothing"
    ),
    failing(
        "eats memory", "resource.setrlimit(resource.RLIMIT_AS, (10**8,) * 2); x = 'x' * 10**9", "MemoryError"
    ),
    failing("writes until the disk ends", "with open('/dev/full', 'w') as f: f.write('x')", "No space left on device"),
    harmless("prints garbage", "print('%PDF-1.4 \\x00\\x07 ???')", "%PDF-1.4 \x00\x07 ???"),
    harmless("prints no newline", "os.write(1, b'yes')", "yes"),
    harmless("never reads", "print('read nothing')", "read nothing"),
    harmless("closes its input", "os.close(0); print('closed')", "closed"),
    harmless("floods standard error", "os.write(2, b'e' * 9_000_000); print('loud')", "loud"),
    harmless(
        "leaves a daemon with its output",
        "if os.fork() == 0: os.setsid(); os.fork() or time.sleep(600)\nelse: print('gone')",
        "gone",
    ),
    harmless(
        "forks when leaving", "import atexit; atexit.register(lambda: os.fork() or time.sleep(600)); print('bye')", "bye"
    ),
    harmless("locks its directories", (
        "h = os.environ['HOME']; os.mkdir(h + '/a'); open(h + '/a/f', 'w').close()\n"
        "os.chmod(h + '/a/f', 0); os.chmod(h + '/a', 0); os.chmod(h, 0); print('locked')"
    ), "locked"),
    harmless(
        "digs",
        "os.chdir(os.environ['TMPDIR'])\nfor _ in range(1200): os.mkdir('d'); os.chdir('d')\nprint('deep')",
        "deep",
    ),
    harmless("lowers its limits", "resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)); print('low')", "low"),
    harmless("deletes its files", "shutil.rmtree(os.environ['HOME'], ignore_errors=True); print('bare')", "bare"),
    failing("deletes where it is", "shutil.rmtree(os.getcwd())", "PermissionError"),
    failing(
        "digs too deep",
        "os.chdir(os.environ['HOME'])\nfor _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\ntime.sleep(9)",
        "filled the disk",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


@pytest.mark.parametrize("misdeed", MISDEEDS, ids=lambda misdeed: misdeed.name.replace(" ", "-"))
def test_misbehaviour_is_a_status(launchers: Launchers, tmp_path: Path, misdeed: Misdeed) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    script = tmp_path / "agent.py"
    script.write_text(f"import os, resource, shutil, signal, sys, time\n{misdeed.code}\n")
    config = AgentConfig(
        command=(sys.executable, "-I", "-S", str(script)), max_output_mb=misdeed.max_output_mb
    )
    agent = make_agent(config, launchers=launchers, directory=tmp_path)
    began = time.monotonic()
    environment = SideEnvironment("head", checkout, readable=(*PYTHON, tmp_path))
    trial = agent.run(task(timeout_s=TIMEOUT_S), environment)
    took = time.monotonic() - began
    assert (trial.status, trial.answer) == (misdeed.status, misdeed.answer), trial.reason
    assert misdeed.reason in trial.reason
    assert trial.reason.isprintable()
    assert len(trial.reason) < 500
    assert trial.key == task().key
    assert len(trial.stderr_tail) <= 8193
    assert trial.timing.wall_s is not None
    assert trial.timing.wall_s < TIMEOUT_S + GRACE_S
    assert took < 30  # with the run directory gone, which takes as long as the file system does
    script.write_text("print('fine')")
    following = agent.run(task(), environment)
    assert (following.status, following.answer) == ("completed", "fine")
