"""What an earlier step leaves in the environment leads no connection of the publisher elsewhere, unless it is asked to."""

from __future__ import annotations

import os
import ssl

import certifi
import pytest
import requests.utils

from gatebot.cli.connecting import connected, connection
from gatebot.errors import UsageError

POISON = {
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "ALL_PROXY": "socks5://127.0.0.1:9",
    "NO_PROXY": "example.org",
    "REQUESTS_CA_BUNDLE": "/tmp/theirs.pem",
    "SSL_CERT_FILE": "/tmp/theirs.pem",
    "NETRC": "/tmp/netrc",
}


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    for name, value in POISON.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("poisoned")
def test_nothing_is_heeded_within_the_block_and_everything_is_there_afterwards() -> None:
    before = dict(os.environ)
    with connected("directly") as aside:
        assert set(POISON) <= set(aside)
        assert requests.utils.get_environ_proxies("https://api.example.net") == {}
        assert ssl.get_default_verify_paths().cafile != POISON["SSL_CERT_FILE"]
        assert requests.utils.get_netrc_auth("https://api.example.org") is None
        assert os.environ["NETRC"] == os.devnull
    assert dict(os.environ) == before


@pytest.mark.usefixtures("poisoned")
def test_who_asks_for_it_connects_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, certifi.where())
    with connected("environment") as aside:
        assert aside == ()
        assert requests.utils.get_environ_proxies("https://api.example.net")["https"] == POISON["HTTPS_PROXY"]


@pytest.mark.usefixtures("poisoned")
def test_the_environment_is_not_heeded_where_its_certificates_are_none() -> None:
    with pytest.raises(UsageError, match="REQUESTS_CA_BUNDLE names"), connected("environment"):
        pytest.fail("connected by certificates that are not there")


def test_nothing_else_can_be_asked_for() -> None:
    assert connection("environment") == "environment"
    with pytest.raises(UsageError, match="--connect is no 'both'"):
        connection("both")
