"""Ctrl-C and SIGTERM as one request to stop, for as long as trials run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class Cancellation:
    """A request to stop. Set once; `stop` then ends what is running (it must return at once)."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._event = threading.Event()

    @property
    def requested(self) -> bool:
        """Whether the run was told to stop."""
        return self._event.is_set()

    def request(self) -> None:
        """Stop: first the mark, so that whatever ends from now on is known to have been ended by us."""
        self._event.set()
        self._stop()

    def wait(self, seconds: float) -> bool:
        """Wait, but not beyond a request to stop; whether there is one."""
        return self._event.wait(seconds)


@contextmanager
def cancelled_by_signals(cancellation: Cancellation) -> Generator[None]:
    """Let SIGINT and SIGTERM request the stop inside the block; the handlers of before are put back after it.

    Outside the main thread, where Python allows no handlers, the block runs without.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def request(_number: int, _frame: object) -> None:
        cancellation.request()

    before = {number: signal.signal(number, request) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
