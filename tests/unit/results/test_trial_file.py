"""A journal read while it grows: each line once, single trials by place, and never otherwise than `read_trials`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import InputFileError
from gatebot.model.trial import Status, Trial, TrialKey
from gatebot.results.journal import read_trials
from gatebot.results.trial_file import TrialFile
from gatebot.results.trial_line import encode_trial


def trial(slot: int, status: Status = "completed", answer: str = "") -> Trial:
    return Trial("case", "head", slot, seed=slot, status=status, answer=answer)


def add(path: Path, *trials: Trial) -> None:
    with path.open("ab") as file:
        file.writelines(map(encode_trial, trials))


def everything(_: TrialKey) -> bool:
    return True


def test_each_trial_is_handed_out_once_and_a_torn_line_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    file = TrialFile(path)
    assert list(file.fresh()) == []
    add(path, trial(1))
    assert list(file.fresh()) == [trial(1)]
    whole = encode_trial(trial(2))
    with path.open("ab") as stream:
        stream.write(whole[:20])
    assert list(file.fresh()) == []
    with path.open("ab") as stream:
        stream.write(whole[20:])
    assert list(file.fresh()) == [trial(2)]
    assert list(file.some(everything)) == [trial(1), trial(2)]
    assert list(file.some(lambda key: key.slot == 2)) == [trial(2)]


def test_a_line_that_is_no_trial_is_named_by_its_number_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    add(path, trial(1))
    file = TrialFile(path)
    assert list(file.fresh()) == [trial(1)]
    with path.open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(InputFileError, match=r"trials\.jsonl:2"):
        list(file.fresh())


@given(
    lines=st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(["completed", "infra_error", "timeout"])), max_size=12
    ),
    cut=st.integers(0, 12),
)
def test_it_holds_what_read_trials_reads_however_the_file_grew(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[int, Status]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "trials.jsonl"
    trials = [trial(slot, status, str(number)) for number, (slot, status) in enumerate(lines)]
    file = TrialFile(path)
    add(path, *trials[:cut])
    list(file.fresh())
    add(path, *trials[cut:])
    list(file.fresh())
    assert list(file.some(everything)) == list(read_trials(path))
