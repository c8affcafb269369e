"""The order in which a round's trials are started, and their seeds: pure functions of names and digests."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import defaultdict

from gatebot.model.plan import Round
from gatebot.model.trial import Side, TrialKey


def seed_for(case: str, slot: int) -> int:
    """The seed of a case's slot, in [0, 2**53) so that every JSON reader keeps it whole; the same on both sides."""
    return int.from_bytes(_digest("seed", case, str(slot))[:8]) >> 11


def interleaved(round_: Round, digest: str) -> Round:
    """The round with its trials in the order they shall be started; the plan records it.

    The n-th trial of a case on one side goes next to the n-th of the other, so that both sides meet the same load
    and the same hour; the order of the pairs, and which side of a pair is first, are drawn from `digest` (any string
    that names the evaluation). The same round and digest give the same order, whatever order the trials came in.
    """
    counts: defaultdict[tuple[str, Side], int] = defaultdict(int)
    pairs: defaultdict[tuple[str, int], list[TrialKey]] = defaultdict(list)
    for key in sorted(round_.trials):
        pairs[key.case, counts[key.case, key.side]].append(key)
        counts[key.case, key.side] += 1
    draw = (digest, str(round_.number))
    order = sorted(pairs, key=lambda pair: (_digest("pair", *draw, pair[0], str(pair[1])), pair))
    trials: list[TrialKey] = []
    for case, place in order:
        head_first = _digest("side", *draw, case, str(place))[0] & 1
        trials.extend(sorted(pairs[case, place], key=lambda key: key.side, reverse=bool(head_first)))
    return dataclasses.replace(round_, trials=tuple(trials))


def _digest(*words: str) -> bytes:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest()
