"""How similar two texts are, lexically, behind guards."""

from __future__ import annotations

from collections.abc import Iterable

from gatebot.graders.chrf import TEXT_LIMIT, chrf
from gatebot.graders.folding import fold
from gatebot.graders.guards import disagreement
from gatebot.graders.wording import show_value
from gatebot.model.score import FULL, Score


def similarity(reference: str, answer: str, entities: Iterable[str] = ()) -> Score:
    """The larger of rapidfuzz's token-sort ratio and chrF++ on folded text, in [0, 1]; 0 where a guard is broken."""
    named = tuple(entities)
    if reference == answer and not named:
        return FULL
    broken = disagreement(reference, answer, named)
    if broken:
        return Score(0.0, f"guard {broken}")
    from rapidfuzz.fuzz import token_sort_ratio

    one, other = fold(reference[:TEXT_LIMIT]), fold(answer[:TEXT_LIMIT])
    if one == other:
        return FULL
    value = min(1.0, max(token_sort_ratio(one, other) / 100, chrf(one, other)))
    return Score(value, f"expected something like {show_value(reference)}, got {show_value(answer)}")
