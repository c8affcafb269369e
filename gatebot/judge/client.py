"""Requests to the Messages API through the anthropic SDK, with our own deadlines, retries and breaker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

from gatebot.errors import ImportFormatError
from gatebot.importers.strict_json import parse_json
from gatebot.judge.fault import CallFailed
from gatebot.judge.limiter import Limiter
from gatebot.judge.waiting import MAX_ATTEMPTS, Clock, asked_delay, backoff
from gatebot.model.json_value import JsonObject, is_object

if TYPE_CHECKING:
    import anthropic
    import httpx2
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from anthropic.types.messages.batch_create_params import Request

EQUAL_FAULTS = 3
"""So many requests in a row refused in the same way end the session: the next would be refused too."""
DEADLINE_HEADER = "x-gatebot-deadline"
_ENDS_SESSION = {
    401: "the API does not accept the key (401)",
    402: "the account cannot pay (402)",
    403: "the key may not do this (403)",
    404: "the API knows no such model or address (404)",
}
_TRY_AGAIN = frozenset({408, 409, 429})


@dataclass(frozen=True, slots=True)
class Access:
    """Where the API is, and the key. Nothing is read from the environment."""

    base_url: str
    key: str = field(repr=False)


class MessagesApi:
    """Sends requests; threads may share one. Once a fault ends the session, every further request fails at once.

    At most `concurrency` requests are under way at once, and fewer while the API is busy.
    """

    def __init__(self, access: Access, clock: Clock | None = None, concurrency: int = 1) -> None:
        self._access = access
        self._clock = clock or Clock()
        self._lock = threading.Lock()
        self._limiter = Limiter(concurrency)
        self._ended = ""
        self._last_fault = ""
        self._equal = 0
        self.attempts = 0

    def send(self, body: JsonObject, *, timeout: float, seed: str = "") -> bytes:
        """Send one request and return the answer's bytes; tries again within `timeout` seconds. Raises CallFailed."""
        params = cast("MessageCreateParamsNonStreaming", body)

        def once(left: float, headers: dict[str, str]) -> httpx2.Response:
            raw = self._sdk.messages.with_raw_response.create(**params, timeout=left, extra_headers=headers)
            return raw.http_response

        return self._with_retries(once, timeout, seed)

    def start_batch(self, bodies: dict[str, JsonObject], *, timeout: float) -> str:
        """Start a batch of requests, by their own ids, and return its id. Raises CallFailed."""
        requests = [cast("Request", {"custom_id": name, "params": body}) for name, body in bodies.items()]

        def once(left: float, headers: dict[str, str]) -> httpx2.Response:
            raw = self._sdk.messages.batches.with_raw_response.create(
                requests=requests, timeout=left, extra_headers=headers
            )
            return raw.http_response

        # Not tried again: a batch that was taken although its answer was lost would be paid for twice.
        started = _object(self._with_retries(once, timeout, "batch", attempts=1))
        return str(started.get("id") or "")

    def batch_ended(self, batch: str, *, timeout: float) -> bool:
        """Whether a batch has ended. Raises CallFailed."""

        def once(left: float, headers: dict[str, str]) -> httpx2.Response:
            raw = self._sdk.messages.batches.with_raw_response.retrieve(
                batch, timeout=left, extra_headers=headers
            )
            return raw.http_response

        return _object(self._with_retries(once, timeout, batch)).get("processing_status") == "ended"

    def batch_results(self, batch: str, *, timeout: float) -> Iterator[tuple[str, JsonObject]]:
        """(id of the request, its result) of an ended batch. Raises CallFailed."""
        import httpx2

        def once(left: float, headers: dict[str, str]) -> httpx2.Response:
            return self._sdk.get(
                f"/v1/messages/batches/{batch}/results",
                cast_to=httpx2.Response,
                options={"timeout": left, "headers": headers},
            )

        for line in self._with_retries(once, timeout, batch).splitlines():
            if line.strip():
                entry = _object(line)
                result = entry.get("result")
                yield str(entry.get("custom_id")), result if is_object(result) else {}

    @property
    def ended(self) -> str:
        """Why no further request can succeed; empty while they can."""
        return self._ended

    def close(self) -> None:
        """Close all connections."""
        if "_sdk" in self.__dict__:
            self._sdk.close()

    @cached_property
    def _sdk(self) -> anthropic.Anthropic:
        import anthropic

        from gatebot.judge.transport import OneOrigin

        transport = OneOrigin(self._access.base_url, self._access.key, self._clock.now)
        return anthropic.Anthropic(
            api_key=self._access.key,
            base_url=self._access.base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=anthropic.DefaultHttpxClient(
                transport=transport, trust_env=False, follow_redirects=False
            ),
        )

    def _with_retries(
        self,
        once: Callable[[float, dict[str, str]], httpx2.Response],
        timeout: float,
        seed: str,
        *,
        attempts: int = MAX_ATTEMPTS,
    ) -> bytes:
        deadline: float | None = None
        told = ""
        for attempt in range(1, attempts + 1):
            self._limiter.enter()
            try:
                sent = self._clock.now()
                # The first wait for a slot is the others' time, not this request's.
                deadline = sent + timeout if deadline is None else deadline
                if self._ended:
                    raise CallFailed(self._ended, ends_session=True)
                if sent >= deadline:
                    break
                answer, told, delay = self._attempt(once, deadline - sent, deadline)
                if answer is not None:
                    self._limiter.answered(sent)
                    return answer
                self._limiter.busy(sent, self._clock.now())
            finally:
                self._limiter.leave()
            pause = backoff(attempt, seed) if delay is None else delay
            if attempt == attempts or self._clock.now() + pause >= deadline:
                break
            self._clock.sleep(pause)
        raise CallFailed(told or "the deadline passed", may_be_billed="in time" in told)

    def _attempt(
        self, once: Callable[[float, dict[str, str]], httpx2.Response], left: float, deadline: float
    ) -> tuple[bytes | None, str, float | None]:
        """One attempt: the answer; or what went wrong and how long the server asks us to wait. Raises CallFailed."""
        import anthropic

        with self._lock:
            self.attempts += 1
            _ = self._sdk  # made once, whichever thread comes first
        try:
            answer = once(left, {DEADLINE_HEADER: repr(deadline)}).content
        except anthropic.APIStatusError as error:
            status = error.status_code
            if status not in _TRY_AGAIN and status < 500:
                self._refused(status)
            return None, f"the API answered {status}", asked_delay(error.response.headers)
        except anthropic.APITimeoutError:
            return None, "the answer did not arrive in time", None
        except anthropic.APIError as error:
            self._raise_ours(error)
            return None, "the connection failed", None
        with self._lock:
            self._equal, self._last_fault = 0, ""
        return answer, "", None

    def _refused(self, status: int) -> None:
        """A request that would be refused again. Raises CallFailed."""
        told = _ENDS_SESSION.get(status, f"the API refused the request ({status})")
        with self._lock:
            self._equal = self._equal + 1 if told == self._last_fault else 1
            self._last_fault = told
            ends = status in _ENDS_SESSION or self._equal >= EQUAL_FAULTS
            if ends:
                self._ended = told
        raise CallFailed(told, ends_session=ends)

    def _raise_ours(self, error: BaseException) -> None:
        """Raise the CallFailed of our transport that the SDK took for a failed connection."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, CallFailed):
                if cause.ends_session:
                    self._ended = cause.told
                raise cause
            cause = cause.__cause__ or cause.__context__


def _object(raw: bytes) -> JsonObject:
    try:
        value = parse_json(raw, max_depth=32)
    except ImportFormatError as error:
        raise CallFailed("the API's answer is not JSON") from error
    if not is_object(value):
        raise CallFailed("the API's answer is not an object")
    return value
