"""Seeds one breach per import contract into a bare skeleton of the package and sees exactly that contract break."""

import configparser
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CONTRACTS = ROOT / ".importlinter"
PREFIX = "importlinter:contract:"
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
VERDICT = re.compile(r"^(?P<name>.+?) (?P<verdict>KEPT|BROKEN)\b", re.MULTILINE)

SKELETON = (
    "__main__.py",
    "cli/app.py",
    "commands/accept.py",
    "plugins.py",
    "github_api/client.py",
    "workspace/checkout.py",
    "suite/load.py",
    "results/store.py",
    "runner/schedule.py",
    "judge/client.py",
    "agents/command.py",
    "graders/agentevals_engine.py",
    "graders/meaning.py",
    "process/launch.py",
    "render/comment.py",
    "core/compare.py",
    "core/stats/resample.py",
    "importers/detect.py",
    "ports.py",
    "model/case.py",
    "errors.py",
)
ALLOWED = {
    "__main__.py": "import gatebot.cli.app",
    "cli/app.py": "import gatebot.commands.accept",
    "commands/accept.py": "import gatebot.suite.load\nimport gatebot.results.store\nimport gatebot.github_api.client",
    "plugins.py": "import gatebot.agents.command",
    "github_api/client.py": "import github",
    "workspace/checkout.py": "import pygit2\nimport gatebot.process.launch",
    "judge/client.py": "import anthropic",
    "graders/agentevals_engine.py": "import agentevals\nimport openevals",
    "graders/meaning.py": "import onnxruntime\nimport tokenizers",
    "process/launch.py": "import subprocess\nimport os",
    "core/stats/resample.py": "import random\nimport numpy",
    "core/compare.py": "import gatebot.core.stats.resample\nimport gatebot.ports",
    "ports.py": "import gatebot.model.case",
    "model/case.py": "import pydantic\nimport gatebot.errors",
}


@dataclass(frozen=True, slots=True)
class Breach:
    """`line` added to `module` breaks exactly `contracts`."""

    module: str
    line: str
    contracts: frozenset[str]

    def __str__(self) -> str:
        return f"{self.module}:{self.line.split(' ')[-1]}"


def breach(module: str, line: str, *contracts: str) -> Breach:
    return Breach(module, line, frozenset(contracts))


BREACHES = (
    breach("model/case.py", "import gatebot.ports", "layers"),
    breach("runner/schedule.py", "import gatebot.agents.command", "layers"),
    breach("core/compare.py", "import gatebot.render.comment", "layers"),
    breach("stray.py", "", "layers"),
    breach("render/comment.py", "import io", "pure"),
    breach("importers/detect.py", "def load():\n    from os import environ", "pure"),
    breach("errors.py", "import time", "pure"),
    breach("commands/accept.py", "from github import Github", "door-github"),
    breach("graders/agentevals_engine.py", "import anthropic", "door-anthropic"),
    breach("agents/command.py", "import agentevals", "door-agentevals"),
    breach("judge/client.py", "import openevals", "door-agentevals"),
    breach("judge/client.py", "import onnxruntime", "door-meaning"),
    breach("agents/command.py", "import subprocess", "door-subprocess"),
    breach("runner/schedule.py", "import multiprocessing", "door-subprocess"),
    breach("results/store.py", "def find():\n    import pygit2", "door-pygit2"),
    breach("commands/accept.py", "import gatebot.plugins", "accept"),
    breach("commands/accept.py", "import gatebot.workspace.checkout", "accept"),
)


def contract_names() -> dict[str, str]:
    """The name of each contract by its id, as the configuration has them."""
    parser = configparser.ConfigParser()
    parser.read_string(CONTRACTS.read_text(encoding="utf-8"))
    return {
        section.removeprefix(PREFIX): parser[section]["name"]
        for section in parser.sections()
        if section.startswith(PREFIX)
    }


def write_skeleton(root: Path) -> None:
    """Write a package with a module in every layer, which makes every import that is allowed on purpose."""
    for name in SKELETON:
        path = root / "gatebot" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ALLOWED.get(name, "") + "\n", encoding="utf-8")
    for folder in (root / "gatebot").rglob("*/"):
        (folder / "__init__.py").touch()
    (root / "gatebot" / "__init__.py").touch()
    shutil.copy(CONTRACTS, root)


def broken_contracts(root: Path) -> tuple[frozenset[str], str]:
    """The ids of the contracts that lint-imports calls broken, and all that it said."""
    done = subprocess.run(
        [sys.executable, "-c", LINT_IMPORTS, "--no-cache", "--no-logo"],
        cwd=root,
        env={"PATH": "", "COLUMNS": "300", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    verdicts = {found["name"]: found["verdict"] for found in VERDICT.finditer(done.stdout)}
    assert set(verdicts) == set(contract_names().values()), done.stdout + done.stderr
    assert (done.returncode == 0) == ("BROKEN" not in verdicts.values())
    broken = frozenset(key for key, name in contract_names().items() if verdicts[name] == "BROKEN")
    return broken, done.stdout


def test_the_skeleton_keeps_every_contract(tmp_path: Path) -> None:
    write_skeleton(tmp_path)
    broken, said = broken_contracts(tmp_path)
    assert broken == frozenset(), said


@pytest.mark.parametrize("seed", BREACHES, ids=str)
def test_a_breach_breaks_its_contract(tmp_path: Path, seed: Breach) -> None:
    write_skeleton(tmp_path)
    with (tmp_path / "gatebot" / seed.module).open("a", encoding="utf-8") as module:
        module.write(seed.line + "\n")
    broken, said = broken_contracts(tmp_path)
    assert broken == seed.contracts, said


def test_every_contract_has_a_breach() -> None:
    seeded = {contract for seed in BREACHES for contract in seed.contracts}
    assert seeded == set(contract_names())
