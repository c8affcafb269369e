"""The tools as a model sees them: OpenAI function declarations, made from one short table."""

from __future__ import annotations

from collections.abc import Mapping

_TEXT = "string"
_NUMBER = "number"

# name -> (caption, {required argument: type}, {optional argument: type})
_TABLE: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "lookup_customer": ("Find a customer by id or e-mail.", {}, {"customer_id": _TEXT, "email": _TEXT}),
    "list_orders": ("All orders of a customer.", {"customer_id": _TEXT}, {}),
    "get_order": ("One order.", {"order_id": _TEXT}, {}),
    "check_shipping": ("What the carrier says about a parcel.", {"tracking": _TEXT}, {}),
    "check_refund_policy": ("Whether an order may be refunded.", {"order_id": _TEXT, "reason": _TEXT}, {}),
    "search_docs": ("Search the knowledge base.", {"query": _TEXT}, {}),
    "get_ticket": ("Read a ticket.", {"ticket_id": _TEXT}, {}),
    "issue_refund": ("Pay an order back.", {"order_id": _TEXT, "amount": _NUMBER, "reason": _TEXT}, {}),
    "cancel_order": ("Cancel an order before it is shipped.", {"order_id": _TEXT}, {}),
    "update_address": (
        "Change where an order goes.",
        {"order_id": _TEXT, "street": _TEXT, "postcode": _TEXT, "city": _TEXT},
        {},
    ),
    "apply_credit": ("Add shop credit.", {"customer_id": _TEXT, "amount": _NUMBER, "reason": _TEXT}, {}),
    "create_ticket": ("Open a ticket.", {"subject": _TEXT, "priority": _TEXT}, {"order_id": _TEXT}),
    "escalate": ("Hand over to a person.", {"team": _TEXT, "summary": _TEXT}, {"order_id": _TEXT}),
    "close_account": ("Close an account (security team only).", {"customer_id": _TEXT}, {}),
    "export_customers": ("Export all customers (security team only).", {}, {}),
}

READ_ONLY = frozenset(
    {
        "lookup_customer",
        "list_orders",
        "get_order",
        "check_shipping",
        "check_refund_policy",
        "search_docs",
        "get_ticket",
    }
)
"""Tools that change nothing: several of them may be called in one turn."""


def fits_declaration(name: str, arguments: Mapping[str, object]) -> bool:
    """Whether a call names a declared tool and gives it the declared arguments, each of the declared type."""
    if name not in _TABLE:
        return False
    _, required, optional = _TABLE[name]
    known = {**required, **optional}
    return (
        set(required) <= set(arguments) <= set(known)
        and all(isinstance(arguments[key], str) for key in arguments if known[key] == _TEXT)
        and all(type(arguments[key]) in (int, float) for key in arguments if known[key] == _NUMBER)
    )


def declarations() -> list[dict[str, object]]:
    """The declarations a chat-completions request would carry, in a fixed order."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": caption,
                "parameters": {
                    "type": "object",
                    "properties": {key: {"type": kind} for key, kind in {**required, **optional}.items()},
                    "required": list(required),
                    "additionalProperties": False,
                },
            },
        }
        for name, (caption, required, optional) in _TABLE.items()
    ]
