"""Which of gatebot's own variables the setup commands may see: where packages come from, and never a credential."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final = frozenset(
    {
        "ALL_PROXY",
        "CURL_CA_BUNDLE",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "NPM_CONFIG_REGISTRY",
        "PIP_CERT",
        "PIP_CONSTRAINT",
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "PIP_INDEX_URL",
        "PIP_NO_INDEX",
        "PIP_TRUSTED_HOST",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
        "UV_DEFAULT_INDEX",
        "UV_EXTRA_INDEX_URL",
        "UV_FIND_LINKS",
        "UV_INDEX",
        "UV_INDEX_URL",
        "UV_OFFLINE",
    }
)


def installer_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables among `NAMES` (in either case), sorted, less those whose address carries a user or a password."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.upper() in NAMES and not ("://" in value and "@" in value)
    }
