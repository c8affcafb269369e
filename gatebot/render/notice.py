"""Short words of the bot: a comment where there is no report, and a notice at the head of the comment that is there."""

from __future__ import annotations

from gatebot.render.markdown import Markdown, prose, stack, text
from gatebot.render.state import CommentState, encode_state, marker

_START = "<!-- gatebot:notice -->"
_END = "<!-- gatebot:/notice -->"
MAX_NOTICE = 1500


def plain_comment(suite: str, state: CommentState, title: str, *sentences: str) -> str:
    """A comment of a heading and sentences; names between single backticks become code."""
    blocks = [Markdown(f"## gatebot · {text(suite, 100)}: {text(title, 200)}"), *map(_paragraph, sentences)]
    return f"{marker(suite)}\n{encode_state(state)}\n{stack(*blocks)}\n"


def with_notice(body: str, *sentences: str) -> str:
    """A comment of ours with a notice below its hidden lines; a notice that was there is replaced."""
    bare = without_notice(body)
    lines = bare.split("\n")
    at = 0
    while at < len(lines) and lines[at].startswith("<!-- gatebot:"):
        at += 1
    quoted = "\n>\n".join(f"> {_paragraph(sentence)}" for sentence in sentences)
    return "\n".join([*lines[:at], _START, "", quoted, "", _END, *lines[at:]])


def without_notice(body: str) -> str:
    """The comment without its notice."""
    start, end = body.find(f"{_START}\n"), body.find(f"\n{_END}\n")
    if start < 0 or end < start:
        return body
    return body[:start] + body[end + len(_END) + 2 :]


def _paragraph(sentence: str) -> Markdown:
    return prose(sentence, MAX_NOTICE)
