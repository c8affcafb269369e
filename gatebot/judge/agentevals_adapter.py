"""Our client as the `judge=` of an agentevals or openevals evaluator, for people who bring one of theirs.

The evaluator writes the prompt, so our protocol's block around the material is not in it: such a score informs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from gatebot.errors import InfrastructureError
from gatebot.judge.answer import read_form
from gatebot.judge.asking import Asker
from gatebot.judge.fault import CallFailed
from gatebot.judge.prices import cost_of, price_of
from gatebot.model.json_value import JsonObject, JsonValue, is_object

_TOOL = "grade"


@dataclass(frozen=True, slots=True)
class Message:
    """What `choices[0].message` is expected to have."""

    content: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `choices`."""

    message: Message


@dataclass(frozen=True, slots=True)
class Completion:
    """What `chat.completions.create` returns."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Completions:
    """`chat.completions` of a chat client, answered by the judge's model."""

    asker: Asker

    def create(
        self, *, messages: Sequence[Mapping[str, str]], model: str, response_format: JsonObject
    ) -> Completion:
        """One structured answer, as JSON text. `model` is the judge's whatever is asked for.

        Raises InfrastructureError when the model gives none; there is no default.
        """
        del model  # the configuration's counts: prices, budget and calibration are its own
        body = _request(messages, response_format, self.asker)
        name = self.asker.config.model
        try:
            raw = self.asker.send(body, name, "agentevals")
        except CallFailed as failed:
            raise InfrastructureError(
                f"the judge gave no answer: {failed.told}", "run again later"
            ) from failed
        given, spent = read_form(raw, _TOOL)
        self.asker.ledger.book(None, cost_of(spent, price_of(name, self.asker.config.prices)))
        if given is None:
            raise InfrastructureError("the judge's answer is not in the form asked for", "run again")
        return Completion((Choice(Message(orjson.dumps(given).decode())),))


@dataclass(frozen=True, slots=True)
class Chat:
    """`chat` of a chat client."""

    completions: Completions


@dataclass(frozen=True, slots=True)
class AgentevalsJudge:
    """Give it as `judge=` to `create_trajectory_llm_as_judge`, with the configuration's model as `model=`."""

    chat: Chat


def agentevals_judge(asker: Asker) -> AgentevalsJudge:
    """The adapter around an asker: its key, deadline, budget and model."""
    return AgentevalsJudge(Chat(Completions(asker)))


def _request(messages: Sequence[Mapping[str, str]], response_format: JsonObject, asker: Asker) -> JsonObject:
    wrapped = response_format.get("json_schema")
    schema = wrapped.get("schema") if is_object(wrapped) else None
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    talk: list[JsonValue] = [
        {"role": message["role"], "content": message["content"]}
        for message in messages
        if message["role"] != "system"
    ]
    body: dict[str, JsonValue] = {
        "model": asker.config.model,
        "max_tokens": asker.config.max_tokens,
        "messages": talk,
        "tools": [
            {
                "name": _TOOL,
                "description": "State the grade. Call it exactly once.",
                "input_schema": schema if is_object(schema) else {"type": "object"},
            }
        ],
        "tool_choice": {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True},
    }
    if system:
        body["system"] = system
    return body
