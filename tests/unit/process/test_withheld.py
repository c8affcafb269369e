"""Secrets in the forms they are written in, and words that are none."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.model.secret_form import BLOT, looks_secret
from gatebot.process.withheld import called_secret, finder, secret_values

SECRET = 'tRicky/+key"with\\odd=signs&9'
FORMS = {
    "plain": SECRET,
    "json": json.dumps(SECRET),
    "address": quote(SECRET, safe=""),
    "hex": SECRET.encode().hex(),
    "upper hex": SECRET.encode().hex().upper(),
    "backwards": SECRET[::-1],
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 within": base64.b64encode(b"x" + SECRET.encode() + b"yz").decode(),
    "base64 further within": base64.b64encode(b"xy" + SECRET.encode() + b"z").decode(),
    "base64 of addresses": base64.urlsafe_b64encode(SECRET.encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_usual_form_is_blotted_out(form: str) -> None:
    pattern = finder([SECRET])
    assert pattern is not None
    shown = pattern.sub(BLOT, f"before {form} after".encode())
    assert shown.startswith(b"before ")
    assert shown.endswith(b" after")
    assert BLOT in shown
    assert form.strip('"=').encode() not in shown


@given(st.binary(min_size=9, max_size=40), st.binary(max_size=5), st.binary(max_size=5))
def test_base64_is_found_wherever_it_begins(secret: bytes, before: bytes, after: bytes) -> None:
    text = base64.b64encode(secret).decode()  # any secret that is text
    pattern = finder([text])
    assert pattern is not None
    assert pattern.search(base64.b64encode(before + text.encode() + after))


@pytest.mark.parametrize(
    "end", ["\n", "\r\n", "\\n"], ids=["lines", "their other ends", "json in a variable"]
)
def test_each_long_line_of_a_secret_of_several_is_blotted_out(end: str) -> None:
    key = end.join(
        ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "x1", "k3dGh5Q7Rq0Zt2mWv8NcPaYs"]
    )
    pattern = finder([key])
    assert pattern is not None
    told = f"first MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nthen k3dGh5Q7Rq0Zt2mWv8NcPaYs, x1 and {key}".encode()
    shown = pattern.sub(BLOT, told)
    assert shown == b"first [withheld]\nthen [withheld], x1 and [withheld]"


def test_an_address_with_a_password_is_a_secret_and_so_is_the_password() -> None:
    variables = {
        "DATABASE_URL": "postgres://shop:hunter2-hunter2@db.example/shop",
        "BASE_URL": "https://models.example:8080/v1",
        "SHORT_URL": "redis://:abc@cache.example/0",
        "OTHER_KEY": "not-ut\udcff-8-bytes",
    }
    found = secret_values(variables, variables)
    assert set(found) == {variables[n] for n in ("DATABASE_URL", "SHORT_URL", "OTHER_KEY")} | {
        "hunter2-hunter2"
    }


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("db_passwd", True),
        ("MYAUTH", True),
        ("AUTHORIZATION", True),
        ("GIT_AUTHOR_NAME", False),
        ("AUTHORS", False),
        ("GH_PAT", True),
        ("SENTRY_DSN", True),
        ("PATH", False),
        ("PATTERN", False),
        ("MODEL", False),
    ],
)
def test_one_rule_says_what_is_called_like_a_credential(name: str, *, secret: bool) -> None:
    assert called_secret(name) is secret
    assert secret_values({name: "a-value-of-its-own"}, [name]) == (("a-value-of-its-own",) if secret else ())


def test_what_is_no_secret_is_left_alone() -> None:
    variables = {
        "MODEL": "claude-sonnet-5",
        "API_KEY": "abcdefgh12",
        "SHORT_TOKEN": "abc",
        "PATH": "/usr/bin/x",
    }
    assert secret_values(variables, variables) == ("abcdefgh12",)
    assert secret_values({"MODEL": "sk-ant-REDACTED0123456789"}, ["MODEL"]) == ("sk-ant-REDACTED0123456789",)
    assert finder([]) is None


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("ghp_" + "a1" * 18, True),
        ("-----BEGIN RSA PRIVATE KEY-----", True),
        ("AKIA" + "ABCD" * 4, True),
        ("task-force of risk-averse people", False),
        ("the price is known", False),
    ],
)
def test_keys_are_known_by_their_form(text: str, secret: bool) -> None:
    assert looks_secret(text.encode()) is secret
