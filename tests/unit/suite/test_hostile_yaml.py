"""Hostile YAML is refused or read in less than a second and 50 MB."""

import subprocess
import sys
from pathlib import Path

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.yaml_reader import MAX_FILE_BYTES, read_yaml

ROOT = Path(__file__).parents[3]


def refusal_of(raw: bytes) -> ConfigError | None:
    try:
        read_yaml("f.yaml", raw)
    except ConfigError as error:
        return error
    return None


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{c}: &{c} [{','.join(['*' + p] * 9)}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "alias bomb": BOMB,
    "recursive alias": "a: &a [*a]\n",
    "deep flow": "[" * 200_000,
    "deep block": "\n".join("- " * 2000 for _ in range(60)),
    "deep mapping": "{a: " * 60_000,
    "many keys": "".join(f"k{n}: 1\n" for n in range(24_000)),
    "many items": "[" + "1," * 130_000 + "]",
    "many empty maps": "[" + "{}," * 87_000 + "]",
    "duplicate at the end": "".join(f"k{n}: 1\n" for n in range(20_000)) + "k0: 2\n",
    "one long scalar": "a: " + "x" * 262_000,
    "one long quoted scalar": 'a: "' + "\\n" * 130_000 + '"',
    "one long integer": "a: " + "9" * 262_000,
    "one long float": "a: 1." + "9" * 262_000,
    "long key": "x" * 262_000 + ": 1",
    "open quote": 'a: "' + "x\n" * 130_000,
    "comments": "#\n" * 130_000,
    "questions": "? " * 130_000,
    "colons": ": " * 130_000,
    "indicators": "&a " * 87_000,
    "block scalars": "a: |\n" + "  x\n" * 65_000,
    "directives": "%YAML 1.1\n" * 26_000,
    "tag directives": "".join(f"%TAG !e{n}! tag:x,2000:\n" for n in range(9_000)) + "--- a",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_refusal_is_short(name: str) -> None:
    refusal = refusal_of(HOSTILE[name].encode()[:MAX_FILE_BYTES])
    assert refusal is None or len(str(refusal)) < 1000


BARE = """
import resource, sys, time
from gatebot.errors import ConfigError
from gatebot.suite.yaml_reader import read_yaml
from tests.unit.suite.test_hostile_yaml import HOSTILE, MAX_FILE_BYTES
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name, text in HOSTILE.items():
    started = time.process_time()
    try:
        read_yaml("f", text.encode()[:MAX_FILE_BYTES])
    except ConfigError:
        pass
    seconds = time.process_time() - started
    assert seconds < 1, (name, seconds)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert grown < 50_000, grown
"""


def test_hostile_files_take_less_than_a_second_and_fifty_megabytes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BARE], capture_output=True, text=True, timeout=100, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-2000:]
