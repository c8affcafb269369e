"""The issue of a drift: an unchanged agent that behaves differently, told with what changed and who answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatebot.model.drift import PROVEN_ALPHA, Drift
from gatebot.model.report import MetricResult, Report
from gatebot.render.markdown import Markdown, code, link, names, prose, stack, table, text
from gatebot.render.metric_rows import gating_metrics, metric_row
from gatebot.render.notice import with_notice
from gatebot.render.numbers import percent
from gatebot.render.phrases import worse_cases
from gatebot.render.sections import cases_table
from gatebot.render.state import CommentState, encode_state, marker

MAX_METRICS = 30
MAX_CASES = 10
MAX_MODELS = 20
ADVICE = (
    "Nothing in this repository explains it: look at what the agent depends on, such as its model, a tool or a service. "
    "If the new behaviour is right, close this issue: it is not opened again for the same stored results. It is closed by "
    "itself when the change is gone, and when a commit changes the agent its results are stored anew."
)


@dataclass(frozen=True, slots=True)
class DriftNews:
    """What a scheduled run has to say: the drift, where it was seen, the models that answered then and now."""

    suite: str
    drift: Drift
    sha: str
    since: str
    when: str
    run_url: str
    state: CommentState
    report: Report | None = None
    recorded_models: tuple[str, ...] = ()
    fresh_models: tuple[str, ...] = ()
    version: str = ""


def drift_marker(suite: str) -> str:
    """The first line of the suite's issue."""
    return marker(suite).replace("<!-- gatebot:", "<!-- gatebot:drift:", 1)


def drift_title(suite: str) -> str:
    """The issue's title; it says nothing that changes from run to run."""
    return f"gatebot · {suite}: the agent behaves differently, and its code has not changed"


def drift_body(news: DriftNews) -> str:
    """The issue's body: what changed, the models side by side, what to do."""
    head = f"{drift_marker(news.suite)}\n{encode_state(news.state)}\n"
    return head + drift_page(news) + "\n"


def drift_page(news: DriftNews) -> str:
    """What was seen, without the hidden lines: for the issue and for the job's summary."""
    since = f" since {news.since}" if news.since else ""
    where = f"Fresh trials of `{news.sha[:12]}` against the results stored for the same code{since}: "
    blocks = [prose(f"{where}{news.drift.reason}.", 1000)]
    if news.drift.kind == "changed":
        blocks.append(prose(ADVICE, 1000))
    if news.report is not None:
        blocks.append(_metrics(gating_metrics(news.report)))
        worse = worse_cases(news.report)
        if worse:
            blocks.append(stack(Markdown("### Cases that got worse"), cases_table(worse, MAX_CASES)))
    blocks += [_models(news), _small_print(news)]
    return stack(*blocks)


def with_news(body: str, *sentences: str) -> str:
    """The body of an issue that is there, with what the last run had to say at its head."""
    return with_notice(body, *sentences)


def _metrics(metrics: Sequence[MetricResult]) -> Markdown:
    header = [text(word) for word in ("metric", "stored", "now", "change", "verdict")]
    rows: list[list[Markdown]] = []
    for metric in metrics[:MAX_METRICS]:
        row = metric_row(metric)
        name = Markdown(f"{code(row.name, 60)} {row.arrow}")
        rows.append([name, *map(text, (row.base, row.head, row.change, _verdict(metric)))])
    return table(header, rows) if rows else Markdown("")


def _verdict(metric: MetricResult) -> str:
    words = {"regressed": "worse", "improved": "better", "not_evaluated": "not evaluated"}
    return words.get(metric.verdict, "no proven change")


def _models(news: DriftNews) -> Markdown:
    if not news.recorded_models and not news.fresh_models:
        return text("No response named a model, then or now.") if news.report is not None else Markdown("")
    shown = [
        names(one, MAX_MODELS) if one else text("not named")
        for one in (news.recorded_models, news.fresh_models)
    ]
    return table(
        [text("models that answered"), text("names")], [[text("stored"), shown[0]], [text("now"), shown[1]]]
    )


def _small_print(news: DriftNews) -> Markdown:
    level = f"A change in either direction is proven at {percent(PROVEN_ALPHA)}"
    parts = [text(level), text(f"updated {news.when}"), link("run", news.run_url)]
    if news.version:
        parts.append(text(f"gatebot {news.version}", 60))
    return Markdown(f"<sub>{' · '.join(parts)}</sub>")
