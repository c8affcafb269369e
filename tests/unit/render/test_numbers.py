"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from gatebot.render import numbers


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (numbers.percent(0.875), "87.5%"),
        (numbers.percent(1.0), "100%"),
        (numbers.percent(0.0), "0%"),
        (numbers.percent(0.95449), "95.4%"),
        (numbers.percent(None), "–"),
        (numbers.percent(math.nan), "–"),
        (numbers.points(-0.13), "−13 pts"),
        (numbers.points(0.01), "+1 pt"),
        (numbers.points(-0.0001), "±0 pts"),
        (numbers.unsigned_points(0.1), "10 points"),
        (numbers.unsigned_points(0.01), "1 point"),
        (numbers.ratio(1.234), "×1.23"),
        (numbers.ratio(math.inf), "–"),
        (numbers.money(0.42), "$0.42"),
        (numbers.money(1234.5), "$1,234.50"),
        (numbers.money(0.0012), "$0.0012"),
        (numbers.money(0.00001), "<$0.0001"),
        (numbers.money(0.0), "$0.00"),
        (numbers.money(None), "–"),
        (numbers.tokens(840), "840"),
        (numbers.tokens(1525), "1,525"),
        (numbers.tokens(12_345), "12.3k"),
        (numbers.tokens(1_681_300), "1.7M"),
        (numbers.tokens(999_960), "1M"),
        (numbers.tokens(12_000_000), "12M"),
        (numbers.duration(0.84), "840 ms"),
        (numbers.duration(0.9999), "1 s"),
        (numbers.duration(2.41), "2.4 s"),
        (numbers.duration(59.7), "1 min"),
        (numbers.duration(200), "3 min 20 s"),
        (numbers.duration(3900), "1 h 5 min"),
        (numbers.duration(3600), "1 h"),
        (numbers.duration(-1), "–"),
        (numbers.p_value(0.0004), "p < 0.001"),
        (numbers.p_value(0.03), "p = 0.03"),
        (numbers.p_value(None), ""),
        (numbers.plain(3.0), "3"),
        (numbers.plain(1204.456), "1,204.46"),
        (numbers.count(1, "case"), "1 case"),
        (numbers.count(1200, "case"), "1,200 cases"),
        (numbers.value_of("pass_rate", "binary", 0.5), "50%"),
        (numbers.value_of("latency_s", "ratio", 2.41), "2.4 s"),
        (numbers.value_of("cost_usd", "ratio", 0.1), "$0.10"),
        (numbers.value_of("tokens", "ratio", 20_500), "20.5k"),
        (numbers.value_of("failed_calls", "count", 0.25), "0.25"),
        (numbers.change_of("unit", -0.164), "−16.4 pts"),
        (numbers.change_of("ratio", 1.23), "×1.23"),
        (numbers.change_of("count", -0.5), "−0.5"),
        (numbers.change_of("count", None), "–"),
        (numbers.interval_of("unit", (-0.24, -0.09)), "−24 to −9"),
        (numbers.interval_of("ratio", (1.1, 1.38)), "×1.10 to ×1.38"),
        (numbers.interval_of("count", (-0.5, 0.0)), "−0.5 to ±0"),
        (numbers.interval_of("unit", (math.nan, 0.1)), ""),
        (numbers.interval_of("unit", None), ""),
        (numbers.size_of("unit", 0.1), "10 points"),
        (numbers.size_of("ratio", 1.25), "×1.25"),
        (numbers.size_of("count", 0.5), "0.5"),
    ],
)
def test_a_number_is_said_like_this(said: str, expected: str) -> None:
    assert said == expected
