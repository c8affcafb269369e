"""The only Markdown sink: everything that is not marked `Markdown` or `Html` is escaped on its way out.

GitHub reads the text three times: as Markdown, then the rendered text nodes for mentions, issue numbers, hashes and
addresses, and once more, as plain text, when somebody answers by e-mail. Escapes alone defeat only the first reader,
so mentions and references are broken by a zero-width space: the one invisible character in our output, ours alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from gatebot.render.visible import DEFAULT_LIMIT, visible, visible_block

BREAK = "\u200b"
Language = Literal["", "diff", "json", "text"]
Align = Literal["left", "right"]

_MENTION = re.compile(r"@(?=[^\s@])")
_ISSUE = re.compile(r"#(?=[0-9])")
_GH_ISSUE = re.compile(r"(gh-)(?=[0-9])", re.IGNORECASE)
_ADDRESS = re.compile(r":(?=//)|www(?=\.)|(?:mailto|xmpp|https?|ftp)(?=:)", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE)
_EMOJI = re.compile(r":(?=[a-z0-9_+-]+:)", re.IGNORECASE)
_BY_ENTITY = re.compile(r"[&>`|]|<(?! [0-9])|\$(?![0-9])")
# Named, since a reader of the plain text would take `&#60;` for a reference to issue 60.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "&grave;", "|": "&vert;", "$": "&dollar;"}
_BY_BACKSLASH = re.compile(r"[\\*\[\]#~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_BLOCK_START = re.compile(r"^(?:[-+=](?![0-9A-Za-z])|[0-9]{1,9}(?=[.)](?:\s|$)))")
_FLOOD = re.compile(r"`{41,}")
"""cmark reads no code span whose fence is longer than 80 backticks, and counts a block's fence in one byte."""
_BACKTICKS = re.compile(r"`+")


class Markdown(str):
    """Text that is safe to stand in our Markdown as it is. Made by the functions here and by our templates only."""

    __slots__ = ()


class Html(str):
    """Text that is safe inside an HTML element of ours, where Markdown is not read (a `<summary>`)."""

    __slots__ = ()


def _break_references(shown: str) -> str:
    """Mentions, issue numbers and markers that no reader may follow, not even one of the plain text."""
    shown = shown.replace("<!--", f"<{BREAK}!--")
    return _GH_ISSUE.sub(rf"\1{BREAK}", _ISSUE.sub(f"#{BREAK}", _MENTION.sub(f"@{BREAK}", shown)))


def _break_links(shown: str) -> str:
    shown = _ADDRESS.sub(lambda match: f"{match.group(0)}{BREAK}", shown)
    return _EMOJI.sub(f":{BREAK}", _HASH.sub(rf"\g<0>{BREAK}", shown))


def _entity(match: re.Match[str]) -> str:
    return _ENTITIES[match.group(0)]


def text(untrusted: str, limit: int = 1000) -> Markdown:
    """Any text as words and nothing else: no element, link, mention, reference, emphasis, table cell or line end."""
    shown = _break_links(_break_references(visible(untrusted, limit))).strip()
    escaped = _BY_ENTITY.sub(_entity, _BY_BACKSLASH.sub(r"\\\g<0>", shown))
    return Markdown(_BLOCK_START.sub(_harmless_start, escaped))


def _harmless_start(match: re.Match[str]) -> str:
    """No list, rule or underline at the start of a line: a sign is escaped, a number's dot loses its meaning."""
    start = match.group(0)
    return f"{start}{BREAK}" if start.isdigit() else f"\\{start}"


def code(untrusted: str, limit: int = DEFAULT_LIMIT) -> Markdown:
    """Any text as an inline code span: one line, a fence longer than any run of backticks inside."""
    shown = _FLOOD.sub(_bounded_run, _break_references(visible(untrusted, limit)))
    if not shown.strip(" "):
        return Markdown("*(blank)*" if shown else "*(empty)*")
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return Markdown(f"{ticks}{pad}{shown}{pad}{ticks}")


def _bounded_run(match: re.Match[str]) -> str:
    return f"{'`' * 40}\\u{{+{len(match.group(0)) - 40} backticks}}"


def prose(sentence: str, limit: int = 1000) -> Markdown:
    """A sentence whose names stand between single backticks: those become code, the rest words. Any text is safe."""
    if len(sentence) > limit:
        return text(sentence, limit)
    pieces = _single_quoted(sentence)
    return Markdown("".join(code(piece) if quoted else _words(piece) for piece, quoted in pieces).strip())


def _words(piece: str) -> str:
    """`text` that keeps one blank at its ends, so that code and words do not run together."""
    inner = text(piece)
    before = " " if piece[:1].isspace() else ""
    after = " " if piece[-1:].isspace() and inner else ""
    return f"{before}{inner}{after}"


def _single_quoted(sentence: str) -> list[tuple[str, bool]]:
    """Split at `…` spans; one that is empty, unclosed or doubled stays words."""
    pieces: list[tuple[str, bool]] = []
    position = 0
    for match in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", sentence):
        pieces += [(sentence[position : match.start()], False), (match.group(1), True)]
        position = match.end()
    pieces.append((sentence[position:], False))
    return [(piece, quoted) for piece, quoted in pieces if piece]


def _longest_run(shown: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(shown)), default=0)


def fence(untrusted: str, language: Language = "", limit: int = 20_000) -> Markdown:
    """Any text as a fenced block that its content cannot close, with blank lines around: safe inside `<details>` too.

    Line ends are normalised (a bare CR would close a fence); the fence is longer than any run of backticks inside.
    """
    shown = _FLOOD.sub(_bounded_run, _break_references(visible_block(untrusted, limit)))
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return Markdown(f"\n\n{ticks}{language}\n{shown}\n{ticks}\n\n")


def html_text(untrusted: str, limit: int = DEFAULT_LIMIT) -> Html:
    """Any text as words inside an HTML element of ours."""
    return Html(html.escape(_break_links(_break_references(visible(untrusted, limit))), quote=False))


def html_code(untrusted: str, limit: int = DEFAULT_LIMIT) -> Html:
    """Any text as `<code>` inside an HTML element of ours."""
    shown = _break_references(visible(untrusted, limit))
    return Html(f"<code>{html.escape(shown, quote=False)}</code>" if shown.strip() else "<i>(empty)</i>")


def details(summary: Html, body: Markdown) -> Markdown:
    """A collapsed block. Blank lines around the body make Markdown, and fences, be read inside."""
    return Markdown(f"\n\n<details>\n<summary>{summary}</summary>\n\n{body.strip()}\n\n</details>\n\n")


def table(
    header: Sequence[Markdown], rows: Iterable[Sequence[Markdown]], align: Sequence[Align] = ()
) -> Markdown:
    """A table. Cells are Markdown of one line; a pipe left raw by a code span is escaped as tables want it."""
    sides = [*align, *["left"] * (len(header) - len(align))]
    rule = ["--:" if side == "right" else "---" for side in sides]
    lines = [_row(header), f"| {' | '.join(rule)} |", *(_row(row) for row in rows)]
    return Markdown("\n\n" + "\n".join(lines) + "\n\n")


def _row(cells: Sequence[Markdown]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in cells) + " |"


def join(parts: Iterable[Markdown], separator: str = " ") -> Markdown:
    """Safe pieces side by side; the separator is ours."""
    return Markdown(separator.join(parts))


def link(label: str, address: str) -> Markdown:
    """A link of ours: https only, anything else stays the label alone."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.\-_~:/?#@!$&*+,;=%]{1,2000}", address):
        return text(label)
    return Markdown(f"[{text(label)}](<{address}>)")


def stack(*blocks: Markdown) -> Markdown:
    """Blocks one below the other with one blank line between; empty blocks vanish."""
    return Markdown("\n\n".join(block.strip("\n") for block in blocks if block.strip()))


def bullets(items: Iterable[Markdown]) -> Markdown:
    """A list of one-line items."""
    return Markdown("\n".join(f"- {item}" for item in items))


def names(ids: Sequence[str], limit: int = 30) -> Markdown:
    """Names as code, comma-separated; beyond `limit` they are counted."""
    shown = ", ".join(code(name, 100) for name in ids[:limit])
    return Markdown(f"{shown} and {len(ids) - limit:,} more" if len(ids) > limit else shown)
