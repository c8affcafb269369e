"""How far a judge can be trusted: its agreement with people on labelled examples, and with itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatebot.errors import InputFileError, Location
from gatebot.judge.agreement import Level, cohens_kappa, krippendorffs_alpha
from gatebot.judge.asking import Asker, Member
from gatebot.judge.floor import capped, floor_of
from gatebot.judge.material import material_of
from gatebot.judge.protocol import question_of
from gatebot.judge.rubric import Rubric, panel_digest, rubrics_of
from gatebot.model.judge import JudgeConfig
from gatebot.model.labelled import LabelledExample
from gatebot.model.suite import Case, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Trial

GOOD = 0.5
"""For kappa a score on the unit scale counts as good from here on."""
FEWEST_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Labelled:
    """An example ready to judge, with the value people gave it."""

    rubric: Rubric
    case: Case
    trial: Trial
    value: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was measured for one metric. `alpha`, `kappa`: with people; `itself`: the judge's repeated judgements.

    None = cannot be measured: too little variation. `digest`: of rubric and panel. `errors`: judge errors, left out.
    """

    metric: str
    digest: str
    examples: int
    errors: int
    alpha: float | None
    kappa: float | None
    itself: float | None


def labelled(example: LabelledExample, config: JudgeConfig, location: Location) -> Labelled:
    """The example of a line. Raises InputFileError, at `location`, for a metric or a label the configuration lacks."""
    rubrics = {rubric.metric: rubric for rubric in rubrics_of(config)}
    metric = example.metric or (next(iter(rubrics)) if len(rubrics) == 1 else "")
    if metric not in rubrics:
        message = f"the label is for {metric or 'no metric'!r}, judged are {', '.join(rubrics)}"
        raise InputFileError(message, "name one of them as `metric`", location=location)
    rubric = rubrics[metric]
    case = Case(
        id="example",
        path="example",
        turns=(example.task,),
        references=(Reference(answer=example.reference),) if example.reference is not None else (),
    )
    calls = tuple(
        ToolCall(f"c{place}", step.tool, dict(step.arguments), result=step.result)
        for place, step in enumerate(example.steps, start=1)
    )
    messages = [Message("user", example.task)]
    messages += [Message("assistant", "", (call,)) for call in calls]
    if example.answer is not None:
        messages.append(Message("assistant", example.answer))
    trial = Trial(
        "example", "head", 1, 0, "completed", trajectory=Trajectory(tuple(messages)), answer=example.answer
    )
    return Labelled(rubric, case, trial, _value(example.label, rubric, location))


def calibrate(
    examples: Sequence[Labelled], config: JudgeConfig, asker: Asker, *, repeat: int = 2
) -> tuple[Agreement, ...]:
    """Judge every example `repeat` times by each model (or as often as configured, if more), and measure agreement."""
    found: list[Agreement] = []
    for rubric in rubrics_of(config):
        mine = [example for example in examples if example.rubric.metric == rubric.metric]
        if mine:
            found.append(_measured(rubric, mine, config, asker, max(repeat, config.samples)))
    return tuple(found)


def _measured(
    rubric: Rubric, examples: Sequence[Labelled], config: JudgeConfig, asker: Asker, repeat: int
) -> Agreement:
    people: list[float] = []
    judged: list[float] = []
    repeated: list[list[float | None]] = []
    for example in examples:
        values, counted = _opinions(example, config, asker, repeat)
        repeated += values
        if counted is not None:
            people.append(example.value)
            judged.append(counted)
    level: Level = "nominal" if rubric.scale == "boolean" else "interval"
    return Agreement(
        metric=rubric.metric,
        digest=panel_digest(rubric, config),
        examples=len(people),
        errors=len(examples) - len(people),
        alpha=krippendorffs_alpha(list(zip(people, judged, strict=True)), level),
        kappa=cohens_kappa(_categories(people, rubric), _categories(judged, rubric)),
        itself=krippendorffs_alpha(repeated, level),
    )


def _opinions(
    example: Labelled, config: JudgeConfig, asker: Asker, repeat: int
) -> tuple[list[list[float | None]], float | None]:
    """Each model's repeated values, and the panel's word as the gate would have it."""
    floor = floor_of(example.case, example.trial, example.rubric)
    if floor.decided:
        return [], floor.cap
    question = question_of(example.rubric, material_of(example.case, example.trial, example.rubric))
    values = [
        [asker.opinion(question, Member(model, sample)).value for sample in range(1, repeat + 1)]
        for model in config.models
    ]
    panel = [value for row in values for value in row[: config.samples] if value is not None]
    if 2 * len(panel) < len(config.models) * config.samples:
        return values, None
    return values, capped(sum(panel) / len(panel), floor, example.rubric)


def _categories(values: Sequence[float], rubric: Rubric) -> list[float]:
    if rubric.choices:
        fixed = sorted(set(rubric.choices.values()))
        return [min(fixed, key=lambda choice: abs(choice - value)) for value in values]
    return [float(value >= GOOD) for value in values]


def _value(label: bool | float | str, rubric: Rubric, location: Location) -> float:
    if isinstance(label, str):
        if label not in rubric.choices:
            message = f"the label {label[:60]!a} is no word of the rubric {rubric.name}"
            raise InputFileError(message, f"words: {', '.join(rubric.choices) or 'none'}", location=location)
        return rubric.choices[label]
    if not 0 <= float(label) <= 1:
        message = "a label is a number in [0, 1]"
        raise InputFileError(message, "0 is worst, 1 is best", location=location)
    return float(label)
