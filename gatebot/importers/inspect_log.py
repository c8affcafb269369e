"""Inspect logs: the messages of the one sample in them; tool errors are objects beside the text."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, obj, objects, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory


class InspectLog:
    """A log in JSON form with one sample, or a sample alone."""

    name = "inspect-log"

    def detects(self, document: JsonValue) -> bool:
        """Whether it is a log with eval and samples, or a sample with messages that name functions."""
        source = obj(document)
        return ("eval" in source and bool(objects(source.get("samples")))) or (
            "epoch" in source and bool(objects(source.get("messages")))
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for several samples and for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        samples = objects(obj(document).get("samples")) or [obj(document)]
        if len(samples) != 1:
            message = f"a log of {len(samples)} samples is not one trajectory"
            raise ImportFormatError(message, "give a log with one sample, or one element of `samples`")
        for message in objects(samples[0].get("messages")):
            _add(builder, message)
        if samples[0].get("error"):
            builder.warn("the sample ended in an error")
        asked = [e for e in objects(samples[0].get("events")) if e.get("event") == "model"]
        stopped = obj(samples[0].get("limit"))
        end = f"{text(stopped, 'type')} limit of {as_text(stopped.get('limit'))}" if stopped else None
        return declare(limited(builder.build(), end), *(event.get("tools") for event in asked))


def _add(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role = message.get("role")
    said = content_text(message.get("content"))
    if role == "assistant":
        builder.model(text(message, "model"))
        builder.say("assistant", said)
        for call in objects(message.get("tool_calls")):
            error = text(call, "parse_error")
            written = read_arguments(call.get("arguments"))
            if error is not None:
                written = Arguments(raw=written.raw, error=f"malformed: {error}")
            builder.call(tool_name(call, "function"), written, call_id=text(call, "id"))
    elif role == "tool":
        error = obj(message.get("error"))
        # A tool message always has the field; absent in a dump that leaves out what is null.
        builder.result(
            text(error, "message") if error and not said else result_text(message.get("content")),
            call_id=text(message, "tool_call_id"),
            name=text(message, "function"),
            is_error=bool(error),
        )
    else:
        builder.say("system" if role == "system" else "user", said)
