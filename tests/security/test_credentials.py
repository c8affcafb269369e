"""Attacks on what gatebot holds (section B of docs/security.md): environment, arguments, memory, files, sockets."""

from __future__ import annotations

import json
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gatebot.process import identity
from gatebot.process.identity import FIRST_UID, Identities, users_in_use
from tests.security.conftest import NO_LANDLOCK, ROOT, Sandbox, Victim, needs_root

pytestmark = needs_root
POISON = [
    "ANTHROPIC_BASE_URL",
    "HTTP_PROXY",
    "https_proxy",
    "SSL_CERT_FILE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "LD_PRELOAD",
    "GIT_SSH_COMMAND",
    "LANGSMITH_API_KEY",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_LOG",
    "GITHUB_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "INPUT_TOKEN",
]
PLACES = ("/", "/tmp", "/var/tmp", "/home", pwd.getpwuid(0).pw_dir, "/github", "/run", "/dev/shm")

HUNT = r"""
import json, os, re, sys
told = json.load(sys.stdin)
mark = ("SENT" + "INEL-").encode()
found = set()

def look(data, where):
    for hit in re.findall(mark + rb"[a-z]+", data):
        found.add(hit.decode())

def read(path, limit=4_000_000):
    try:
        with open(path, "rb", buffering=0) as stream:
            look(stream.read(limit), path)
    except OSError:
        pass

def memory(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
            for line in maps:
                span = line.split(" ", 1)[0].split("-")
                try:
                    mem.seek(int(span[0], 16))
                    look(mem.read(int(span[1], 16) - int(span[0], 16)), pid)
                except (OSError, ValueError, OverflowError):
                    pass
    except OSError:
        pass

me = str(os.getpid())
for name, value in os.environ.items():
    look(f"{name}={value}".encode(), "mine")
for pid in told.get("pids", filter(str.isdigit, os.listdir("/proc"))):
    if pid == me:
        continue
    for file in ("environ", "cmdline", "comm", "auxv", "stack", "io"):
        read(f"/proc/{pid}/{file}")
    memory(pid)
    for folder in ("fd", "cwd", "root", "map_files"):
        try:
            for entry in os.listdir(f"/proc/{pid}/{folder}"):
                if os.path.isfile(f"/proc/{pid}/{folder}/{entry}"):
                    read(f"/proc/{pid}/{folder}/{entry}")
        except OSError:
            pass
for path in told["paths"]:
    read(path)
for top in told["folders"]:
    for folder, below, files in os.walk(top):
        if folder.startswith(("/proc", "/sys", "/usr", "/nix")):
            below.clear()
            continue
        for file in files:
            path = os.path.join(folder, file)
            if os.path.isfile(path):
                read(path, 1_000_000)
print(sorted(found))
"""


FOR_ALL = {"SENTINEL-public", "SENTINEL-golden", "SENTINEL-checkout"}
"""Lie in files that every user may read: found where there is no Landlock, as the report says."""


@pytest.mark.parametrize("network", ["none", "loopback", "open"])
@pytest.mark.parametrize(
    ("mode", "walls", "may_find"),
    [
        ("root", "", set[str]()),
        ("rootless", "", set[str]()),
        ("root", NO_LANDLOCK, FOR_ALL),
        ("rootless", NO_LANDLOCK, {*FOR_ALL, "SENTINEL-private"}),
    ],
    ids=["root", "rootless", "root without Landlock", "rootless without Landlock, which is refused"],
)
def test_s16_s17_no_sentinel_is_found(
    victim: Victim,
    as_user: Callable[[str], int | None],
    mode: str,
    walls: str,
    may_find: set[str],
    network: str,
) -> None:
    """Planted in environment, arguments, memory, open files, private and public files; hunted where each one lies.

    The last mode is the one of `--unsafe-no-sandbox`: tests/unit/commands/test_sandbox_refusals.py sees it refused otherwise.
    """
    user = as_user(mode)
    home = victim.place / f"{mode}-{bool(walls)}-{network}"
    home.mkdir()
    home.chmod(0o755)
    for name, text, rights in (
        ("secret", "SENTINEL-private", 0o600),
        ("public", "SENTINEL-public", 0o644),
        ("golden.yaml", "SENTINEL-golden", 0o644),
        ("git-credentials", "SENTINEL-checkout", 0o644),
    ):
        (home / name).write_text(text)
        (home / name).chmod(rights)
        os.chown(home / name, user or 0, user or 0)
    # Without Landlock the whole machine can be read, these tests' own source among it.
    folders = [str(home)] if walls else [*PLACES, str(home)]
    targets = {"paths": [str(path) for path in sorted(home.iterdir())], "folders": folders}
    said = victim.run(
        walls
        + """
print(launchers.isolation(network=sys.argv[5]))
in_memory = "".join(["SENT", "INEL-", "memory"])
held_open = open(place / sys.argv[4] / "secret")
ended = hostile(sys.argv[2], sys.argv[3].encode(), sys.argv[5])
print(ended.stdout.decode(), ended.stderr.decode(), in_memory[:4], held_open.name[:1])
""",
        HUNT,
        json.dumps(targets),
        home.name,
        network,
        "SENTINEL-argument",
        user=user,
        env={"GITHUB_TOKEN": "SENTINEL-environment"},
    )
    report, found, *_ = said.splitlines()
    assert report.startswith("degraded" if mode == "rootless" else "each trial under"), report
    assert ("attacks held off" in report) is not bool(walls)
    assert set(json.loads(found.split("]")[0].replace("'", '"') + "]")) <= may_find


def test_s16_without_landlock_a_user_of_its_own_still_keeps_gatebot_s_secrets(victim: Victim) -> None:
    said = victim.run(
        NO_LANDLOCK + "print(launchers.isolation(network='none'))",
        user=None,
        env={"GITHUB_TOKEN": "SENTINEL"},
    )
    assert said.startswith(
        "each trial under an unprivileged user of its own, with a clean environment, without"
    )
    assert "files and processes are open to agents: files: Function not implemented" in said
    breaches = said.rpartition("not held off: ")[2].strip().split(", ")
    assert breaches == [
        "read files that everybody may read",
        "write outside the trial",
        "reach sockets without a file",
    ]


def test_s16_without_root_and_without_landlock_what_is_open_is_named(
    victim: Victim, as_user: Callable[[str], int | None]
) -> None:
    """The weakest mode there is: memory and environment stay closed, files of the same user do not."""
    said = victim.run(
        NO_LANDLOCK + "print(launchers.isolation())",
        user=as_user("rootless"),
        env={"GITHUB_TOKEN": "SENTINEL"},
    )
    assert said.startswith("degraded: agents ran as gatebot's own user")
    breaches = said.rpartition("not held off: ")[2].strip().split(", ")
    assert "read gatebot's files" in breaches
    assert not {
        name for name in breaches if "environment" in name or "memory" in name or name.startswith("trace")
    }


def test_s16_the_hunter_finds_what_is_not_hidden(victim: Victim) -> None:
    """The hunt of the test above, by a root without a sandbox: it would have found everything."""
    said = victim.run(
        """
        import json, subprocess
        in_memory = "".join(["SENT", "INEL-", "memory"])
        done = subprocess.run(
            ["/usr/bin/env", "python3", "-I", "-S", "-c", sys.argv[2]],
            input=json.dumps({"paths": [], "folders": [], "pids": [str(os.getpid())]}).encode(),
            capture_output=True, env={"PATH": "/usr/bin:/bin"},
        )
        print(done.stdout.decode(), done.stderr.decode(), in_memory[:4])
        """,
        HUNT,
        "SENTINEL-argument",
        user=None,
        env={"GITHUB_TOKEN": "SENTINEL-environment"},
    )
    for name in ("argument", "environment", "memory"):
        assert f"SENTINEL-{name}" in said


def test_s19_credentials_that_a_checkout_left_are_not_readable(sandbox: Sandbox) -> None:
    """Files of mode 0644, as actions/checkout writes them; their owner still reads them afterwards."""
    runner = sandbox.place / "runner_temp"
    git = sandbox.place / "workspace" / ".git"
    for folder in (runner, git):
        folder.mkdir(parents=True)
    paths = [runner / "git-credentials-1.config", git / "config"]
    for path in paths:
        path.write_text("[http] extraheader = AUTHORIZATION: basic c2VjcmV0")
        path.chmod(0o644)
        os.chown(path, 1001, 1001)
    code = f"""
        for path in {[str(path) for path in paths]}:
            try: print(open(path).read())
            except PermissionError: print("denied")
    """
    assert sandbox.run(code).stdout == b"denied\ndenied\n"
    assert all("AUTHORIZATION" in path.read_text() for path in paths)


def test_s20_a_container_engine_is_not_to_be_commanded(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed by its mode; and the group that may talk to it is never given to a trial."""
    path = sandbox.place / "docker.sock"
    group = FIRST_UID + 7
    with socket.socket(socket.AF_UNIX) as engine:
        engine.bind(str(path))
        engine.listen()
        path.chmod(0o660)
        os.chown(path, 0, group)
        code = f"""
            import socket
            try: socket.socket(socket.AF_UNIX).connect({str(path)!r}); print("commanded")
            except PermissionError: print("denied")
        """
        assert sandbox.run(code).stdout == b"denied\n"
        monkeypatch.setattr(identity, "_DOCKER_SOCKETS", (path,))
        assert group in users_in_use()


def test_s22_a_poisoned_environment_reaches_no_agent(victim: Victim) -> None:
    poison = {name: f"SENTINEL-{name}" for name in POISON}
    del poison["LD_PRELOAD"]  # would be loaded into the victim by the system itself, before gatebot
    said = victim.run(
        "print(hostile('import os; print(sorted(os.environ))').stdout.decode())", user=None, env=poison
    )
    assert said.strip() == str(["HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR", "TZ"])


def test_s23_modules_in_the_checkout_shadow_nothing_of_gatebots(sandbox: Sandbox) -> None:
    """Launchers start in `/`, isolated: a checkout full of modules named like the library's runs none of them."""
    for name in ("json", "os", "socket", "ctypes", "gatebot", "sitecustomize", "usercustomize", "yaml"):
        (sandbox.checkout / f"{name}.py").write_text(f"open('/tmp/shadowed-{name}', 'w')")
    try:
        assert sandbox.run("print('fine')").stdout == b"fine\n"
        assert list(Path("/tmp").glob("shadowed-*")) == []
    finally:
        for path in sandbox.checkout.glob("*.py"):
            path.unlink()


def test_s23_the_command_imports_nothing_from_where_it_is_started(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "gatebot"
    if not command.exists():
        pytest.skip("gatebot is not installed beside this Python")
    for name in ("json", "yaml", "typer", "sitecustomize", "usercustomize", "gatebot", "pydantic"):
        (tmp_path / f"{name}.py").write_text("open('shadowed', 'w')")
    done = subprocess.run([command, "validate"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert not (tmp_path / "shadowed").exists()


def test_s26_without_a_network_no_token_service_is_reached(sandbox: Sandbox) -> None:
    with socket.socket() as service:
        service.bind(("127.0.0.1", 0))
        service.listen()
        code = f"""
            import socket
            try: socket.create_connection(("127.0.0.1", {service.getsockname()[1]}), 2); print("connected")
            except PermissionError: print("denied")
        """
        assert sandbox.run(code, network="none").stdout == b"denied\n"
        assert sandbox.run(code).stdout == b"connected\n"


def test_s41_a_trial_never_gets_a_user_that_means_something() -> None:
    place = Path("/run") / f"gatebot-test-{secrets.token_hex(4)}"
    place.mkdir(mode=0o700)
    taken = {FIRST_UID + 1, FIRST_UID + 2}
    try:
        identities = Identities(place, taken)
        seen: set[int] = set()
        for _ in range(10_000):
            with identities.lease() as first:
                seen.add(first.uid)
        assert not seen & {0, 1001, 65534, *taken}
        with identities.lease() as first, identities.lease() as second, identities.lease() as third:
            assert len({first.uid, second.uid, third.uid}) == 3
    finally:
        shutil.rmtree(place)
    assert ROOT
