"""The image, the action and the workflows keep what their hosts and R26 ask: read as files, built by the end-to-end tests."""

import json
import re
from pathlib import Path
from typing import cast

import pytest
import yaml

from tests.unit.house.source_tree import ROOT
from tools.release_action import released

DOCKERFILE, FULL = ((ROOT / name).read_text(encoding="utf-8") for name in ("Dockerfile", "Dockerfile.full"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXPRESSION = re.compile(r"\$\{\{\s*inputs\.([\w-]+)\s*\}\}")
PINNED_ACTION = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """(instruction, arguments) of a Dockerfile, continuation lines joined and comments dropped."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    logical = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in logical if line.strip()]


def read_yaml(path: Path) -> dict[str, object]:
    return cast("dict[str, object]", yaml.safe_load(path.read_text(encoding="utf-8")))


def arguments(name: str, dockerfile: str = DOCKERFILE) -> list[str]:
    return [text for instruction, text in instructions(dockerfile) if instruction == name]


def test_the_entry_is_pid_one_and_safe() -> None:
    (entry,) = arguments("ENTRYPOINT")
    command = cast("list[str]", json.loads(entry))
    assert command[0].endswith("/tini"), "a signal handler and a reaper come first"
    assert "-I" in command, "no module of the workspace may shadow ours"
    assert command[-2:] == ["-m", "gatebot"]


def test_the_image_starts_as_root_and_relies_on_no_directory() -> None:
    assert arguments("USER") == []
    final_stage = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
    assert "WORKDIR" not in final_stage


@pytest.mark.parametrize("dockerfile", [DOCKERFILE, FULL], ids=["slim", "full"])
def test_the_plain_builder_can_build_it(dockerfile: str) -> None:
    assert "--mount" not in dockerfile
    assert "<<" not in dockerfile
    assert not dockerfile.startswith("# syntax=")


@pytest.mark.parametrize("dockerfile", [DOCKERFILE, FULL], ids=["slim", "full"])
def test_the_image_installs_hashed_requirements_and_nothing_else(dockerfile: str) -> None:
    installs = [
        part
        for text in arguments("RUN", dockerfile)
        for part in text.split("&&")
        if re.search(r"pip .*install", part)
    ]
    assert installs
    for install in installs:
        assert "--require-hashes" in install or {"--no-deps", "--no-index"} <= set(install.split()), install


def test_what_the_image_copies_is_in_its_context() -> None:
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line[:1] == "!"
    }
    copied = {
        source.removeprefix("./")
        for dockerfile in (DOCKERFILE, FULL)
        for text in arguments("COPY", dockerfile)
        if not text.startswith("--from")
        for source in text.split()[:-1]
    }
    assert copied == kept


def test_every_input_of_the_action_is_used_and_declared() -> None:
    action = read_yaml(ROOT / "action.yml")
    inputs = cast("dict[str, dict[str, str]]", action["inputs"])
    used = set(EXPRESSION.findall(json.dumps(action["runs"])))
    assert used == set(inputs)
    assert all(declared["description"] for declared in inputs.values())


def test_the_action_is_the_dockerfile() -> None:
    runs = cast("dict[str, object]", read_yaml(ROOT / "action.yml")["runs"])
    assert (runs["using"], runs["image"]) == ("docker", "Dockerfile")
    assert "entrypoint" not in runs


def test_a_released_action_names_its_image_by_digest_and_changes_nothing_else() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    image = f"example/gatebot@sha256:{'a' * 64}"
    lines = released(action, image).splitlines()
    assert [line for line in lines if line not in action.splitlines()] == [f"  image: docker://{image}"]
    assert len(lines) == len(action.splitlines())
    with pytest.raises(ValueError, match="exactly once"):
        released(released(action, image), image)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_asks_for_little_and_pins_what_it_uses(path: Path) -> None:
    workflow = read_yaml(path)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    jobs = cast("dict[str, dict[str, list[dict[str, object]]]]", workflow["jobs"])
    for step in (step for job in jobs.values() for step in job["steps"]):
        uses = cast("str | None", step.get("uses"))
        if uses is None:
            continue
        assert PINNED_ACTION.match(uses), f"{uses} is not pinned to a commit"
        if uses.startswith("actions/checkout@"):
            assert cast("dict[str, object]", step["with"])["persist-credentials"] is False


def test_there_is_a_workflow() -> None:
    assert [path.name for path in WORKFLOWS if ".ci/run" in path.read_text(encoding="utf-8")] == ["ci.yml"]
