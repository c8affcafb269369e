"""The environment of what gatebot starts: fixed names, the side's programs first, and an allow-list. Nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

SYSTEM_PATH: Final = (
    PurePath("/usr/local/sbin"),
    PurePath("/usr/local/bin"),
    PurePath("/usr/sbin"),
    PurePath("/usr/bin"),
    PurePath("/sbin"),
    PurePath("/bin"),
)
"""Where programs come from that are not the side's own: the same on every machine, whatever PATH gatebot has."""

_WITHHELD_PREFIXES: Final = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "GATEBOT_", "LD_")
_WITHHELD: Final = frozenset({"HOME", "TMPDIR", "PATH", "LANG", "LC_ALL", "TZ"})


@dataclass(frozen=True, slots=True)
class AllowedVariables:
    """What an allow-list lets through: the values, the names never passed on, and the names that are not set."""

    values: dict[str, str]
    withheld: tuple[str, ...]
    absent: tuple[str, ...]


def is_withheld(name: str) -> bool:
    """Whether a name never reaches an agent, even when listed: the runner's own, or one that gatebot sets."""
    return name in _WITHHELD or name.upper().startswith(_WITHHELD_PREFIXES)


def allowed_variables(names: Iterable[str], source: Mapping[str, str]) -> AllowedVariables:
    """Pick the listed names out of `source` (gatebot's own environment, read by the caller), sorted by name."""
    wanted = sorted(set(names))
    passing = [name for name in wanted if not is_withheld(name)]
    return AllowedVariables(
        values={name: source[name] for name in passing if name in source},
        withheld=tuple(name for name in wanted if is_withheld(name)),
        absent=tuple(name for name in passing if name not in source),
    )


def child_environment(
    *,
    home: PurePath,
    scratch: PurePath,
    bin_dirs: Iterable[PurePath] = (),
    variables: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> dict[str, str]:
    """The whole environment of a program, sorted by name.

    `home` and `scratch` are fresh directories of the run (HOME, TMPDIR). `bin_dirs` go before the system's.
    `variables` pass but for the withheld names. `seed` becomes GATEBOT_SEED. Byte code is not written beside the
    sources, so that a trial leaves the checkout as it was (`setup` may compile it once).
    """
    passing = {name: value for name, value in (variables or {}).items() if not is_withheld(name)}
    fixed = {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": ":".join(str(folder) for folder in (*bin_dirs, *SYSTEM_PATH)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(scratch),
        "TZ": "UTC",
    }
    if seed is not None:
        fixed["GATEBOT_SEED"] = str(seed)
    return dict(sorted((passing | fixed).items()))
