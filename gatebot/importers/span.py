"""One span of a trace, whatever export it came in: who called whom, when, with which attributes, and did it fail."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gatebot.importers.fields import EMPTY, first, flag, inner, items, number, obj, objects, string, text
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

_MAX_DEPTH = 32
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Span:
    """`start` and `end` in seconds; `failed` None = the status says nothing; `events` as {name, attributes}."""

    name: str
    start: float | None
    end: float | None
    attributes: JsonObject = field(default_factory=lambda: EMPTY)
    failed: bool | None = None
    events: tuple[JsonObject, ...] = ()


def read_spans(document: JsonValue) -> list[Span]:
    """The spans of an OTLP, Jaeger, SDK or Phoenix export by start time; [] when it is none of these."""
    found = [span for part in (document if is_array(document) else [document]) for span in _read(part)]
    return sorted(found, key=lambda span: (span.start is None, span.start or 0.0))


def exceptions(spans: Iterable[Span]) -> list[str]:
    """Class names of the exceptions that these spans recorded as events."""
    events = (event for span in spans for event in span.events if event.get("name") == "exception")
    return [kind for event in events if (kind := text(obj(event.get("attributes")), "exception.type"))]


def seconds(value: JsonValue) -> float | None:
    """Seconds since 1970 of an ISO time or of a number in seconds, milli-, micro- or nanoseconds, told by its size."""
    if isinstance(value, str) and not value.isdecimal():
        try:
            moment = datetime.datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    count = float(value) if isinstance(value, str) and len(value) <= 25 else number(value)
    if count is None:
        return None
    for unit in (1e18, 1e15, 1e12):  # today is 1.8e9 s, 1.8e12 ms, 1.8e15 µs, 1.8e18 ns
        if count >= unit:
            return count / (unit / 1e9)
    return count


def _read(document: JsonValue) -> list[Span]:
    source = obj(document)
    if "resourceSpans" in source or "resource_spans" in source:
        return [
            _otlp(span)
            for resource in objects(first(source, "resourceSpans", "resource_spans"))
            for scope in objects(first(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"))
            for span in objects(scope.get("spans"))
        ]
    if is_array(source.get("data")):
        return [_jaeger(s) for trace in objects(source["data"]) for s in objects(trace.get("spans"))]
    if is_array(source.get("spans")):
        return [
            _jaeger(span)
            if "operationName" in span
            else _otlp(span)
            if is_array(span.get("attributes"))
            else _sdk(span)
            for span in objects(source["spans"])
        ]
    if is_array(source.get("attributes")):
        return [_otlp(source)]
    return [_sdk(source)] if is_object(source.get("attributes")) and "name" in source else []


def _otlp(span: JsonObject) -> Span:
    code = inner(span, "status").get("code")
    return Span(
        text(span, "name") or "",
        seconds(first(span, "startTimeUnixNano", "start_time_unix_nano")),
        seconds(first(span, "endTimeUnixNano", "end_time_unix_nano")),
        _attributes(span.get("attributes")),
        True if code in (2, "STATUS_CODE_ERROR") else False if code in (1, "STATUS_CODE_OK") else None,
        tuple(
            {"name": event.get("name"), "attributes": _attributes(event.get("attributes"))}
            for event in objects(span.get("events"))
        ),
    )


def _jaeger(span: JsonObject) -> Span:
    tags = {key: tag.get("value") for tag in objects(span.get("tags")) if (key := text(tag, "key"))}
    status = string(tags.get("otel.status_code"))
    failed = status == "ERROR" if status else flag(tags.get("error"))
    start, duration = seconds(span.get("startTime")), number(span.get("duration"))
    end = start + duration / 1e6 if start is not None and duration is not None else None
    return Span(text(span, "operationName") or "", start, end, tags, failed)


def _sdk(span: JsonObject) -> Span:
    """A Python SDK's to_json, or a row of Phoenix; attributes flat or nested."""
    status = text(inner(span, "status"), "status_code", "code") or text(span, "status_code", "status")
    status = (status or "").upper().removeprefix("STATUSCODE.")
    return Span(
        text(span, "name") or "",
        seconds(span.get("start_time")),
        seconds(span.get("end_time")),
        obj(span.get("attributes")),
        True if status == "ERROR" else False if status == "OK" else None,
        tuple(objects(span.get("events"))),
    )


def _attributes(listed: JsonValue, depth: int = 0) -> JsonObject:
    return {
        key: _any_value(item.get("value"), depth) for item in objects(listed) if (key := text(item, "key"))
    }


def _any_value(value: JsonValue, depth: int) -> JsonValue:
    """OTLP's AnyValue as JSON; what is nested beyond all reason is taken as absent."""
    if not is_object(value):
        return value
    for key, item in value.items():
        if key in ("stringValue", "boolValue", "doubleValue", "string_value", "bool_value", "double_value"):
            return item
        if key in ("intValue", "int_value"):
            return int(item) if isinstance(item, str) and _INTEGER.fullmatch(item) else item
        if key in ("arrayValue", "array_value") and depth < _MAX_DEPTH:
            return [_any_value(element, depth + 1) for element in items(obj(item).get("values"))]
        if key in ("kvlistValue", "kvlist_value") and depth < _MAX_DEPTH:
            return dict(_attributes(obj(item).get("values"), depth + 1))
    return None
