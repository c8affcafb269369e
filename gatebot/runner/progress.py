"""How far a run is: a live view on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from gatebot.model.trial import SIDES, Side

if TYPE_CHECKING:
    from rich.live import Live

EVERY_S = 10.0
EVERY_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class SideProgress:
    """Trials of one side: planned so far, finished, finished in an earlier process."""

    planned: int = 0
    done: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run. `elapsed_s` since it began; `usd` as reported so far, None when no trial says."""

    base: SideProgress
    head: SideProgress
    elapsed_s: float
    running: int = 0
    infra_errors: int = 0
    usd: float | None = None

    def side(self, side: Side) -> SideProgress:
        """The progress of one side."""
        return self.base if side == "base" else self.head

    @property
    def planned(self) -> int:
        """Trials planned so far, both sides."""
        return self.base.planned + self.head.planned

    @property
    def done(self) -> int:
        """Trials finished, both sides."""
        return self.base.done + self.head.done

    @property
    def per_second(self) -> float | None:
        """Trials finished per second by this process; None before the first."""
        fresh = self.done - self.base.cached - self.head.cached
        return fresh / self.elapsed_s if fresh > 0 and self.elapsed_s > 0 else None

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the present rate; None while unknown."""
        rate = self.per_second
        return (self.planned - self.done) / rate if rate else None


class ProgressView(Protocol):
    """What is told how far the run is. `update` is called from one thread, several times a second."""

    def update(self, progress: Progress) -> None:
        """Take the present state in."""
        ...

    def close(self) -> None:
        """The run has ended, well or not."""
        ...


class NoProgress:
    """Says nothing."""

    def update(self, progress: Progress) -> None:
        """Ignore it."""

    def close(self) -> None:
        """Nothing to close."""


class PlainProgress:
    """A line at the start, at the end, and every ten seconds or ten percent, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last: Progress | None = None
        self._unsaid: Progress | None = None

    def update(self, progress: Progress) -> None:
        """Write a line when it is time for one."""
        self._unsaid = progress
        last = self._last
        if (
            last is None
            or progress.elapsed_s - last.elapsed_s >= EVERY_S
            or (progress.done - last.done) >= EVERY_SHARE * max(progress.planned, 1)
            or (progress.done == progress.planned != last.done)
        ):
            self._say(progress)

    def close(self) -> None:
        """Write what was last heard, if it was not written yet."""
        if self._unsaid is not None and (self._last is None or self._unsaid.done != self._last.done):
            self._say(self._unsaid)
        self._unsaid = None

    def _say(self, progress: Progress) -> None:
        self._last = progress
        self._stream.write(f"trials {summary(progress)}\n")
        self._stream.flush()


class LiveProgress:
    """One line that is redrawn in place, on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live: Live | None = None

    def update(self, progress: Progress) -> None:
        """Redraw."""
        from rich.text import Text

        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), refresh_per_second=5, transient=True)
            self._live.start()
        self._live.update(Text(f"{bar(progress)} {summary(progress)}"))

    def close(self) -> None:
        """Take the line away and give the terminal back."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def progress_view(stream: TextIO) -> LiveProgress | PlainProgress:
    """The view that suits the stream."""
    return LiveProgress(stream) if stream.isatty() else PlainProgress(stream)


def summary(progress: Progress) -> str:
    """One line: done of planned, per side, running, lost, rate, money, time to go."""
    sides: list[Side] = [side for side in SIDES if progress.side(side).planned]
    parts = [f"{progress.done}/{progress.planned}"]
    if len(sides) > 1:
        parts[0] += (
            " (" + ", ".join(f"{s} {progress.side(s).done}/{progress.side(s).planned}" for s in sides) + ")"
        )
    cached = progress.base.cached + progress.head.cached
    if cached:
        parts.append(f"{cached} from before")
    if progress.running:
        parts.append(f"{progress.running} running")
    if progress.infra_errors:
        parts.append(f"{progress.infra_errors} lost to infrastructure")
    if progress.per_second is not None:
        parts.append(f"{progress.per_second:.3g}/s")
    if progress.usd is not None:
        parts.append(f"${progress.usd:.2f}")
    if progress.done == progress.planned:
        parts.append(f"took {duration(progress.elapsed_s)}")
    elif progress.eta_s is not None:
        parts.append(f"{duration(progress.eta_s)} to go")
    return " · ".join(parts)


def bar(progress: Progress, width: int = 24) -> str:
    """A bar of `width` characters, full when everything planned is done."""
    filled = width * progress.done // progress.planned if progress.planned else width
    return "━" * filled + "─" * (width - filled)


def duration(seconds: float) -> str:
    """Seconds for people: 7 s, 2 min 05 s, 1 h 04 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
