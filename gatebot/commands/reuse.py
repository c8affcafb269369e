"""Trials that this very evaluation has run before, in whatever results directory: found in the store, not paid again."""

from __future__ import annotations

import datetime
import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gatebot.commands.request import EvaluationRequest
from gatebot.commands.views import Evaluation
from gatebot.model.config import AgentConfig
from gatebot.model.suite import Suite
from gatebot.model.trial import Side, Trial, TrialKey
from gatebot.ports import TrialTask
from gatebot.process.withheld import called_secret
from gatebot.results.recordings import Question, RecordedSlot, RecordingIndex, earlier_questions
from gatebot.results.trial_store import TrialOrigin, TrialStore
from gatebot.suite.snapshot import agent_digest, case_run_digest
from gatebot.workspace.cache_directory import CacheDirectory
from gatebot.workspace.checkout import Examined
from gatebot.workspace.installer_variables import installer_variables
from gatebot.workspace.side_place import machine_digest


@dataclass(frozen=True, slots=True)
class _SideOrigin:
    tree: str
    agent: str


class ReusedTrials:
    """The store as the runner sees it: tasks in, trials of the same evaluation out."""

    def __init__(
        self,
        store: TrialStore,
        sides: Mapping[Side, _SideOrigin],
        cases: Mapping[str, str],
        environment: str,
    ) -> None:
        self._store = store
        self._sides = sides
        self._cases = cases
        self._environment = environment
        self._lock = threading.Lock()
        self._broken: dict[Side, list[Trial]] = {side: [] for side in sides}
        self._completed: set[Side] = set()
        self._evaluation = _digest(
            environment,
            *(word for side in sorted(sides) for word in (side, sides[side].tree, sides[side].agent)),
        )

    @property
    def evaluation(self) -> str:
        """The digest that names the comparison: machine, trees, agents."""
        return self._evaluation

    def earlier_questions(self, question: Question) -> tuple[Question, ...]:
        """What else was asked of these trees before this was asked first."""
        return earlier_questions(self._store.path, self._evaluation, question)

    def recordings(self, side: Side) -> RecordingIndex:
        """The recordings of a side's agent: the same tree, configuration and environment, in whatever evaluation."""
        one = self._sides[side]
        return RecordingIndex(self._store.path, recordings_key(one.tree, one.agent, self._environment))

    def recorded(self, side: Side, case: str, at: RecordedSlot) -> tuple[Trial, datetime.date] | None:
        """The trial that another evaluation ran of a side's agent in a slot, and the day (UTC) it was kept."""
        one = self._sides[side]
        return self._store.find_dated(
            TrialOrigin(at.evaluation, one.tree, self._cases[case], one.agent, self._environment, at.slot)
        )

    def find(self, task: TrialTask) -> Trial | None:
        """The trial this task has come to before."""
        origin = self._origin(task.key)
        found = None if origin is None else self._store.find(origin)
        if found is None or (found.key, found.seed) != (task.key, task.seed):
            return None
        return replace(found, round=task.round, reused=True)

    def keep(self, trial: Trial) -> None:
        """Keep what a task has come to.

        A side on which nothing completes leaves nothing behind: a missing key would otherwise be remembered as what
        the agent does. Single trials that broke off are kept, so that running again is no second chance for them.
        """
        with self._lock:
            if trial.status == "completed":
                self._completed.add(trial.side)
            waiting = self._broken.get(trial.side, [])
            waiting.append(trial)
            ready = [*waiting] if trial.side in self._completed else []
            if ready:
                waiting.clear()
        for one in ready:
            self._store_one(one)

    def _store_one(self, trial: Trial) -> None:
        origin = self._origin(trial.key)
        if origin is not None:
            self._store.keep(origin, trial)

    def _origin(self, key: TrialKey) -> TrialOrigin | None:
        side = self._sides.get(key.side)
        if side is None:
            return None
        case = self._cases[key.case]
        return TrialOrigin(self._evaluation, side.tree, case, side.agent, self._environment, key.slot)


def reused_trials(
    evaluation: Evaluation,
    examined: Mapping[Side, Examined],
    request: EvaluationRequest,
    cache: CacheDirectory,
) -> ReusedTrials | None:
    """What may be reused; None when nothing may: it was not wanted, or the agents' trees do not cause what they do.

    Recordings, `oracle` and `nop` cost nothing, and a server that somebody else started may be any version.
    """
    if not request.reuse or not all(_in_the_tree(view.agent) for view in evaluation.sides.values()):
        return None
    suite = evaluation.ruler.suite
    store = TrialStore(request.store or cache.store, request.today, request.tell)
    sides: dict[Side, _SideOrigin] = {
        side: _SideOrigin(examined[side].digest, agent_digest(view.agent))
        for side, view in evaluation.sides.items()
    }
    cases = {case.id: case_run_digest(case) for case in suite.cases}
    return ReusedTrials(store, sides, cases, environment_digest(suite, request.environment, evaluation))


def recordings_key(tree: str, agent: str, environment: str) -> str:
    """What names an agent's recordings: the digests of its tree, configuration and environment, as one."""
    return _digest(tree, agent, environment)


def environment_digest(suite: Suite, environment: Mapping[str, str], evaluation: Evaluation) -> str:
    """What trials get beside their tree: the machine, the network, where packages come from, and the named variables.

    Of a variable that is called like a credential only whether it is set counts: a new key is the same agent.
    """
    names = suite.config.agent.env
    values = [
        f"{name}={'' if called_secret(name) else environment[name]}"
        for name in sorted(names)
        if name in environment
    ]
    installing = any(view.agent.setup for view in evaluation.sides.values())
    packages = installer_variables(environment) if installing else {}
    return _digest(
        machine_digest(), suite.config.network, *values, "", *(f"{n}={v}" for n, v in packages.items())
    )


def _in_the_tree(agent: AgentConfig) -> bool:
    if agent.http is not None:
        return agent.http.start is not None
    return agent.command is not None or agent.python is not None


def _digest(*words: str) -> str:
    parts: Sequence[bytes] = [
        hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest() for word in words
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()
