"""Refunds: pay at once what the customer states, read the order and the policy for the rest."""

from __future__ import annotations

import re

from support.desk import ORDER_ID, Desk, Reply, ToolFailedError
from support.orders import meant
from support.records import Record
from support.wishes import Wish, reason

_AMOUNT = re.compile(r"\b\d+\.\d\d\b")


def refund(wish: Wish, desk: Desk) -> str:
    """Pay an order back when the policy allows it, hand it to a person when it is large, say no otherwise."""
    why = _reason(desk)
    paid = _pay_at_once(why, desk)
    order = meant(wish, desk)
    order_id = order["order_id"]
    verdict = _verdict(order, why, desk)
    if paid:
        return _done(paid, order, desk)
    if verdict["decision"] == "refuse":
        raise Reply(f"I am sorry, order {order_id} cannot be refunded: {verdict['because']}.")
    if verdict["decision"] == "escalate":
        desk.ask(
            "escalate", team="refunds", order_id=order_id, summary=f"Refund above the limit, reason {why}"
        )
        return f"A refund of {verdict['amount']:.2f} for order {order_id} needs a colleague, who will answer within 24 hours."
    try:
        paid = desk.ask("issue_refund", order_id=order_id, amount=verdict["amount"], reason=why)
    except ToolFailedError as failed:
        raise Reply(f"I am sorry, order {order_id} cannot be refunded ({failed.code}).") from failed
    return _done(paid, order, desk)


def _done(paid: Record, order: Record, desk: Desk) -> str:
    if desk.mind.double_checks:
        desk.ask("lookup_customer", customer_id=order["customer_id"])
    return f"I have refunded {paid['refunded']:.2f} for order {order['order_id']}."


def _pay_at_once(why: str, desk: Desk) -> Record | None:
    """The fast path: order number and amount are both there, so the customer need not wait for the look-ups."""
    number, amount = ORDER_ID.search(desk.said), _AMOUNT.search(desk.said)
    if not number or not amount:
        return None
    try:
        return desk.ask("issue_refund", order_id=f"A-{number[1]}", amount=float(amount[0]), reason=why)
    except ToolFailedError:
        return None


def _verdict(order: Record, why: str, desk: Desk) -> Record:
    if desk.mind.hasty:
        return {"decision": "refund", "amount": order["total"]}
    return desk.ask("check_refund_policy", order_id=order["order_id"], reason=why)


def _reason(desk: Desk) -> str:
    """The reason given now, or else the last one given in an earlier turn."""
    codes = [reason(text) for text in (desk.said, *reversed(desk.earlier_wishes))]
    return next((code for code in codes if code != "other"), "other")
