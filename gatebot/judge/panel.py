"""Several opinions into one judgement: their mean, how far they are apart, and when there are too few of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gatebot.judge.floor import Floor, capped
from gatebot.judge.protocol import Question
from gatebot.model.judgement import Judgement, Opinion
from gatebot.model.trial import Trial

_FAMILIES = (
    ("claude", ("claude", "anthropic")),
    ("gpt", ("gpt", "openai", "o1", "o3", "o4", "chatgpt")),
    ("gemini", ("gemini", "google")),
    ("llama", ("llama", "meta")),
    ("mistral", ("mistral", "mixtral", "codestral")),
    ("qwen", ("qwen",)),
    ("deepseek", ("deepseek",)),
    ("grok", ("grok", "xai")),
)


def judgement_of(
    trial: Trial, question: Question, subject: str, floor: Floor, opinions: Sequence[Opinion]
) -> Judgement:
    """The panel's word on a trial. Half of the opinions at least must be usable; else it is ungraded, with the error."""
    metric = question.rubric.metric
    values = [opinion.value for opinion in opinions if opinion.value is not None]
    if floor.decided:
        return _judgement(trial, metric, subject, (floor.cap, floor.rule, floor.rule), ())
    if not values or 2 * len(values) < len(opinions):
        error = next((opinion.error for opinion in opinions if opinion.error), "there is no opinion")
        return _judgement(trial, metric, subject, (None, f"judge error: {error}", ""), opinions)
    mean = sum(values) / len(values)
    value = capped(mean, floor, question.rubric)
    said = next(opinion.explanation for opinion in opinions if opinion.value is not None)
    rule = floor.rule if value != mean else ""
    return _judgement(trial, metric, subject, (value, said, rule), opinions)


def _judgement(
    trial: Trial,
    metric: str,
    subject: str,
    found: tuple[float | None, str, str],
    opinions: Sequence[Opinion],
) -> Judgement:
    value, reason, rule = found
    values = [opinion.value for opinion in opinions if opinion.value is not None]
    return Judgement(
        case=trial.case,
        side=trial.side,
        slot=trial.slot,
        metric=metric,
        value=value,
        subject=subject,
        reason=reason,
        disagreement=max(values) - min(values) if len(values) > 1 else None,
        floor=rule,
        opinions=tuple(opinions),
    )


def family_of(model: str) -> str:
    """The family a model's name tells, or an empty string."""
    name = model.lower().rpartition("/")[2]
    return next((family for family, signs in _FAMILIES if any(name.startswith(s) for s in signs)), "")


def same_family(judges: Iterable[str], agents: Iterable[str]) -> str:
    """The family a judge shares with the agent, or an empty string: models are kind to their own."""
    of_agents = {family_of(model) for model in agents} - {""}
    return next((family for family in map(family_of, judges) if family in of_agents), "")
