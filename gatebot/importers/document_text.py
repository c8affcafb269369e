"""Text to documents: one JSON value, or JSON Lines, whose lines are documents of their own."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.strict_json import MAX_BYTES, MAX_VALUES, bounded_bytes, outside_strings, parse_json
from gatebot.model.json_value import JsonValue


def parse_documents(
    data: str | bytes, *, max_bytes: int = MAX_BYTES, max_values: int = MAX_VALUES, source: str = ""
) -> tuple[JsonValue, ...]:
    """The JSON values in `data`: one for JSON, one a line for JSON Lines; empty lines do not count.

    JSON Lines is told by its first line, which is a whole value with more after it. `max_bytes` and `max_values`
    bound all of it together. Raises ImportFormatError with the line at fault.
    """
    text = bounded_bytes(data, max_bytes, source)
    head, _, rest = text.lstrip().partition(b"\n")
    if rest.strip():
        try:
            parse_json(head, max_values=max_values)
        except ImportFormatError:  # the value goes on in the next line: all of it is one document
            pass
        else:
            outside_strings(
                text, max_values, source
            )  # no string spans lines, so this bounds all lines together
            return tuple(
                parse_json(
                    line, max_bytes=max_bytes, max_values=max_values, source=f"{source or 'line'} {number}"
                )
                for number, line in enumerate(text.split(b"\n"), start=1)
                if line.strip()
            )
    return (parse_json(text, max_bytes=max_bytes, max_values=max_values, source=source),)
