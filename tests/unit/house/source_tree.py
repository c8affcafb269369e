"""The package's own source as parsed modules, for the tests that read it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "gatebot"


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its path below the package, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def dotted(self) -> str:
        """The module's full import name."""
        parts = ["gatebot", *self.path.removesuffix(".py").split("/")]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def is_under(self, *places: str) -> bool:
        """Whether the module is one of `places` or lies in one of them (`core/stats`, `github_api/event.py`)."""
        return any(self.path == place or self.path.startswith(f"{place}/") for place in places)


def parse(path: str, text: str) -> Module:
    """A module from its text; `path` is relative to the package."""
    return Module(path, text, ast.parse(text))


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, sorted by path."""
    files = sorted(PACKAGE.rglob("*.py"))
    return tuple(
        parse(file.relative_to(PACKAGE).as_posix(), file.read_text(encoding="utf-8")) for file in files
    )


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a module, nested ones included."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imported_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(`package.module` or `package.module.name`, line) of every import below `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
