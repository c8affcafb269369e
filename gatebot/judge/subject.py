"""Which questions a trial raises, and the digest that ties a judgement to what was judged, by what and by whom."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from gatebot.judge.floor import Floor, floor_of
from gatebot.judge.material import material_of
from gatebot.judge.protocol import Question, question_of
from gatebot.judge.rubric import Rubric, panel_digest, rubrics_of
from gatebot.model.json_value import JsonObject
from gatebot.model.judge import JudgeConfig
from gatebot.model.suite import Case
from gatebot.model.trial import Trial


@dataclass(frozen=True, slots=True)
class Subject:
    """A question about one trial, what the floor rules say of it, and its digest with the panel's."""

    question: Question
    floor: Floor
    digest: str


class Subjects:
    """Makes the questions about trials for one configuration."""

    def __init__(self, config: JudgeConfig) -> None:
        self.rubrics: tuple[Rubric, ...] = rubrics_of(config)
        self._panels = {rubric.metric: panel_digest(rubric, config) for rubric in self.rubrics}

    def of(self, case: Case, trial: Trial) -> Iterator[Subject]:
        """One subject per rubric. Never raises on what the trial holds."""
        shown: dict[tuple[str, bool], JsonObject] = {}
        for rubric in self.rubrics:
            key = (rubric.looks_at, rubric.reference)
            if key not in shown:
                shown[key] = material_of(case, trial, rubric)
            question = question_of(rubric, shown[key])
            floor = floor_of(case, trial, rubric)
            whole = f"{question.subject}\0{self._panels[rubric.metric]}\0{floor.cap}\0{floor.rule}"
            yield Subject(question, floor, hashlib.sha256(whole.encode()).hexdigest())
