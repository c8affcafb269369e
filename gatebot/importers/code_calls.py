"""The tools that a CodeAgent calls inside the Python it writes: found in the code's syntax, never run."""

from __future__ import annotations

import ast
import builtins
import math
import re
import warnings
from dataclasses import dataclass, field
from typing import cast

from gatebot.importers.arguments import Arguments
from gatebot.model.json_value import JsonValue, depth_within

CODE_LIMIT = 100_000
CALLS_LIMIT = 1_000
_DEPTH = 50
_SURROGATE = re.compile("[\ud800-\udfff]")
_BUILTINS = frozenset(dir(builtins))
# Code in these may run any number of times, or not at all.
_UNCERTAIN = (
    ast.For, ast.While, ast.If, ast.IfExp, ast.Try, ast.BoolOp, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
    ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


@dataclass(slots=True)
class CodeReader:
    """Reads one step's code after the other: names that earlier code made are no tools. `answers`: calls that are none."""

    answers: frozenset[str]
    _made: set[str] = field(default_factory=set[str], init=False)

    def calls(self, code: str) -> list[tuple[str, Arguments]] | None:
        """The tools called, in the order of the text, with the arguments that are written out by name.

        Other arguments are unknown. None where the code cannot tell how often a tool was called (loops, branches,
        functions), and for code that cannot be read.
        """
        if len(code) > CODE_LIMIT:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # escapes that Python does not know, in an agent's text
                tree = ast.parse(code)
            self._made |= _names_made(tree)
            found: list[ast.Call] = []
            if not self._search(tree, found) or len(found) > CALLS_LIMIT:
                return None
            found.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
            return [(cast("ast.Name", call.func).id, _arguments(call)) for call in found]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def _search(self, tree: ast.AST, found: list[ast.Call]) -> bool:
        """Collect the calls of tools; whether each is made exactly once."""
        waiting: list[tuple[ast.AST, bool]] = [(tree, True)]
        certain = True
        while waiting:
            node, once = waiting.pop()
            if isinstance(node, ast.Call) and self._is_tool(node):
                found.append(node)
                certain = certain and once
            inside = once and not isinstance(node, _UNCERTAIN)
            waiting.extend((child, inside) for child in ast.iter_child_nodes(node))
        return certain

    def _is_tool(self, call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Name):
            return False
        name = call.func.id
        return name not in _BUILTINS and name not in self._made and name not in self.answers


def _names_made(tree: ast.AST) -> set[str]:
    """Names that the code itself gives to something: assigned, defined, imported."""
    made: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.arg):
            made.add(node.arg)
    return made


def _arguments(call: ast.Call) -> Arguments:
    """The arguments, where each is named and written out as a value that JSON knows."""
    raw = ast.unparse(call).encode("utf-8", "replace").decode("utf-8")
    values: dict[str, JsonValue] = {}
    for keyword in call.keywords:
        try:
            value = cast("JsonValue", ast.literal_eval(keyword.value))
        except (ValueError, TypeError, RecursionError, MemoryError):
            return Arguments(raw=raw)
        if keyword.arg is None or not _is_json(value):
            return Arguments(raw=raw)
        values[keyword.arg] = value
    return Arguments(raw=raw) if call.args else Arguments(values, raw=raw)


def _is_json(value: object) -> bool:
    if isinstance(value, str):
        return value.isascii() or not _SURROGATE.search(value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if value is None:
        return True
    if not depth_within(cast("JsonValue", value), _DEPTH):
        return False
    if isinstance(value, list):
        return all(map(_is_json, cast("list[object]", value)))
    pairs = cast("dict[object, object]", value).items() if isinstance(value, dict) else ()
    return isinstance(value, dict) and all(isinstance(key, str) and _is_json(item) for key, item in pairs)
