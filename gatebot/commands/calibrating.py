"""`gatebot judge calibrate`: labelled examples in, agreement out, and the block for gatebot.yaml."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from gatebot.commands.judging import JudgeMeans
from gatebot.errors import InfrastructureError, InputFileError, Location, UsageError
from gatebot.judge.calibrate import FEWEST_EXAMPLES, Agreement, Labelled, calibrate, labelled
from gatebot.judge.opening import Surroundings, cannot_run, open_session
from gatebot.model.judge import JudgeConfig
from gatebot.model.labelled import LabelledExample
from gatebot.suite.load import load_config
from gatebot.suite.source import DirectorySource

_MAX_BYTES = 64 * 1024 * 1024


def calibrate_judge(
    directory: Path, config: str, examples: Path, means: JudgeMeans, *, repeat: int = 2
) -> tuple[JudgeConfig, tuple[Agreement, ...]]:
    """Measure the judge of a suite's configuration on a file of labelled examples, a JSON object a line.

    Raises ConfigError, UsageError (no judge, or it cannot run), InputFileError (examples), InfrastructureError (the
    judge fails its canaries, or stops answering).
    """
    judge = load_config(DirectorySource(directory), config).config.judge
    if judge is None:
        raise UsageError("the configuration has no judge", "add `judge:`, see docs/judge.md")
    key = means.environment.get(judge.key_env)
    why = cannot_run(judge, key)
    if why or key is None:
        raise UsageError(f"the judge cannot run: {why}", f"set {judge.key_env}")
    found = _read(examples, judge)
    session = open_session(judge, Surroundings(key, clock=means.clock))
    try:
        complaint = session.open()
        if complaint:
            raise InfrastructureError(complaint, "such a judge cannot be calibrated: try another model")
        measured = calibrate(found, judge, session.asker, repeat=repeat)
        if session.asker.stopped:
            raise InfrastructureError(f"the judge stopped: {session.asker.stopped}", "run again")
    finally:
        session.asker.api.close()
    return judge, measured


def calibration_block(measured: tuple[Agreement, ...]) -> str:
    """The block to paste under `judge:`; metrics whose agreement could not be measured are left out."""
    lines = [
        f'  "{one.metric}": {{agreement: {one.alpha:.3f}, rubric: "{one.digest}", examples: {one.examples}}}'
        for one in measured
        if one.alpha is not None and one.examples
    ]
    return "\n".join(["calibration:", *lines]) if lines else ""


def told(one: Agreement, judge: JudgeConfig) -> str:
    """One metric's agreement in a line."""
    few = f"; fewer than {FEWEST_EXAMPLES} examples say little" if one.examples < FEWEST_EXAMPLES else ""
    errors = f", {one.errors} judge errors" if one.errors else ""
    low = one.alpha is None or one.alpha < judge.agreement_floor
    verb = f"below the floor of {judge.agreement_floor:g}: informs only" if low else "may gate"
    return (
        f"{one.metric}: alpha {_number(one.alpha)}, kappa {_number(one.kappa)}, with itself {_number(one.itself)} "
        f"on {one.examples} examples{errors} ({verb}{few})"
    )


def _number(value: float | None) -> str:
    return "not measurable" if value is None else f"{value:.2f}"


def _read(path: Path, judge: JudgeConfig) -> list[Labelled]:
    try:
        raw = path.read_bytes() if path.stat().st_size <= _MAX_BYTES else None
    except OSError as error:
        raise InputFileError(
            f"cannot read {path}: {error.strerror}", "give a file of labelled examples"
        ) from error
    if raw is None:
        raise InputFileError(f"{path} is larger than 64 MB", "a few hundred examples are plenty")
    found: list[Labelled] = []
    for number, line in enumerate(raw.splitlines(), start=1):
        if not line.strip():
            continue
        location = Location(path.name, number)
        try:
            example = LabelledExample.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            message = f"{where}: {first['msg']}" if where else str(first["msg"])
            raise InputFileError(
                message, "one JSON object a line, see docs/judge.md", location=location
            ) from error
        found.append(labelled(example, judge, location))
    if not found:
        raise InputFileError(f"{path} holds no example", "one JSON object a line, see docs/judge.md")
    return found
