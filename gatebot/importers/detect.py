"""Which format a document is in, told by its content alone, and the trajectory it holds."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.adk_evalset import AdkEvalSet
from gatebot.importers.atif import Atif
from gatebot.importers.chat_formats import CHAT_FORMATS
from gatebot.importers.claude_code import ClaudeCode
from gatebot.importers.codex import CodexExec, CodexRollout
from gatebot.importers.crewai import CrewEvents, CrewOutput
from gatebot.importers.document_text import parse_documents
from gatebot.importers.gemini import AdkSession
from gatebot.importers.inspect_log import InspectLog
from gatebot.importers.langfuse import Langfuse
from gatebot.importers.langgraph_graph import LangGraphGraph
from gatebot.importers.langsmith import LangSmith
from gatebot.importers.openai_agents import AgentsItems, AgentsSpans
from gatebot.importers.openinference import OpenInference
from gatebot.importers.otel_genai import OtelGenAI
from gatebot.importers.smolagents import Smolagents
from gatebot.importers.strict_json import MAX_BYTES, parse_json
from gatebot.importers.swe_agent import SweAgent
from gatebot.importers.tau2 import Tau2Simulation
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory
from gatebot.ports import Importer

__all__ = ["FORMATS", "detect", "load", "load_text", "parse_json"]

# Most particular first; an agent's plain messages come last, for that is what many others hold inside.
FORMATS: tuple[Importer, ...] = (
    Atif(),
    Tau2Simulation(),
    InspectLog(),
    SweAgent(),
    Langfuse(),
    LangSmith(),
    OpenInference(),
    OtelGenAI(),
    AgentsSpans(),
    AgentsItems(),
    AdkEvalSet(),
    AdkSession(),
    LangGraphGraph(),
    ClaudeCode(),
    CodexRollout(),
    CodexExec(),
    Smolagents(),
    CrewOutput(),
    CrewEvents(),
    *CHAT_FORMATS,
)


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
    """The document in a few words."""
    if is_array(document):
        return f"a list whose first item is {_kind(document[0])}" if document else "an empty list"
    return _kind(document)


def _kind(value: JsonValue) -> str:
    if is_object(value):
        keys = ", ".join(ascii(key)[1:-1][:30] for key in list(value)[:6])
        return f"an object with the keys {keys}" if keys else "an empty object"
    return (
        "text" if isinstance(value, str) else "a list" if is_array(value) else "neither text, list nor object"
    )
