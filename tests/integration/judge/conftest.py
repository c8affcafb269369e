"""A loopback server that answers like a good judge, and a clock that no test waits for."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.fakes.anthropic_server import Answer, AnthropicServer, Body, serving
from tests.integration.judge.clock import FakeClock
from tests.unit.judge.subjects import given, message


def good(_: Body) -> Answer:
    """A good judge's answer."""
    return Answer(body=message(given(0.8)))


@pytest.fixture
def server() -> Generator[AnthropicServer]:
    with serving(good) as running:
        yield running


@pytest.fixture
def fake_clock() -> FakeClock:
    return FakeClock()
