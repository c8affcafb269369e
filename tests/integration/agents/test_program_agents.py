"""Well-behaved agents of both program kinds, alone and over several turns, through real processes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.agents.build import make_agent
from gatebot.errors import ConfigError, InputFileError
from gatebot.model.config import AgentConfig, HttpAgent
from gatebot.model.suite import Case
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Trial
from gatebot.ports import Agent, SideEnvironment
from gatebot.process.launch import Launchers
from tests.unit.agents.tasks import PLAIN, scripted, task

ECHO = """
import json, os, sys
request = json.load(sys.stdin)
asked = request["input"]
turn = sum(m["role"] == "user" for m in asked) if isinstance(asked, list) else 1
home = os.environ["HOME"]
before = sorted(os.listdir(home))
open(os.path.join(home, f"turn{turn}"), "w").close()
sys.stderr.write(f"turn {turn}\\n")
json.dump({
    "messages": [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": f"c{turn}", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": f"c{turn}", "content": "ok"},
        {"role": "assistant", "content": f"answer {turn}"},
    ],
    "state": {"request": request, "before": before, "environment": dict(os.environ), "cwd": os.getcwd()},
    "usage": {"input_tokens": 10, "output_tokens": turn, "cost_usd": 0.25},
    "trace_url": f"https://example.org/{turn}",
}, sys.stdout)
"""
PYTHON = (Path(sys.prefix), Path(sys.base_prefix))


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


def here(checkout: Path, **rest: object) -> SideEnvironment:
    """The checkout as a side; trials may use this Python, wherever it lies."""
    return replace(SideEnvironment("head", checkout, readable=PYTHON), **rest)


def command(launchers: Launchers, folder: Path, code: str) -> Agent:
    (folder / "agent.py").write_text(code)
    config = AgentConfig(command=(sys.executable, "-I", "-S", "agent.py"))
    return make_agent(config, launchers=launchers, directory=folder)


def python(launchers: Launchers, folder: Path, code: str, target: str = "agent.main:run") -> Agent:
    (folder / "agent").mkdir(exist_ok=True)
    (folder / "agent" / "__init__.py").touch()
    (folder / "agent" / "main.py").write_text(code)
    return make_agent(AgentConfig(python=target), launchers=launchers, directory=folder)


def run(agent: Agent, checkout: Path, case: Case = PLAIN, **rest: object) -> Trial:
    return agent.run(task(case), here(checkout, **rest))


def test_one_turn_of_a_command(launchers: Launchers, tmp_path: Path) -> None:
    trial = run(command(launchers, tmp_path, ECHO), tmp_path, variables={"KEY": "k", "GITHUB_TOKEN": "t"})
    assert (trial.status, trial.reason, trial.answer) == ("completed", "", "answer 1")
    assert (trial.case, trial.side, trial.slot, trial.seed, trial.round) == ("greeting", "head", 0, 7, 1)
    assert [message.role for message in trial.trajectory.messages] == ["user", "assistant", "assistant"]
    assert trial.trajectory.calls()[0].result == "ok"
    assert trial.usage == Usage(10, 1, cost_usd=0.25)
    assert trial.trace_url == "https://example.org/1"
    assert trial.stderr_tail == "turn 1\n"
    assert trial.timing.wall_s is not None
    assert trial.timing.cpu_s is not None
    assert trial.timing.turns_s == (trial.timing.wall_s,)
    state = json.loads(json.dumps(trial.state))
    assert state["request"]["input"] == "Hello?"
    assert state["cwd"] == str(tmp_path)
    assert state["environment"].pop("HOME") != state["environment"].pop("TMPDIR")
    assert state["environment"] == {
        "GATEBOT_SEED": "7",
        "KEY": "k",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": "UTC",
    }


def test_several_turns_share_history_home_and_deadline(launchers: Launchers, tmp_path: Path) -> None:
    trial = run(command(launchers, tmp_path, ECHO), tmp_path, scripted("One?", "Two?", "Three?"))
    assert (trial.status, trial.answer) == ("completed", "answer 3")
    texts = [message.text for message in trial.trajectory.messages]
    assert texts == ["One?", "", "answer 1", "Two?", "", "answer 2", "Three?", "", "answer 3"]
    assert [call.id for call in trial.trajectory.calls()] == ["c1", "c2", "c3"]
    assert trial.usage == Usage(30, 6, cost_usd=0.75)
    assert trial.trace_url == "https://example.org/3"
    assert trial.stderr_tail == "turn 3\n"
    assert len(trial.timing.turns_s) == 3
    state = json.loads(json.dumps(trial.state))
    assert state["before"] == ["turn1", "turn2"]
    assert [message["content"] for message in state["request"]["input"] if message["role"] == "user"] == [
        "One?",
        "Two?",
        "Three?",
    ]


def test_the_next_trial_finds_nothing_of_this_one(launchers: Launchers, tmp_path: Path) -> None:
    agent = command(launchers, tmp_path, ECHO)
    states = [json.loads(json.dumps(run(agent, tmp_path).state)) for _ in range(2)]
    assert [state["before"] for state in states] == [[], []]
    assert states[0]["environment"]["HOME"] != states[1]["environment"]["HOME"]
    assert not Path(states[0]["environment"]["HOME"]).exists()


def test_base_and_head_see_the_same(launchers: Launchers, tmp_path: Path) -> None:
    agent = command(launchers, tmp_path, ECHO)
    seen: list[object] = []
    for side in ("base", "head"):
        trial = agent.run(task(side=side), here(tmp_path, side=side))
        state = json.loads(json.dumps(trial.state))
        del state["environment"]["HOME"], state["environment"]["TMPDIR"]
        seen.append(state)
    assert seen[0] == seen[1]


def test_a_later_turn_that_fails_keeps_what_came_before(launchers: Launchers, tmp_path: Path) -> None:
    code = ECHO.replace("before =", "assert turn < 2, 'lost the thread'\nbefore =")
    trial = run(command(launchers, tmp_path, code), tmp_path, scripted("One?", "Two?", "Three?"))
    assert trial.status == "agent_error"
    assert trial.reason == "turn 2 of 3: exited with code 1: AssertionError: lost the thread"
    assert trial.answer is None
    assert [message.text for message in trial.trajectory.messages] == ["One?", "", "answer 1", "Two?"]
    assert trial.usage == Usage(10, 1, cost_usd=0.25)
    assert len(trial.timing.turns_s) == 2


def test_all_turns_share_one_deadline(launchers: Launchers, tmp_path: Path) -> None:
    agent = command(launchers, tmp_path, "import time; time.sleep(0.8); print('slow')")
    trial = agent.run(task(scripted("One?", "Two?", "Three?"), timeout_s=1.4), here(tmp_path))
    assert (trial.status, trial.reason) == ("timeout", "turn 2 of 3: no answer within 1.4 s")


def test_a_command_with_a_slash_is_the_checkouts_own(launchers: Launchers, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "agent"
    script.write_text("#!/bin/sh\ncat >/dev/null\necho own\n")
    script.chmod(0o755)
    agent = make_agent(AgentConfig(command=("bin/agent",)), launchers=launchers, directory=tmp_path)
    assert run(agent, tmp_path).answer == "own"


def test_the_sides_programs_come_first(launchers: Launchers, tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\necho from the side\n")
    (tmp_path / "python3").chmod(0o755)
    agent = make_agent(AgentConfig(command=("python3",)), launchers=launchers, directory=tmp_path)
    assert run(agent, tmp_path, bin_dirs=(tmp_path,)).answer == "from the side"


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("def run(request): return 'hi ' + request['input']", "hi Hello?"),
        ("async def run(request):\n    import asyncio\n    await asyncio.sleep(0)\n    return 'async'", "async"),
        ("def run(request): return {'answer': 'dict', 'state': {'seed': request['seed']}}", "dict"),
        ("def run(request): return [{'role': 'assistant', 'content': 'list'}]", "list"),
        ("def run(request): return '{\"answer\": \"quoted\"}'", '{"answer": "quoted"}'),
        ("import os\ndef run(request):\n    print('noise')\n    os.write(1, b'more')\n    return 'clean'", "clean"),
        ("import os\ndef run(request):\n    os.system('echo child')\n    return 'clean'", "clean"),
        ("import json, sys\ndef run(request): return json.__name__ + str(len(sys.argv))", "json2"),
        ("class Agent:\n    def __call__(self, request): return 'object'\nrun = Agent()", "object"),
        (
            ("from dataclasses import dataclass\n@dataclass\nclass M:\n    role: str\n    content: str\n"
            "def run(request): return {'messages': [M('assistant', 'dataclass')]}"),
            "dataclass",
        ),
    ],
    ids=[
        "str", "async", "dict", "list", "json-text", "prints", "child-prints", "stdlib", "callable", "dataclass",
    ],
)  # fmt: skip
def test_a_python_function_is_an_agent(launchers: Launchers, tmp_path: Path, body: str, answer: str) -> None:
    trial = run(python(launchers, tmp_path, body), tmp_path)
    assert (trial.status, trial.reason, trial.answer) == ("completed", "", answer)


def test_what_a_function_prints_goes_to_standard_error(launchers: Launchers, tmp_path: Path) -> None:
    trial = run(
        python(launchers, tmp_path, "def run(request):\n    print('thinking')\n    return 'x'"), tmp_path
    )
    assert trial.stderr_tail == "thinking\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("def run(request): raise LookupError('no customer')", "exited with code 1: LookupError: no customer"),
        ("async def run(request): raise OSError('gone')", "exited with code 1: OSError: gone"),
        ("def run(request): return None", "agent.main:run returned NoneType; expected str, dict or list"),
        ("def run(request): return {'answer': object()}", "cannot turn object into JSON"),
        ("def run(request): return {'state': float('nan')}", "Out of range float values are not JSON compliant"),
        ("def run(): return 'x'", "takes 0 positional arguments"),
        ("def other(request): return 'x'", "has no attribute 'run'"),
        ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("def run(request): return 'x'\nrun(", "SyntaxError: '(' was never closed"),
        ("import sys\ndef run(request): sys.exit(0)", "printed nothing"),
        ("import os\ndef run(request): os._exit(3)", "exited with code 3"),
        ("def run(request): return run(request)", "RecursionError"),
    ],
    ids=[
        "raises", "raises-async", "none", "object", "nan", "no-argument", "no-function", "no-module", "syntax",
        "exit-0", "exit-3", "recursion",
    ],
)  # fmt: skip
def test_a_python_function_that_fails_says_why(
    launchers: Launchers, tmp_path: Path, body: str, reason: str
) -> None:
    trial = run(python(launchers, tmp_path, body), tmp_path)
    assert trial.status == "agent_error"
    assert reason in trial.reason


def test_modules_of_the_checkout_do_not_reach_the_worker_or_gatebot(
    launchers: Launchers, tmp_path: Path
) -> None:
    for name in ("json", "os", "importlib", "asyncio", "gatebot", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')")
    trial = run(python(launchers, tmp_path, "def run(request): return 'safe'"), tmp_path)
    assert (trial.status, trial.answer) == ("completed", "safe"), trial.stderr_tail


def test_a_function_runs_under_the_sides_own_interpreter(launchers: Launchers, tmp_path: Path) -> None:
    own = tmp_path / "env" / "bin"
    own.mkdir(parents=True)
    (own / "python3").write_text('#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin VIA=side exec python3 "$@"\n')
    (own / "python3").chmod(0o755)
    code = "import os\ndef run(request): return os.environ.get('VIA', 'system')"
    agent = python(launchers, tmp_path, code)
    assert run(agent, tmp_path).answer == "system"
    assert run(agent, tmp_path, bin_dirs=(own,)).answer == "side"


def test_a_broken_interpreter_of_the_side_is_no_silent_fall_back(
    launchers: Launchers, tmp_path: Path
) -> None:
    (tmp_path / "python3").symlink_to("/no/such/python")
    agent = python(launchers, tmp_path, "def run(request): return 'fell back'")
    trial = run(agent, tmp_path, bin_dirs=(tmp_path,))
    assert (trial.status, trial.answer) == ("agent_error", None)
    assert "does not exist" in trial.reason


@pytest.mark.parametrize(("network", "answer"), [("none", "closed"), ("open", "open")])
def test_an_agent_without_network_reaches_none(
    launchers: Launchers, tmp_path: Path, network: str, answer: str
) -> None:
    code = (
        "import socket\ndef run(request):\n"
        "    try: socket.create_server(('127.0.0.1', 0)).close()\n"
        "    except PermissionError: return 'closed'\n"
        "    return 'open'\n"
    )
    assert run(python(launchers, tmp_path, code), tmp_path, network=network).answer == answer


def test_a_checkout_that_is_gone_is_no_fault_of_the_agent(launchers: Launchers, tmp_path: Path) -> None:
    agent = command(launchers, tmp_path, ECHO)
    trial = run(agent, tmp_path / "gone")
    assert (trial.status, trial.reason) == (
        "infra_error",
        "the checkout cannot be entered: No such file or directory",
    )


def test_after_terminate_all_trials_are_cancelled(tmp_path: Path) -> None:
    with Launchers() as pool:
        agent = command(pool, tmp_path, ECHO)
        pool.terminate_all()
        trial = run(agent, tmp_path)
    assert (trial.status, trial.reason) == ("infra_error", "cancelled")


def test_no_place_for_a_run_directory_is_no_fault_of_the_agent(tmp_path: Path) -> None:
    with Launchers(scratch=tmp_path / "gone") as pool:
        trial = run(command(pool, tmp_path, ECHO), tmp_path)
    assert (trial.status, trial.reason) == ("infra_error", "no run directory: No such file or directory")


def test_other_kinds_are_built_or_refused_in_words(launchers: Launchers, tmp_path: Path) -> None:
    for builtin in ("oracle", "nop"):
        agent = make_agent(AgentConfig(builtin=builtin), launchers=launchers, directory=tmp_path)
        assert run(agent, tmp_path).status == "completed"
    with pytest.raises(InputFileError, match="recorded trials"):
        make_agent(AgentConfig(replay="gone"), launchers=launchers, directory=tmp_path)
    (tmp_path / "trials.jsonl").touch()
    replay = make_agent(AgentConfig(replay="."), launchers=launchers, directory=tmp_path)
    assert run(replay, tmp_path).status == "infra_error"
    with pytest.raises(ConfigError, match="clear text"):
        make_agent(
            AgentConfig(http=HttpAgent(url="http://example.org/")), launchers=launchers, directory=tmp_path
        )


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a trial another user")
def test_as_root_a_trial_runs_under_a_user_of_its_own(open_checkout: Path) -> None:
    code = "import os\ndef run(request): return f'{os.getuid()} {os.access(\".\", os.W_OK)}'"
    with Launchers() as pool:
        agent = python(pool, open_checkout, code)
        answers = [(run(agent, open_checkout).answer or "0 ?").split() for _ in range(3)]
    users = {int(uid) for uid, _ in answers}
    assert len(users) == 3
    assert min(users) >= 61000
    assert {writable for _, writable in answers} == {"False"}
