"""Options on what outlives a run, and where it goes when nobody says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

CACHE = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Where checkouts, environments and finished trials are kept; default: gatebot in the user's cache.",
        show_default=False,
    ),
]
STORE = Annotated[
    Path | None,
    typer.Option(
        "--store", help="Where finished trials are kept; default: in the cache.", show_default=False
    ),
]
NO_STORE = Annotated[
    bool, typer.Option("--no-store", help="Neither take finished trials from the store nor keep them there.")
]


def cache_place(named: Path | None) -> Path | None:
    """The directory that was named, else `gatebot` in XDG_CACHE_HOME or ~/.cache; None when HOME is not set either."""
    if named is not None:
        return named
    home, cache = os.environ.get("HOME", ""), os.environ.get("XDG_CACHE_HOME", "")
    if Path(cache).is_absolute():  # a relative one is to be ignored (XDG base directory specification)
        return Path(cache) / "gatebot"
    return Path(home) / ".cache" / "gatebot" if Path(home).is_absolute() else None
