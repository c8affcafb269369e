"""The tool-calling loop: decide, call the tools, read their answers, decide again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from support.desk import Desk, record, text_of, tool_answers, tool_calls
from support.environment import Shop, ToolError
from support.policy import Calls, decide
from support.records import Record
from support.temperament import Temperament
from support.tools import declarations

MAX_STEPS = 12
DIRECTORY_TOOLS = ("lookup_customer", "list_orders")


class Turn:
    """One user turn: what the agent adds to the conversation, and what that cost.

    Raises ValueError when the history cannot have happened in this shop.
    """

    def __init__(self, history: Sequence[Mapping[str, object]], context: Record, seed: int) -> None:
        self._history = list(history)
        self._customer = str(context.get("customer_id", ""))
        self._mind = Temperament(seed, sum(message.get("role") == "user" for message in history))
        self._shop = Shop(_outages(context, self._mind))
        self._overhead = _tokens(declarations())
        self.new: list[Record] = []
        self.input_tokens = 0
        self.output_tokens = 0
        for name, arguments, answer in tool_answers(self._history):
            try:
                self._shop.replay(name, arguments, "error" in answer)
            except ToolError as error:
                raise ValueError(f"the history does not fit the shop: {name} says {error.code}") from error

    def run(self) -> Record:
        """Loop until the policy answers; returns the response of the agent's protocol, with this turn's messages only."""
        for _ in range(MAX_STEPS):
            messages = [*self._history, *self.new]
            decision = decide(Desk(messages, self._customer, self._mind))
            self.input_tokens += self._overhead + sum(_tokens(message) for message in messages)
            if isinstance(decision, str):
                return self._finish(decision)
            self._call(decision)
        return self._finish("I could not finish this; a colleague will take over.")

    def _call(self, calls: Calls) -> None:
        made = sum(len(tool_calls(message)) for message in (*self._history, *self.new))
        asked = [
            {
                "id": f"call_{made + number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, sort_keys=True)},
            }
            for number, (name, arguments) in enumerate(calls, start=1)
        ]
        self._say({"role": "assistant", "content": None, "tool_calls": asked})
        for call, (name, arguments) in zip(asked, calls, strict=True):
            answer = self._answer(name, arguments)
            told = {"content": json.dumps(answer), "is_error": "error" in answer}
            self.new.append({"role": "tool", "tool_call_id": call["id"], **told})

    def _answer(self, name: str, arguments: Record) -> Record:
        try:
            return self._shop.call(name, arguments)
        except ToolError as error:
            return {"error": error.code, "retryable": error.retryable}

    def _say(self, message: Record) -> None:
        self.output_tokens += _tokens(message)
        self.new.append(message)

    def _finish(self, answer: str) -> Record:
        self._say({"role": "assistant", "content": answer})
        return {
            "messages": self.new,
            "answer": answer,
            "state": self._shop.state(),
            "usage": {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens},
        }


def conversation(given: object) -> list[Record]:
    """The request's `input` as messages: a plain string is one user message. Raises ValueError when nobody speaks."""
    messages = _messages([given] if isinstance(given, str) else given)
    if not messages or messages[-1].get("role") != "user" or not text_of(messages[-1]):
        raise ValueError("the input must end in a user message")
    return messages


def _messages(given: object) -> list[Record]:
    entries = given if isinstance(given, list) else []
    return [
        {"role": "user", "content": entry} if isinstance(entry, str) else record(entry) for entry in entries
    ]


def _outages(context: Record, mind: Temperament) -> dict[str, int]:
    planned = {
        name: count for name, count in record(context.get("outages")).items() if isinstance(count, int)
    }
    if mind.slow_directory:
        for name in DIRECTORY_TOOLS:
            planned[name] = planned.get(name, 0) + 1
    return planned


def _tokens(value: object) -> int:
    """About four characters a token, as a rule of thumb has it."""
    return len(json.dumps(value)) // 4
