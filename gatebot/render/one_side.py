"""One side alone: what its metrics are, how reliable it is over several trials, which cases do not always pass."""

from __future__ import annotations

from gatebot.model.report import CaseResult, Report
from gatebot.render import sections
from gatebot.render.markdown import Markdown, prose, stack, text
from gatebot.render.metric_rows import gating_metrics, other_metrics
from gatebot.render.phrases import as_markdown, heading, pass_rate_alone, sentence
from gatebot.render.spent import amount_of, cost_of, losses_of, sides_of

UNSTEADY_CASES = 10
MAX_NOTES = 20


def render_one_side(report: Report) -> str:
    """A page for a run of one side: conclusion and what to do, notes, metrics, pass^k, cases that do not always pass, why trials failed."""
    small_print = [as_markdown(sides_of(report)), *(text(said) for said in _facts(report))]
    told = prose(sentence(report, report.advice))
    page = stack(
        Markdown(f"## gatebot · {text(report.suite, 100)}: {text(heading(report))}"),
        prose(sentence(report, report.reason)),
        Markdown(f"**Next:** {told}") if told else sections.EMPTY,
        Markdown(f"<sub>{' · '.join(part for part in small_print if part)}</sub>"),
        _notes(report),
        *one_side_blocks(report),
        sections.folded("Other metrics", sections.head_table(other_metrics(report))),
        sections.folded("Why trials failed", sections.failures_table(report)),
        Markdown(f"<sub>{text(f'gatebot {report.gatebot_version}'.strip(), 60)}</sub>"),
    )
    return page + "\n"


def _notes(report: Report) -> Markdown:
    """The report's notes, as the comment shows them."""
    told = [f"> - {prose(sentence(report, alert), 400)}" for alert in report.alerts[:MAX_NOTES]]
    return Markdown("\n".join(["> [!NOTE]", *told])) if told else sections.EMPTY


def _facts(report: Report) -> list[str]:
    return [amount_of(report), *losses_of(report), *cost_of(report)]


def one_side_blocks(report: Report) -> tuple[Markdown, ...]:
    """What is shown without a click: gated metrics, pass^k, the cases that do not always pass."""
    unsteady = unsteady_cases(report)
    return (
        sections.head_table(gating_metrics(report)),
        sections.pass_k_table(report.pass_hat_k, report.pass_at_k),
        stack(
            Markdown("### Cases that do not always pass"),
            sections.cases_table(unsteady, UNSTEADY_CASES, labels=False),
        )
        if unsteady
        else sections.EMPTY,
    )


def unsteady_cases(report: Report) -> tuple[CaseResult, ...]:
    """Cases that passed in fewer than all of their trials, the worst first."""
    rated = [
        (rate, case) for case in report.cases if (rate := pass_rate_alone(case)) is not None and rate < 1
    ]
    return tuple(case for _, case in sorted(rated, key=lambda one: (one[0], one[1].id)))
