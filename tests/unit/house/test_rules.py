"""The package keeps the rules of style that no linter knows, and each rule sees its breach."""

import pytest

from tests.unit.house import rules
from tests.unit.house.rules import RULES, Rule
from tests.unit.house.source_tree import modules, parse

CAPTION = '"""Caption."""\n'
LONG_FUNCTION = CAPTION + "def f():\n" + "    x = 1\n" * 50
SIX = "a, b, c, d, e, *, f"

BREACHES: tuple[tuple[Rule, str, str], ...] = (
    (rules.borders_are_typed, "core/a.py", "def f(x: dict[str, Any]) -> None: ..."),
    (rules.borders_are_typed, "core/a.py", "class A:\n    def f(self) -> typing.Any: ..."),
    (rules.borders_are_typed, "model/a.py", "class A:\n    x: list[Any]"),
    (rules.chance_in_the_statistics, "core/a.py", "import random"),
    (rules.chance_in_the_statistics, "core/a.py", "from numpy.random import default_rng"),
    (rules.chance_in_the_statistics, "core/a.py", "import numpy as np\nnp.random.default_rng(1)"),
    (rules.clock_at_the_edge, "core/a.py", "import datetime as dt\ndt.datetime.now(dt.UTC)"),
    (rules.clock_at_the_edge, "results/a.py", "from time import time"),
    (rules.environment_at_the_edge, "agents/a.py", "import os\nos.environ['A']"),
    (rules.environment_at_the_edge, "github_api/client.py", "from os import getenv"),
    (rules.few_parameters, "core/a.py", f"def f({SIX}, g): ..."),
    (rules.few_parameters, "core/a.py", f"class A:\n    def f(self, {SIX}, g): ..."),
    (rules.file_is_short, "core/a.py", "x = 1\n" * 301),
    (rules.functions_are_short, "core/a.py", LONG_FUNCTION),
    (rules.has_caption, "core/a.py", "x = 1"),
    (rules.heavy_imports_wait, "judge/a.py", "import anthropic"),
    (rules.heavy_imports_wait, "core/stats/a.py", "from scipy.stats import norm"),
    (rules.heavy_imports_wait, "graders/a.py", "import numpy as np"),
    (rules.names_say_something, "core/utils.py", ""),
    (rules.names_say_something, "common/a.py", ""),
    (rules.nothing_is_printed, "cli/a.py", "print('x')"),
    (rules.package_files_only_hand_on, "core/__init__.py", CAPTION + "def f(): ..."),
    (rules.package_files_only_hand_on, "core/__init__.py", CAPTION + "x = 1"),
    (rules.processes_through_one_door, "agents/a.py", "import os\nos.execvp('a', ['a'])"),
    (rules.processes_through_one_door, "agents/a.py", "from os import system"),
    (rules.processes_through_one_door, "agents/a.py", "import asyncio\nasyncio.create_subprocess_exec('a')"),
    (rules.pure_code_touches_no_file, "core/a.py", "from pathlib import Path"),
    (rules.pure_code_touches_no_file, "ports.py", "import pathlib"),
    (rules.pure_code_touches_no_file, "render/a.py", "def f():\n    open('x')"),
)
ALLOWED: tuple[tuple[Rule, str, str], ...] = (
    (rules.borders_are_typed, "core/a.py", "def _f(x: Any) -> None: ..."),
    (rules.chance_in_the_statistics, "core/stats/a.py", "import numpy as np\nnp.random.default_rng(1)"),
    (rules.clock_at_the_edge, "runner/a.py", "import time\ntime.time()"),
    (rules.clock_at_the_edge, "process/a.py", "import time\ntime.monotonic()"),
    (rules.environment_at_the_edge, "github_api/event.py", "import os\nos.environ['A']"),
    (rules.few_parameters, "core/a.py", f"class A:\n    def f(self, {SIX}): ..."),
    (rules.few_parameters, "cli/a.py", f"@app.command()\ndef f({SIX}, g): ..."),
    (rules.file_is_short, "core/a.py", "x = 1\n" * 300),
    (rules.functions_are_short, "core/a.py", CAPTION + "def f():\n" + "    x = 1\n" * 49),
    (rules.heavy_imports_wait, "judge/a.py", "def f():\n    import anthropic"),
    (rules.heavy_imports_wait, "core/a.py", "import numpy as np"),
    (rules.package_files_only_hand_on, "core/__init__.py", CAPTION + "from a import b\n__all__ = ['b']"),
    (rules.processes_through_one_door, "process/a.py", "import os\nos.fork()"),
    (rules.pure_code_touches_no_file, "ports.py", "from pathlib import PurePath"),
    (rules.pure_code_touches_no_file, "suite/a.py", "from pathlib import Path\nopen('x')"),
)


def name(value: object) -> str | None:
    return getattr(value, "__name__", None)


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_the_package_keeps_the_rule(rule: Rule) -> None:
    assert [fault for module in modules() for fault in rule(module)] == []


@pytest.mark.parametrize(("rule", "path", "text"), BREACHES, ids=name)
def test_the_rule_sees_a_breach(rule: Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text)))


@pytest.mark.parametrize(("rule", "path", "text"), ALLOWED, ids=name)
def test_the_rule_lets_pass_what_is_meant(rule: Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text))) == []


def test_every_rule_has_a_breach() -> None:
    assert {rule for rule, _, _ in BREACHES} == set(RULES)


def test_the_package_is_found() -> None:
    assert {module.path for module in modules()} >= {"__init__.py", "errors.py"}
