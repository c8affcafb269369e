"""The Markdown sink: whatever goes in, only words and code come out."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.render import markdown
from gatebot.render.markdown import Html, Markdown
from gatebot.render.visible import clip, visible, visible_block
from tests.unit.render.dom import page
from tests.unit.render.hostile import HOSTILE

FRAGMENTS = st.sampled_from(
    [*HOSTILE, "`", "``", "|", "\\", "<", ">", "&", "@", "#", "[", "]", "!", "(", ")", "\n", "\r"]
)
ANY_TEXT = st.one_of(
    st.text(st.characters(codec=None), max_size=60), st.lists(FRAGMENTS, max_size=5).map("".join)
)
FOLLOWED = re.compile(r"@\w|#\d|gh-\d|://|www\.|:[a-z0-9_+-]+:|[0-9a-f]{7}", re.IGNORECASE)


def assert_harmless(raw: str) -> None:
    """No hidden character but our break, nothing an e-mail reader would follow, nothing a runner would obey."""
    assert not re.search(r"@[A-Za-z0-9]|#[0-9]", raw)
    for char in raw.replace(markdown.BREAK, ""):
        assert char in "\n\t\u3000 " or unicodedata.category(char) not in (
            "Cc",
            "Cf",
            "Co",
            "Cs",
            "Zl",
            "Zp",
            "Zs",
        )
    assert "##[" not in raw
    raw.encode("utf-8")


def without_floods(shown: str) -> str:
    """cmark-gfm reads no code span with a fence beyond 80, and no block with one beyond 255."""
    return re.sub("`{41,}", lambda run: f"{'`' * 40}\\u{{+{len(run[0]) - 40} backticks}}", shown)


def check_text(untrusted: str) -> None:
    raw = markdown.text(untrusted)
    assert_harmless(raw)
    assert "\n" not in raw
    shown = page(f"start {raw} end\n\n{raw}\n")
    assert set(shown.tags) <= {"p", "/p"}
    assert not shown.comments
    assert not FOLLOWED.search("".join(shown.words))
    cell = page(markdown.table([markdown.text("h"), markdown.text("i")], [[raw, markdown.text("k")]]))
    assert cell.tags.count("td") == 2
    assert set(cell.tags) <= {
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "/table",
        "/thead",
        "/tbody",
        "/tr",
        "/th",
        "/td",
    }


def check_code(untrusted: str) -> None:
    raw = markdown.code(untrusted)
    assert_harmless(raw)
    shown = page(f"a {raw} b")
    tags = [tag for tag in shown.tags if tag not in ("p", "/p")]
    expected = without_floods(visible(untrusted))
    if untrusted.strip(" "):
        assert tags == ["code", "/code"]
        assert "".join(shown.coded).replace(markdown.BREAK, "") == expected
    else:
        assert tags == ["em", "/em"]
    cell = page(markdown.table([markdown.text("h"), markdown.text("i")], [[raw, markdown.text("k")]]))
    assert cell.tags.count("td") == 2
    if untrusted.strip(" "):
        assert "".join(cell.coded).replace(markdown.BREAK, "") == expected


def check_fence(untrusted: str) -> None:
    fenced = markdown.fence(untrusted, "diff")
    assert_harmless(fenced)
    expected = without_floods(visible_block(untrusted)) + "\n"
    for raw in (f"before{fenced}after", markdown.details(Html("s"), fenced) + "after"):
        shown = page(raw)
        assert shown.tags.count("pre") == 1
        assert set(shown.tags) <= {
            "p",
            "/p",
            "pre",
            "/pre",
            "code",
            "/code",
            "details",
            "/details",
            "summary",
            "/summary",
        }
        assert "".join(shown.coded).replace(markdown.BREAK, "") == expected
        assert "".join(shown.words).rstrip().endswith("after")


def check_summary(untrusted: str) -> None:
    summary = Html(f"{markdown.html_code(untrusted)} {markdown.html_text(untrusted)}")
    assert_harmless(summary)
    shown = page(markdown.details(summary, markdown.text("body")))
    assert set(shown.tags) <= {
        "details",
        "/details",
        "summary",
        "/summary",
        "code",
        "/code",
        "p",
        "/p",
        "i",
        "/i",
    }
    assert shown.tags.count("details") == 1
    assert not shown.comments
    assert not FOLLOWED.search("".join(shown.words))


def check_prose(untrusted: str) -> None:
    raw = markdown.prose(untrusted)
    assert_harmless(raw)
    shown = page(f"{raw}\n")
    assert set(shown.tags) <= {"p", "/p", "code", "/code", "em", "/em"}
    assert not FOLLOWED.search(" ".join(shown.words))


CHECKS = (check_text, check_code, check_fence, check_summary, check_prose)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("untrusted", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_stays_words_and_code(check: object, untrusted: str) -> None:
    assert callable(check)
    check(untrusted)


@given(ANY_TEXT)
@settings(max_examples=2500, deadline=None)
def test_any_text_stays_words_and_code(untrusted: str) -> None:
    for check in CHECKS:
        check(untrusted)


def test_code_shows_a_pipe_outside_and_inside_a_table() -> None:
    assert "".join(page(markdown.code("a|b\\|c")).coded) == "a|b\\|c"
    cell = markdown.table([markdown.text("h")], [[markdown.code("a|b\\|c")]])
    assert "".join(page(cell).coded) == "a|b\\|c"


def test_prose_makes_code_of_what_stands_between_backticks() -> None:
    assert markdown.prose("Fix `refund-07` or `a`, then") == "Fix `refund-07` or `a`, then"
    assert markdown.prose("an unclosed ` stays") == "an unclosed &grave; stays"


def test_our_own_words_stay_as_they_are() -> None:
    sentence = "−16.4 pts (−24 to −9), 22 cases × 5 trials, $0.47 · pass_rate ≥ 80%; max-T: one look."
    assert markdown.text(sentence) == sentence


def test_a_long_text_says_how_much_is_left_out() -> None:
    assert clip("x" * 250, 200) == "x" * 200 + "… (50 more characters)"
    assert markdown.code("y" * 1300, 100).endswith("… (1,200 more characters)`")


def test_what_is_hidden_is_spelled_out() -> None:
    assert visible("a\u202eb\u200bc\u00add\x1b[0m\x00\ud800\u2028") == (
        "a\\u{202e}b\\u{200b}c\\u{ad}d\\u{1b}[0m\\u{0}\\u{d800}\\u{2028}"
    )
    assert visible("x\n\ty\r") == "x\\n\\ty\\r"
    assert visible("\U000e0041\ufeff\u3164\u00a0") == "\\u{e0041}\\u{feff}\\u{3164}\\u{a0}"


def test_combining_marks_are_bounded_and_their_number_is_told() -> None:
    assert visible("z" + "\u0301" * 100) == "z" + "\u0301" * 4 + "\\u{+96 marks}"
    assert visible("e\u0301a") == "e\u0301a"


@pytest.mark.parametrize("line", ["::set-env name=a::b", "  ::warning::x", "a ##[error]b"])
def test_a_workflow_command_is_broken(line: str) -> None:
    assert not re.search(r"^\s*::|##\[", visible(line))
    assert not re.search(r"^\s*::|##\[", visible_block(f"x\n{line}"), re.MULTILINE)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "http://a b", "https://x/>)<b>", "data:text/html,x"]
)
def test_only_a_plain_web_address_becomes_a_link(address: str) -> None:
    assert page(markdown.link("run", address)).tags == ["p", "/p"]


def test_a_web_address_of_ours_becomes_a_link() -> None:
    shown = page(markdown.link("run", "https://github.com/o/r/actions/runs/1"))
    assert ("href", "https://github.com/o/r/actions/runs/1") in shown.attributes


def test_joined_safe_text_stays_safe_and_plain_text_does_not_become_it() -> None:
    assert isinstance(markdown.stack(Markdown("a"), Markdown(""), Markdown("b")), Markdown)
    assert markdown.stack(Markdown("a"), Markdown(""), Markdown("b")) == "a\n\nb"
    assert not isinstance(Markdown("a") + "<b>", Markdown)
