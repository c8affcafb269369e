"""The one client of GitHub's REST and GraphQL: PyGithub carries the requests, we decide about retries and read answers."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from gatebot.errors import UsageError
from gatebot.github_api.answers import an_object, graphql_data, lower, message_in, refused
from gatebot.github_api.conditional import NOT_MODIFIED, Known
from gatebot.github_api.connection import requester_of
from gatebot.github_api.errors import ApiError
from gatebot.github_api.retry import PATIENT_ATTEMPTS, Answer, Clock, attempts_for, is_passing, wait_for
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

if TYPE_CHECKING:
    import httpx
    from github.Requester import Requester

T = TypeVar("T")

MAX_PAGES = 100
PER_PAGE = 100
_NEXT = re.compile(r'<([^<>]{1,2000})>;\s*rel="next"')


@dataclass(frozen=True, slots=True)
class Access:
    """Where GitHub is and who we are there. `api_url` as the runner names it, so that GHES works too.

    `wait_s`: seconds all waiting together may take. `pace_s`: least seconds between two writes. `renewed` makes a new
    token where one can be made: an App's ends after an hour, in the middle of a long evaluation.
    """

    api_url: str
    repo: str
    token: str = field(repr=False)
    wait_s: float = 240.0
    pace_s: float = 1.0
    renewed: Callable[[], str] | None = None


@dataclass(frozen=True, slots=True)
class _Request:
    verb: str
    url: str
    purpose: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: JsonObject | None = None


class Client:
    """Requests to one repository. Values in, JSON out; every refusal is an ApiError of a kind."""

    def __init__(self, access: Access, clock: Clock) -> None:
        import github

        if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9./_-]*)?", access.api_url):
            raise UsageError(f"GITHUB_API_URL is no address: {access.api_url[:100]!a}")
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}", access.repo):
            raise UsageError(f"GITHUB_REPOSITORY is not owner/name: {access.repo[:100]!a}")
        self._requester: Requester = requester_of(github.Auth.Token(access.token), access.api_url)
        self._renewed = access.renewed
        self._known = Known()
        self.api_url = access.api_url.rstrip("/")
        self._token = access.token
        self._clock = clock
        self._left = access.wait_s
        self._pace = access.pace_s
        self._last_write = -1e9
        self.repo = access.repo

    def get(self, path: str, purpose: str = "read", **query: str) -> JsonValue:
        """GET below the repository. Raises ApiError."""
        return self._ask(_Request("GET", self._at(path), purpose, query))[1]

    def pages(self, path: str, purpose: str = "read", key: str = "", **query: str) -> Iterator[JsonObject]:
        """Every object of a list, over all pages; `key` names the list where it stands inside an object."""
        url, asked = self._at(path), {"per_page": str(PER_PAGE), **query}
        for _ in range(MAX_PAGES):
            headers, found = self._ask(_Request("GET", url, purpose, asked))
            items = found.get(key, ()) if key and is_object(found) else found
            if not is_array(items):
                raise ApiError("malformed", "GitHub answered something else than a list")
            yield from (item for item in items if is_object(item))
            following = _NEXT.search(headers.get("link", ""))
            if following is None:
                return
            url, asked = following.group(1), {}
        raise ApiError("malformed", f"a list of more than {MAX_PAGES * PER_PAGE:,} items", "close some")

    def change(self, verb: str, path: str, body: JsonObject, purpose: str) -> JsonValue:
        """A write that may be repeated without harm: PATCH, PUT, DELETE. Raises ApiError."""
        return self._ask(_Request(verb, self._at(path), purpose, {}, body))[1]

    def create(
        self, path: str, body: JsonObject, purpose: str, already: Callable[[], JsonObject | None]
    ) -> JsonObject:
        """POST. After an attempt whose end is not known, `already` looks whether the thing is there before another."""
        return an_object(self._ask(_Request("POST", self._at(path), purpose, {}, body), already)[1])

    def mutate(self, query: str, variables: JsonObject, purpose: str) -> JsonObject:
        """A GraphQL mutation, sent once: its end is looked up by the caller. Errors inside HTTP 200 are errors.

        Raises ApiError: `conflict` for STALE_DATA, `permission` for FORBIDDEN.
        """
        body: JsonObject = {"query": query, "variables": variables}
        return graphql_data(
            self._ask(_Request("POST", self._requester.graphql_url, purpose, {}, body), once=True)[1], purpose
        )

    def query(self, query: str, variables: JsonObject, purpose: str = "read") -> JsonObject:
        """A GraphQL query. Raises ApiError."""
        body: JsonObject = {"query": query, "variables": variables}
        return graphql_data(
            self._ask(_Request("POST", self._requester.graphql_url, purpose, {}, body))[1], purpose
        )

    def download(self, path: str, limit: int, purpose: str) -> bytes:
        """A file behind a redirect, at most `limit` bytes; the token goes to GitHub alone. Raises ApiError."""
        held = io.BytesIO()
        self.download_to(held, path, limit, purpose)
        return held.getvalue()

    def download_to(self, sink: BinaryIO, path: str, limit: int, purpose: str) -> None:
        """As `download`, block by block into `sink`: what is large is never held. Raises ApiError."""
        import httpx

        bearer = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        with httpx.Client(timeout=60, follow_redirects=False) as http:
            try:
                first = http.get(f"{self.api_url}{self._at(path)}", headers=bearer)
                if first.status_code >= 400:
                    raise refused(Answer(first.status_code, lower(dict(first.headers))), purpose)
                place = first.headers.get("location")
                if place is None:
                    sink.write(first.content[: limit + 1])
                else:
                    _stream(http, place, limit, sink)
            except httpx.HTTPError as error:
                raise ApiError("unreachable", "a file cannot be fetched from GitHub") from error

    def _at(self, path: str) -> str:
        return f"/repos/{self.repo}{path}"

    def _ask(
        self,
        request: _Request,
        already: Callable[[], JsonObject | None] | None = None,
        *,
        once: bool = False,
    ) -> tuple[Mapping[str, str], JsonValue]:
        """One request, asked again while that makes sense and time is left."""
        for attempt in range(1, PATIENT_ATTEMPTS + 1):
            if request.verb != "GET":
                self._pause()
            outcome = self._send(request)
            if isinstance(outcome, Answer) and outcome.status == 401 and self._renew():
                outcome = self._send(request)
            if not isinstance(outcome, Answer):
                return outcome
            pause = wait_for(outcome, attempt, self._clock.now())
            uncertain = outcome.status in (0, 500, 502, 504)
            last = attempt >= attempts_for(outcome) or (once and uncertain)
            if last or not is_passing(outcome) or pause > self._left:
                raise refused(outcome, request.purpose)
            self._left -= pause
            self._clock.sleep(pause)
            if already is not None and uncertain:
                there = already()
                if there is not None:
                    return {}, there
        raise ApiError("unreachable", "GitHub did not answer")

    def _renew(self) -> bool:
        """A new token in the place of one that has ended; whether there is one."""
        import github

        if self._renewed is None:
            return False
        self._token = self._renewed()
        self._requester = self._requester.withAuth(github.Auth.Token(self._token))
        return True

    def _pause(self) -> None:
        """At least `pace_s` between two writes: GitHub's secondary limit counts them per minute."""
        early = self._last_write + self._pace - self._clock.now()
        if early > 0:
            self._clock.sleep(early)
        self._last_write = self._clock.now()

    def _send(self, request: _Request) -> tuple[Mapping[str, str], JsonValue] | Answer:
        import requests

        asked = (request.url, *sorted(request.query.items())) if request.verb == "GET" else None
        try:
            status, told, output = self._requester.requestJson(
                request.verb,
                request.url,
                parameters=dict(request.query) or None,
                headers=self._known.condition(asked),
                input=request.body,
            )
            headers = lower(told)
            if status == NOT_MODIFIED:
                return self._known.held(asked)
            if status >= 300:  # a redirect that was not followed has changed nothing
                return Answer(status, headers, message_in(output))
            data: JsonValue = json.loads(output) if output else None
        except RuntimeError:  # PyGithub's word for a redirect to another host
            return Answer(301, {}, "it redirects to another address")
        except (requests.RequestException, ValueError, AssertionError):
            return Answer(0, {})
        self._known.learn(asked, headers, data)
        return headers, data


def _stream(http: httpx.Client, place: str, limit: int, sink: BinaryIO) -> None:
    size = 0
    with http.stream("GET", place) as answer:
        if answer.status_code != 200:
            raise refused(Answer(answer.status_code, {}), "artifact")
        for block in answer.iter_bytes():
            size += len(block)
            if size > limit:
                raise ApiError("malformed", "a file of the run is too large")
            sink.write(block)
