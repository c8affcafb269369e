"""The runs in a file: a list, JSON Lines, or lines that wrap the source's own object with who ran it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import objects, string
from gatebot.model.json_value import JsonObject, JsonValue, is_object


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The source's own object, and what a wrapping line says beside it."""

    run: JsonObject
    line: JsonObject

    def said(self, key: str) -> JsonValue:
        """What the line says of `key`, or else the run."""
        value = self.line.get(key)
        return self.run.get(key) if value is None else value


def source_runs(documents: Sequence[JsonValue]) -> list[SourceRun]:
    """Every run in the documents of a file. Raises ImportFormatError when they are of several agents."""
    found = [_unwrapped(item) for document in documents for item in _listed(document)]
    agents = sorted({name for source in found if (name := string(source.line.get("agent"))) is not None})
    if len(agents) > 1:
        names = ", ".join(ascii(name)[1:-1][:40] for name in agents[:4])
        message = f"the runs are of {len(agents)} agents ({names})"
        raise ImportFormatError(message, "import each agent's runs into a directory of its own")
    return found


def _listed(document: JsonValue) -> Iterator[JsonObject]:
    if is_object(document):
        simulations = document.get("simulations")
        yield from objects(simulations) if "simulations" in document else [document]
    else:
        yield from objects(document)


def _unwrapped(item: JsonObject) -> SourceRun:
    run = item.get("run")
    return SourceRun(run, item) if is_object(run) else SourceRun(item, item)
