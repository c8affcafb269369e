"""Numbers as people read them, in one place. None and what is not finite become an en dash."""

from __future__ import annotations

import math

NOTHING = "–"
MINUS = "−"
SHARES = frozenset({"binary", "unit"})
"""Scales whose values lie in [0, 1] and are shown in percent, their differences in points."""


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _trimmed(value: float, digits: int) -> str:
    """Rounded to `digits` decimals, without trailing zeros, without a negative zero, with thousands separated."""
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", MINUS)


def _signed(value: float, digits: int) -> str:
    text = _trimmed(value, digits)
    if text == "0":
        return "±0"
    return text if text.startswith(MINUS) else f"+{text}"


def plain(value: float | None, digits: int = 2) -> str:
    """A bare number: 3, 3.4, 1,204.5."""
    known = _known(value)
    return NOTHING if known is None else _trimmed(known, digits)


def percent(share: float | None, digits: int = 1) -> str:
    """A share in [0, 1] in percent: 0.875 → 87.5%."""
    known = _known(share)
    return NOTHING if known is None else f"{_trimmed(known * 100, digits)}%"


def share_between(share: float | None, limits: tuple[float, float] | None) -> str:
    """A share with its interval: 87.5% (80 to 95), 87.5% (no interval)."""
    if _known(share) is None:
        return NOTHING
    if limits is None or not all(math.isfinite(end) for end in limits):
        return f"{percent(share)} (no interval)"
    return f"{percent(share)} ({_trimmed(limits[0] * 100, 1)} to {_trimmed(limits[1] * 100, 1)})"


def points(difference: float | None) -> str:
    """A difference of shares in signed percentage points: −0.13 → −13 pts."""
    known = _known(difference)
    return NOTHING if known is None else f"{_signed(known * 100, 1)} {_unit_of_points(known)}"


def unsigned_points(difference: float | None) -> str:
    """A margin or a size in points: 0.1 → 10 points."""
    known = _known(difference)
    if known is None:
        return NOTHING
    text = _trimmed(abs(known) * 100, 1)
    return f"{text} point" if text == "1" else f"{text} points"


def _unit_of_points(difference: float) -> str:
    return "pt" if _trimmed(abs(difference) * 100, 1) == "1" else "pts"


def ratio(factor: float | None) -> str:
    """A ratio head / base: 1.234 → ×1.23."""
    known = _known(factor)
    return NOTHING if known is None else f"×{known:.2f}"


def money(dollars: float | None) -> str:
    """US dollars: $0.42, $12.30; below a cent the first digits that say something."""
    known = _known(dollars)
    if known is None:
        return NOTHING
    if known == 0 or abs(known) >= 0.01:
        return f"${known:,.2f}"
    return f"${known:.4f}" if abs(known) >= 0.0001 else "<$0.0001"


def tokens(count: float | None) -> str:
    """A number of tokens: 840, 1,525, 12.3k, 1.2M."""
    known = _known(count)
    if known is None:
        return NOTHING
    if abs(known) >= 999_950:
        return f"{_trimmed(known / 1_000_000, 1)}M"
    return f"{_trimmed(known / 1_000, 1)}k" if abs(known) >= 9_999.5 else _trimmed(known, 0)


def duration(seconds: float | None) -> str:
    """A length of time: 840 ms, 2.4 s, 45 s, 3 min 20 s, 1 h 5 min."""
    known = _known(seconds)
    if known is None or known < 0:
        return NOTHING
    if known < 0.9995:
        return f"{known * 1000:.0f} ms"
    if known < 9.95:
        return f"{_trimmed(known, 1)} s"
    whole = round(known)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


def p_value(p: float | None) -> str:
    """A p-value with its sign: p = 0.003, p < 0.001."""
    known = _known(p)
    if known is None:
        return ""
    return "p < 0.001" if known < 0.001 else f"p = {_trimmed(known, 3)}"


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 case, 2 cases."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def value_of(metric: str, scale: str, value: float | None) -> str:
    """A metric's value in its own unit: percent for shares, else seconds, dollars, tokens or a bare number."""
    if scale in SHARES:
        return percent(value)
    if metric in ("latency_s", "tool_latency_s"):
        return duration(value)
    if metric == "cost_usd":
        return money(value)
    return tokens(value) if metric == "tokens" else plain(value)


def change_of(scale: str, delta: float | None) -> str:
    """A metric's change in its own unit: points for shares, a factor for ratios, else a signed difference."""
    if scale in SHARES:
        return points(delta)
    if scale == "ratio":
        return ratio(delta)
    known = _known(delta)
    return NOTHING if known is None else _signed(known, 2)


def interval_of(scale: str, interval: tuple[float, float] | None, *, proven: int = 0) -> str:
    """The two ends of an interval of a change, without their unit: −24 to −2, ×1.10 to ×1.38.

    `proven` is −1 or 1 where no change is excluded and the change is below or above it: the end that rounds to no
    change is then "below 0" or "above ×1", since ±0 would look as if the interval held it.
    """
    if interval is None or not all(math.isfinite(end) for end in interval):
        return ""
    low, high = (_end(scale, end) for end in interval)
    none, name = ("×1.00", "×1") if scale == "ratio" else ("±0", "0")
    if proven < 0 and high == none:
        high = f"below {name}"
    if proven > 0 and low == none:
        low = f"above {name}"
    return f"{low} to {high}"


def _end(scale: str, end: float) -> str:
    if scale in SHARES:
        return _signed(end * 100, 1)
    return ratio(end) if scale == "ratio" else _signed(end, 2)


def size_of(scale: str, size: float | None) -> str:
    """A margin or a smallest visible drop: 10 points, ×1.25, 0.5."""
    if scale in SHARES:
        return unsigned_points(size)
    return ratio(size) if scale == "ratio" else plain(size)
