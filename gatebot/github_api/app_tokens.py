"""Tokens of a GitHub App: made from its key as often as they are needed, each for this repository alone and for an hour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from gatebot.errors import UsageError
from gatebot.github_api import fields
from gatebot.github_api.answers import an_object, lower, message_of, refused
from gatebot.github_api.connection import requester_of
from gatebot.github_api.retry import Answer
from gatebot.model.json_value import JsonObject, JsonValue

if TYPE_CHECKING:
    from github.Requester import Requester


@dataclass(frozen=True, slots=True)
class AppKey:
    """An App's id (or client id) and its private key, as PEM."""

    app_id: str
    key: str = field(repr=False)


class AppTokens:
    """Makes tokens of the App's installation on one repository. `told` hears of each one, so that it can be masked."""

    def __init__(self, api_url: str, repo: str, app: AppKey, told: Callable[[str], None]) -> None:
        import github

        try:
            auth = github.Auth.AppAuth(app.app_id, app.key)
            auth.create_jwt()
        except Exception as error:  # noqa: BLE001 -- a damaged key ends in one of many kinds, some of which repeat its text
            raise UsageError(
                f"the App's private key cannot be used ({type(error).__name__})",
                "hand on the whole PEM, from its first line to its last",
            ) from None
        self._requester: Requester = requester_of(auth, api_url)
        self._repo = repo
        self._told = told

    def slug(self) -> str:
        """The App's name in addresses: its checks carry it. Raises ApiError."""
        return fields.text(an_object(self._ask("GET", "/app")), "slug", 200)

    def make(self) -> str:
        """A new token. Raises ApiError."""
        installation = an_object(self._ask("GET", f"/repos/{self._repo}/installation"))
        place = f"/app/installations/{fields.number(installation, 'id')}/access_tokens"
        made = an_object(self._ask("POST", place, {"repositories": [self._repo.split("/")[1]]}))
        token = fields.text(made, "token", 1000)
        self._told(token)
        return token

    def _ask(self, verb: str, path: str, body: JsonObject | None = None) -> JsonValue:
        import github
        import requests

        try:
            return cast("JsonValue", self._requester.requestJsonAndCheck(verb, path, input=body)[1])
        except github.GithubException as error:
            answer = Answer(error.status, lower(error.headers), message_of(error.data))
            raise refused(answer, "app") from None
        except (requests.RequestException, ValueError, AssertionError):
            raise refused(Answer(0, {}), "app") from None
