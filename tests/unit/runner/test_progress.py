"""Progress: rates and times to go, plain lines now and then, a live line on a terminal."""

import io
import sys

import pytest

from gatebot.runner.progress import (
    LiveProgress,
    PlainProgress,
    Progress,
    SideProgress,
    bar,
    duration,
    progress_view,
    summary,
)


def moment(done: int, elapsed_s: float, planned: int = 100, **more: float) -> Progress:
    base = SideProgress(planned // 2, done // 2)
    head = SideProgress(planned - planned // 2, done - done // 2)
    return Progress(base, head, elapsed_s, running=int(more.get("running", 0)), usd=more.get("usd"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_trials_of_an_earlier_process_do_not_make_this_one_look_fast() -> None:
    progress = Progress(SideProgress(50, 40, 40), SideProgress(50, 20, 10), 5.0)
    assert progress.per_second == 2.0
    assert progress.eta_s == 20.0
    assert Progress(SideProgress(50, 40, 40), SideProgress(50), 5.0).per_second is None


def test_plain_lines_come_every_ten_seconds_or_ten_percent_and_at_the_end() -> None:
    stream = io.StringIO()
    view = PlainProgress(stream)
    for done, elapsed in [(0, 0), (1, 1), (2, 2), (3, 11), (4, 12), (13, 13), (14, 14), (100, 15), (100, 16)]:
        view.update(moment(done, elapsed))
    view.close()
    said = [line.split(" ")[1] for line in stream.getvalue().splitlines()]
    assert said == ["0/100", "3/100", "13/100", "100/100"]


def test_the_last_word_is_said_at_the_close() -> None:
    stream = io.StringIO()
    view = PlainProgress(stream)
    view.update(moment(0, 0))
    view.update(moment(5, 1))
    view.close()
    view.close()
    assert [line.split(" ")[1] for line in stream.getvalue().splitlines()] == ["0/100", "5/100"]


def test_a_summary_names_what_a_person_asks_for() -> None:
    said = summary(moment(50, 10, running=4, usd=1.234))
    assert said == "50/100 (base 25/50, head 25/50) · 4 running · 5/s · $1.23 · 10 s to go"
    assert summary(moment(100, 75)).endswith("took 1 min 15 s")


def test_one_side_alone_is_not_broken_down() -> None:
    assert (
        summary(Progress(SideProgress(), SideProgress(10, 10, 10), 1.0))
        == "10/10 · 10 from before · took 1 s"
    )


def test_losses_to_infrastructure_are_named() -> None:
    progress = Progress(SideProgress(), SideProgress(10, 2), 1.0, infra_errors=1)
    assert "1 lost to infrastructure" in summary(progress)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (59.4, "59 s"), (125, "2 min 05 s"), (3840, "1 h 04 min")]
)
def test_durations_are_readable(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_bar_is_full_at_the_end_and_only_then() -> None:
    assert bar(moment(100, 1), 10) == "━" * 10
    assert bar(moment(99, 1), 10) == "━" * 9 + "─"
    assert bar(Progress(SideProgress(), SideProgress(), 0.0), 3) == "━━━"


def test_a_terminal_gets_the_live_view_and_it_is_taken_away_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    view = progress_view(stream)
    assert isinstance(view, LiveProgress)
    view.update(moment(10, 1))
    view.update(moment(50, 10))
    view.close()
    view.close()
    assert "50/100" in stream.getvalue()
    assert stream.getvalue().count("\x1b[?25h") == 1


def test_a_log_gets_plain_lines() -> None:
    assert isinstance(progress_view(io.StringIO()), PlainProgress)


def test_rich_is_loaded_for_terminals_only() -> None:
    import subprocess

    code = (
        "import io, sys; from gatebot.runner.progress import *; v = progress_view(io.StringIO());"
        "v.update(Progress(SideProgress(1), SideProgress(1), 0.0)); v.close(); print('rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"
