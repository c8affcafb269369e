"""Real agents' recorded runs through import and compare: the verdicts that must come out, and none where nothing changed."""

from __future__ import annotations

import datetime
import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from gatebot.commands.aa import aa_recorded
from gatebot.commands.compare import ComparisonRequest, Recording, compare
from gatebot.commands.import_trace import import_recorded
from gatebot.model.report import Report
from gatebot.model.trial import Outcome, Trial
from gatebot.results.trial_line import encode_trial

DATA = Path(__file__).parents[3] / "shared" / "data"
HOTPOTQA = DATA / "hotpotqa-react"
AIRLINE = DATA / "tau2-airline"
TAU_BENCH = DATA / "tau-bench-airline"
MCPMARK = DATA / "mcpmark-outcomes"
FOLDERS = {
    "hotpotqa": "hotpotqa",
    "tau2-airline": "tau2",
    "tau-bench-airline": "tau-bench",
    "mcpmark": "mcpmark",
}
TODAY = datetime.date(2026, 1, 1)

CLAUDE, GPT, LLAMA = "claude-sonnet-4.5", "gpt-4o", "llama-3.1-70b"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not DATA.is_dir(), reason="the recorded runs of ../shared are not here"),
]


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every recording as a suite: hotpotqa/<agent>, tau2/<agent>, tau-bench/<agent>, mcpmark/<agent>."""
    place = tmp_path_factory.mktemp("agents")
    for agent in (CLAUDE, GPT, LLAMA):
        file = HOTPOTQA / f"{agent}.jsonl.gz"
        import_recorded("react", file, place / "hotpotqa" / agent, tasks=HOTPOTQA / "tasks.jsonl")
    for file in sorted(AIRLINE.glob("*.jsonl.gz")):
        if not file.name.startswith("tasks"):
            agent = file.name.removesuffix(".jsonl.gz")
            import_recorded("tau2", file, place / "tau2" / agent, tasks=AIRLINE / "tasks.jsonl.gz")
    import_recorded("tau-bench", TAU_BENCH / "gpt-4o.4trials.jsonl.gz", place / "tau-bench" / GPT)
    _write_outcomes(place / "mcpmark")
    return place


def _write_outcomes(place: Path) -> None:
    """Of mcpmark there are outcomes alone: a suite per agent of the pairs, whose trials did nothing but pass or fail."""
    wanted = {agent for source, base, head, _ in _known() if source == "mcpmark" for agent in (base, head)}
    trials: dict[str, list[Trial]] = defaultdict(list)
    with gzip.open(MCPMARK / "outcomes.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            if run["agent"] in wanted:
                case = f"{run['service']}-{run['task_id']}".replace("/", "-").replace("__", "-")
                outcome = Outcome(run["reward"] == 1.0, run["reward"], "mcpmark")
                trials[run["agent"]].append(
                    Trial(case, "head", run["trial"], 0, "completed", outcome=outcome, answer="done")
                )
    for agent, of_agent in trials.items():
        golden = place / agent / "golden"
        golden.mkdir(parents=True)
        (place / agent / "gatebot.yaml").write_text(MCPMARK_CONFIG, encoding="utf-8")
        for case in {trial.case for trial in of_agent}:
            (golden / f"{case}.yaml").write_text(
                "input: do it\nexpect: {outcome: recorded}\n", encoding="utf-8"
            )
        (place / agent / "trials.jsonl").write_bytes(b"".join(map(encode_trial, of_agent)))


MCPMARK_CONFIG = """\
version: 1
suite: mcpmark
agent: {replay: trials.jsonl}
seeds: {fixed: 4}
gate:
  metrics: {pass_rate: {margin: 0.1}}
"""


def _compared(
    base: Path,
    head: Path,
    out: Path,
    *,
    scope: str = "suite",
    slots: tuple[range | None, range | None] = (None, None),
) -> Report:
    config = (base / "gatebot.yaml").read_text(encoding="utf-8")
    (base / "asked.yaml").write_text(config.rstrip() + f"\n  scope: {scope}\n", encoding="utf-8")
    request = ComparisonRequest(
        Recording(base, slots[0]), Recording(head, slots[1]), base, "asked.yaml", out, TODAY
    )
    return compare(request)


def _verdict(report: Report) -> str:
    return next(metric.verdict for metric in report.metrics if metric.name == "pass_rate")


def _convicted(report: Report) -> list[str]:
    return [case.id for case in report.cases if case.label == "regressed"]


@pytest.mark.parametrize(
    ("source", "base", "head", "regressed"),
    [
        ("hotpotqa", CLAUDE, GPT, True),
        ("hotpotqa", CLAUDE, LLAMA, True),
        ("hotpotqa", GPT, LLAMA, True),
        ("tau2", CLAUDE, "gpt-oss-120b-langchain", True),
        ("tau2", CLAUDE, "qwen2.5-7b", True),
        ("tau2", CLAUDE, "toolorchestra", False),
        ("tau2", "gpt-4.1", "gpt-4.1-sft", False),
        ("tau2", "gpt-4o-azure", "toolorchestra", False),
    ],
)
def test_the_pairs(
    suites: Path, tmp_path: Path, source: str, base: str, head: str, *, regressed: bool
) -> None:
    report = _compared(suites / source / base, suites / source / head, tmp_path / "out")
    assert (_verdict(report) == "regressed") is regressed
    assert (report.conclusion == "fail") is regressed


def test_gpt_to_llama_regresses_through_one_case_alone(suites: Path, tmp_path: Path) -> None:
    """On the whole llama is better; one question it never answers."""
    report = _compared(suites / "hotpotqa" / GPT, suites / "hotpotqa" / LLAMA, tmp_path / "out")
    metric = next(metric for metric in report.metrics if metric.name == "pass_rate")
    assert metric.delta is not None
    assert metric.delta > 0
    assert _convicted(report) == ["task-5abbf698554299114383a0b5"]


@pytest.mark.parametrize(
    ("source", "agent", "each"),
    [("hotpotqa", CLAUDE, 5), ("hotpotqa", GPT, 5), ("hotpotqa", LLAMA, 5), ("tau-bench", GPT, 2)],
)
def test_an_agent_against_itself_does_not_regress(
    suites: Path, tmp_path: Path, source: str, agent: str, each: int
) -> None:
    """Every A/A pair of pairs.json, in both scopes."""
    place = suites / source / agent
    slots = (range(each), range(each, 2 * each))
    for scope in ("suite", "generalize"):
        report = _compared(place, place, tmp_path / scope, scope=scope, slots=slots)
        assert _verdict(report) in ("unchanged", "inconclusive")
        assert report.conclusion != "fail"


def _known() -> list[tuple[str, str, str, bool]]:
    """The pairs of pairs.json that are recordings of runs with at least ten tasks."""
    if not DATA.is_dir():
        return []
    found: list[tuple[str, str, str, bool]] = []
    for pair in json.loads((DATA / "pairs.json").read_text(encoding="utf-8"))["pairs"]:
        source, _, sides = str(pair["pair"]).partition(" ")
        base, _, head = sides.partition(" -> ")
        if source in FOLDERS and not sides.startswith("A/A") and int(pair["tasks"]) >= 10:
            found.append((FOLDERS[source], base, head, pair["expected"] == "regressed"))
    return found


@pytest.mark.parametrize(("source", "base", "head", "regressed"), _known())
def test_generalizing_agrees_with_the_known_differences(
    suites: Path, tmp_path: Path, source: str, base: str, head: str, *, regressed: bool
) -> None:
    report = _compared(suites / source / base, suites / source / head, tmp_path / "out", scope="generalize")
    assert (_verdict(report) == "regressed") is regressed


@pytest.mark.shared
def test_every_pair_is_among_them() -> None:
    """Thirteen pairs of two agents and four of an agent with itself; of each at least ten tasks."""
    pairs = json.loads((DATA / "pairs.json").read_text(encoding="utf-8"))["pairs"]
    assert len(_known()) + sum(" A/A " in pair["pair"] for pair in pairs) == len(pairs)


def test_what_broke_off_leaves_the_sample_and_what_gave_up_has_failed(suites: Path, tmp_path: Path) -> None:
    """Of gpt-4o's nine runs that broke off six were cut by the provider; three never ended or acted invalidly."""
    place = suites / "hotpotqa" / GPT
    report = _compared(place, place, tmp_path / "out", slots=(range(5), range(5, 10)))
    assert (report.trials.infra_error, report.trials.agent_error) == (6, 3)
    counted = sum(case.base.trials + case.head.trials for case in report.cases)
    assert counted == 500 - 6


@pytest.mark.parametrize("agent", [CLAUDE, GPT, LLAMA])
def test_random_halves_close_the_gate_within_the_bound(suites: Path, agent: str) -> None:
    place = suites / "hotpotqa" / agent
    found = aa_recorded(Recording(place), place, "gatebot.yaml", TODAY, 1_000)
    assert (found.cases, found.slots, found.sequential, found.alarms.count) == (50, 5, False, 1_000)
    assert found.alarms.rate <= 0.065
    assert found.planted["one case broken"].rate > 0.5
    assert found.planted["15 % of the passes lost"].rate > 0.9
