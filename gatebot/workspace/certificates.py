"""Certificates that the environment names: checked before a library takes them, since libraries say not which name is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from gatebot.errors import UsageError

_FOR_GIT = "SSL_CERT_FILE"
FOR_HTTP = ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE")


def check_before_libgit2() -> None:
    """Raise UsageError where the environment names a file of certificates that libgit2 would fail at when it is loaded.

    A file that is not there it passes over, as OpenSSL does.
    """
    if os.environ.get(_FOR_GIT) and Path(os.environ[_FOR_GIT]).exists():
        check_certificates(os.environ, (_FOR_GIT,))


def check_certificates(variables: Mapping[str, str], names: Iterable[str] = FOR_HTTP) -> None:
    """Raise UsageError, naming the variable, where one of `names` leads to no certificate.

    A directory may hold what it wants, and need not be there where OpenSSL alone looks: it is read when it is needed.
    """
    for name in names:
        place = Path(variables.get(name, ""))
        if not variables.get(name) or (place.is_dir() and name != _FOR_GIT):
            continue
        if why := _why_not(place, folder=name == "SSL_CERT_DIR"):
            raise UsageError(
                f"the environment's {name} names {str(place)[:200]!a}, {why}",
                f"name a PEM file of certificates, or unset {name}",
            )


def _why_not(place: Path, *, folder: bool) -> str:
    if folder:
        return "which is no directory"
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(place)
    except FileNotFoundError:
        return "which is not there"
    except ssl.SSLError:
        return "which holds no certificate"
    except (OSError, ValueError) as error:
        return f"which cannot be read ({getattr(error, 'strerror', None) or 'no path'})"
    return ""
