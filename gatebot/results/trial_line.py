"""One line of trials.jsonl: a trial as strict JSON, bounded, and readable again whatever an agent put into it."""

from __future__ import annotations

import dataclasses
import json
from functools import cache

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InputFileError, Location
from gatebot.model.trial import TRIAL_SCHEMA, Trial

MAX_LINE_BYTES = 64 * 1024 * 1024
_SHOWN_ERRORS = 3


@cache
def _trials() -> TypeAdapter[Trial]:
    return TypeAdapter(Trial)


def encode_trial(trial: Trial) -> bytes:
    """The trial as one line with its newline. Raises ValueError as `stored_form` does."""
    return stored_form(trial)[1]


def stored_form(trial: Trial) -> tuple[Trial, bytes]:
    """The trial as whoever reads its line will see it (tuples in JSON values are lists there), and that line.

    Raises ValueError, saying why, for a trial that could not be read back as it is: text with lone surrogates,
    integers beyond 64 bits, nesting beyond some 200 levels, numbers that are not finite, and more than
    `MAX_LINE_BYTES`.
    """
    try:
        line = orjson.dumps(trial)
        if len(line) >= MAX_LINE_BYTES:
            size, most = len(line) // 1024 // 1024, MAX_LINE_BYTES // 1024 // 1024
            message = f"it would take {size} MB (at most {most})"
            raise ValueError(message)
        seen = _trials().validate_json(line, strict=True)
        if seen != trial:  # by tuples, which are fine, or by numbers that became null, which this refuses
            json.dumps(dataclasses.asdict(trial), allow_nan=False)
    except ValidationError as error:
        raise ValueError(first_errors(error)) from error
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return seen, line + b"\n"


def storable(trial: Trial) -> tuple[Trial, bytes]:
    """What `stored_form` gives; a trial that cannot be written becomes an `agent_error` that says why.

    What an agent reports is the only part without bounds of its own, so the fault is the agent's.
    """
    try:
        return stored_form(trial)
    except ValueError as error:
        return stored_form(
            Trial(
                case=trial.case,
                side=trial.side,
                slot=trial.slot,
                seed=trial.seed,
                round=trial.round,
                status="agent_error",
                reason=f"what the agent reported cannot be stored: {ascii(str(error))[1:-1][:200]}",
                attempts=trial.attempts,
                timing=trial.timing,
            )
        )


def decode_trial(line: bytes, location: Location) -> Trial:
    """A trial from its line. Raises InputFileError at `location` for anything but one valid trial of this schema."""
    if len(line) > MAX_LINE_BYTES:
        message = f"a line of {len(line) // 1024 // 1024} MB (at most {MAX_LINE_BYTES // 1024 // 1024})"
        raise InputFileError(message, "remove that line: no trial is that long", location=location)
    try:
        orjson.loads(line)  # stricter than the validator: no NaN, no overflow to infinity, bounded depth
        trial = _trials().validate_json(line, strict=True)
    except orjson.JSONDecodeError as error:
        place = dataclasses.replace(location, column=error.colno)
        message = f"not a line of JSON: {error.msg}"
        raise InputFileError(message, "remove that line, or take the file anew", location=place) from error
    except ValidationError as error:
        check_schema(line, TRIAL_SCHEMA, location)
        message = f"not a trial: {first_errors(error)}"
        hint = "each line is one trial, as schema/trial.v1.json describes it"
        raise InputFileError(message, hint, location=location) from error
    if trial.schema != TRIAL_SCHEMA:
        raise wrong_schema(trial.schema, TRIAL_SCHEMA, location)
    return trial


def check_schema(data: bytes, known: str, location: Location) -> None:
    """Raise the error that names the version when JSON `data` is an object that claims another schema than `known`."""
    try:
        claim = _claims().validate_json(data)
    except ValidationError:
        return
    if claim.schema not in ("", known):
        raise wrong_schema(claim.schema, known, location)


@dataclasses.dataclass(frozen=True, slots=True)
class _Claim:
    schema: str = ""


@cache
def _claims() -> TypeAdapter[_Claim]:
    return TypeAdapter(_Claim)


def wrong_schema(found: str, known: str, location: Location) -> InputFileError:
    """The error for a machine file of another version: says whether it is older, newer or something else."""
    name, _, version = found.rpartition("/")
    known_name, _, known_version = known.rpartition("/")
    if name == known_name and version.isdecimal() and len(version) < 9:
        newer = int(version) > int(known_version)
        message = f"written as {found}, which is {'newer' if newer else 'older'} than {known}"
        hint = (
            "update gatebot" if newer else "run the evaluation again, or read the file with an older gatebot"
        )
        return InputFileError(message, hint, location=location)
    shown = ascii(found)[1:-1][:80]
    return InputFileError(
        f"schema {shown} is not {known}", "give a file that gatebot wrote", location=location
    )


def first_errors(error: ValidationError) -> str:
    """The first few complaints, without the values: they may be anything an agent said."""
    details = error.errors(include_url=False, include_context=False, include_input=False)[:_SHOWN_ERRORS]
    return "; ".join(
        f"{'.'.join(ascii(part).strip(chr(39)) for part in d['loc']) or 'the line'}: {d['msg']}"
        for d in details
    )
