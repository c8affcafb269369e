"""Import everything gatebot imports, at the top of its modules or inside functions: what is missing shows, what is there is compiled."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import sys
from pathlib import Path

import gatebot

PACKAGE = Path(gatebot.__file__).parent


def imported_names(source: str) -> set[str]:
    """The modules a source file imports wherever it does, and `module.name` of what it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def extras() -> set[str]:
    """The modules that are there only where somebody asked for an extra of gatebot's."""
    asked = importlib.metadata.requires("gatebot") or []
    names = (re.match(r"[\w.-]+", one) for one in asked if "extra ==" in one)
    return {name[0].replace("-", "_") for name in names if name}


def load(name: str, optional: set[str]) -> None:
    """Import a module, or take a name out of one. Raises ImportError or AttributeError when it is not there."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        module, _, attribute = name.rpartition(".")
        if (error.name or "").split(".")[0] in optional:
            return
        if error.name != name or not module:
            raise
        getattr(importlib.import_module(module), attribute)


def main() -> None:
    """Import all; say how many modules are loaded now."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__main__.py")
    optional = extras()
    for path in files:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        load(".".join(part for part in parts if part != "__init__"), optional)
        for name in sorted(imported_names(path.read_text(encoding="utf-8"))):
            load(name, optional)
    print(f"warm: {len(files)} modules of gatebot, {len(sys.modules)} modules with all they import")


if __name__ == "__main__":
    main()
