"""A scheduled run: has the world changed? Fresh trials of the default branch against its stored results; one issue says so."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from gatebot import __version__
from gatebot.commands.ci.base_run import (
    BaseJob,
    base_job,
    config_of,
    default_branch_now,
    missing_secrets,
    run_slots,
)
from gatebot.commands.ci.base_store import first_results, hand_on, recorded_of, stored_results
from gatebot.commands.ci.context import NOTHING_TO_DO, CiContext, CiOutcome
from gatebot.commands.ci.drift_issue import tell_drift
from gatebot.commands.drifting import Drifted, drifted
from gatebot.core.base_slots import SlotOrder, fresh_slots
from gatebot.errors import InfrastructureError
from gatebot.github_api.workflow_commands import write_outputs, write_summary
from gatebot.model.drift import Drift
from gatebot.model.report import Conclusion
from gatebot.render.drift_issue import DriftNews, drift_page
from gatebot.render.state import CommentState
from gatebot.results.base_results import RecordedTrial

_CONCLUSIONS: Mapping[str, Conclusion] = {
    "same": "pass",
    "unclear": "inconclusive",
    "not_evaluated": "not_evaluated",
}


def schedule(ci: CiContext) -> CiOutcome:
    """Run fresh trials of the default branch, compare them with its stored results, and tell one issue.

    Worse is `fail`, better passes; what could not be compared is `not_evaluated`, and closes nothing. Raises GatebotError.
    """
    branch = default_branch_now(ci)
    config = config_of(ci, branch)
    if config is None:
        ci.say(f"the default branch has no {ci.config}: there is nothing to evaluate")
        return NOTHING_TO_DO
    missing = missing_secrets(ci, config)
    if missing:
        return _tell(ci, config.suite, branch.tip, Drifted(Drift("not_evaluated", missing)), "")
    return _watch(ci, base_job(ci, branch, config))


def _watch(ci: CiContext, job: BaseJob) -> CiOutcome:
    suite = job.config.suite
    before = stored_results(ci, suite, job.branch)
    ci.say(before.told)
    references = job.origin.matching(before.trials, "reference")
    order = _order(job, before.trials)
    new: tuple[RecordedTrial, ...] = ()
    if order.unaffordable:
        return _tell(ci, suite, job.branch.tip, Drifted(Drift("not_evaluated", order.unaffordable)), "")
    try:
        ran = run_slots(ci, job, order, ci.out_path.with_name(f"{ci.out_path.name}-fresh"))
    except InfrastructureError as error:
        found = Drifted(Drift("not_evaluated", error.message))
    else:
        found = drifted(references, ran.results, ci.out_path, ran.trouble)
        new = () if ran.trouble else recorded_of(ran.results, job.origin, ci.today)
    kept_before = _still_holding(before.trials, found.drift)
    handed = (*kept_before, *new, *first_results(new, references))
    outputs = hand_on(ci, suite, handed, job.origin.tree)
    return _tell(ci, suite, job.branch.tip, found, _digest(references), outputs)


def _order(job: BaseJob, trials: tuple[RecordedTrial, ...]) -> SlotOrder:
    held: dict[str, dict[int, int]] = {case: {} for case in job.origin.cases}
    for role in ("reference", "recording"):
        for case, slots in job.origin.matching(trials, role).items():
            held[case] |= {slot: one.recorded.toordinal() for slot, one in slots.items()}
    references = job.origin.matching(trials, "reference")
    compared = frozenset(slot for slots in references.values() for slot in slots)
    return fresh_slots(held, compared, job.config.seeds, job.config.budget)


def _still_holding(trials: tuple[RecordedTrial, ...], drift: Drift) -> tuple[RecordedTrial, ...]:
    """After a proven change no earlier recording spares a gate a run; what a drift is measured against stays."""
    if drift.kind != "changed":
        return trials
    return tuple(one for one in trials if one.role == "reference")


def _digest(references: Mapping[str, Mapping[int, RecordedTrial]]) -> str:
    """Names the stored results that a drift is measured against; "" when there are none."""
    lines = [
        f"{case} {slot} {one.recorded} {one.origin.tree} {one.origin.agent} {one.origin.environment}"
        for case in sorted(references)
        for slot, one in sorted(references[case].items())
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else ""


def _tell(
    ci: CiContext,
    suite: str,
    sha: str,
    found: Drifted,
    reference: str,
    outputs: tuple[tuple[str, str], ...] = (),
) -> CiOutcome:
    environment = ci.environment
    news = DriftNews(
        suite=suite,
        drift=found.drift,
        sha=sha,
        since=found.since,
        when=ci.now().strftime("%Y-%m-%d %H:%M UTC"),
        run_url=environment.run_url,
        state=CommentState(
            head_sha=sha,
            conclusion=found.drift.kind,
            result_digest=reference,
            run_id=str(environment.run_id),
            attempt=environment.attempt,
        ),
        report=found.report,
        recorded_models=found.recorded_models,
        fresh_models=found.fresh_models,
        version=__version__,
    )
    done = tell_drift(ci, news)
    ci.say(done.said)
    told = ["issue"] if done.published else []
    if write_summary(environment.summary_file, drift_page(news) + "\n"):
        told.append("summary")
    conclusion = _conclusion(found.drift)
    all_outputs = (("conclusion", conclusion), *outputs, ("published", ",".join(told)))
    write_outputs(environment.output_file, all_outputs, ci.random_word)
    return CiOutcome(conclusion, told=tuple(told))


def _conclusion(drift: Drift) -> Conclusion:
    if drift.kind == "changed":
        return "fail" if drift.worse or drift.cases else "pass"
    return _CONCLUSIONS[drift.kind]
