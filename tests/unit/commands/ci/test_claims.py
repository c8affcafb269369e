"""Trials of a run that nobody vouches for: taken one by one, and only where they are what was to be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.ci import claims
from gatebot.commands.ci.claims import Claims
from gatebot.errors import InputFileError
from gatebot.model.trial import Side, Trial, TrialKey
from gatebot.results.trial_line import encode_trial
from gatebot.runner.schedule import seed_for

KEY = TrialKey("a", "head", 1)


def trial(case: str = "a", side: Side = "head", slot: int = 1, *, seed: int | None = None) -> bytes:
    made = Trial(case, side, slot, seed_for(case, slot) if seed is None else seed, "completed", reused=True)
    return encode_trial(made)


def taken(folder: Path, *lines: bytes) -> tuple[list[TrialKey], Claims]:
    (folder / "trials.jsonl").write_bytes(b"".join(lines))
    found = Claims(folder)
    return [one.key for one in found.trials({KEY})], found


def test_only_what_was_to_be_run_is_taken_and_the_rest_is_counted(tmp_path: Path) -> None:
    foreign = (trial("b"), trial(side="base"), trial(slot=2), trial(seed=7))
    keys, found = taken(tmp_path, *foreign[:3], trial(), trial())
    assert keys == [KEY]
    assert found.foreign == 3
    assert found.taken == {KEY}
    assert taken(tmp_path, foreign[3])[0] == []


def test_what_only_the_writer_can_know_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_bytes(trial())
    (one,) = Claims(tmp_path).trials({KEY})
    assert not one.reused
    assert one.trace_url is None


def test_a_line_longer_than_any_trial_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "MAX_LINE_BYTES", 1_000)
    with pytest.raises(InputFileError, match="more than"):
        taken(tmp_path, trial(), b" " * 1_001 + b"\n")


@pytest.mark.parametrize("line", [b"{}\n", b"\xff\n", b'{"schema":"gatebot.trial/2"}\n', b"NaN\n"])
def test_a_line_that_is_no_trial_is_an_error_with_a_place(tmp_path: Path, line: bytes) -> None:
    with pytest.raises(InputFileError) as caught:
        taken(tmp_path, trial(), line)
    assert caught.value.location is not None
    assert caught.value.location.line == 2
