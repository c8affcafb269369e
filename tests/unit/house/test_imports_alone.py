"""Every module can be the first one imported: no import order is needed and no import warns."""

import json
import os
import subprocess
import sys

import pytest

from tests.unit.house.source_tree import ROOT, modules

# One interpreter forks a child per module, so that each starts from none of ours without paying for a start of Python.
# What a child imports on top of `shared` (the vocabulary, which imports nothing above itself) is the test.
FORK_PER_MODULE = """
import importlib, json, os, sys, traceback
import numpy, pydantic, yaml, orjson  # slow, and so shared by the children
shared, names = json.load(sys.stdin)
assert not [name for name in sys.modules if name.split(".")[0] == "gatebot"]
for name in shared:
    importlib.import_module(name)
failed = []
for name in names:
    child = os.fork()
    if child == 0:
        try:
            __import__(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        failed.append(name)
print(json.dumps(failed))
"""


def modules_that_fail(names: list[str], shared: list[str]) -> tuple[list[str], str]:
    """The modules that cannot be imported right after `shared`, and what they said."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORK_PER_MODULE],
        input=json.dumps([shared, names]),
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a fork with threads is a warning, and so an error
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return json.loads(done.stdout), done.stderr


def is_vocabulary(name: str) -> bool:
    return name.startswith("gatebot.model") or name in ("gatebot", "gatebot.errors")


def test_every_module_of_the_vocabulary_imports_alone() -> None:
    failed, said = modules_that_fail([m.dotted for m in modules() if is_vocabulary(m.dotted)], [])
    assert failed == [], said


@pytest.mark.timeout(300)
def test_every_other_module_imports_alone() -> None:
    names = [module.dotted for module in modules()]
    vocabulary = [name for name in names if is_vocabulary(name)]
    failed, said = modules_that_fail([name for name in names if not is_vocabulary(name)], vocabulary)
    assert failed == [], said


def test_a_module_that_cannot_is_seen() -> None:
    failed, said = modules_that_fail(["gatebot.errors", "gatebot.no_such_module"], [])
    assert failed == ["gatebot.no_such_module"]
    assert "ModuleNotFoundError" in said
