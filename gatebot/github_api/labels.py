"""Labels, who set them, and what that person may do: all read live, from the events API and not from a payload."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError


@dataclass(frozen=True, slots=True)
class Labelling:
    """Who set a label last, and when (ISO 8601, UTC, as GitHub says it)."""

    actor: str
    is_bot: bool
    when: str


def last_labelling(client: Client, number: int, label: str) -> Labelling | None:
    """The last time the label was set, if it has not been removed since. Raises ApiError."""
    last: Labelling | None = None
    for event in client.pages(f"/issues/{number}/events"):
        name = fields.text_or_empty(fields.part_or_empty(event, "label"), "name", 200)
        if name.casefold() != label.casefold():
            continue
        kind = event.get("event")
        if kind == "unlabeled":
            last = None
        elif kind == "labeled":
            actor = fields.part_or_empty(event, "actor")
            last = Labelling(
                actor=fields.text_or_empty(actor, "login", 200),
                is_bot=actor.get("type") == "Bot",
                when=fields.text_or_empty(event, "created_at", 40),
            )
    return last


def role_of(client: Client, login: str) -> str:
    """The person's role here: admin, maintain, write, triage, read, a custom role's name, or none. Raises ApiError.

    `role_name` and not `permission`, which calls triage read and maintain write.
    """
    try:
        found = client.get(f"/collaborators/{quote(login, safe='')}/permission")
    except ApiError as error:
        if error.kind == "not_found":
            return "none"
        raise
    role = found.get("role_name") if isinstance(found, dict) else None
    return role[:100] if isinstance(role, str) and role else "none"


def remove_label(client: Client, number: int, label: str) -> None:
    """Take the label off; one that is gone already is no error. Raises ApiError."""
    try:
        client.change("DELETE", f"/issues/{number}/labels/{quote(label, safe='')}", {}, "label")
    except ApiError as error:
        if error.kind != "not_found":
            raise
