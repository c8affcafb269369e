"""Which order is meant: by number, by item, by comparison, or by what was said before."""

from __future__ import annotations

import re

from support.desk import ORDER_ID, Desk, Reply, ToolFailedError
from support.records import Record
from support.wishes import Wish

_POINTING = re.compile(
    r"\b(it|that order|that one|the order|this order|same order|mentioned)\b", re.IGNORECASE
)
_LEAST = re.compile(r"\bcheap(er|est)\b", re.IGNORECASE)
_MOST = re.compile(r"\b(more|most) expensive|\bdear(er|est)\b", re.IGNORECASE)

FITTING = {
    "refund": "delivered",
    "cancel": "processing",
    "address": "processing",
    "shipping": "shipped",
    "compensate": "shipped",
}
"""The status an order must have for a wish to make sense: it narrows down what may be meant."""


def meant(wish: Wish, desk: Desk) -> Record:
    """The order a wish is about.

    Raises NeedCall while a look-up is open, and Reply with a question when more than one order, or none, may be meant.
    """
    numbers = ORDER_ID.findall(wish.clause) or ORDER_ID.findall(desk.said)
    if numbers:
        try:
            return desk.order(f"A-{numbers[0]}")
        except ToolFailedError:
            return _described(wish, desk, f"I cannot find order A-{numbers[0]}. ")
    earlier = desk.last_order_id()
    compares = _LEAST.search(desk.said) or _MOST.search(desk.said)
    if earlier and _POINTING.search(wish.clause) and not compares:
        return desk.order(earlier)
    return _described(wish, desk, "")


def _described(wish: Wish, desk: Desk, trouble: str) -> Record:
    status = FITTING.get(wish.kind)
    orders = [order for order in desk.orders() if status in (None, order["status"])]
    named = _best_named(orders, desk.said)
    candidates = named or orders
    if _LEAST.search(desk.said) and candidates:
        return min(candidates, key=_total)
    if _MOST.search(desk.said) and candidates:
        return max(candidates, key=_total)
    if len(named) == 1:
        return named[0]
    if not candidates:
        raise Reply(f"{trouble}I see no order for which I could do that.")
    listed = ", ".join(f"{order['order_id']} ({order['item']}, {_total(order):.2f})" for order in candidates)
    raise Reply(f"{trouble}Which order do you mean: {listed}?")


def _best_named(orders: list[Record], text: str) -> list[Record]:
    words = set(re.findall(r"[a-z]+", text.lower()))
    scores = [len(words & set(str(order["item"]).split())) for order in orders]
    best = max(scores, default=0)
    return [order for order, score in zip(orders, scores, strict=True) if score == best > 0]


def _total(order: Record) -> float:
    total = order["total"]
    return total if isinstance(total, float) else 0.0
