"""The `judge:` section of gatebot.yaml: which model gives a second opinion, on what, and what it may cost."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, Tag, field_validator, model_validator

from gatebot.model.metric import BUILTIN_RUBRICS, USER_JUDGE_PREFIX
from gatebot.model.written import URL_PATTERN, EnvName, Several, Slug, Text, Written, mistake, tell_by_shape

BuiltinRubric: TypeAlias = Literal[
    "trajectory", "final_response", "tool_use", "efficiency", "grounding", "questions"
]
MAX_OPINIONS = 6
"""Judgements of one trial on one rubric: models times samples."""


class JudgeExample(Written):
    """A worked example for the judge: what it is shown and what it should say."""

    question: str = Field(default="", max_length=4000, description="What the user asked.")
    steps: Several[Text] = Field(default=(), max_length=20, description="What the agent did, a line a step.")
    answer: str = Field(default="", max_length=4000, description="The agent's answer.")
    value: float = Field(ge=0, le=1, description="The right score, in [0, 1].")
    explanation: str = Field(min_length=3, max_length=1000, description="Why.")


class UserRubric(Written):
    """A rubric of your own; its metric is `judge:<name>`."""

    name: Slug = Field(description="Names the metric: `judge:<name>`.")
    ask: str = Field(
        min_length=10, max_length=4000, description="What is judged, and what is good and bad, in your words."
    )
    scale: Literal["unit", "boolean"] = Field(
        default="unit", description="unit: a number from 0 to 1. boolean: holds or does not."
    )
    choices: dict[Slug, float] = Field(
        default_factory=dict[str, float],
        description="Instead of a scale, the words to choose from, each with its value in [0, 1].",
    )
    looks_at: Literal["answer", "trajectory"] = Field(
        default="trajectory",
        description="answer: the judge is shown the answer alone, not how it came about.",
    )
    reference: bool = Field(default=True, description="Show the golden to the judge where there is one.")
    examples: Several[JudgeExample] = Field(
        default=(), max_length=8, description="Worked examples, shown before each trial."
    )

    @model_validator(mode="after")
    def _choices_make_sense(self) -> Self:
        values = self.choices.values()
        if self.choices and (len(self.choices) < 2 or len(set(values)) < 2):
            raise mistake(
                "choices need two values at least", "{good: 1, fair: 0.5, bad: 0}", key=("choices",)
            )
        if any(not 0 <= value <= 1 for value in values):
            raise mistake("a choice's value must lie in [0, 1]", "0 is worst, 1 is best", key=("choices",))
        return self


class ModelPrice(Written):
    """US dollars per million tokens."""

    input: float = Field(ge=0, description="US dollars per million tokens read.")
    output: float = Field(ge=0, description="US dollars per million tokens written.")


class Calibration(Written):
    """What `gatebot judge calibrate` measured for one metric; it prints this block."""

    agreement: float = Field(ge=-1, le=1, description="Krippendorff's alpha between judge and people.")
    rubric: str = Field(
        pattern=r"^[0-9a-f]{16}$", description="Digest of the rubric and models it was measured with."
    )
    examples: int = Field(ge=1, description="Labelled examples behind it.")


RubricEntry: TypeAlias = Annotated[
    Annotated[BuiltinRubric, Tag("kind:name")] | Annotated[UserRubric, Tag("kind:keys")],
    tell_by_shape(
        {str: "name", dict: "keys", UserRubric: "keys"}, "a built-in rubric's name or {name, ask, …}"
    ),
]


class JudgeConfig(Written):
    """A model's second opinion on every trial. Its metrics inform; they gate only when listed and calibrated."""

    model: Text = Field(default="claude-sonnet-4-6", description="The model that judges.")
    panel: Several[Text] = Field(
        default=(), max_length=2, description="Further models that judge independently; the mean counts."
    )
    samples: int = Field(default=1, ge=1, le=3, description="Independent judgements of each model.")
    base_url: str = Field(
        default="https://api.anthropic.com", pattern=URL_PATTERN, description="Where the Messages API is."
    )
    key_env: EnvName = Field(
        default="ANTHROPIC_API_KEY", description="Name of the environment variable that holds the key."
    )
    rubrics: Several[RubricEntry] = Field(
        default=("trajectory",),
        min_length=1,
        description="What is judged: trajectory, final_response, tool_use, efficiency, grounding, questions, "
        "or rubrics of your own.",
    )
    timeout: float = Field(
        default=60.0, gt=0, le=600, description="Seconds for one judgement, all its attempts together."
    )
    concurrency: int = Field(
        default=4,
        ge=1,
        le=32,
        description="Requests under way at once, at most; fewer while the API is busy.",
    )
    max_tokens: int = Field(default=1024, ge=128, le=16384, description="Tokens of one answer.")
    usd: float | None = Field(
        default=None, gt=0, description="Upper bound of what judging may cost, in US dollars."
    )
    prices: dict[str, ModelPrice] = Field(
        default_factory=dict[str, ModelPrice],
        description="Prices of models, where the built-in table lacks them or is out of date.",
    )
    agreement_floor: float = Field(
        default=0.6,
        ge=0,
        le=1,
        description="A metric with less agreement with people informs and does not gate; 0 asks for none.",
    )
    calibration: dict[str, Calibration] = Field(
        default_factory=dict[str, Calibration],
        description="Metric → what `gatebot judge calibrate` measured.",
    )
    canaries: bool = Field(
        default=True,
        description="Begin every session with trials that must score low; otherwise distrust it.",
    )
    cache: str | None = Field(
        default=None,
        min_length=1,
        max_length=300,
        description="Directory of answers that may be used again, beside the results' directory. Agents must not "
        "be able to write there.",
    )
    batch: bool = Field(
        default=False, description="Use the batches API: half the price, and it may take hours."
    )
    batch_wait: float = Field(default=3600.0, gt=0, le=90000, description="Seconds to wait for a batch.")
    explain: bool = Field(default=True, description="Say in the comment what got worse in the cases shown.")

    @field_validator("cache")
    @classmethod
    def _stays_beside(cls, value: str | None) -> str | None:
        if value is not None and (value.startswith("/") or ".." in value.split("/")):
            raise mistake("the cache lies beside the results", "write a plain name, such as judge-cache")
        return value

    @field_validator("calibration")
    @classmethod
    def _finite(cls, value: dict[str, Calibration]) -> dict[str, Calibration]:
        for name, found in value.items():
            if not math.isfinite(found.agreement):
                raise mistake("agreement must be a number", "run `gatebot judge calibrate`", key=(name,))
        return value

    @model_validator(mode="after")
    def _sound(self) -> Self:
        names = [self._metric(entry) for entry in self.rubrics]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise mistake(f"{twice} is judged twice", "remove one of the rubrics", key=("rubrics",))
        if len(set(self.models)) != len(self.models):
            raise mistake("a model is on the panel twice", "use `samples` for that", key=("panel",))
        if len(self.models) * self.samples > MAX_OPINIONS:
            raise mistake("more than six judgements of one trial", "lower samples", key=("samples",))
        stranger = next((name for name in self.calibration if name not in names), None)
        if stranger is not None:
            raise mistake(
                f"'{stranger[:80]}' is calibrated but not judged",
                f"judged are {', '.join(names)}",
                key=("calibration", stranger),
            )
        return self

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that judges, the first first."""
        return (self.model, *self.panel)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics the rubrics make, in the order of the rubrics."""
        return tuple(self._metric(entry) for entry in self.rubrics)

    @staticmethod
    def _metric(entry: BuiltinRubric | UserRubric) -> str:
        if isinstance(entry, UserRubric):
            return f"{USER_JUDGE_PREFIX}{entry.name}"
        return BUILTIN_RUBRICS[entry]
