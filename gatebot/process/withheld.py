"""Secrets that an agent was given and put into its output: found in the forms they are usually written in, and blotted out.

A secret that is cut in two, encrypted or spelled out is not found: whoever has a key can always tell it somehow.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from gatebot.model.secret_form import looks_secret

MIN_LENGTH = 8
"""Shorter values would blot out ordinary words."""
_MIN_LINE = 16
_LINE_ENDS = re.compile(r"[\r\n]+|(?:\\[rn])+")

_BY_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!ORS?(?:_|$))|(?:^|_)(?:PAT|DSN)(?:_|$)", re.IGNORECASE
)

_PASSWORD = re.compile(r"://[^/?#@:\s]*:([^/?#@\s]+)@")


def called_secret(name: str) -> bool:
    """Whether a variable is called like a credential."""
    return _BY_NAME.search(name) is not None


def secret_values(variables: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """The values among these variables that are secrets, by their names or by their form; sorted, the longest first.

    A model's name or an address is none: it would blot out what agents are expected to say. An address with a password
    is one, and so is that password.
    """
    found: set[str] = set()
    for name in names:
        value = variables.get(name, "").strip()
        password = _PASSWORD.search(value)
        if password is not None:
            found |= {value, password.group(1)}
        elif called_secret(name) or looks_secret(value.encode("utf-8", "surrogatepass")):
            found.add(value)
    found = {value for value in found if len(value) >= MIN_LENGTH}
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def finder(secrets: Iterable[str]) -> re.Pattern[bytes] | None:
    """A pattern of every form of the secrets; None when there are none.

    Of a secret of several lines, such as a private key, each long line is one as well: an agent may tell them apart.
    """
    parts = {part for secret in secrets for part in (secret, *_lines(secret))}
    forms = {form for part in parts for form in _forms(part.encode("utf-8", "surrogatepass"))}
    if not forms:
        return None
    return re.compile(b"|".join(re.escape(form) for form in sorted(forms, key=lambda one: (-len(one), one))))


def _lines(secret: str) -> list[str]:
    """The long lines of a secret that has several, whether they end in a line break or, as in JSON, in one that is escaped."""
    lines = _LINE_ENDS.split(secret)
    return [line for line in lines if len(line) >= _MIN_LINE] if len(lines) > 1 else []


def _forms(secret: bytes) -> set[bytes]:
    """The secret itself, as JSON, in an address, in hex, backwards, and in base64 wherever it begins in it."""
    text = secret.decode("utf-8", "surrogatepass")
    plain = {
        secret,
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
        quote(secret).encode(),
        quote(secret, safe="").encode(),
        secret.hex().encode(),
        secret.hex().upper().encode(),
        text[::-1].encode("utf-8", "surrogatepass"),
    }
    coded = {inner for before in range(3) for inner in _inner_base64(secret, before)}
    return {form for form in plain | coded if len(form) >= MIN_LENGTH}


def _inner_base64(secret: bytes, before: int) -> set[bytes]:
    """What of base64 is the secret's alone when `before` bytes stand before it, in both alphabets."""
    whole = base64.b64encode(b"\0" * before + secret)
    start = {0: 0, 1: 2, 2: 3}[before]
    end = (8 * (before + len(secret))) // 6
    inner = whole[start:end]
    return {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
