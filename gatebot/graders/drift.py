"""How far a run has moved from the golden, for people who are used to golden stores. It informs and decides nothing."""

from __future__ import annotations

from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.similarity import similarity
from gatebot.graders.steps import Steps
from gatebot.graders.wording import listed
from gatebot.model.score import Score

PREFIX = 3
REMEMBERED = 500


class GoldenDrift:
    """Drift from one reference; what was said of equal answers is remembered."""

    def __init__(self, calls: ReferenceCalls | None, answer: str | None) -> None:
        self._calls = calls
        self._answer = answer
        self._similar: dict[str, float] = {}

    @property
    def given(self) -> bool:
        """Whether there is anything to drift from."""
        return self._calls is not None or self._answer is not None

    def score(self, steps: Steps, answer: str | None) -> Score:
        """The mean of what can be told of three, each in [0, 1], 0 where nothing has changed.

        The change of the number of calls over the larger number; 1 unless the first three tools are the golden's
        (as many as it has, in its order, optional calls included); 1 − similarity of the answers, behind its guards.
        """
        parts: list[float] = []
        said: list[str] = []
        if self._calls is not None:
            golden, made = self._calls.name_order, steps.names
            larger = max(len(golden), len(made))
            parts.append(abs(len(golden) - len(made)) / larger if larger else 0.0)
            if len(golden) != len(made):
                said.append(f"expected {len(golden)} calls, got {len(made)}")
            wanted, got = list(golden[:PREFIX]), made[: min(PREFIX, len(golden))]
            parts.append(float(wanted != got))
            if wanted != got:
                said.append(f"expected first {listed(wanted)}, got {listed(got) or 'no call'}")
        if self._answer is not None:
            similar = self._similarity(answer or "")
            parts.append(1.0 - similar)
            if similar < 1.0:
                said.append(f"answer similarity {similar:.2f}")
        if not parts:
            return Score(None, "no golden to drift from", by_design=True)
        return Score(sum(parts) / len(parts), "; ".join(said))

    def _similarity(self, answer: str) -> float:
        if answer not in self._similar:
            if len(self._similar) >= REMEMBERED:
                self._similar.clear()
            self._similar[answer] = similarity(self._answer or "", answer).value or 0.0
        return self._similar[answer]
