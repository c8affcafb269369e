"""Refunds: read the order, ask the policy, and only then pay."""

from __future__ import annotations

from support.desk import Desk, Reply, ToolFailedError
from support.orders import meant
from support.records import Record
from support.wishes import Wish, reason


def refund(wish: Wish, desk: Desk) -> str:
    """Pay an order back when the policy allows it, hand it to a person when it is large, say no otherwise."""
    order = meant(wish, desk)
    order_id = order["order_id"]
    why = _reason(desk)
    verdict = _verdict(order, why, desk)
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
    if desk.mind.double_checks:
        desk.ask("lookup_customer", customer_id=order["customer_id"])
    return f"I have refunded {paid['refunded']:.2f} for order {order_id}."


def _verdict(order: Record, why: str, desk: Desk) -> Record:
    if desk.mind.hasty:
        return {"decision": "refund", "amount": order["total"]}
    return desk.ask("check_refund_policy", order_id=order["order_id"], reason=why)


def _reason(desk: Desk) -> str:
    """The reason given now, or else the last one given in an earlier turn."""
    codes = [reason(text) for text in (desk.said, *reversed(desk.earlier_wishes))]
    return next((code for code in codes if code != "other"), "other")
