"""Runs one Python function as a grader, under the side's own interpreter. A script; it imports nothing of gatebot.

`python grader_worker.py folder checks.py:function`. The grading request comes on standard input and is the function's
one argument, a dict. The verdict goes to standard output as one line of JSON: `{"passed": …}`, `{"score": …}`, each
with a `reason` where the function gives one. Whatever the function itself prints goes to standard error.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Awaitable, Callable
from types import ModuleType


def main(folder: str, target: str) -> None:
    """Call the function named by `target`, a file or module below `folder`, and print what it says."""
    reserved = os.dup(1)
    os.dup2(2, 1)
    request: object = json.loads(sys.stdin.buffer.read())
    module, _, name = target.rpartition(":")
    sys.path[0] = folder  # in place of this script's own: the base's files come before what an agent left
    function: Callable[[object], object] = getattr(load(folder, module), name)
    returned: object = function(request)
    if isinstance(returned, Awaitable):
        import asyncio

        returned = asyncio.run(_result(returned))
    with os.fdopen(reserved, "w", encoding="utf-8") as output:
        json.dump(verdict(returned, target), output, allow_nan=False)


def load(folder: str, module: str) -> ModuleType:
    """The module `package.module`, or of the file `checks.py`, whatever its name and folder."""
    if not module.endswith(".py"):
        return importlib.import_module(module)
    spec = importlib.util.spec_from_file_location("grader", os.path.join(folder, module))  # noqa: PTH118 - starts fast
    if spec is None or spec.loader is None:
        raise ImportError(module)
    found = importlib.util.module_from_spec(spec)
    sys.modules["grader"] = found
    spec.loader.exec_module(found)
    return found


def verdict(returned: object, target: str) -> dict[str, object]:
    """What the function returned, as an object."""
    if isinstance(returned, bool):
        return {"passed": returned}
    if isinstance(returned, (int, float)):
        return {"score": returned}
    if isinstance(returned, dict):
        return returned  # pyright: ignore[reportUnknownVariableType]
    message = f"{target} returned {type(returned).__name__}; expected bool, a number or a dict"
    raise TypeError(message)


async def _result(awaitable: Awaitable[object]) -> object:
    return await awaitable


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
