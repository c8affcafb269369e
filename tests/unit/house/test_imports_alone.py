"""Every module can be the first one imported: no import order is needed and no import warns."""

import json
import os
import subprocess
import sys

from tests.unit.house.source_tree import ROOT, modules

# One interpreter forks a child per module, so that each starts from none of ours without paying for a start of Python.
FORK_PER_MODULE = """
import json, os, sys, traceback
import numpy, pydantic  # slow, and so shared by the children; nothing of gatebot is
assert not [name for name in sys.modules if name.split(".")[0] == "gatebot"]
failed = []
for name in json.load(sys.stdin):
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


def modules_that_fail(names: list[str]) -> tuple[list[str], str]:
    """The modules that cannot be imported first, and what they said."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORK_PER_MODULE],
        input=json.dumps(names),
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a fork with threads is a warning, and so an error
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout), done.stderr


def test_every_module_imports_alone() -> None:
    failed, said = modules_that_fail([module.dotted for module in modules()])
    assert failed == [], said


def test_a_module_that_cannot_is_seen() -> None:
    failed, said = modules_that_fail(["gatebot.errors", "gatebot.no_such_module"])
    assert failed == ["gatebot.no_such_module"]
    assert "ModuleNotFoundError" in said
