"""A trial that people have judged: one line of the examples a judge is calibrated with."""

from __future__ import annotations

from pydantic import Field, JsonValue

from gatebot.model.written import Several, Text, Written


class LabelledStep(Written):
    """One tool call of a labelled example."""

    tool: Text = Field(description="The tool called.")
    arguments: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue], description="With what.")
    result: str | None = Field(default=None, description="What came back.")


class LabelledExample(Written):
    """What an agent did, and what people say of it."""

    metric: Text | None = Field(
        default=None, description="Judge metric that the label is for; default: the only one judged."
    )
    task: Text = Field(description="What the user asked.")
    steps: Several[LabelledStep] = Field(default=(), max_length=200, description="The agent's tool calls.")
    answer: str | None = Field(default=None, description="The agent's answer.")
    reference: str | None = Field(default=None, description="The right answer, where there is one.")
    label: bool | float | str = Field(
        description="What people say: a number in [0, 1], true or false, or one of the rubric's words."
    )
