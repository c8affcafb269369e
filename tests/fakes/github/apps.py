"""Apps: a token for a signed request of the App's key, as long as the test lets it live."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import jwt

from gatebot.model.json_value import JsonObject
from tests.fakes.github.state import GitHubState, Token

INSTALLATION = 77


@dataclass(slots=True)
class App:
    """An App: its id, its name in addresses, the public half of its key, and the tokens made so far."""

    id: str
    slug: str
    public_key: str
    made: list[str] = field(default_factory=list[str])

    def token(self) -> Token:
        """Who its tokens act as."""
        return Token(f"{self.slug}[bot]", self.slug)


def answer(state: GitHubState, method: str, path: str, bearer: str, body: JsonObject) -> JsonObject | None:
    """The answer to a request of an App about itself; None for every other request, and for one it did not sign."""
    app = state.app
    if app is None or not _signed(app, bearer):
        return None
    if (method, path) == ("GET", "/app"):
        return {"id": 1, "slug": app.slug, "name": app.slug}
    if (method, path) == ("GET", f"/repos/{state.name}/installation"):
        return {"id": INSTALLATION, "app_slug": app.slug}
    if method == "POST" and re.fullmatch(rf"/app/installations/{INSTALLATION}/access_tokens", path):
        assert body.get("repositories") == [state.name.split("/")[1]]
        token = f"ghs_app_{len(app.made) + 1}_SENTINEL"
        app.made.append(token)
        state.tokens[token] = app.token()
        return {"token": token, "expires_at": "2030-01-01T00:00:00Z"}
    return None


def _signed(app: App, bearer: str) -> bool:
    try:
        claims = jwt.decode(bearer, app.public_key, algorithms=["RS256"])
    except jwt.PyJWTError:
        return False
    return str(claims.get("iss")) == app.id
