"""A push to the default branch: run the slots of the base that are not stored yet, so that pull requests need not."""

from __future__ import annotations

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
from gatebot.commands.ci.telling import Target, Telling, telling
from gatebot.core.base_slots import slots_to_run
from gatebot.model.publication import CheckOutput, Publication
from gatebot.render.base_results import Stored, base_summary, base_title
from gatebot.results.base_results import RecordedTrial


def push(ci: CiContext, sha: str | None, *, counts: bool) -> CiOutcome:
    """Grow the base's stored results at the commit that was pushed (None: wherever the default branch is).

    `counts`: whether later runs believe what a run of this event hands on. Raises GatebotError; the check is completed
    whatever happens.
    """
    branch = default_branch_now(ci)
    if sha is not None and sha != branch.tip:
        ci.say("the default branch has moved on since this run was started: a newer run evaluates it")
        return NOTHING_TO_DO
    config = config_of(ci, branch)
    if config is None:
        ci.say(f"the default branch has no {ci.config}: there is nothing to evaluate")
        return NOTHING_TO_DO
    with telling(ci, Target(config.suite, branch.tip, None, of_base=True)) as one:
        missing = missing_secrets(ci, config)
        if missing:
            return _nothing_run(one, missing)
        return _grow(ci, base_job(ci, branch, config), one, counts=counts)


def _grow(ci: CiContext, job: BaseJob, one: Telling, *, counts: bool) -> CiOutcome:
    suite = job.config.suite
    before = stored_results(ci, suite, job.branch)
    ci.say(before.told)
    held = job.origin.matching(before.trials, "recording")
    slots = {case: frozenset(there) for case, there in held.items()}
    order = slots_to_run(slots, job.config.seeds, job.config.budget)
    ran = run_slots(ci, job, order, ci.out_path) if order.count else None
    trouble = order.unaffordable if ran is None else ran.trouble
    new: tuple[RecordedTrial, ...] = ()
    if ran is not None and not trouble:
        new = _lacking(recorded_of(ran.results, job.origin, ci.today), slots)
    outputs: tuple[tuple[str, str], ...] = ()
    if counts:
        references = job.origin.matching(before.trials, "reference")
        grown = (*before.trials, *new, *first_results(new, references))
        outputs = hand_on(ci, suite, grown, job.origin.tree)
    stored = Stored(new=len(new), before=sum(map(len, slots.values())), cases=len(slots), counts=counts)
    page = base_summary(None if ran is None else ran.report, stored, trouble)
    return _tell(one, CheckOutput(base_title(stored, trouble), page), outputs, known=not trouble)


def _lacking(new: tuple[RecordedTrial, ...], slots: dict[str, frozenset[int]]) -> tuple[RecordedTrial, ...]:
    """Of what was run the trials that are not stored: the first sample of a slot counts, whatever its outcome."""
    return tuple(one for one in new if one.origin.slot not in slots.get(one.trial.case, frozenset()))


def _tell(
    one: Telling, output: CheckOutput, outputs: tuple[tuple[str, str], ...], *, known: bool
) -> CiOutcome:
    """A target that the default branch misses is shown and not red: what is merged is merged, and its gate said so."""
    conclusion = "pass" if known else "not_evaluated"
    told = (("conclusion", conclusion), *outputs)
    made = Publication((), output, "success" if known else "failure", output.summary, told)
    one.finish(made, comment=False)
    return CiOutcome(conclusion, told=tuple(one.told))


def _nothing_run(one: Telling, why: str) -> CiOutcome:
    """A key that is not set: nothing is run, nothing is stored, and nothing is green."""
    page = f"{why}\n\nSet the secret, and hand it to the step as an environment variable; nothing was run."
    return _tell(one, CheckOutput("not evaluated: a secret is missing", page), (), known=False)
