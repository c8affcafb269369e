"""The words of an acceptance: commit message, check and comment. Names come from GitHub and are escaped like any other."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.accept.authority import Authority
from gatebot.github_api.acceptances import SUITE_TRAILER
from gatebot.github_api.commits import CommitMessage
from gatebot.model.acceptance import Acceptance, GoldenCandidate, Override
from gatebot.model.config import Accept
from gatebot.model.publication import CheckOutput
from gatebot.model.report import Report
from gatebot.render.check import Binding, hidden_text, read_acceptance
from gatebot.render.comment import CommentContext, render_comment
from gatebot.render.markdown import code, prose, stack, table, text
from gatebot.render.numbers import count

EVALUATED_TRAILER = "Gatebot-Evaluated"
_SHOWN = 200


def commit_message(binding: Binding, candidate: GoldenCandidate, who: Authority) -> CommitMessage:
    """Constant words and trailers. Never a word that skips checks: they would stay pending for ever."""
    headline = f"gatebot: accept golden set for {binding.suite} ({count(len(candidate.cases), 'case')})"
    trailers = (
        f"{SUITE_TRAILER}: {binding.suite}",
        f"{EVALUATED_TRAILER}: {binding.head_sha}",
        f"Gatebot-Digest: {binding.candidate_digest}",
        f"Accepted-by: {who.login} ({who.role}) {who.when}",
    )
    return CommitMessage(headline, "\n".join(trailers))


def accepted_output(record: Acceptance, hidden: str) -> CheckOutput:
    """The check on the accepted commit."""
    rows = [[code(case.case, 100), code(case.golden_digest[:12], 12)] for case in record.cases[:_SHOWN]]
    told = (
        f"Accepted by `{record.who}` ({record.role}) on {record.when}, as evaluated at `{record.evaluated_sha[:7]}`. "
        "Other required checks run on this commit only when it was made with an App's token, or once their waiting "
        "runs are approved."
    )
    summary = stack(prose(told), table([text("case"), text("golden")], rows))
    return CheckOutput(f"accepted: {count(len(record.cases), 'case')}", summary, hidden)


def accepted_comment(report: Report, record: Acceptance, run: tuple[int, int, str], accept: Accept) -> str:
    """The comment after an acceptance: the report, its conclusion replaced by who accepted what."""
    run_id, attempt, run_url = run
    names = ", ".join(f"`{case.case}`" for case in record.cases[:10])
    more = f" and {len(record.cases) - 10} more" if len(record.cases) > 10 else ""
    changed = replace(
        report,
        conclusion="pass",
        reason=f"Accepted by `{record.who}` ({record.role}) on {record.when}: {names}{more}.",
        advice=f"The golden set of `{record.evaluated_sha[:7]}` was committed as `{record.accepted_sha[:7]}`.",
        would_have=None,
        head_sha=record.accepted_sha,
    )
    context = CommentContext(run_url=run_url, run_id=str(run_id), attempt=attempt, accept=accept)
    return render_comment(changed, {}, context)


def overridden_output(record: Override, hidden: str) -> CheckOutput:
    """The check of a head that may pass as it is."""
    told = f"Overridden by `{record.who}` ({record.role}) for `{record.head_sha[:7]}`; the golden set is unchanged."
    return CheckOutput(f"overridden by {record.who}"[:250], prose(told), hidden)


def withdrawn_output(binding: Binding, there: str) -> CheckOutput:
    """The check of a head whose override was taken back."""
    hidden = hidden_text(binding, read_acceptance(there)) or there
    told = "The override was withdrawn; the evaluation's own conclusion counts again."
    return CheckOutput(f"{binding.conclusion}: override withdrawn", prose(told), hidden)


def retargeted_output(binding: Binding, base: str, there: str) -> CheckOutput:
    """The check of a head that was judged against another base branch than the pull request has now."""
    hidden = hidden_text(binding, read_acceptance(there)) or there
    told = f"This head was judged against `{binding.base_ref}`; the pull request is against `{base}` now."
    return CheckOutput("not evaluated: the base branch was changed", prose(told), hidden)
