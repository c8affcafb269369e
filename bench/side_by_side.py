"""gatebot beside promptfoo, inspect_ai and pydantic-evals: the same program on the same tasks, wall clock and CPU.

Every tool starts one process per task, so many at a time, and checks that the answer holds a word. Each figure is of
the whole command, start-up included, since that is what a person waits for; `empty` is the same with one task. The tools
take turns, and the best turn of each counts; `to ours` is its wall clock divided by gatebot's (goal: above 1). gatebot is
run as it is installed, with its modules compiled before, and with everything it always does: a user and walls for
each trial, a journal that survives kill -9, grading, report and comment. The other tools are installed into directories
of their own below --cache, from the registries that pip and npm are set up for; what cannot be installed or run is named
and left out. Usage: python bench/side_by_side.py [--cache DIR]
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TASKS, WIDTH, TURNS = 200, 16, 5
INSTALL_S, RUN_S = 420, 120
AGENT = """#!/bin/sh
sleep 0.1
echo "the answer is done"
"""
GATEBOT = """version: 1
suite: tasks
agent: {command: [./agent]}
seeds: {fixed: 1}
concurrency: %d
"""
PYDANTIC = """
import asyncio, sys
from dataclasses import dataclass
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Contains

async def task(inputs: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.argv[1], inputs, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    return (await process.communicate())[0].decode()

cases = [Case(name=f"case-{n}", inputs=f"Question {n}") for n in range(int(sys.argv[2]))]
dataset = Dataset(name="tasks", cases=cases, evaluators=[Contains(value="done")])
report = dataset.evaluate_sync(task, max_concurrency=int(sys.argv[3]), progress=False)
passed = sum(all(result.value for result in case.assertions.values()) for case in report.cases)
print(passed, file=sys.stderr)
sys.exit(passed != len(cases))
"""
INSPECT = """
import asyncio, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import solver

@solver
def program():
    async def solve(state, generate):
        process = await asyncio.create_subprocess_exec(
            sys.argv[1], state.input_text, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
        )
        state.output.completion = (await process.communicate())[0].decode()
        return state
    return solve

samples = [Sample(id=n + 1, input=f"Question {n}", target="done") for n in range(int(sys.argv[2]))]
(log,) = eval(
    Task(dataset=samples, solver=program(), scorer=includes()),
    model="mockllm/model", max_samples=int(sys.argv[3]), display="none", log_dir=sys.argv[4],
)
passed = log.results.scores[0].metrics["accuracy"].value if log.results else 0
print(log.status, passed, file=sys.stderr)
sys.exit(log.status != "success" or passed != 1.0)
"""


@dataclass(frozen=True)
class Tool:
    """A tool: its name and version, and the command line that runs so many tasks in a fresh directory."""

    name: str
    command: Callable[[Path, int], list[str]]


def gatebot(place: Path, tasks: int) -> list[str]:
    """A repository with so many cases, and `gatebot run` on it: isolation, journal, grading, report and comment."""
    repository = place / "suite"
    (repository / "golden").mkdir(parents=True)
    (repository / "gatebot.yaml").write_text(GATEBOT % WIDTH, encoding="utf-8")
    shutil.copy2(place / "agent", repository / "agent")
    for number in range(tasks):
        text = f"input: Question {number}\nexpect: {{answer: {{contains: done}}}}\n"
        (repository / "golden" / f"case-{number}.yaml").write_text(text, encoding="utf-8")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=repository, check=True)  # noqa: S607
    where = [
        "--repo",
        str(repository),
        "--out",
        str(place / "out"),
        "--cache",
        str(place / "cache"),
        "--no-store",
    ]
    return [sys.executable, "-m", "gatebot", "run", *where]


def script(python: Path, text: str) -> Callable[[Path, int], list[str]]:
    """A Python script that gets the program, the number of tasks, how many at a time, and a directory."""

    def command(place: Path, tasks: int) -> list[str]:
        (place / "run.py").write_text(text, encoding="utf-8")
        words = (place / "agent", str(tasks), str(WIDTH), place / "logs")
        return [str(python), str(place / "run.py"), *map(str, words)]

    return command


def promptfoo(program: Path) -> Callable[[Path, int], list[str]]:
    """Promptfoo's `exec:` provider on a configuration of so many tests."""

    def command(place: Path, tasks: int) -> list[str]:
        config = {
            "prompts": ["{{question}}"],
            "providers": [f"exec: {place / 'agent'}"],
            "tests": [
                {"vars": {"question": f"Question {n}"}, "assert": [{"type": "contains", "value": "done"}]}
                for n in range(tasks)
            ],
        }
        (place / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
        options = [
            "-c",
            str(place / "promptfooconfig.json"),
            "-j",
            str(WIDTH),
            "--no-cache",
            "--no-progress-bar",
        ]
        return [str(program), "eval", *options, "--no-table", "--no-write", "-o", str(place / "out.json")]

    return command


def measured(tool: Tool, tasks: int, compiled: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one run, the program's own CPU included. Raises CalledProcessError, TimeoutExpired.

    `compiled`: where gatebot's compiled modules lie.
    """
    with tempfile.TemporaryDirectory(prefix="gatebot-side-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "agent").write_text(AGENT, encoding="utf-8")
        (place / "agent").chmod(0o755)
        argv = tool.command(place, tasks)
        quiet = {
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_CONFIG_DIR": name,
        }
        environment = {**os.environ, **quiet, "PYTHONPATH": str(ROOT) if tool.name == "gatebot" else ""}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if tool.name == "gatebot":
            environment["PYTHONPYCACHEPREFIX"] = str(compiled)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(
            argv,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_S,
            check=True,
        )
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tools(cache: Path) -> list[Tool]:
    """gatebot, and what of the others can be installed."""
    found = [Tool("gatebot", gatebot)]
    python = cache / "venv" / "bin" / "python"
    for package, text in (("pydantic-evals", PYDANTIC), ("inspect-ai", INSPECT)):
        venv = [sys.executable, "-m", "venv", str(cache / "venv")]
        if (python.exists() or installed(venv)) and installed(
            [str(python), "-m", "pip", "install", "-q", package]
        ):
            found.append(Tool(package, script(python, text)))
        else:
            print(f"{package}: left out, it could not be installed")
    program = cache / "npm" / "node_modules" / ".bin" / "promptfoo"
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(cache / "npm"), "promptfoo"]
    if program.exists() or (shutil.which("npm") is not None and installed(npm)):
        found.append(Tool("promptfoo", promptfoo(program)))
    else:
        print("promptfoo: left out, it could not be installed")
    return found


def installed(argv: list[str]) -> bool:
    """Run one installing command; whether it ended well and in time."""
    try:
        return subprocess.run(argv, check=False, capture_output=True, timeout=INSTALL_S).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def attempted(tool: Tool, tasks: int, cache: Path) -> tuple[float, float] | None:
    """As `measured`; None, with a word on why, when the tool does not run here."""
    try:
        return measured(tool, tasks, cache / "compiled")
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
        print(f"{tool.name}: left out, it ended with {error.returncode}: {last[0][:200]}", flush=True)
    except subprocess.TimeoutExpired:
        print(f"{tool.name}: left out, it did not end within {RUN_S} s", flush=True)
    return None


def main(cache: Path) -> None:
    """Print a table."""
    cache.mkdir(parents=True, exist_ok=True)
    found = tools(cache)
    for tool in found:
        attempted(tool, 1, cache)  # what is compiled or written at the very first start
    empty = {tool.name: attempted(tool, 1, cache) for tool in found}
    turns: dict[str, list[tuple[float, float]]] = {tool.name: [] for tool in found if empty[tool.name]}
    for _ in range(TURNS):
        for tool in found:
            figures = attempted(tool, TASKS, cache) if tool.name in turns else None
            turns.get(tool.name, []).extend([figures] if figures else [])
    print(
        f"{TASKS} tasks of 0.1 s, {WIDTH} at a time, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}; "
        f"seconds of the whole command, the best of {TURNS} turns"
    )
    print(f"{'':16}{'wall':>8}{'CPU':>8}{'empty':>8}{'to ours':>9}")
    ours = min(turns["gatebot"])[0]
    for name, figures in turns.items():
        if figures:
            wall, cpu = min(figures)
            started = empty[name]
            print(f"{name:16}{wall:8.2f}{cpu:8.2f}{started[0] if started else 0.0:8.2f}{wall / ours:9.2f}")


if __name__ == "__main__":
    named = sys.argv[sys.argv.index("--cache") + 1] if "--cache" in sys.argv else ""
    main(Path(named) if named else Path(tempfile.gettempdir()) / "gatebot-side-by-side")
