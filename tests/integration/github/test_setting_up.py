"""init and doctor: from an empty directory to a gate that works, and every gap on the way named."""

from __future__ import annotations

import time
from pathlib import Path

import pygit2
import pytest
import yaml

from gatebot.commands.doctor import PERMISSIONS
from gatebot.commands.init import TEMPLATES, WORKFLOWS, suite_name
from tests.builders import Project, shop
from tests.fakes.github.state import GitHubState
from tests.integration.stories.command_line import CommandLine

EXAMPLES = Path(__file__).parents[3] / "examples" / "workflows"
AGENT = "python3 -c 'print(\"I can help\")'"


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")


def test_init_writes_a_suite_that_runs(tmp_path: Path, gatebot: CommandLine) -> None:
    root = tmp_path / "fresh"
    project = Project(root, {"README.md": "hi"})
    ended = gatebot("init", root, "--agent", AGENT, "--suite", "desk")
    assert ended.code == 0, ended.told
    assert "wrote .github/workflows/gatebot.yml" in ended.out
    project.commit({})
    assert gatebot("validate", root).code == 0
    run = gatebot("run", "--repo", root, "--out", gatebot.results, "--seeds", "2")
    assert run.code == 0, run.told


def test_init_adds_workflows_to_a_suite_that_exists(tmp_path: Path, gatebot: CommandLine) -> None:
    root = tmp_path / "mine"
    Project(root, shop())
    before = (root / "gatebot.yaml").read_text()
    ended = gatebot("init", root, "--agent", AGENT)
    assert ended.code == 0, ended.told
    assert "kept gatebot.yaml and its cases: --agent was not used" in ended.out
    assert "--action owner/repository@commit" in ended.out
    assert (root / "gatebot.yaml").read_text() == before
    assert (root / ".github/workflows/gatebot.yml").is_file()
    assert not (root / "golden/first.yaml").exists()
    assert gatebot("init", root, "--agent", AGENT).code == 2


def test_init_asks_a_suite_that_exists_for_no_agent_and_hands_its_secrets_on(
    tmp_path: Path, gatebot: CommandLine
) -> None:
    root = tmp_path / "mine"
    config = shop()["gatebot.yaml"] or ""
    Project(root, {**shop(), "gatebot.yaml": config.replace("agent: {", "agent: {env: [SHOP_KEY], ", 1)})
    ended = gatebot("init", root)
    assert ended.code == 0, ended.told
    assert "SHOP_KEY: ${{ secrets.SHOP_KEY }}" in (root / ".github/workflows/gatebot.yml").read_text()


def test_init_touches_nothing_that_exists(tmp_path: Path, gatebot: CommandLine) -> None:
    (tmp_path / "gatebot.yaml").write_text("mine")
    ended = gatebot("init", tmp_path, "--agent", AGENT)
    assert ended.code == 2
    assert (tmp_path / "gatebot.yaml").read_text() == "mine"
    assert not (tmp_path / "golden").exists()


def test_init_hands_every_secret_on(tmp_path: Path, gatebot: CommandLine) -> None:
    gatebot(
        "init", tmp_path, "--agent", AGENT, "--suite", "s", "--env", "ANTHROPIC_API_KEY", "--env", "OTHER_KEY"
    )
    text = (tmp_path / ".github/workflows/gatebot.yml").read_text()
    step = next(step for step in yaml.safe_load(text)["jobs"]["gate"]["steps"] if step.get("id") == "gatebot")
    assert step["with"] == {"anthropic-api-key": "${{ secrets.ANTHROPIC_API_KEY }}"}
    assert step["env"] == {"OTHER_KEY": "${{ secrets.OTHER_KEY }}"}


def test_init_names_the_release_it_is_given_and_no_tag(tmp_path: Path, gatebot: CommandLine) -> None:
    release = f"acme/gate@{'a1' * 20}"
    asked = ("init", tmp_path, "--agent", AGENT, "--suite", "s")
    assert gatebot(*asked, "--action", "acme/gate@v1").code == 2
    assert gatebot(*asked, "--action", release).code == 0
    for name in WORKFLOWS:
        text = (tmp_path / ".github/workflows" / name).read_text()
        assert "0" * 40 not in text
        assert f"uses: {release}" in text
    assert "does not name a release" not in gatebot("doctor", tmp_path).out


def test_init_without_an_agent_says_what_is_missing(tmp_path: Path, gatebot: CommandLine) -> None:
    ended = gatebot("init", tmp_path, "--suite", "s")
    assert ended.code == 2
    assert "--agent" in ended.err


def test_init_offers_a_valid_name_made_from_the_folders(tmp_path: Path, gatebot: CommandLine) -> None:
    root = tmp_path / "my agent"
    root.mkdir()
    ended = gatebot("init", root, "--agent", AGENT)
    assert ended.code == 0, ended.told
    assert yaml.safe_load((root / "gatebot.yaml").read_text())["suite"] == "my-agent"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("my agent", "my-agent"),
        (".hidden", "hidden"),
        ("bücher (2)", "b-cher-2"),
        ("日本", "suite"),
        ("a" * 200, "a" * 100),
    ],
)
def test_a_suites_name_from_a_folder(folder: str, name: str) -> None:
    assert suite_name(folder) == name


@pytest.mark.parametrize(
    "wrong",
    [
        ("--suite", "my agent"),
        ("--env", "KEY=secret"),
        ("--question", ""),
        ("--contains", ""),
        ("--action", "acme/gate@v1"),
        ("--agent", "'open"),
        ("--agent", "x" * 5000),
    ],
    ids=lambda wrong: f"{wrong[0]}-{wrong[1][:10]}",
)
def test_init_writes_nothing_for_an_input_it_refuses(
    tmp_path: Path, gatebot: CommandLine, wrong: tuple[str, str]
) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    right = {"--agent": AGENT, "--suite": "s", "--question": "Hi?"}
    given = [part for pair in {**right, wrong[0]: wrong[1]}.items() for part in pair]
    ended = gatebot("init", root, *given)
    if wrong == ("--question", ""):  # not told: the default answers
        assert ended.code == 0, ended.told
        return
    assert ended.code == 2, ended.told
    assert list(root.iterdir()) == []
    again = gatebot("init", root, *[part for pair in right.items() for part in pair])
    assert again.code == 0, again.told


def test_the_base_runs_for_the_default_branch_whatever_it_is_called(
    tmp_path: Path, gatebot: CommandLine
) -> None:
    root = tmp_path / "fresh"
    pygit2.init_repository(str(root), initial_head="trunk")
    assert gatebot("init", root, "--agent", AGENT, "--suite", "s").code == 0
    base = root / ".github/workflows/gatebot-base.yml"
    assert yaml.safe_load(base.read_text())[True]["push"]["branches"] == ["trunk", "main", "master"]
    assert "default branch" not in gatebot("doctor", root).out
    base.write_text(base.read_text().replace('"trunk", ', ""))
    assert "pushes to main, master, and the default branch is trunk" in gatebot("doctor", root).out


def test_the_remotes_default_branch_is_named_from_any_branch(tmp_path: Path, gatebot: CommandLine) -> None:
    root = tmp_path / "fresh"
    project = Project(root, {"README.md": "hi"})
    tip = project.repository.head.target
    project.repository.references.create("refs/remotes/origin/release+2", tip)
    project.repository.references.create("refs/remotes/origin/HEAD", "refs/remotes/origin/release+2")
    assert gatebot("init", root, "--agent", AGENT, "--suite", "s").code == 0
    base = (root / ".github/workflows/gatebot-base.yml").read_text()
    assert yaml.safe_load(base)[True]["push"]["branches"] == [r"release\+2", "main", "master"]
    assert "default branch" not in gatebot("doctor", root).out


def test_the_templates_are_the_examples() -> None:
    for name in WORKFLOWS:
        assert (TEMPLATES / name).read_text() == (EXAMPLES / name).read_text()
        assert [
            job["permissions"] for job in yaml.safe_load((EXAMPLES / name).read_text())["jobs"].values()
        ] == [PERMISSIONS[name]]


def _line_of(file: Path, text: str) -> int:
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line)


def test_doctor_waits_ten_seconds_at_most_for_github(
    tmp_path: Path, gatebot: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    Project(tmp_path / "r", shop())
    for name, value in (("TOKEN", "t"), ("REPOSITORY", "a/b"), ("API_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    assert "GitHub could not be asked" in gatebot("doctor", tmp_path / "r").out
    assert 0 < sum(slept) <= 10


def test_doctor_names_every_gap(
    tmp_path: Path, gatebot: CommandLine, hub: GitHubState, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_bot")
    monkeypatch.setenv("GITHUB_REPOSITORY", hub.name)
    monkeypatch.setenv("GITHUB_API_URL", api)
    assert "gatebot.yml is missing" in gatebot("doctor", root).out
    gatebot("init", root, "--agent", AGENT, "--suite", "shop")
    ended = gatebot("doctor", root)
    assert ended.code == 1
    for told in (
        f"gatebot.yml:{_line_of(root / '.github/workflows/gatebot.yml', '0' * 40)} does not name a release",
        "--action owner/repository@commit",
        "the label gatebot:accept does not exist",
        "does not require the check gatebot / shop",
        "the case first has no golden",
    ):
        assert told in ended.out
    for name in WORKFLOWS:
        place = root / ".github/workflows" / name
        place.write_text(place.read_text().replace("0" * 40, "1" * 40))
    hub.labels |= {"gatebot:accept", "gatebot:override"}
    hub.required.add("gatebot / shop")
    ended = gatebot("doctor", root)
    assert ended.code == 0, ended.out
    assert "every pull request runs its base" not in ended.out
    for name in ("gatebot-base.yml", "gatebot-schedule.yml"):
        (root / ".github/workflows" / name).unlink()
    without = gatebot("doctor", root)
    assert without.code == 0, without.out
    assert "gatebot-base.yml is missing: every pull request runs its base" in without.out
    assert "gatebot-schedule.yml is missing: nobody notices" in without.out


@pytest.mark.parametrize(
    ("text", "told"),
    [("jobs: [", "cannot be read"), ("jobs: {a: {permissions: write-all}}", "exactly"), ("- a", "exactly")],
)
def test_doctor_reads_any_workflow(tmp_path: Path, gatebot: CommandLine, text: str, told: str) -> None:
    Project(tmp_path / "r", {**shop(), ".github/workflows/gatebot.yml": text})
    assert told in gatebot("doctor", tmp_path / "r").out
