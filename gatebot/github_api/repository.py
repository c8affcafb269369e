"""The repository's own settings, as far as a gate depends on them."""

from __future__ import annotations

from urllib.parse import quote

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError


def default_branch(client: Client) -> str:
    """The default branch's name. Raises ApiError."""
    found = client.get("")
    if not isinstance(found, dict):
        raise fields.malformed("repository")
    return fields.text(found, "default_branch", 1024)


def has_label(client: Client, name: str) -> bool:
    """Whether the repository knows the label. Raises ApiError."""
    try:
        client.get(f"/labels/{quote(name, safe='')}")
    except ApiError as error:
        if error.kind == "not_found":
            return False
        raise
    return True


def branch_requires(client: Client, branch: str, check: str) -> bool:
    """Whether a rule of the branch requires the check. Raises ApiError."""
    for rule in client.pages(f"/rules/branches/{quote(branch, safe='')}"):
        if rule.get("type") == "required_status_checks":
            wanted = fields.parts(fields.part_or_empty(rule, "parameters"), "required_status_checks")
            if any(one.get("context") == check for one in wanted):
                return True
    return False
