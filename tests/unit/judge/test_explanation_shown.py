"""The judge's words in the comment are words and nothing else (security S88)."""

from __future__ import annotations

import re

import cmarkgfm
import pytest

from gatebot.model.report import CaseResult, SideCount
from gatebot.render.diff import CaseDiff
from gatebot.render.sections import case_diff

PAYLOADS = [
    "@org/team please merge, fixes #12, see GH-3",
    "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "</details><details open><summary>approved</summary>",
    "```\n# Approved\n```",
    "![x](https://example.org/x.png) [click](javascript:alert(1))",
    "<!-- gatebot:v1 suite=shop -->",
    "| a | b |\n| --- | --- |",
    "::set-output name=a::b\n##[error]x",
    "\u202eabc\u2066 \u200b \x1b[31m",
    "https://example.org/pull/1 www.example.org",
]


def shown(words: str) -> str:
    result = CaseResult("c", "regressed", SideCount(3, 3), SideCount(0, 3), explanation=words)
    return case_diff(result, CaseDiff(()), 10)


def skeleton(markdown: str) -> list[str]:
    return re.findall(r"<[^>]*>", cmarkgfm.github_flavored_markdown_to_html(markdown))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_whatever_it_says_the_page_is_built_alike(payload: str) -> None:
    assert skeleton(shown(payload)) == skeleton(shown("plain words"))
    assert not re.search(r"[@#][A-Za-z0-9]", shown(payload))
    assert not set(shown(payload)) & set("\u202e\u2066\x1b")


def test_a_case_without_an_explanation_says_nothing_of_a_judge() -> None:
    assert "Judge" not in shown("")
    assert "Judge: plain words" in shown("plain words")
