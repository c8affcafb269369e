"""`gatebot import`: what is written, that it loads, that it is whole or not there, and what is refused."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from gatebot.commands.import_trace import import_recorded, inspect_trace
from gatebot.errors import GatebotError, ImportFormatError, InputFileError, UsageError
from gatebot.model.json_value import JsonValue
from gatebot.results.journal import read_trials
from gatebot.suite.load import load_suite

SHARED = Path(__file__).parents[4] / "shared" / "data"
shared = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not here"),
]


def result(task: int, trial: int, reward: float) -> dict[str, JsonValue]:
    call = {"id": "a", "function": {"name": "cancel", "arguments": '{"id": "no"}'}}
    return {
        "task_id": task,
        "trial": trial,
        "reward": reward,
        "info": {
            "task": {
                "instruction": "Cancel: no.",
                "actions": [{"name": "cancel", "kwargs": {"id": "no", "n": 0}}],
            }
        },
        "traj": [
            {"role": "user", "content": "Please."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "gone"},
            {"role": "assistant", "content": "Done."},
        ],
    }


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "results.json"
    path.write_text(
        json.dumps([result(task, trial, float(task != 2)) for task in (1, 2) for trial in range(3)])
    )
    return path


def test_writes_a_suite_that_loads_with_its_trials(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "suite"
    summary = import_recorded("tau-bench", recording, out)
    assert (summary.cases, summary.trials, summary.slots, summary.passed, summary.unknown) == (2, 6, 3, 3, 0)
    suite = load_suite(out)
    assert [case.id for case in suite.cases] == ["task-001", "task-002"]
    assert suite.config.agent.replay == "trials.jsonl"
    assert suite.config.seeds.fixed == 3
    assert suite.cases[0].turns == ("Cancel: no.",)
    assert suite.cases[0].expect.outcome == "recorded"
    assert suite.cases[0].references[0].calls is not None
    assert suite.cases[0].references[0].calls[0].arguments == {"id": "no", "n": 0}
    trials = list(read_trials(out / "trials.jsonl"))
    assert [(t.case, t.side, t.slot) for t in trials] == sorted((t.case, "head", t.slot) for t in trials)
    assert all(t.outcome is not None and t.answer == "Done." for t in trials)


def test_the_same_recording_gives_the_same_bytes(recording: Path, tmp_path: Path) -> None:
    packed = tmp_path / "lines.jsonl.gz"
    lines = [json.dumps({"agent": "a", "run": run}) for run in reversed(json.loads(recording.read_text()))]
    packed.write_bytes(gzip.compress("\n".join(lines).encode()))
    import_recorded("tau-bench", recording, tmp_path / "one")
    import_recorded("tau-bench", packed, tmp_path / "two")
    for path in sorted((tmp_path / "one").rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_takes_an_empty_directory_and_no_used_one(recording: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    import_recorded("tau-bench", recording, empty)
    before = sorted(path.name for path in empty.iterdir())
    with pytest.raises(UsageError, match="not empty"):
        import_recorded("tau-bench", recording, empty)
    assert sorted(path.name for path in empty.iterdir()) == before
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        import_recorded("tau-bench", recording, link)


def test_leaves_nothing_behind_when_the_recording_is_bad(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps([result(1, 0, 1.0), result(1, 0, 1.0)]))
    with pytest.raises(ImportFormatError):
        import_recorded("tau-bench", bad, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.json"]


def test_a_directory_that_cannot_be_made_is_told(recording: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file" / "out", tmp_path / "file"):
        with pytest.raises(UsageError):
            import_recorded("tau-bench", recording, out)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not valid JSON"),
        (b"[oops", "not valid JSON"),
        (b"\x1f\x8b torn", "cannot be read"),
        (gzip.compress(b"[1]", mtime=0)[:-9], "cannot be read"),
        (b"{}\n{}\n[oops", "not valid JSON"),
        (b"[]", "no recorded run"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(content: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_bytes(content)
    with pytest.raises(GatebotError, match=complaint) as caught:
        import_recorded("tau-bench", path, tmp_path / "out")
    assert caught.value.exit_code == 2


def test_an_archive_and_an_absent_file_are_told(tmp_path: Path) -> None:
    archive = tmp_path / "log.eval"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("header.json", "{}")
    with pytest.raises(InputFileError, match="archive") as caught:
        inspect_trace(archive)
    assert caught.value.hint == "unpack it, and give one trace"
    with pytest.raises(InputFileError, match="no such file"):
        inspect_trace(tmp_path / "absent.json")
    with pytest.raises(InputFileError, match="no such file"):
        inspect_trace(tmp_path)


def test_an_unknown_kind_names_the_known_ones(recording: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'tau3'") as caught:
        import_recorded("tau3", recording, tmp_path / "out")
    assert caught.value.hint == "one of tau-bench, tau2, react"


def test_a_trace_says_its_format_and_warnings(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    lines: list[JsonValue] = [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "function": {"name": "t", "arguments": ""}}],
        },
    ]
    trace.write_text("\n".join(map(json.dumps, lines)))
    trajectory = inspect_trace(trace)
    assert trajectory.format == "openai-chat"
    assert trajectory.warnings == ("1 tool call has no result",)


class TestReal:
    """Real recordings, where they are at hand: the published figures come out."""

    pytestmark = shared

    def test_tau_bench_reproduces_the_published_pass_hat_k(self, tmp_path: Path) -> None:
        from math import comb

        file = SHARED / "tau-bench-airline" / "gpt-4o.4trials.jsonl.gz"
        summary = import_recorded("tau-bench", file, tmp_path / "out")
        assert (summary.suite, summary.cases, summary.trials) == ("tau-bench-airline", 50, 200)
        passed: dict[str, int] = {}
        for trial in read_trials(tmp_path / "out" / "trials.jsonl"):
            assert trial.outcome is not None
            passed[trial.case] = passed.get(trial.case, 0) + trial.outcome.passed
        hats = [sum(comb(c, k) / comb(4, k) for c in passed.values()) / len(passed) for k in (1, 2, 3, 4)]
        assert [f"{hat:.3f}" for hat in hats] == ["0.420", "0.273", "0.220", "0.200"]
        assert len(load_suite(tmp_path / "out").cases) == 50
        errors = [
            c
            for t in read_trials(tmp_path / "out" / "trials.jsonl")
            for c in t.trajectory.calls()
            if c.is_error
        ]
        assert len(errors) == 73

    @pytest.mark.parametrize(
        ("kind", "file", "tasks", "cases", "mean"),
        [
            ("tau2", "tau2-airline/claude-sonnet-4.5.jsonl.gz", None, 50, 0.72),
            ("tau2", "tau2-airline/gpt-4.1.jsonl.gz", "tau2-airline/tasks.jsonl.gz", 20, 0.5),
            ("tau2", "tau2-airline/qwen2.5-7b.jsonl.gz", "tau2-airline/tasks.jsonl.gz", 50, 0.18),
            ("react", "hotpotqa-react/claude-sonnet-4.5.jsonl.gz", "hotpotqa-react/tasks.jsonl", 50, 0.81),
            ("react", "hotpotqa-react/gpt-4o.jsonl.gz", None, 50, 0.748),
        ],
    )
    def test_others_reproduce_their_means(
        self, kind: str, file: str, tasks: str | None, cases: int, mean: float, tmp_path: Path
    ) -> None:
        summary = import_recorded(
            kind, SHARED / file, tmp_path / "out", tasks=SHARED / tasks if tasks else None
        )
        assert summary.cases == cases
        assert summary.passed / summary.trials == pytest.approx(mean)
        assert len(load_suite(tmp_path / "out").cases) == cases
