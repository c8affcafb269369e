"""chrF++: F-score of character and word n-grams (Popović, 2017, "chrF++: words helping character n-grams")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

CHARACTER_ORDER = 6
WORD_ORDER = 2
BETA_SQUARED = 4.0
TEXT_LIMIT = 20_000
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def chrf(reference: str, answer: str) -> float:
    """The sentence score in [0, 1] of the first 20,000 characters, as sacrebleu computes it with word order 2.

    White space is no character; precision and recall are averaged over the orders that both texts have, β = 2.
    """
    one, other = reference[:TEXT_LIMIT], answer[:TEXT_LIMIT]
    precisions: list[float] = []
    recalls: list[float] = []
    pairs: list[tuple[Sequence[str], Sequence[str], int]] = [
        ("".join(one.split()), "".join(other.split()), CHARACTER_ORDER),
        (_words(one), _words(other), WORD_ORDER),
    ]
    for mine, theirs, orders in pairs:
        for order in range(1, orders + 1):
            wanted, made = _grams(mine, order), _grams(theirs, order)
            if not wanted or not made:
                continue
            common = sum((wanted & made).values())
            precisions.append(common / made.total())
            recalls.append(common / wanted.total())
    if not precisions:
        return 0.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    if not precision + recall:
        return 0.0
    return (1 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall)


def _grams(items: Sequence[str], order: int) -> Counter[tuple[str, ...] | str]:
    if isinstance(items, str):
        return Counter(items[start : start + order] for start in range(len(items) - order + 1))
    return Counter(tuple(items[start : start + order]) for start in range(len(items) - order + 1))


def _words(text: str) -> list[str]:
    """Words with one leading or trailing punctuation mark split off, as chrF++ does."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
