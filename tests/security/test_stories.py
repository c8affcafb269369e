"""Attacks through whole evaluations: what a trial sees of the repository, and when nothing is started at all."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.attacker import ATTACKS
from gatebot.process.identity import FIRST_UID
from gatebot.process.run_directory import remove_tree
from tests.builders import CONFIG, Project, shop
from tests.integration.stories.command_line import CommandLine, part, rows
from tests.security.conftest import NO_NAMESPACES, needs_root, own_network_here

pytestmark = needs_root
WALK = """\
import os, sys
sys.stdin.read()
found = []
for top in ("/", os.getcwd(), os.environ["HOME"], os.path.dirname(os.path.dirname(os.getcwd())), "/tmp", "/var/tmp"):
    for folder, below, files in os.walk(top):
        if folder.startswith(("/proc", "/sys", "/usr", "/etc", "/opt", "/nix")):
            below.clear()
            continue
        for name in files:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    if b"CANARY-" + b"GOLDEN" in file.read(100_000):
                        found.append(path)
            except OSError:
                pass
        if ".git" in below:
            found.append(folder + "/.git")
print(found or "nothing")
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own that trials' users may enter."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-security-cache-"))
    place.chmod(0o711)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    yield place
    assert remove_tree(place)


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")


def run(gatebot: CommandLine, project: Project, *more: str) -> tuple[int, str]:
    ended = gatebot("run", "--repo", project.root, "--out", gatebot.results, "--seeds", "1", *more)
    return ended.code, ended.told


def test_s56_no_trial_finds_golden_history_or_the_other_side(gatebot: CommandLine, tmp_path: Path) -> None:
    files = shop(names=["address"])
    golden = "input: What?\nexpect: {answer: {contains: CANARY-GOLDEN}}\ngolden: {answer: CANARY-GOLDEN}\n"
    project = Project(tmp_path / "shop", {**files, "golden/address.yaml": golden, "agent.py": WALK})
    run(gatebot, project)
    assert [trial.answer for trial in gatebot.trials()] == ["nothing"]
    assert "attacks held off" in str(gatebot.report()["isolation"])


def test_s58_s64_what_the_head_ships_is_imported_by_nobody_but_itself(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    hostile = f"open({str(tmp_path / 'imported')!r}, 'w')\nraise SystemExit('taken over')\n"
    names = ("yaml", "pydantic", "numpy", "agentevals", "conftest", "sitecustomize", "gatebot", "json")
    modules = {f"{name}.py": hostile for name in names}
    project = Project(tmp_path / "shop", {**shop(names=["address"]), **modules})
    code, told = run(gatebot, project)
    assert (code, [trial.status for trial in gatebot.trials()]) == (0, ["completed"]), told
    assert not (tmp_path / "imported").exists()


def test_s65_a_forged_result_line_is_text(gatebot: CommandLine, tmp_path: Path) -> None:
    forged = json.dumps({"score": 1, "verdict": "pass", "status": "completed", "pass": True})
    agent = f"import sys; sys.stdin.read(); print({'PASS ' + forged!r})"
    project = Project(tmp_path / "shop", {**shop(names=["address"]), "agent.py": agent})
    run(gatebot, project)
    assert part(rows(gatebot.report(), "cases")["address"], "head")["passed"] == 0


def test_s2_s22_listed_names_of_the_runner_are_withheld_and_told(
    gatebot: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", "SENTINEL")
    monkeypatch.setenv("MODEL", "m")
    config = CONFIG.replace("timeout: 20", "timeout: 20, env: [GITHUB_SHA, MODEL, ABSENT]")
    agent = "import os, sys; sys.stdin.read(); print(os.environ.get('GITHUB_SHA'), os.environ.get('MODEL'))"
    project = Project(tmp_path / "shop", {**shop(names=["address"], config=config), "agent.py": agent})
    run(gatebot, project)
    assert [trial.answer for trial in gatebot.trials()] == ["None m"]
    alerts = str(gatebot.report()["alerts"])
    assert "never passed to agents: GITHUB_SHA." in alerts
    assert "not set here: ABSENT." in alerts


def test_s27_setup_has_a_user_of_its_own_no_secret_and_no_sight_of_other_files(
    gatebot: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "SENTINEL-key")
    with tempfile.NamedTemporaryFile("w", prefix="gatebot-public-") as public:
        public.write("SENTINEL-public")
        public.flush()
        Path(public.name).chmod(0o644)
        config = CONFIG.replace(
            "timeout: 20", "timeout: 20, env: [OPENAI_API_KEY], setup: ['python3 spy.py > told']"
        )
        spy = (
            "import os\nprint(os.getuid(), 'SENTINEL' in str(os.environ))\n"
            f"try: print(open({public.name!r}).read())\nexcept PermissionError: print('denied')\n"
        )
        agent = "import sys; sys.stdin.read(); print(open('told').read())"
        files = {**shop(names=["address"], config=config), "agent.py": agent, "spy.py": spy}
        code, told = run(gatebot, Project(tmp_path / "shop", files))
    assert code != 2, told
    (trial,) = gatebot.trials()
    uid, sentinel, read = (trial.answer or "").split()
    assert int(uid) >= FIRST_UID
    assert (sentinel, read) == ("False", "denied")


@pytest.fixture
def closed_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where no other user can enter, as below a home of mode 0700: trials can have no user of their own."""
    place = tmp_path / "closed"
    place.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def test_s16_as_root_nothing_is_started_without_users_for_trials(
    gatebot: CommandLine, tmp_path: Path, closed_temporary_directory: Path
) -> None:
    project = Project(tmp_path / "shop", shop(names=["address"]))
    code, told = run(gatebot, project)
    assert code == 3
    assert "gatebot is root, and so would its agents be" in told
    assert "(mode 0700) cannot be entered" in told
    assert "hint: set TMPDIR" in told


def test_s16_a_token_and_a_degraded_sandbox_start_nothing(
    gatebot: CommandLine, tmp_path: Path, closed_temporary_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "SENTINEL-token")
    project = Project(tmp_path / "shop", shop(names=["address"]))
    code, told = run(gatebot, project)
    assert code == 3
    assert "GITHUB_TOKEN is set" in told
    assert "env -u GITHUB_TOKEN gatebot" in told
    assert "SENTINEL" not in told


def test_the_unsafe_flag_runs_and_the_report_says_so(
    gatebot: CommandLine, tmp_path: Path, closed_temporary_directory: Path
) -> None:
    project = Project(tmp_path / "shop", shop(names=["address"]))
    code, told = run(gatebot, project, "--unsafe-no-sandbox")
    assert code == 0, told
    assert "The sandbox is not whole: degraded" in str(gatebot.report()["alerts"])
    assert "note: isolation: degraded" in told


@pytest.mark.parametrize("network", ["none", "loopback"])
def test_required_isolation_is_had_here(gatebot: CommandLine, tmp_path: Path, network: str) -> None:
    if network == "loopback" and not own_network_here():
        pytest.skip("no network namespace can be had here")
    config = CONFIG + f"isolation: required\nnetwork: {network}\n"
    project = Project(tmp_path / "shop", shop(names=["address"], config=config))
    ended, told = run(gatebot, project)
    assert ended == 0, told


def test_required_isolation_refuses_what_cannot_be_held(gatebot: CommandLine, tmp_path: Path) -> None:
    """As in a default container, which forbids namespaces; without `required` the report says that it is open."""
    required = CONFIG + "isolation: required\nnetwork: loopback\n"
    project = Project(tmp_path / "shop", shop(names=["address"], config=required))
    refused = without_namespaces("run", "--repo", project.root, "--out", gatebot.results, "--seeds", "1")
    assert refused.returncode == 3, refused.stderr
    assert "isolation is required and not complete" in refused.stderr
    assert "no loopback of its own can be had here: network: Operation not permitted" in refused.stderr
    project.commit({"gatebot.yaml": required.replace("required", "auto")})
    ran = without_namespaces("run", "--repo", project.root, "--out", gatebot.results, "--seeds", "1")
    assert ran.returncode == 0, ran.stderr
    assert "the network is open: no loopback of its own can be had here" in str(gatebot.report()["isolation"])


def test_a_server_shares_gatebot_s_loopback_and_the_report_says_so(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    http = 'agent: {http: {url: "http://127.0.0.1:{port}/", start: [python3, -I, -S, server.py]}}\n'
    agent = next(line for line in CONFIG.splitlines() if line.startswith("agent:"))
    config = CONFIG.replace(agent, http.strip()) + "isolation: required\nnetwork: loopback\n"
    project = Project(tmp_path / "shop", shop(names=["address"], config=config))
    ended, told = run(gatebot, project)
    assert ended == 3, told
    if own_network_here():
        assert "the network is open: gatebot must reach the server of an `http` agent" in told


def without_namespaces(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    """A command line where `unshare` is forbidden, as a default container forbids it."""
    boot = NO_NAMESPACES + "from gatebot.__main__ import main; main()"
    return subprocess.run(
        [sys.executable, "-c", boot, *map(str, argv)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("network", ["none", "open", "loopback"])
def test_the_self_test_names_every_attack(gatebot: CommandLine, network: str) -> None:
    held_here = network != "loopback" or own_network_here()
    code = 0 if held_here else 3
    on_networks = {"use the network": "none", "leave its own loopback": "loopback"}
    ended = gatebot("selftest", "--network", network)
    assert ended.code == code, ended.told
    lines = ended.out.splitlines()
    held = [line.removeprefix("held      ") for line in lines if line.startswith("held ")]
    kind = network if held_here else "open"
    assert held == [name for name in ATTACKS if on_networks.get(name, kind) == kind]
    assert ("missing " in ended.out) is bool(code)


def test_the_self_test_fails_where_trials_have_no_user(
    gatebot: CommandLine, closed_temporary_directory: Path
) -> None:
    ended = gatebot("selftest")
    assert ended.code == 3
    assert "NOT held  become root" in ended.out
    assert "missing   " in ended.out


SABOTAGE = """\
import fcntl, json, os, signal, sys, time
request = json.load(sys.stdin)
answers = json.load(open("book.json"))
for name in os.listdir("."):
    try: fcntl.flock(os.open(name, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError: pass
for folder in (".", "..", "../..", "../../..", "/tmp", "/var/tmp", "/dev/shm", "/run"):
    for change in (
        lambda: [os.unlink(os.path.join(folder, name)) for name in os.listdir(folder)],
        lambda: os.rename("book.json", os.path.join(folder, "gone")),
        lambda: open(os.path.join(folder, "book.json"), "w").write("{}"),
        lambda: os.chmod(folder, 0),
    ):
        try: change()
        except OSError: pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: int(pid) != os.getpid() and os.kill(int(pid), signal.SIGKILL)
    except OSError: pass
if os.fork() == 0:
    os.setsid(); os.fork(); os.fork()
    while True: pass
print(answers[request["case"]])
"""
SABOTEUR_SETUP = "rm -rf ../../* ../.. /tmp/gatebot-* /var/tmp/gatebot-* /dev/shm/* 2>/dev/null; chmod -R 0 ../.. 2>/dev/null; true"


def test_s74_a_head_that_only_sabotages_changes_nothing_for_the_base(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    """Its setup and its trials go for the other side, the kept places and the machine; its answers are the base's."""
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    config = CONFIG.replace("timeout: 20", f"timeout: 20, setup: ['{SABOTEUR_SETUP}']")
    project.commit({"agent.py": SABOTAGE, "gatebot.yaml": config})
    ended = gatebot.gate(project.root, base, "HEAD", "--no-store")
    trials = gatebot.trials()
    assert ended.code == 0, ended.told
    assert {trial.status for trial in trials} == {"completed"}
    for row in rows(gatebot.report(), "cases").values():
        for side in ("base", "head"):
            assert part(row, side)["passed"] == part(row, side)["trials"] != 0, row
    again = gatebot("run", "--repo", project.root, "--ref", base, "--out", tmp_path / "again", "--no-store")
    assert again.code == 0, again.told
