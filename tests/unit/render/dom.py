"""Rendered Markdown as a tree walk: GitHub's dialect by cmark-gfm, read back by the standard HTML parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

OURS = frozenset(
    [
        "h2",
        "h3",
        "p",
        "sub",
        "code",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "blockquote",
        "ul",
        "li",
        "strong",
        "em",
        "i",
        "br",
    ]
)
EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]


@dataclass
class Page(HTMLParser):
    """Tags in order, attributes seen, comments, and the text outside of code."""

    tags: list[str] = field(default_factory=list[str])
    attributes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    comments: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    coded: list[str] = field(default_factory=list[str])
    depth: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.depth += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")
        self.depth -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        (self.coded if self.depth else self.words).append(data)


def page(markdown: str) -> Page:
    """The page GitHub would show, raw HTML let through so that an escape that failed is seen."""
    walked = Page()
    # In one expression: cmarkgfm has no types, and what has none is not to be bound to a name.
    walked.feed(
        cmarkgfm.markdown_to_html_with_extensions(
            markdown, options=Options.CMARK_OPT_UNSAFE, extensions=EXTENSIONS
        )
    )
    walked.close()
    return walked
