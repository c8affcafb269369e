"""Which cases an acceptance covers, and one report of several evaluations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.core.accepted import acceptance_note, alpha_shares, covered_cases, joined
from gatebot.model.acceptance import Acceptance, AcceptedCase
from gatebot.model.report import (
    CaseResult,
    Conclusion,
    Evidence,
    PassHatK,
    Report,
    SideCount,
    TrialCounts,
)


def record(sha: str, policy: str = "p", **graded: str) -> Acceptance:
    cases = tuple(AcceptedCase(case, "g", digest) for case, digest in graded.items())
    return Acceptance("shop", "e", sha, "r", policy, "alice", "admin", "now", cases=cases)


def test_a_case_is_covered_while_it_is_graded_as_it_was_accepted() -> None:
    some = [record("one", a="1", b="2")]
    assert covered_cases(some, {"a": "1", "b": "changed", "c": "1"}, "p") == {"a": "one"}


def test_the_last_record_of_a_case_counts() -> None:
    some = [record("one", a="1", b="2"), record("two", a="1")]
    assert covered_cases(some, {"a": "1", "b": "2"}, "p") == {"a": "two", "b": "one"}


def test_a_record_of_another_policy_covers_nothing() -> None:
    assert covered_cases([record("one", "old", a="1")], {"a": "1"}, "p") == {}


def test_the_note_tells_who_and_what_is_no_longer_covered() -> None:
    note = acceptance_note([record("one", a="1", b="2")], {"a": "one"})
    assert "`alice`" in note
    assert "`a`" in note
    assert "No longer covered, since changed again: `b`" in note
    assert acceptance_note([], {}) == ""


def report(conclusion: Conclusion, *names: str) -> Report:
    cases = tuple(CaseResult(name, "stable", SideCount(1, 1), SideCount(1, 1)) for name in names)
    return Report(
        conclusion, f"because {conclusion}", "do it", "shop", "detect", "b", "h", (), cases,
        TrialCounts(planned=2, completed=2), PassHatK(None, None), PassHatK(None, None), (), (),
        Evidence("m", 0.05, 0.04, 0.01), alerts=("same",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "whole"),
    [
        ("pass", "fail", "fail"),
        ("not_evaluated", "fail", "fail"),
        ("inconclusive", "not_evaluated", "not_evaluated"),
        ("pass", "inconclusive", "inconclusive"),
        ("pass", "pass", "pass"),
    ],
)
def test_the_worst_end_counts_in_either_order(one: Conclusion, other: Conclusion, whole: Conclusion) -> None:
    for pair in ((report(one, "b"), report(other, "a")), (report(other, "b"), report(one, "a"))):
        found = joined(pair, "a note")
        assert found.conclusion == whole
        assert found.reason == f"because {whole}"
        assert [case.id for case in found.cases] == ["a", "b"]
        assert found.trials.planned == 4
        assert found.alerts == ("a note", "same")


def test_several_evaluations_share_one_alpha() -> None:
    shares = alpha_shares([16, 1])
    assert shares == pytest.approx((0.8, 0.2))
    assert sum(alpha_shares([19, 1, 3])) == pytest.approx(1.0)
    one, other = report("pass", "a"), report("fail", "b")
    small = replace(other, evidence=replace(other.evidence, alpha=0.01, case_level=0.003))
    found = joined([replace(one, evidence=replace(one.evidence, alpha=0.04, case_level=0.012)), small])
    assert (found.evidence.alpha, found.evidence.case_level) == (0.05, 0.015)


def test_one_report_stays_as_it_is() -> None:
    assert joined([report("fail", "a")]) == replace(report("fail", "a"))
