"""An evaluation from plan to report: check out, set up, run what is missing, conclude. The frame of gate, run and aa."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gatebot.commands.concluding import conclude, gather_evidence
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.ruler import Ruler, agent_files
from gatebot.commands.trials import Means, RunRounds, SideReady, running
from gatebot.core.rounds import first_rounds, next_rounds, seed_plan
from gatebot.model.config import AgentConfig
from gatebot.model.plan import Activity, Plan, SideInfo
from gatebot.model.report import Report
from gatebot.model.trial import Side
from gatebot.process.launch import Launchers
from gatebot.results.store import REPORT_FILE, ResultsDirectory, open_results
from gatebot.runner.progress import ProgressView
from gatebot.runner.schedule import interleaved
from gatebot.suite.snapshot import digests
from gatebot.suite.source import FileSource
from gatebot.workspace.checkout import Checkout, remove_directory, write_checkout
from gatebot.workspace.setup import SideSetup, set_up
from gatebot.workspace.tree import FileTree


class Tree(FileTree, FileSource, Protocol):
    """A tree of files that can be checked out and read by the suite's loader."""


@dataclass(frozen=True, slots=True)
class SideView:
    """One side before it is checked out: its files, commit, agent, and the first slot it uses."""

    tree: Tree
    sha: str
    label: str
    agent: AgentConfig
    dirty: bool = False
    first_slot: int = 1


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What to evaluate: the activity, the ruler, the sides in the order base, head, and the configuration's path.

    `shared_tree`: both sides are the same commit on purpose (`gatebot aa`) and do run.
    """

    activity: Activity
    ruler: Ruler
    sides: Mapping[Side, SideView]
    config_path: str
    shared_tree: bool = False


def evaluate(evaluation: Evaluation, request: EvaluationRequest, watch: ProgressView) -> Report:
    """Run what has not been run yet and write the results. A finished evaluation is concluded again, for nothing.

    Raises GatebotError of every kind; Cancelled after Ctrl-C, with finished trials kept.
    """
    with _work_directory() as work:
        checkouts = _check_out(evaluation, work)
        plan = _plan(evaluation, request, checkouts)
        results, found = open_results(request.out, plan, overwrite=True)
        suite = evaluation.ruler.suite
        again = found is not None and found.finished
        if found is not None:
            plan = replace(found, finished=False, stopped="")
        if again and not _goes_on(results):
            return conclude(replace(plan, finished=True), results.read_suite(), results.trials, results)
        results.write_suite(suite)
        if not plan.same_agent:
            plan = _run(
                plan, evaluation, checkouts, request, _Places(results, work, watch, beyond_no_sign=again)
            )
        plan = replace(plan, finished=not plan.stopped)
        results.write_plan(plan)
        return conclude(plan, suite, results.trials, results)


@dataclass(frozen=True, slots=True)
class _Places:
    results: ResultsDirectory
    work: Path
    watch: ProgressView
    beyond_no_sign: bool = False


def _goes_on(results: ResultsDirectory) -> bool:
    """Whether running a finished evaluation again adds evidence: it was inconclusive."""
    return results.has(REPORT_FILE) and results.read_report().conclusion == "inconclusive"


def _run(
    plan: Plan,
    evaluation: Evaluation,
    checkouts: Mapping[Side, Checkout],
    request: EvaluationRequest,
    places: _Places,
) -> Plan:
    """Set both sides up and run the planned trials; returns the plan with what came of it."""
    folder = Path(evaluation.config_path).parent
    with Launchers() as launchers:
        ready: dict[Side, SideReady] = {}
        for side, view in evaluation.sides.items():
            checkout = checkouts[side]
            done = set_up(
                launchers,
                SideSetup(side, view.agent.setup, checkout.path / folder, checkout.digest),
                places.work,
                places.results.log(f"setup-{side}.log"),
            )
            plan = _with_setup(plan, side, done.ok, done.reason)
            ready[side] = SideReady(view.agent, checkout.path / folder, done.bin_dirs, done.variables)
        if any(info is not None and info.setup == "failed" for info in (plan.base, plan.head)):
            return replace(plan, rounds=())
        means = Means(request, places.results, launchers, places.watch)
        with running(evaluation.ruler.suite, ready, means) as run:
            return _rounds(plan, evaluation.ruler, places, run)


def _rounds(plan: Plan, ruler: Ruler, places: _Places, run: RunRounds) -> Plan:
    """Run round after round until a look says stop; plan.json is written before the trials it names are run."""
    gate = ruler.suite.config.gate
    more = () if plan.rounds else first_rounds(plan, (case.id for case in ruler.suite.cases), gate, ruler.new)
    beyond = places.beyond_no_sign
    while True:
        plan = replace(
            plan, rounds=(*plan.rounds, *(interleaved(round_, plan.digests.run) for round_ in more))
        )
        places.results.write_plan(plan)
        stopped = run(plan.rounds)
        if stopped:
            return replace(plan, stopped=stopped)
        evidence = gather_evidence(plan, ruler.suite, places.results.trials)
        more = next_rounds(plan, evidence, gate, ruler.new, beyond_no_sign=beyond)
        beyond = False
        if not more:
            return plan


def _plan(evaluation: Evaluation, request: EvaluationRequest, checkouts: Mapping[Side, Checkout]) -> Plan:
    suite = evaluation.ruler.suite
    seeds = seed_plan(suite.config.seeds, request.seeds, compared=len(evaluation.sides) > 1)
    infos = {side: _info(view, checkouts[side]) for side, view in evaluation.sides.items()}
    base, head = infos.get("base"), infos.get("head")
    same = (
        base is not None
        and head is not None
        and base.tree == head.tree
        and evaluation.sides["base"].agent == evaluation.sides["head"].agent
        and not evaluation.shared_tree
    )
    named = digests(suite)
    names = suite.config.agent.env
    return Plan(
        activity=evaluation.activity,
        suite=suite.config.suite,
        digests=named,
        base=base,
        head=head,
        seeds=seeds.count,
        sequential=seeds.sequential,
        base_first_slot=_first_slot(evaluation, "base"),
        head_first_slot=_first_slot(evaluation, "head"),
        case_notices=evaluation.ruler.notices,
        no_baseline=evaluation.ruler.no_baseline,
        isolation="none",
        env_names=tuple(name for name in names if name in request.environment),
        notes=(*evaluation.ruler.notes, *_missing_names(names, request.environment), *_notices(checkouts)),
        same_agent=same,
    )


def _first_slot(evaluation: Evaluation, side: Side) -> int:
    view = evaluation.sides.get(side)
    return view.first_slot if view is not None else 1


def _info(view: SideView, checkout: Checkout) -> SideInfo:
    return SideInfo(sha=view.sha, tree=checkout.digest, label=view.label, dirty=view.dirty)


def _with_setup(plan: Plan, side: Side, ok: bool, reason: str) -> Plan:
    info = plan.base if side == "base" else plan.head
    if info is None:
        return plan
    changed = replace(info, setup="ok" if ok else "failed", setup_reason=reason)
    return replace(plan, base=changed) if side == "base" else replace(plan, head=changed)


def _check_out(evaluation: Evaluation, work: Path) -> dict[Side, Checkout]:
    """Write each side's tree, less what an agent must not see, into a directory whose name does not tell the side."""
    policy = evaluation.ruler.suite.config
    found: dict[Side, Checkout] = {}
    for side, view in evaluation.sides.items():
        if evaluation.shared_tree and found:
            found[side] = next(iter(found.values()))
            continue
        hidden = agent_files(view.tree, evaluation.config_path, policy)
        place = Path(tempfile.mkdtemp(prefix="", dir=work)) / "agent"
        place.parent.chmod(0o755)
        found[side] = write_checkout(view.tree, place, hidden.__contains__)
    return found


def _missing_names(names: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    missing = [name for name in names if name not in environment]
    return [f"Named in agent.env but not set here: {', '.join(missing)}."] if missing else []


def _notices(checkouts: Mapping[Side, Checkout]) -> list[str]:
    return sorted({notice for checkout in checkouts.values() for notice in checkout.notices})


@contextmanager
def _work_directory() -> Generator[Path]:
    """A directory outside the repository, so that no agent finds the repository's .git above it; removed at the end."""
    work = Path(tempfile.mkdtemp(prefix="gatebot-"))
    work.chmod(0o755)
    try:
        yield work
    finally:
        remove_directory(work)
