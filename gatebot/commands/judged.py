"""What the judge said, put to use: scores beside the graders' own, sentences for the report, explanations for cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from gatebot.core.evidence import MISSING_SHARE
from gatebot.judge.subject import Subjects
from gatebot.model.judge import JudgeConfig
from gatebot.model.judgement import Explanation, JudgeLine, Judgement, JudgeSession
from gatebot.model.report import Report
from gatebot.model.score import Grade, OtherFailure, Score
from gatebot.model.suite import Case
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.judgements import JUDGE_FILE, read_judge_lines

NOBODY = JudgeSession("did_not_run", "nobody has asked it yet: run `gatebot judge run` on the results")
_DISAGREE = 0.5
_REASON_LIMIT = 400
_CATCH_ALL = (None, "wrong_answer")
"""Rules that say only that the answer is wrong leave it to the judge to say why."""


@dataclass(slots=True)
class JudgeRecord:
    """judge.jsonl as one value: the last word on each trial and metric, the last session, the explanations.

    `distrusted`: metric → why its judgements do not count.
    """

    config: JudgeConfig
    session: JudgeSession = NOBODY
    judgements: dict[tuple[TrialKey, str], Judgement] = field(
        default_factory=dict[tuple[TrialKey, str], Judgement]
    )
    explanations: dict[str, Explanation] = field(default_factory=dict[str, Explanation])
    distrusted: dict[str, str] = field(default_factory=dict[str, str])
    subjects: Subjects = field(init=False)

    def __post_init__(self) -> None:
        self.subjects = Subjects(self.config)

    def stands(self, case: Case, trial: Trial) -> dict[str, Judgement]:
        """The judgements of a trial that are of what it holds now, by the configured rubrics and models."""
        found: dict[str, Judgement] = {}
        for subject in self.subjects.of(case, trial):
            metric = subject.question.rubric.metric
            judgement = self.judgements.get((trial.key, metric))
            if judgement is not None and judgement.subject == subject.digest:
                found[metric] = judgement
        return found

    def graded(self, case: Case, trial: Trial, grade: Grade) -> Grade:
        """The grade with the judge's scores, and its category where the rules know none."""
        if trial.status == "infra_error":
            return grade
        found = self.stands(case, trial) if trial.status == "completed" else {}
        scores = {metric: self._score(metric, trial, found.get(metric)) for metric in self.config.metrics}
        changed = replace(grade, scores={**grade.scores, **scores})
        if grade.passed is False and grade.failure in _CATCH_ALL and self._trusted():
            return _categorised(changed, found)
        return changed

    def explained(self, report: Report) -> Report:
        """The report with the explanation of each case that has one. No verdict is touched."""
        if not self._trusted():
            return report
        cases = tuple(
            replace(case, explanation=self.explanations[case.id].text)
            if case.id in self.explanations
            else case
            for case in report.cases
        )
        return replace(report, cases=cases)

    def notes(self) -> tuple[str, ...]:
        """Sentences for the report."""
        session = self.session
        if session.status == "did_not_run":
            return (f"The judge did not run: {session.reason}.",)
        notes = (
            []
            if session.status == "healthy"
            else [f"The judge's session is {session.status}: {session.reason}."]
        )
        notes += session.notes
        apart = sum((one.disagreement or 0.0) >= _DISAGREE for one in self.judgements.values())
        if apart:
            notes.append(f"The judge's panel disagrees by half the scale or more on {apart} judgements.")
        notes += [f"{metric} does not count: {why}." for metric, why in sorted(self.distrusted.items())]
        return tuple(notes)

    def _trusted(self) -> bool:
        return self.session.status in ("healthy", "stopped")

    def _score(self, metric: str, trial: Trial, judgement: Judgement | None) -> Score:
        if not self._trusted():
            verb = "did not run" if self.session.status == "did_not_run" else "is not trusted"
            return Score(None, f"the judge {verb}: {self.session.reason}"[:_REASON_LIMIT])
        if metric in self.distrusted:
            return Score(None, self.distrusted[metric])
        if trial.status != "completed":
            return Score(0.0, f"{trial.status}: {trial.reason}"[:_REASON_LIMIT])
        if judgement is None:
            return Score(None, "not judged")
        return Score(judgement.value, judgement.reason[:_REASON_LIMIT])


def read_record(folder: Path, config: JudgeConfig) -> JudgeRecord:
    """The record of a results directory. Raises InputFileError for a file that is not the judge's."""
    record = JudgeRecord(config)
    for line in read_judge_lines(folder / JUDGE_FILE):
        take(record, line)
    record.distrusted = {**_changed_models(record), **_too_many_errors(record.judgements.values())}
    return record


def take(record: JudgeRecord, line: JudgeLine) -> None:
    """Take one line in: the later one counts, but a judge error does not undo a judgement."""
    if line.session is not None:
        record.session = line.session
    if line.explanation is not None:
        record.explanations[line.explanation.case] = line.explanation
    if line.judgement is not None:
        key = line.judgement.key, line.judgement.metric
        before = record.judgements.get(key)
        if before is None or line.judgement.value is not None or before.subject != line.judgement.subject:
            record.judgements[key] = line.judgement


def _too_many_errors(judgements: Iterable[Judgement]) -> dict[str, str]:
    """Metrics of which more than a fifth of a side's judgements are judge errors: what is left may be a selection."""
    asked: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    for judgement in judgements:
        key = judgement.metric, judgement.side
        asked[key] += 1
        failed[key] += judgement.value is None
    return {
        metric: f"judge errors in {failed[metric, side]} of the {side}'s {asked[metric, side]} judgements"
        for metric, side in sorted(asked)
        if failed[metric, side] > MISSING_SHARE * asked[metric, side]
    }


def _changed_models(record: JudgeRecord) -> dict[str, str]:
    """All metrics, when a model of one name answered under several: its judgements cannot be compared."""
    answered: dict[str, set[str]] = {}
    for judgement in record.judgements.values():
        for opinion in judgement.opinions:
            if opinion.answered_by:
                answered.setdefault(opinion.model, set()).add(opinion.answered_by)
    for model, names in sorted(answered.items()):
        if len(names) > 1:
            why = f"{model} answered as {' and as '.join(sorted(names))}"
            return dict.fromkeys(record.config.metrics, why)
    return {}


def _categorised(grade: Grade, found: dict[str, Judgement]) -> Grade:
    for metric in sorted(found):
        for opinion in found[metric].opinions:
            if opinion.failure_category != "none":
                said = f"judge: {opinion.explanation}; rule: {grade.failure_reason}"
                return replace(
                    grade,
                    failure=opinion.failure_category,
                    failure_reason=said[:_REASON_LIMIT],
                    other_failures=(*_by_rule(grade), *grade.other_failures),
                )
    return grade


def _by_rule(grade: Grade) -> Iterator[OtherFailure]:
    """The category that the rules gave, which the judge's takes the place of."""
    if grade.failure is not None:
        yield OtherFailure(grade.failure, grade.failure_reason, grade.failure_steps)
