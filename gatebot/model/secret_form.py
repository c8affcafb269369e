"""What a well-known kind of key looks like, and what stands where a secret was blotted out."""

from __future__ import annotations

import re

BLOT = b"[withheld]"
_BY_FORM = re.compile(
    rb"sk-[A-Za-z0-9_-]{16,}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|xox[abps]-[A-Za-z0-9-]{10,}"
    rb"|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
)


def looks_secret(data: bytes) -> bool:
    """Whether there is something that has the form of a well-known kind of key."""
    return _BY_FORM.search(data) is not None
