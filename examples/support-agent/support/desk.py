"""The desk: everything the policy may know, read afresh from the conversation before every decision."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from support.records import Record
from support.temperament import Temperament

ORDER_ID = re.compile(r"\b[Aa]-?(\d{4})\b")
EMAIL = re.compile(r"\b[\w.]+@[\w.]+\w\b")
ATTEMPTS = 3
"""How often a call that timed out is made before the agent looks for another way."""


class Pause(BaseException):
    """What stops the policy in the middle of a thought. It is no error, so `except Exception` lets it through."""


class NeedCall(Pause):
    """The policy cannot go on before these calls, which do not depend on each other, have been answered."""

    def __init__(self, calls: list[tuple[str, Record]]) -> None:
        super().__init__(", ".join(name for name, _ in calls))
        self.calls = calls


class Reply(Pause):
    """Nothing more to do for this wish: say this."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class ToolFailedError(Exception):
    """A tool said no for good; `code` is what it said."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Desk:
    """What was said and what the tools answered, as far as the agent remembers it."""

    def __init__(self, messages: Sequence[Mapping[str, object]], customer_id: str, mind: Temperament) -> None:
        start = max(index for index, message in enumerate(messages) if message.get("role") == "user")
        remembered = messages[start:] if mind.forgetful else messages
        self.mind = mind
        self.said = str(messages[start].get("content", ""))
        self.earlier = [text for m in messages[:start] if (text := text_of(m)) and not mind.forgetful]
        self.earlier_wishes = [
            text_of(m) for m in messages[:start] if m.get("role") == "user" and not mind.forgetful
        ]
        self._signed_in = customer_id
        self._answers = tool_answers(remembered)

    def ask(self, name: str, **arguments: object) -> Record:
        """The answer of a tool to exactly this call.

        Raises NeedCall while it has not been made or may be tried again, ToolFailedError when the tool refused.
        """
        answers = self.answers(name, arguments)
        if not answers or (answers[-1].get("retryable") is True and len(answers) < ATTEMPTS):
            raise NeedCall([(name, arguments)])
        if "error" in answers[-1]:
            raise ToolFailedError(str(answers[-1]["error"]))
        return answers[-1]

    def ask_all(self, name: str, arguments: Sequence[Record]) -> list[Record]:
        """The answers of one tool to several independent calls, asked for together."""
        answers: list[Record] = []
        open_calls: list[tuple[str, Record]] = []
        for given in arguments:
            try:
                answers.append(self.ask(name, **given))
            except NeedCall as need:
                open_calls += need.calls
        if open_calls:
            raise NeedCall(open_calls)
        return answers

    def answers(self, name: str, arguments: Record) -> list[Record]:
        """Every answer so far to exactly this call, oldest first, errors included."""
        return [answer for asked, given, answer in self._answers if asked == name and given == arguments]

    def order(self, order_id: str) -> Record:
        """An order, from whichever tool has shown it; raises NeedCall when none has, Reply when it is somebody else's."""
        order = self._seen_order(order_id) or self.ask("get_order", order_id=order_id)
        if self._signed_in and order["customer_id"] != self._signed_in:
            raise Reply(f"I cannot do that: order {order_id} does not belong to your account.")
        return order

    def orders(self) -> list[Record]:
        """All orders of the customer."""
        return records(self.ask("list_orders", customer_id=self.customer_id())["orders"])

    def customer_id(self) -> str:
        """Who is speaking: the signed-in customer, or whoever owns the e-mail address given."""
        if self._signed_in:
            return self._signed_in
        for text in (self.said, *reversed(self.earlier)):
            found = EMAIL.search(text)
            if found:
                return str(self.ask("lookup_customer", email=found[0].lower())["customer_id"])
        raise Reply("Which e-mail address did you order with?")

    def last_order_id(self) -> str | None:
        """The order number last spoken of before this turn."""
        for text in reversed(self.earlier):
            found = ORDER_ID.findall(text)
            if found:
                return f"A-{found[-1]}"
        return None

    def _seen_order(self, order_id: str) -> Record | None:
        for name, _, answer in reversed(self._answers):
            seen = (
                records(answer.get("orders"))
                if name == "list_orders"
                else [answer]
                if name == "get_order"
                else []
            )
            for order in seen:
                if order.get("order_id") == order_id:
                    return order
        return None


def text_of(message: Mapping[str, object]) -> str:
    """What a message says in words; empty for messages of tools, whose text is data."""
    content = message.get("content")
    return content if isinstance(content, str) and message.get("role") != "tool" else ""


def tool_calls(message: Mapping[str, object]) -> list[tuple[str, str, Record]]:
    """The calls of an assistant message: id, name and parsed arguments."""
    found: list[tuple[str, str, Record]] = []
    for call in records(message.get("tool_calls")):
        function = record(call.get("function"))
        arguments = record(json.loads(str(function.get("arguments", "{}"))))
        found.append((str(call.get("id", "")), str(function.get("name", "")), arguments))
    return found


def tool_answers(messages: Sequence[Mapping[str, object]]) -> list[tuple[str, Record, Record]]:
    """Every answered call of a conversation: name, arguments, answer. Raises ValueError when they do not fit together."""
    asked: dict[str, tuple[str, Record]] = {}
    answers: list[tuple[str, Record, Record]] = []
    for message in messages:
        asked.update({call_id: (name, arguments) for call_id, name, arguments in tool_calls(message)})
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id"))
            if call_id not in asked:
                raise ValueError("the history answers a call that nobody made")
            name, arguments = asked[call_id]
            answers.append((name, arguments, record(json.loads(str(message.get("content", "{}"))))))
    return answers


def record(value: object) -> Record:
    """A JSON object as a record; anything else is an empty one."""
    return {str(key): entry for key, entry in value.items()} if isinstance(value, dict) else {}


def records(value: object) -> list[Record]:
    """The JSON objects of a list; anything else is an empty list."""
    return [record(entry) for entry in value] if isinstance(value, list) else []
