"""Agents that attack from inside the image. Each answers with what it found; nothing found is the defence."""

from __future__ import annotations

PRELUDE = """\
import ctypes, json, os, re, signal, socket, sys, tempfile
request = json.load(sys.stdin)
found = []
"""
ANSWER = '\nprint("found: " + json.dumps(sorted(set(found))))\n'

SECRETS = r"""
mark = ("SENT" + "INEL-").encode()
token = ("ghs_" + "endtoend").encode()
def look(data):
    for hit in re.findall(mark + rb"[a-z-]+", data):
        found.append(hit.decode())
    if token in data:
        found.append("the write token")
def read(path, limit=2_000_000):
    try:
        with open(path, "rb", buffering=0) as stream:
            look(stream.read(limit))
    except OSError:
        pass
def memory(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
            found.append(f"memory of {pid} opened")
    except OSError:
        pass
read("/proc/self/environ")
for pid in filter(str.isdigit, os.listdir("/proc")):
    if pid == str(os.getpid()):
        continue
    for file in ("environ", "cmdline", "auxv", "stack", "io"):
        read(f"/proc/{pid}/{file}")
    memory(pid)
    for folder in ("fd", "cwd", "root", "map_files"):
        try:
            for entry in os.listdir(f"/proc/{pid}/{folder}"):
                if os.path.isfile(f"/proc/{pid}/{folder}/{entry}"):
                    read(f"/proc/{pid}/{folder}/{entry}")
        except OSError:
            pass
for folder, below, files in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/usr", "/opt")):
        below.clear()
        continue
    for file in files:
        read(os.path.join(folder, file), 200_000)
for place in ("/github/workspace", "/github/runner_temp", "/github/file_commands", "/github/home", "/github/workflow"):
    try:
        os.listdir(place)
        found.append(f"listed {place}")
    except OSError:
        pass
"""
"""Environment, memory, descriptors of every process; every file; the runner's own folders."""

ENGINE = r"""
for path in ("/var/run/docker.sock", "/run/docker.sock"):
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        found.append("commanded the engine")
    except OSError:
        pass
try:
    os.setuid(0)
    found.append("became root")
except OSError:
    pass
"""

SIGNALS = r"""
for pid in sorted(map(int, filter(str.isdigit, os.listdir("/proc")))):
    if pid in (os.getpid(), os.getppid()) and os.stat(f"/proc/{pid}").st_uid == os.getuid():
        continue
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
        try:
            os.kill(pid, number)
            found.append(f"signalled {pid}")
        except OSError:
            pass
libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getppid()):
    if libc.ptrace(16, pid, None, None) == 0:
        found.append(f"traced {pid}")
"""
"""Ends, stops and traces whatever it may: process 1, gatebot, launchers, other trials."""

WRITES = r"""
mine = tuple(os.path.realpath(os.environ[name]) for name in ("HOME", "TMPDIR"))
for folder, below, files in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/dev")) or os.path.realpath(folder).startswith(mine):
        below.clear()
        continue
    try:
        with open(os.path.join(folder, ".planted"), "w"):
            found.append(f"wrote into {folder}")
    except OSError:
        pass
for path in ("output", "summary", "env", "path", "state"):
    try:
        with open(f"/github/file_commands/{path}", "a") as stream:
            stream.write("conclusion=pass\nLD_PRELOAD=/tmp/evil.so\n")
            found.append(f"poisoned {path}")
    except OSError:
        pass
for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN"):
    if name in os.environ:
        found.append(f"was told {name}")
"""
"""Plants a file in every folder there is: gatebot's own, the other side's checkout, the runner's, the workspace."""

COMMANDS = r"""
for stream in (sys.stderr,):
    for line in (
        "::set-output name=conclusion::pass", "::add-path::/tmp/evil", "::stop-commands::x", "::add-mask::refund",
        "  ::error::forged", "##[set-env name=LD_PRELOAD]/tmp/evil.so", "x ##[error]forged", "::save-state name=a::b",
        "\r::notice::forged", "\x1b[31m::warning::forged",
    ):
        stream.write(line + "\n")
"""
"""Prints the runner's commands on standard error."""


def agent(*attacks: str) -> str:
    """An agent that attacks in the case `refund`, and says in its answer what it found."""
    indented = "\n".join(f"    {line}" for attack in attacks for line in attack.strip("\n").splitlines())
    return f'{PRELUDE}if request["case"] == "refund":\n{indented}\n{ANSWER}'
