"""Runs one Python function as an agent, under the side's own interpreter. A script; it imports nothing of gatebot.

`python worker.py package.module:function`, in the checkout. The request comes on standard input and is the
function's one argument, a dict. What it returns goes to standard output: a str is the answer, a dict is an object of
the protocol, a list is a list of messages. Whatever the function itself prints goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Awaitable, Iterable


def main(target: str) -> None:
    """Call the function named by `target` with the request and print what it returns."""
    reserved = os.dup(1)
    os.dup2(2, 1)
    request: object = json.loads(sys.stdin.buffer.read())
    checkout_first()
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    returned: object = function(request)
    if isinstance(returned, Awaitable):
        import asyncio  # half of a small agent's start-up time

        returned = asyncio.run(_result(returned))
    if isinstance(returned, str):
        returned = {"answer": returned}
    if not isinstance(returned, (dict, list)):
        message = f"{target} returned {type(returned).__name__}; expected str, dict or list"
        raise TypeError(message)
    with os.fdopen(reserved, "w", encoding="utf-8") as output:
        json.dump(returned, output, allow_nan=False, default=as_json)


def checkout_first() -> None:
    """Import from the checkout, not from the folder of this script."""
    if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):  # noqa: PTH100, PTH120 - starts fast
        del sys.path[0]
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - starts fast


def as_json(value: object) -> object:
    """What an object that JSON does not know looks like: pydantic models (LangChain messages) and dataclasses."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    fields: Iterable[str] = getattr(value, "__dataclass_fields__", ())
    if fields and not isinstance(value, type):
        return {name: getattr(value, name) for name in fields}
    message = f"cannot turn {type(value).__name__} into JSON"
    raise TypeError(message)


async def _result(awaitable: Awaitable[object]) -> object:
    return await awaitable


if __name__ == "__main__":
    main(sys.argv[1])
