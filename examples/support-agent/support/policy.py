"""The scripted model: reads the conversation, decides what comes next, and remembers nothing in between."""

from __future__ import annotations

from collections.abc import Callable

from support import accounts, parcels, refunds
from support.desk import Desk, NeedCall, Reply, ToolFailedError
from support.records import Record
from support.temperament import CLOSERS, OPENERS
from support.tools import READ_ONLY
from support.wishes import Wish, wishes

Calls = list[tuple[str, Record]]

SKILLS: dict[str, Callable[[Wish, Desk], str]] = {
    "address": accounts.address,
    "cancel": accounts.cancel,
    "compensate": parcels.compensate,
    "danger": accounts.danger,
    "docs": accounts.docs,
    "first": parcels.first,
    "forbidden": accounts.forbidden,
    "greeting": accounts.greeting,
    "list": accounts.listing,
    "person": accounts.person,
    "profile": accounts.profile,
    "read_ticket": accounts.read_ticket,
    "refund": refunds.refund,
    "shipping": parcels.shipping,
    "thanks": accounts.thanks,
    "total": accounts.total,
}


def decide(desk: Desk) -> Calls | str:
    """The next move: tool calls to make (look-ups together, a change alone), or the answer to the customer."""
    calls: Calls = []
    sentences: list[str] = []
    for wish in _wishes(desk):
        try:
            sentences.append(_attend(wish, desk))
        except NeedCall as need:
            calls += [call for call in need.calls if call not in calls]
    look_ups = [call for call in calls if call[0] in READ_ONLY]
    if look_ups:
        return desk.mind.shuffled(look_ups)
    if calls:
        return calls[:1]
    answer = " ".join(sentences) or "Could you tell me a little more about what you need?"
    return desk.mind.pick("opener", OPENERS) + answer + desk.mind.pick("closer", CLOSERS)


def _attend(wish: Wish, desk: Desk) -> str:
    try:
        return SKILLS[wish.kind](wish, desk)
    except Reply as reply:
        return reply.text
    except ToolFailedError:
        desk.ask("create_ticket", subject=f"Could not finish: {wish.kind}", priority="normal")
        return "Something on our side does not work; I opened a ticket and a colleague will write to you."


def _wishes(desk: Desk) -> list[Wish]:
    """The wishes of this turn; an answer to the agent's own question continues the wish it was about."""
    now = wishes(desk.said)
    if now or not desk.earlier or "Which order" not in desk.earlier[-1]:
        return now
    return wishes(desk.earlier_wishes[-1]) if desk.earlier_wishes else []
