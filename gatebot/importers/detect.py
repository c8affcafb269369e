"""Which format a document is in, told by its content alone, and the trajectory it holds."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.anthropic_messages import AnthropicMessages
from gatebot.importers.document_text import parse_documents
from gatebot.importers.langchain import LangChain
from gatebot.importers.openai_chat import OpenAIChat
from gatebot.importers.strict_json import MAX_BYTES, parse_json
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory
from gatebot.ports import Importer

__all__ = ["FORMATS", "detect", "load", "load_text", "parse_json"]

# Most particular first: plain chat messages are what every other kind of chat also looks like.
FORMATS: tuple[Importer, ...] = (LangChain(), AnthropicMessages(), OpenAIChat())


def detect(document: JsonValue) -> str | None:
    """The name of the format the document is in, or None when it is in none we know."""
    importer = _importer(document)
    return importer.name if importer else None


def load(document: JsonValue) -> Trajectory:
    """The trajectory in a document of any known format. Raises ImportFormatError, and nothing else.

    An empty list is a trajectory in which nothing happened.
    """
    if document == []:
        return Trajectory()
    importer = _importer(document)
    if importer is None:
        raise ImportFormatError(
            f"in no trajectory format that gatebot knows ({_looks(document)})",
            "OpenAI chat messages always work: a list of {role, content, tool_calls}",
        )
    return importer.load(document)


def load_text(data: str | bytes, *, max_bytes: int = MAX_BYTES, source: str = "") -> Trajectory:
    """The trajectory in JSON or JSON Lines of any known format. Raises ImportFormatError, and nothing else."""
    documents = parse_documents(data, max_bytes=max_bytes, source=source)
    return load(documents[0] if len(documents) == 1 else list(documents))


def _importer(document: JsonValue) -> Importer | None:
    return next((importer for importer in FORMATS if importer.detects(document)), None)


def _looks(document: JsonValue) -> str:
    if isinstance(document, dict):
        keys = ", ".join(ascii(key)[1:-1][:30] for key in list(document)[:6])
        return f"an object with the keys {keys}" if keys else "an empty object"
    if isinstance(document, list):
        return f"a list whose first item is {_looks(document[0])}" if document else "an empty list"
    return "text" if isinstance(document, str) else "neither a list nor an object"
