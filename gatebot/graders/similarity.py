"""How similar two texts are, in words or in meaning, behind guards."""

from __future__ import annotations

from collections.abc import Iterable

from gatebot.graders.chrf import TEXT_LIMIT, chrf
from gatebot.graders.folding import fold
from gatebot.graders.guards import disagreement
from gatebot.graders.wording import show_value
from gatebot.model.score import FULL, Score


def similarity(reference: str, answer: str, entities: Iterable[str] = (), *, semantic: bool = False) -> Score:
    """The larger of rapidfuzz's token-sort ratio and chrF++ on folded text, in [0, 1]; 0 where a guard is broken.

    `semantic`: closeness of meaning in place of words, behind the same guards. It needs an extra, and raises
    ConfigError without it. A text too long to be compared whole scores 0, unless both are the same.
    """
    named = tuple(entities)
    if reference == answer and not named:
        return FULL
    broken = disagreement(reference, answer, named)
    if broken:
        return Score(0.0, f"guard {broken}")
    from rapidfuzz.fuzz import token_sort_ratio

    one, other = fold(reference), fold(answer)
    if one == other:
        return FULL
    if max(len(one), len(other)) > TEXT_LIMIT:
        return Score(0.0, f"longer than {TEXT_LIMIT} characters, which is too long to compare")
    if semantic:
        from gatebot.graders.meaning import MOST_PIECES, closeness

        close = closeness(reference, answer)
        if close is None:
            return Score(0.0, f"longer than {MOST_PIECES} word pieces, which is too long to compare")
        value = close
    else:
        value = min(1.0, max(token_sort_ratio(one, other) / 100, chrf(one, other)))
    return Score(value, f"expected something like {show_value(reference)}, got {show_value(answer)}")
