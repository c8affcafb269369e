"""An agent behind a URL: each turn is one POST of the request, whose answer is read as a program's output is."""

from __future__ import annotations

import time
from typing import Final

from gatebot.agents.conversation import Conversation, request_line
from gatebot.agents.course import Course, in_turn
from gatebot.agents.ending import Ending
from gatebot.agents.http_call import Answer, CallError, Endpoint, post
from gatebot.agents.http_server import Server
from gatebot.agents.reply import BrokenReplyError, read_reply
from gatebot.errors import ConfigError
from gatebot.model.agent import HttpAgent as HttpConfig
from gatebot.model.trial import Trial
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.process.launch import Launchers
from gatebot.render.visible import visible

_MEGABYTE: Final = 1_000_000
_OVERLOADED: Final = frozenset({429, 502, 503, 504})
"""What a service in front of an agent says when it is the service that cannot go on."""
_REASON_BYTES: Final = 200


class HttpAgent:
    """Runs trials by asking a server. Implements ports.Agent.

    A server that `start` starts is part of the agent: whatever it does is an `agent_error`. Of a server that is
    somewhere else, being out of reach or overloaded is an `infra_error`.
    """

    def __init__(self, config: HttpConfig, launchers: Launchers, max_output_mb: float) -> None:
        """Raises ConfigError for a URL that must not be asked."""
        self._config = config
        self._most_bytes = int(max_output_mb * _MEGABYTE)
        self._server = Server(config, launchers) if config.start is not None else None
        for url in (config.url, config.health):
            if url is not None:
                self._checked(url, 1)

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """Run one trial to its end, turn by turn. Never raises on anything the agent does."""
        course = Course(Conversation.before(task.case))
        port = 0
        if self._server is not None:
            port, failure = self._server.ready(environment)
            if failure:
                course.ending = Ending("agent_error", failure)
                return course.trial(task)
        endpoint = self._checked(self._config.url, port)
        limit = time.monotonic() + task.timeout_s
        for number, turn in enumerate(task.case.turns, start=1):
            course.conversation = course.conversation.ask(turn)
            began = time.monotonic()
            course.ending = self._take_turn(task, endpoint, limit, course)
            course.walls.append(time.monotonic() - began)
            course.cpus.append(None)
            if course.ending is not None:
                course.ending = in_turn(course.ending, number, len(task.case.turns))
                break
        return course.trial(task)

    def _take_turn(self, task: TrialTask, endpoint: Endpoint, limit: float, course: Course) -> Ending | None:
        """Ask for one turn; why it cannot be completed, or None."""
        body = request_line(task, course.conversation)
        left = limit - time.monotonic()
        if left <= 0:
            return Ending("timeout", f"no answer within {task.timeout_s:g} s")
        try:
            answer = post(endpoint, body, seconds=left, most_bytes=self._most_bytes)
        except CallError as error:
            return self._ending_of(error, task.timeout_s)
        refusal = self._refusal(answer)
        if refusal is not None:
            return refusal
        try:
            course.take_reply(read_reply(answer.body))
        except BrokenReplyError as error:
            return Ending("agent_error", error.message)
        return None

    def _ending_of(self, error: CallError, timeout_s: float) -> Ending:
        if error.fault == "late":
            return Ending("timeout", f"no answer within {timeout_s:g} s")
        if self._server is not None and error.fault == "broken":
            self._server.broke_off()
        elsewhere = self._server is None and error.fault in ("unreachable", "refused")
        return Ending("infra_error" if elsewhere else "agent_error", error.message)

    def _refusal(self, answer: Answer) -> Ending | None:
        if 200 <= answer.status < 300:
            return None
        said = visible(answer.body[:_REASON_BYTES].decode("utf-8", "replace").strip(), _REASON_BYTES)
        if 300 <= answer.status < 400:
            return Ending("agent_error", f"answered with a redirect ({answer.status}), which is not followed")
        elsewhere = self._server is None and answer.status in _OVERLOADED
        reason = f"answered with status {answer.status}" + (f": {said}" if said else "")
        return Ending("infra_error" if elsewhere else "agent_error", reason)

    def _checked(self, url: str, port: int) -> Endpoint:
        url = url.replace("{port}", str(port))
        endpoint = Endpoint.checked(url, allow_private=self._config.allow_private)
        if self._server is not None and endpoint.host not in ("127.0.0.1", "localhost", "::1"):
            message = f"agent.http: a server that is started here is asked here, not at {endpoint.host!a}"
            raise ConfigError(message, 'write url: "http://127.0.0.1:{port}/…"')
        return endpoint
