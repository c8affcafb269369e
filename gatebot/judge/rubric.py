"""What a judge is asked: a rubric, its scale, the form its answer must have, and a digest that changes with any of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

import orjson

from gatebot.judge.rubric_texts import BUILTIN_ASKS, QUESTIONS
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.judge import JudgeConfig, JudgeExample, UserRubric
from gatebot.model.metric import BUILTIN_RUBRICS, USER_JUDGE_PREFIX

Scale = Literal["unit", "boolean", "choices", "questions"]
LooksAt = Literal["answer", "trajectory"]
TOOL_NAME = "judgement"
CATEGORIES = ("none", "planning", "hallucination", "reasoning")
MAX_EXPLANATION = 2000
MAX_POINTS = 6


@dataclass(frozen=True, slots=True)
class Rubric:
    """One thing that is judged. `choices`: word → value; `questions`: key → question, each answered yes or no."""

    name: str
    metric: str
    ask: str
    scale: Scale = "unit"
    choices: dict[str, float] = field(default_factory=dict[str, float])
    questions: dict[str, str] = field(default_factory=dict[str, str])
    looks_at: LooksAt = "trajectory"
    reference: bool = True
    examples: tuple[JudgeExample, ...] = ()

    @property
    def lowest(self) -> float:
        """The smallest value an answer can have."""
        return min(self.choices.values()) if self.choices else 0.0

    def digest(self) -> str:
        """sha256 in hex over everything that is asked."""
        plain: dict[str, JsonValue] = {
            "ask": self.ask,
            "choices": self.choices,
            "examples": [example.model_dump() for example in self.examples],
            "looks_at": self.looks_at,
            "metric": self.metric,
            "questions": self.questions,
            "reference": self.reference,
            "scale": self.scale,
        }
        return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()


def rubrics_of(config: JudgeConfig) -> tuple[Rubric, ...]:
    """The rubrics a configuration names, in its order."""
    return tuple(
        _user(entry) if isinstance(entry, UserRubric) else builtin_rubric(entry) for entry in config.rubrics
    )


def builtin_rubric(name: str) -> Rubric:
    """A built-in rubric. Raises KeyError for an unknown name."""
    looks_at, ask = BUILTIN_ASKS[name]
    questions = dict(QUESTIONS) if name == "questions" else {}
    return Rubric(
        name=name,
        metric=BUILTIN_RUBRICS[name],
        ask=ask,
        scale="questions" if questions else "unit",
        questions=questions,
        looks_at=looks_at,
    )


def _user(entry: UserRubric) -> Rubric:
    return Rubric(
        name=entry.name,
        metric=f"{USER_JUDGE_PREFIX}{entry.name}",
        ask=entry.ask,
        scale="choices" if entry.choices else entry.scale,
        choices=dict(entry.choices),
        looks_at=entry.looks_at,
        reference=entry.reference,
        examples=entry.examples,
    )


def panel_digest(rubric: Rubric, config: JudgeConfig) -> str:
    """What a calibration holds for: rubric, models and samples; 16 hex digits."""
    asked = "\0".join((rubric.digest(), *config.models, str(config.samples)))
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def tool_of(rubric: Rubric) -> JsonObject:
    """The one tool the judge must call: the form of its answer. The explanation comes before the score."""
    properties: dict[str, JsonValue] = {
        "explanation": {
            "type": "string",
            "description": "Why, in at most five sentences. Name steps as `step 3`.",
        },
        "steps": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "Numbers of the steps the judgement rests on; empty when there are none.",
        },
        "strengths": _points("What was done well."),
        "weaknesses": _points("What was done badly."),
        "failure_category": {
            "type": "string",
            "enum": list(CATEGORIES),
            "description": "What kind of failure this is: a bad plan, a claim nothing supports, wrong reasoning; or none.",
        },
    }
    properties.update(_value_property(rubric))
    return {
        "name": TOOL_NAME,
        "description": "State the judgement. Call it exactly once.",
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    }


def _points(description: str) -> JsonValue:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _value_property(rubric: Rubric) -> dict[str, JsonValue]:
    if rubric.scale == "boolean":
        return {"score": {"type": "boolean", "description": "true when it holds, false when it does not."}}
    if rubric.scale == "choices":
        return {
            "score": {"type": "string", "enum": list(rubric.choices), "description": "The word that fits."}
        }
    if rubric.scale == "questions":
        answers: dict[str, JsonValue] = {
            key: {"type": "boolean", "description": question} for key, question in rubric.questions.items()
        }
        return {
            "answers": {
                "type": "object",
                "properties": answers,
                "required": list(answers),
                "additionalProperties": False,
            }
        }
    return {
        "score": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "From 0 (worst) to 1 (best).",
        }
    }
