"""golden-candidate/candidate.json: written by a report, read again, byte for byte, by whoever accepts it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InputFileError, Location
from gatebot.results.plain_file import open_to_read, replace_file
from gatebot.results.trial_line import check_schema, first_errors

if TYPE_CHECKING:
    from gatebot.model.acceptance import GoldenCandidate

CANDIDATE_FOLDER = "golden-candidate"
CANDIDATE_FILE = "candidate.json"
MAX_CANDIDATE_BYTES = 8 * 1024 * 1024


def encode_candidate(candidate: GoldenCandidate) -> bytes:
    """The candidate as JSON: equal candidates give equal bytes."""
    return orjson.dumps(
        candidate, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    )


def candidate_digest(data: bytes) -> str:
    """sha256 in hex of the file's bytes: what the check run is bound to."""
    return hashlib.sha256(data).hexdigest()


def decode_candidate(data: bytes) -> GoldenCandidate:
    """The candidate in `data`, which may be anything. Raises InputFileError."""
    from gatebot.model.acceptance import CANDIDATE_SCHEMA

    location = Location(CANDIDATE_FILE)
    hint = "run the evaluation again"
    if len(data) > MAX_CANDIDATE_BYTES:
        raise InputFileError("the golden candidate is too large", hint, location=location)
    check_schema(data, CANDIDATE_SCHEMA, location)
    try:
        orjson.loads(data)
        return _candidates().validate_json(data, strict=True)
    except ValidationError as error:
        raise InputFileError(
            f"not a golden candidate: {first_errors(error)}", hint, location=location
        ) from error
    except orjson.JSONDecodeError as error:
        raise InputFileError("the golden candidate is not JSON", hint, location=location) from error


def write_candidate(results: Path, candidate: GoldenCandidate) -> bytes:
    """Write the candidate into a results directory; hands back the file's bytes."""
    folder = results / CANDIDATE_FOLDER
    folder.mkdir(exist_ok=True)
    data = encode_candidate(candidate)
    replace_file(folder / CANDIDATE_FILE, data)
    return data


def read_candidate(results: Path) -> GoldenCandidate:
    """The candidate in a results directory. Raises InputFileError when there is none."""
    try:
        with open_to_read(results / CANDIDATE_FOLDER / CANDIDATE_FILE) as stream:
            return decode_candidate(stream.read(MAX_CANDIDATE_BYTES + 1))
    except FileNotFoundError as error:
        raise InputFileError(
            f"{results} holds no golden candidate", "run `gatebot gate` first, and let it end"
        ) from error


@cache
def _candidates() -> TypeAdapter[GoldenCandidate]:
    from gatebot.model.acceptance import GoldenCandidate

    return TypeAdapter(GoldenCandidate)
