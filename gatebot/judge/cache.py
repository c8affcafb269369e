"""Answers that may be used again: one file per question, model and sample, named by digest and sealed with the key."""

from __future__ import annotations

import hashlib
import hmac
import os
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.model.judgement import Opinion

CACHE_SCHEMA = "gatebot.judge-answer/1"
_MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """A directory of answers; `folder` None keeps nothing.

    Each file carries a seal that only a holder of the judge's key can make: an agent that could write into the
    directory could still not answer in the judge's place.
    """

    folder: Path | None
    secret: str = field(repr=False, default="")

    def get(self, subject: str, model: str, sample: int) -> Opinion | None:
        """The answer kept, marked as cached and free; None when there is none, or none with a whole seal."""
        if self.folder is None:
            return None
        try:
            descriptor = os.open(
                self._path(subject, model, sample), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            )
            with os.fdopen(descriptor, "rb") as stream:
                entry = _entries().validate_json(stream.read(_MAX_BYTES), strict=True)
        except (OSError, ValidationError):
            return None
        opinion = entry.opinion
        whole = hmac.compare_digest(entry.seal, self._seal(subject, opinion))
        if not whole or (opinion.model, opinion.sample) != (model, sample) or opinion.value is None:
            return None
        return replace(opinion, cached=True, input_tokens=0, output_tokens=0, cost_usd=0.0)

    def put(self, subject: str, opinion: Opinion) -> None:
        """Keep a usable answer; a disk that refuses only costs the answer again."""
        if self.folder is None or opinion.value is None or opinion.cached:
            return
        path = self._path(subject, opinion.model, opinion.sample)
        data = orjson.dumps(_Entry(opinion, self._seal(subject, opinion)), option=orjson.OPT_SORT_KEYS)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            Path(name).replace(path)
        except OSError:
            return

    def _path(self, subject: str, model: str, sample: int) -> Path:
        name = hashlib.sha256(f"{subject}\0{model}\0{sample}".encode()).hexdigest()
        return (self.folder or Path()) / name[:2] / f"{name}.json"

    def _seal(self, subject: str, opinion: Opinion) -> str:
        said = orjson.dumps([subject, opinion], option=orjson.OPT_SORT_KEYS)
        return hmac.new(self.secret.encode(), said, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _Entry:
    opinion: Opinion
    seal: str
    schema: str = CACHE_SCHEMA


@cache
def _entries() -> TypeAdapter[_Entry]:
    return TypeAdapter(_Entry)
