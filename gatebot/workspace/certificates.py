"""Certificates that the environment names: checked before a library takes them, since libraries say not which name is wrong."""

from __future__ import annotations

import importlib
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from gatebot.errors import UsageError

_FOR_GIT = "SSL_CERT_FILE"
FOR_HTTP = ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE")


def load_libgit2() -> None:
    """Load libgit2, also where the environment's SSL_CERT_FILE names no certificate, at which it would fail.

    Commits are read without certificates; who fetches some heeds that variable only when it has been checked.
    """
    if "pygit2" in sys.modules:
        return
    named = os.environ.get(_FOR_GIT)
    hidden = named is not None and bool(_why_not(Path(named), folder=False))
    if hidden:
        del os.environ[_FOR_GIT]
    try:
        importlib.import_module("pygit2")
    finally:
        if named is not None:
            os.environ[_FOR_GIT] = named


def check_certificates(variables: Mapping[str, str], names: Iterable[str] = FOR_HTTP) -> None:
    """Raise UsageError, naming the variable, where one of `names` leads to no certificate.

    A directory may hold what it wants, and need not be there where OpenSSL alone looks: it is read when it is needed.
    """
    for name in names:
        place = Path(variables.get(name, ""))
        if not variables.get(name) or (name != _FOR_GIT and _is_folder(place)):
            continue
        if why := _why_not(place, folder=name == "SSL_CERT_DIR"):
            raise UsageError(
                f"the environment's {name} names {str(place)[:200]!a}, {why}",
                f"name a PEM file of certificates, or unset {name}",
            )


def _is_folder(place: Path) -> bool:
    try:
        return stat.S_ISDIR(place.stat().st_mode)
    except (OSError, ValueError):
        return False


def _why_not(place: Path, *, folder: bool) -> str:
    if folder:
        return "which is no directory"
    import ssl

    try:
        if not stat.S_ISREG(place.stat().st_mode):
            return "which is no file"
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(place)
    except FileNotFoundError:
        return "which is not there"
    except ssl.SSLError:
        return "which holds no certificate"
    except (OSError, ValueError) as error:
        return f"which cannot be read ({getattr(error, 'strerror', None) or 'no path'})"
    return ""
