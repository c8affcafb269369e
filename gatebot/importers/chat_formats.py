"""The formats that messages come in wherever messages stand: in a file, in a span's attribute, in a run's outputs."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.anthropic_messages import AnthropicMessages
from gatebot.importers.autogen import AutoGen
from gatebot.importers.converse import Converse
from gatebot.importers.gemini import GeminiContents
from gatebot.importers.langchain import LangChain
from gatebot.importers.mini_swe_agent import MiniSweAgent
from gatebot.importers.openai_chat import OpenAIChat
from gatebot.importers.openai_responses import OpenAIResponses
from gatebot.importers.otel_messages import OtelMessages
from gatebot.importers.pydantic_ai import PydanticAI
from gatebot.importers.vercel_ai import VercelModel, VercelUI
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory
from gatebot.ports import Importer

# Most particular first: plain chat messages are what many other kinds of chat also look like.
CHAT_FORMATS: tuple[Importer, ...] = (
    AutoGen(),
    PydanticAI(),
    LangChain(),
    OtelMessages(),
    VercelUI(),
    GeminiContents(),
    VercelModel(),
    AnthropicMessages(),
    Converse(),
    OpenAIResponses(),
    MiniSweAgent(),
    OpenAIChat(),
)


def chat_trajectory(document: JsonValue) -> Trajectory | None:
    """The trajectory in messages of any chat format; None when they are in none, or break the one they are in."""
    try:
        return next((known.load(document) for known in CHAT_FORMATS if known.detects(document)), None)
    except ImportFormatError:
        return None
