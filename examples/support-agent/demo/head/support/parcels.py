"""Parcels: where they are, which comes first, and what a late one is worth."""

from __future__ import annotations

from support.desk import Desk, NeedCall, Reply, ToolFailedError
from support.orders import meant
from support.records import Record
from support.wishes import Wish

SCANS = 4
"""How often a late parcel is looked up, so that a scan that is still on its way is not missed."""


def shipping(wish: Wish, desk: Desk) -> str:
    """Say where a parcel is; when the carrier stays silent, open a ticket instead of guessing."""
    order = meant(wish, desk)
    order_id = order["order_id"]
    if "tracking" not in order:
        return f"Order {order_id} has no parcel on its way, its status is {order['status']}."
    try:
        parcel = _parcel(order, desk)
    except ToolFailedError:
        desk.ask(
            "create_ticket",
            subject=f"Carrier gives no answer for {order_id}",
            priority="normal",
            order_id=order_id,
        )
        return f"The carrier does not answer, so I opened a ticket for order {order_id}; a colleague will write to you."
    if desk.mind.double_checks:
        desk.ask("lookup_customer", customer_id=order["customer_id"])
    status = str(parcel["status"]).replace("_", " ")
    return f"The parcel of order {order_id} is {status} and should arrive on {parcel['eta']}."


def compensate(wish: Wish, desk: Desk) -> str:
    """Give shop credit for a parcel that is really late, by the carrier's word and not the customer's."""
    order = meant(wish, desk)
    if "tracking" not in order:
        raise Reply(f"Order {order['order_id']} has no parcel on its way.")
    days = _parcel(order, desk)["days_late"]
    if not isinstance(days, int) or days < 3:
        raise Reply(f"Order {order['order_id']} is not late enough for a credit.")
    amount = 10.0 if days >= 5 else 5.0
    given = desk.ask("apply_credit", customer_id=order["customer_id"], amount=amount, reason="late delivery")
    return f"The parcel is {days} days late; I added {given['credited']:.2f} of credit to your account."


def first(_wish: Wish, desk: Desk) -> str:
    """Say which of the parcels on their way arrives first."""
    shipped = [order for order in desk.orders() if "tracking" in order]
    if not shipped:
        raise Reply("None of your orders is on its way.")
    parcels = desk.ask_all("check_shipping", [{"tracking": order["tracking"]} for order in shipped])
    eta, item, order_id = min(
        (str(parcel["eta"]), str(order["item"]), str(order["order_id"]))
        for order, parcel in zip(shipped, parcels, strict=True)
    )
    return f"The {item} of order {order_id} arrives first, on {eta}."


def _parcel(order: Record, desk: Desk) -> Record:
    """The parcel once the carrier's scans have settled: while it counts as delayed, look again."""
    tracked: Record = {"tracking": order["tracking"]}
    parcel = desk.ask("check_shipping", **tracked)
    if parcel["status"] == "delayed" and len(desk.answers("check_shipping", tracked)) < SCANS:
        raise NeedCall([("check_shipping", tracked)])
    return parcel
