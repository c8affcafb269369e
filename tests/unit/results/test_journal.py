"""The journal: nothing finished is lost, nothing torn is believed, nothing is stored twice."""

import fcntl
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatebot.errors import InfrastructureError, InputFileError, ResultsError
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.journal import Journal, read_trials
from gatebot.results.trial_line import encode_trial


def trial(slot: int = 0, **fields: object) -> Trial:
    plain = Trial(
        case="a",
        side="head",
        slot=slot,
        seed=slot + 7,
        status="completed",
        answer="forty-two",
        state={"orders": [{"id": 1, "total": 9.5}]},
        trajectory=Trajectory(
            (
                Message(
                    "assistant", "hm", (ToolCall("1", "search", {"q": "ü"}, result="ok", is_error=False),)
                ),
            ),
            "openai",
        ),
    )
    return replace(plain, **fields)


def append(path: Path, *trials: Trial) -> None:
    with Journal(path) as journal:
        for one in trials:
            journal.append(one)


def test_what_is_appended_is_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    append(path, trial(0), trial(1))
    append(path, trial(2))
    assert list(read_trials(path)) == [trial(0), trial(1), trial(2)]


def test_an_absent_file_holds_no_trials(tmp_path: Path) -> None:
    assert list(read_trials(tmp_path / "trials.jsonl")) == []


def test_a_reopened_journal_knows_what_is_done_and_drops_it(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    append(path, trial(0))
    with Journal(path) as journal:
        assert journal.done == {TrialKey("a", "head", 0)}
        journal.append(trial(0, answer="another"))
        journal.append(trial(1))
        journal.append(trial(1, answer="another"))
    assert list(read_trials(path)) == [trial(0), trial(1)]
    assert path.read_bytes().count(b"\n") == 2


def test_cut_at_every_byte_the_prefix_survives_and_the_next_line_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)  # pyright: ignore[reportUnknownLambdaType]
    small = [Trial("a", "head", slot, 1, "completed") for slot in (0, 1, 9)]
    append(tmp_path / "whole", *small[:2])
    whole = (tmp_path / "whole").read_bytes()
    first = whole.index(b"\n") + 1
    for length in (0, 1, *range(first - 2, len(whole) + 1)):
        path = tmp_path / str(length)
        path.write_bytes(whole[:length])
        expected = small[: (length >= first) + (length >= len(whole))]
        assert list(read_trials(path)) == expected
        append(path, small[2])
        assert list(read_trials(path)) == [*expected, small[2]]


def test_of_one_key_the_first_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(encode_trial(trial(1)) + encode_trial(trial(0)) + encode_trial(trial(1, answer="late")))
    assert list(read_trials(path)) == [trial(1), trial(0)]


def test_a_trial_lost_to_infrastructure_gives_way_to_a_later_one(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    lost = trial(0, status="infra_error", reason="429")
    append(path, lost, trial(1, status="infra_error"), trial(2))
    with Journal(path) as journal:
        assert journal.done == {trial(2).key}
        journal.append(trial(0))
        journal.append(replace(lost, reason="again"))
    assert list(read_trials(path)) == [trial(2), trial(0), trial(1, status="infra_error")]


def test_one_process_does_not_try_an_infrastructure_loss_twice(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    append(path, trial(0, status="infra_error"), trial(0, status="infra_error"))
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"garbage", "not a line of JSON"),
        (b"", "not a line of JSON"),
        (b"[]", "not a trial"),
        (b"{}", "not a trial: case: "),
        (
            b'{"case":"a","side":"head","slot":0,"seed":1,"status":"completed","answer":NaN}',
            "not a line of JSON",
        ),
        (
            b'{"case":"a","side":"head","slot":0,"seed":1,"status":"completed","state":[1e999]}',
            "not a line of JSON",
        ),
        (b'{"case":"a","side":"left","slot":0,"seed":1,"status":"completed"}', "side"),
        (b'{"case":"a","side":"head","slot":"0","seed":1,"status":"completed"}', "slot"),
        (
            b'{"case":"a","side":"head","slot":0,"seed":1,"status":"completed","answer":"\xff"}',
            "not a line of JSON",
        ),
        (b"[" * 100_000, "not a line of JSON"),
        (b'{"schema":"gatebot.trial/2","what":1}', "newer than gatebot.trial/1"),
        (b'{"schema":"gatebot.trial/0","what":1}', "older than gatebot.trial/1"),
        (b'{"schema":"gatebot.plan/1"}', "schema gatebot.plan/1 is not gatebot.trial/1"),
        (
            b'{"schema":"gatebot.trial/2","case":"a","side":"head","slot":0,"seed":1,"status":"completed"}',
            "newer",
        ),
    ],
)
def test_a_foreign_line_is_an_error_with_its_number(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(encode_trial(trial(0)) + line + b"\n" + encode_trial(trial(1)))
    with pytest.raises(InputFileError) as caught:
        list(read_trials(path))
    assert said in caught.value.message
    assert caught.value.hint
    assert str(caught.value).startswith("trials.jsonl:2")
    with pytest.raises(InputFileError), Journal(path):
        pass


def test_fields_of_a_later_minor_version_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(encode_trial(trial(0)).replace(b'{"case"', b'{"new_field":[1],"case"'))
    assert list(read_trials(path)) == [trial(0)]


def test_a_line_without_end_is_refused_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatebot.results.trial_file.MAX_LINE_BYTES", 1000)
    monkeypatch.setattr("gatebot.results.trial_line.MAX_LINE_BYTES", 1000)
    path = tmp_path / "trials.jsonl"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(InputFileError, match="a line of"):
        list(read_trials(path))


def test_two_writers_cannot_share_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    with Journal(path), pytest.raises(ResultsError, match="another gatebot"), Journal(path):
        pass
    append(path, trial(0))


def test_the_lock_is_released_when_opening_fails(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(b"garbage\n")
    with pytest.raises(InputFileError), Journal(path):
        pass
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize(
    "hostile",
    [
        {"answer": "\ud800"},
        {"state": {"n": 2**70}},
        {"state": {"n": float("nan")}},
        {"state": [[float("inf")]]},
        {"stderr_tail": "\udcff"},
    ],
)
def test_what_json_cannot_hold_is_the_agents_error(tmp_path: Path, hostile: dict[str, object]) -> None:
    path = tmp_path / "trials.jsonl"
    with Journal(path) as journal:
        stored = journal.append(trial(3, **hostile))
    assert stored.status == "agent_error"
    assert stored.reason.startswith("what the agent reported cannot be stored: ")
    assert stored.key == trial(3).key
    assert stored.seed == 10
    assert list(read_trials(path)) == [stored]


def test_tuples_in_a_state_are_lists_to_whoever_reads_them(tmp_path: Path) -> None:
    with Journal(tmp_path / "trials.jsonl") as journal:
        stored = journal.append(trial(0, state={"pair": (1, (2, 3)), "none": None}))
    assert stored.state == {"pair": [1, [2, 3]], "none": None}
    assert list(read_trials(tmp_path / "trials.jsonl")) == [stored]


def test_nesting_that_could_not_be_read_back_is_the_agents_error(tmp_path: Path) -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    path = tmp_path / "trials.jsonl"
    append(path, trial(0, state=deep), trial(1))
    assert [one.status for one in read_trials(path)] == ["agent_error", "completed"]
    while isinstance(deep, list):  # freed level by level: a deep structure's own end would overflow the stack
        deep = deep[0]


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trials.jsonl"
    real = os.write
    with Journal(path) as journal:
        journal.append(trial(0))
        before = path.read_bytes()

        def full(file: int, data: bytes) -> int:
            if len(data) <= 10:
                raise OSError(28, "No space left on device")
            return real(file, data[: max(1, len(data) // 2)])

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(InfrastructureError, match="No space left"):
            journal.append(trial(1))
        monkeypatch.undo()
        assert path.read_bytes() == before
        journal.append(trial(1))
    assert list(read_trials(path)) == [trial(0), trial(1)]


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def short(file: int, data: bytes) -> int:
        return real(file, data[:100])

    monkeypatch.setattr(os, "write", short)
    append(tmp_path / "t.jsonl", trial(0))
    monkeypatch.undo()
    assert list(read_trials(tmp_path / "t.jsonl")) == [trial(0)]


@pytest.mark.parametrize("kind", ["link", "fifo", "directory"])
def test_only_a_regular_file_is_a_journal(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "trials.jsonl"
    outside = tmp_path / "outside"
    outside.write_bytes(b"")
    match kind:
        case "link":
            path.symlink_to(outside)
        case "fifo":
            os.mkfifo(path)
        case _:
            path.mkdir()
    with pytest.raises(InputFileError):
        list(read_trials(path))
    with pytest.raises(ResultsError), Journal(path):
        pass
    assert outside.read_bytes() == b""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage=st.binary(max_size=200))
def test_no_bytes_make_the_reader_raise_anything_else(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(encode_trial(trial(0)) + garbage)
    if b"\n" in garbage:
        with pytest.raises(InputFileError) as caught:
            list(read_trials(path))
        assert str(caught.value).startswith("trials.jsonl:2")
    else:
        assert list(read_trials(path)) == [trial(0)]


def test_many_threads_append_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    with Journal(path) as journal:

        def work(first: int) -> None:
            for slot in range(first, 200, 4):
                journal.append(trial(slot, answer="x" * slot * 50))
                journal.append(trial(slot))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(list(read_trials(path))) == 200  # there before the sync, for whoever kills us now
        journal.sync()
    assert {one.slot: len(one.answer or "") for one in read_trials(path)} == {n: n * 50 for n in range(200)}


def test_a_disk_that_cannot_sync_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_file: int) -> None:
        raise OSError(5, "Input/output error")

    with Journal(tmp_path / "trials.jsonl") as journal:
        journal.append(trial(0))
        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(InfrastructureError, match="Input/output error"):
            journal.sync()


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "trials.jsonl")
    with journal:
        pass
    with pytest.raises(ResultsError, match="not open"):
        journal.append(trial(0))


def test_a_reopened_journal_knows_what_was_spent(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    known = [
        Usage(10, 5, cost_usd=0.5),
        Usage(),
        Usage(1, None, cost_usd=None),
        Usage(None, 2, cost_usd=0.25),
    ]
    append(path, *(trial(slot, usage=usage) for slot, usage in enumerate(known)))
    with Journal(path) as journal:
        assert journal.spent_before == Usage(11, 7, cost_usd=0.75)
    with Journal(tmp_path / "new") as journal:
        assert journal.spent_before == Usage()
