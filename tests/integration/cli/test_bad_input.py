"""Bad input of every kind: one clear error with a hint, the user's exit code, no traceback, nothing half-written."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gatebot.results.journal import Journal
from tests.builders import CONFIG, Files, Project, book, shop, wrong
from tests.integration.stories.command_line import CommandLine, Ended

USAGE = 2


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake: what is in the repository, what is typed, and words the answer must hold."""

    says: tuple[str, ...]
    files: Files = field(default_factory=dict[str, str | None])
    argv: tuple[str, ...] = ()
    base: str = "HEAD"
    head: str = "WORKTREE"
    repo: str = "shop"


def replaced(old: str, new: str) -> dict[str, str | None]:
    assert old in CONFIG
    return {"gatebot.yaml": CONFIG.replace(old, new)}


GATE_MISTAKES: dict[str, Mistake] = {
    "no configuration": Mistake(("gatebot.yaml",), {"gatebot.yaml": None}),
    "unknown key": Mistake(("gatebot.yaml:4:1", "'seed'", "seeds"), replaced("seeds:", "seed:")),
    "unknown key deep down": Mistake(("gatebot.yaml:3", "timeout"), replaced("timeout:", "time_out:")),
    "wrong type": Mistake(("gatebot.yaml:5", "concurrency"), replaced("concurrency: 4", "concurrency: many")),
    "no yaml": Mistake(("gatebot.yaml:2:1", "not valid YAML"), {"gatebot.yaml": "version: [1\n"}),
    "a list": Mistake(("gatebot.yaml",), {"gatebot.yaml": "- version: 1\n"}),
    "an empty file": Mistake(("gatebot.yaml",), {"gatebot.yaml": ""}),
    "an alias bomb": Mistake(
        ("gatebot.yaml",),
        {"gatebot.yaml": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(40))},
    ),
    "a key twice": Mistake(("gatebot.yaml:2", "duplicate", "line 1"), {"gatebot.yaml": "version: 1\nversion: 1\n"}),
    "another version": Mistake(("version",), replaced("version: 1", "version: 7")),
    "unknown metric": Mistake(
        ("pass_rat", "pass_rate"), {"gatebot.yaml": CONFIG + "gate: {metrics: {pass_rat: {}}}\n"}
    ),
    "two kinds of agent": Mistake(
        ("command", "python"), replaced("{command:", '{python: "agent:run", command:')
    ),
    "no case": Mistake(("case",), {f"golden/{name}.yaml": None for name in ("address", "hours", "price", "refund")}),
    "a case without the golden it needs": Mistake(
        ("golden/hours.yaml", "golden"),
        {"golden/hours.yaml": "input: When?\nexpect: {answer: {exact: true}}\n"},
    ),
    "a case that can never fail": Mistake(("golden/hours.yaml",), {"golden/hours.yaml": "input: When?\n"}),
    "a case without input": Mistake(("golden/hours.yaml", "input"), {"golden/hours.yaml": "tags: [x]\n"}),
    "two cases with one id": Mistake(
        ("address", "hours"),
        {"golden/hours.yaml": "id: address\ninput: x\nexpect: {answer: {contains: x}}\n"},
    ),
    "unknown case": Mistake(("'hour'", "hours"), argv=("--case", "hour")),
    "no such base": Mistake(("'mian'", "main"), base="mian"),
    "no such head": Mistake(("'feature/x'",), head="feature/x"),
    "too far back": Mistake(("HEAD~9",), base="HEAD~9"),
    "an option as a ref": Mistake(("'--upload-pack=x'",), head="--upload-pack=x"),
    "a ref with a zero byte": Mistake(("commit",), head="ma\0in"),
    "an empty ref": Mistake(("commit",), base=""),
    "not a repository": Mistake(("not in a git repository",), repo="elsewhere"),
    "no such directory": Mistake(("not a directory",), repo="nowhere"),
    "a file as repository": Mistake(("not a directory",), repo="shop/agent.py"),
    "a configuration outside": Mistake(("leads out",), argv=("--config", "../gatebot.yaml")),
    "an absolute configuration": Mistake(("leads out",), argv=("--config", "/etc/passwd")),
    "a directory as configuration": Mistake(("golden",), argv=("--config", "golden")),
    "no seeds": Mistake(("--seeds",), argv=("--seeds", "0")),
    "seeds in words": Mistake(("--seeds",), argv=("--seeds", "many")),
    "unknown option": Mistake(("--sedes",), argv=("--sedes", "3")),
    "a recording that is not there": Mistake(
        ("trials",), replaced("command: [python3, -I, -S, agent.py]", "replay: recorded")
    ),
}  # fmt: skip


def assert_plain_error(ended: Ended, *words: str) -> None:
    assert ended.code == USAGE, ended.told
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert "this is a bug" not in ended.err
    assert ended.err.count("rror: ") == 1, ended.err
    for word in words:
        assert word in ended.err, ended.err
    assert ended.err.isascii() or ended.err.isprintable() or "\n" in ended.err


@pytest.mark.parametrize("name", GATE_MISTAKES)
def test_a_mistake_is_answered_with_one_error_and_a_hint(
    gatebot: CommandLine, tmp_path: Path, name: str
) -> None:
    mistake = GATE_MISTAKES[name]
    project = Project(tmp_path / "shop", {**shop(), "note.txt": "x\n"})
    (tmp_path / "elsewhere").mkdir()
    files = {**mistake.files}
    if files:
        project.commit(files)
    project.write({"note.txt": "uncommitted\n"})
    ended = gatebot.gate(tmp_path / mistake.repo, mistake.base, mistake.head, *mistake.argv)
    assert_plain_error(ended, *mistake.says)
    assert "\nhint: " in ended.err, ended.err
    assert not (gatebot.results / "report.json").exists()
    assert not (gatebot.results / "trials.jsonl").exists()


def directory_in_the_way(out: Path) -> None:
    (out / "trials.jsonl").mkdir(parents=True)
    (out / "keep.txt").write_text("mine")


def foreign_directory(out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("mine")


def foreign_trials(out: Path) -> None:
    out.mkdir()
    (out / "trials.jsonl").write_text("{}\n")


def foreign_plan(out: Path) -> None:
    out.mkdir()
    (out / "plan.json").write_text("[1, 2")


def newer_plan(out: Path) -> None:
    out.mkdir()
    (out / "plan.json").write_text('{"schema": "gatebot.plan/9"}')


def a_file(out: Path) -> None:
    out.write_text("mine")


def below_a_file(out: Path) -> None:
    out.parent.write_text("mine")


def a_link_to_nowhere(out: Path) -> None:
    out.symlink_to("nowhere/at/all")


def a_pipe(out: Path) -> None:
    os.mkfifo(out)


def a_socket(out: Path) -> None:
    place = Path.cwd()
    os.chdir(out.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(out.name)
    finally:
        os.chdir(place)


BAD_OUT: Mapping[str, Callable[[Path], None]] = {
    "directory in the way": directory_in_the_way,
    "somebody's directory": foreign_directory,
    "somebody's trials": foreign_trials,
    "a broken plan": foreign_plan,
    "a plan of the future": newer_plan,
    "a file": a_file,
    "a link to nowhere": a_link_to_nowhere,
    "a pipe": a_pipe,
    "a socket": a_socket,
}


@pytest.mark.parametrize("name", BAD_OUT)
def test_a_bad_place_for_results_is_left_as_it_was(gatebot: CommandLine, tmp_path: Path, name: str) -> None:
    project = Project(tmp_path / "shop", shop())
    BAD_OUT[name](gatebot.results)
    before = contents(gatebot.results)
    project.write({"book.json": book(wrong("hours"))})
    ended = gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "1")
    assert_plain_error(ended, "hint: ")
    assert contents(gatebot.results) == before


def contents(place: Path) -> dict[str, bytes | str]:
    if place.is_symlink() or not place.exists():
        return {"": str(place.readlink()) if place.is_symlink() else "absent"}
    if not place.is_dir():
        return {"": place.read_bytes() if place.is_file() else "special"}
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else "folder"
        for path in sorted(place.rglob("*"))
    }


def test_results_below_a_file(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    (tmp_path / "taken").write_text("mine")
    project.write({"book.json": book(wrong("hours"))})
    below = CommandLine(gatebot.capture, tmp_path / "taken" / "results")
    assert_plain_error(below.gate(project.root, "HEAD", "WORKTREE", "--seeds", "1"), "hint: ", "--out")
    assert (tmp_path / "taken").read_text() == "mine"


def test_two_processes_do_not_write_one_journal(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop())
    project.write({"book.json": book(wrong("hours"))})
    assert gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "1").code == 0
    plan = (gatebot.results / "plan.json").read_text().replace('"finished": true', '"finished": false')
    (gatebot.results / "plan.json").write_text(plan)
    with Journal(gatebot.results / "trials.jsonl"):
        ended = gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "1")
    assert_plain_error(ended, "another gatebot", "hint: ")


def test_another_unfinished_evaluation_is_not_thrown_away(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", shop(config=CONFIG + "budget: {trials: 3}\n"))
    project.write({"book.json": book(wrong("hours"))})
    assert gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "1").code == 3
    before = contents(gatebot.results)
    ended = gatebot.gate(project.root, "HEAD", "WORKTREE", "--seeds", "2")
    assert_plain_error(ended, "another, unfinished evaluation", "seeds", "--out")
    assert contents(gatebot.results) == before


RECORDED_MISTAKES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "report of nothing": (("report", "nothing"), ("nothing",)),
    "report of a directory that is no run": (("report", "shop"), ("plan.json",)),
    "report of a file": (("report", "shop/agent.py"), ("agent.py",)),
    "compare with nothing": (("compare", "nothing", "nothing", "--suite", "shop"), ("nothing",)),
    "compare without a suite": (("compare", "a", "b"), ("--suite",)),
    "compare slots in words": (
        ("compare", "a", "b", "--suite", "shop", "--base-slots", "some"),
        ("'some'", "0-3"),
    ),
    "compare all the slots there are": (
        ("compare", "a", "b", "--suite", "shop", "--head-slots", "0-9999999999"),
        ("0-9999999999", "10000"),
    ),
    "compare slots backwards": (
        ("compare", "a", "b", "--suite", "shop", "--head-slots", "4-1"),
        ("4-1", "1-4"),
    ),
    "compare with the suite of nothing": (("compare", "a", "b", "--suite", "nothing"), ("nothing",)),
    "validate nothing": (("validate", "nothing"), ("nothing",)),
    "validate a file": (("validate", "shop/agent.py"), ("agent.py",)),
    "import of an unknown kind": (("import", "chess", "shop/agent.py", "--out", "x"), ("chess", "tau-bench")),
    "import of nothing": (("import", "tau-bench", "nothing.json", "--out", "x"), ("nothing.json",)),
    "import of garbage": (("import", "tau-bench", "shop/agent.py", "--out", "x"), ("agent.py",)),
    "import to nowhere": (("import", "tau-bench", "shop/agent.py"), ("--out",)),
    "import of a trace into a suite": (
        ("import", "shop/agent.py", "--out", "x"),
        ("nothing is written", "tau-bench"),
    ),
    "import of a kind alone": (("import", "tau2"), ("gatebot import tau2 FILE",)),
    "look at garbage": (("import", "shop/agent.py"), ("agent.py",)),
    "unknown command": (("gat",), ("gat",)),
}


@pytest.mark.parametrize("name", RECORDED_MISTAKES)
def test_mistakes_with_recordings(
    gatebot: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    Project(tmp_path / "shop", shop())
    monkeypatch.chdir(tmp_path)
    argv, says = RECORDED_MISTAKES[name]
    ended = gatebot(*argv)
    assert_plain_error(ended, *says)
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "gatebot-results").exists()


def test_nothing_typed_shows_the_help(gatebot: CommandLine) -> None:
    ended = gatebot()
    assert (ended.code, ended.out) == (USAGE, "")
    assert "gate " in ended.err
    assert gatebot("--help").code == 0
    assert "--base" in gatebot("gate", "--help").out
