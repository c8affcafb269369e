"""Which Python packages a side's environment holds, and in what two sides' environments differ. Nothing is imported."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_DISTRIBUTION: Final = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})-([0-9][A-Za-z0-9.!+_]{0,49})\.dist-info", re.ASCII
)
_MOST_NAMED: Final = 8


def installed_packages(bin_dirs: tuple[Path, ...]) -> dict[str, str]:
    """Normalised name → version of what is installed beside the `bin` directories, sorted by name.

    By the names of `….dist-info` directories, as installers write them; other names are passed over. Never raises.
    """
    found: dict[str, str] = {}
    for folder in bin_dirs:
        for packages in sorted((folder.parent / "lib").glob("python3*/site-packages")):
            try:
                names = os.listdir(packages)  # noqa: PTH208 - names, not paths
            except OSError:
                continue
            for name in names:
                match = _DISTRIBUTION.fullmatch(name)
                if match is not None:
                    found[re.sub(r"[-_.]+", "-", match[1]).lower()] = match[2]
    return dict(sorted(found.items()))


def difference(base: Mapping[str, str], head: Mapping[str, str]) -> str:
    """In what the head's packages differ from the base's, in words; "" when they do not. At most eight are named."""
    changed = [
        f"{name} {base.get(name, 'absent')} → {head.get(name, 'absent')}"
        for name in sorted({*base, *head})
        if base.get(name) != head.get(name)
    ]
    more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
    return f"{', '.join(changed[:_MOST_NAMED])}{more}"
