"""The runner of a gate: gatebot again, as a process that holds no token. What it leaves behind is read as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.withholding import withhold
from gatebot.commands.report import report as regrade
from gatebot.commands.sandbox import BESIDE_A_TOKEN
from gatebot.errors import InfrastructureError
from gatebot.process.own_child import environment_without, run_gatebot
from gatebot.results.store import PLAN_FILE, ResultsDirectory

_ENDED = (0, 1, 3)


@dataclass(frozen=True, slots=True)
class GateOrder:
    """One evaluation: the base's tip, the base side's commit, the head, the cases (empty = all), and where results go.

    `alone`: the head alone, by the base's ruler. `withheld`: names of variables that it does not get.
    `alpha_share`: its part of the policy's alpha, in (0, 1], where several evaluations make one decision.
    """

    tip: str
    fork: str
    head: str
    out: Path
    cases: tuple[str, ...] = ()
    alone: bool = False
    withheld: frozenset[str] = frozenset()
    alpha_share: float = 1.0


def run_gate(ci: CiContext, order: GateOrder) -> ResultsDirectory:
    """Run one evaluation as `run_evaluation` does."""
    return run_evaluation(ci, _argv(ci, order), order.out, order.withheld)


def run_evaluation(
    ci: CiContext, argv: Sequence[str], out: Path, withheld: frozenset[str] = frozenset()
) -> ResultsDirectory:
    """Run gatebot with `argv` in a process without the token; the results it wrote into `out`, without the secrets that
    agents wrote into them. `withheld`: names of variables that it does not get.

    Raises InfrastructureError when the process ended otherwise than with a conclusion, GatebotError for results that
    cannot be read without those secrets.
    """
    handed = {name: value for name, value in ci.variables.items() if name not in withheld}
    environment = environment_without(handed, (ci.environment.token,)) | {BESIDE_A_TOKEN: "yes"}
    code = run_gatebot(argv, ci.environment.workspace, environment)
    results = ResultsDirectory(out)
    if code not in _ENDED or not results.has(PLAN_FILE):
        raise InfrastructureError(
            f"the evaluation ended with exit code {code}", "the run's log says why; run the job again"
        )
    if withhold(ci, results):
        # What was rendered has a secret escaped, or cut short, where none is found: it is rendered anew.
        regrade(out, ci.config, ci.today)
    return results


def _argv(ci: CiContext, order: GateOrder) -> Sequence[str]:
    cases = [word for case in order.cases for word in ("--case", case)]
    return (
        "gate",
        f"--base={order.tip}",
        f"--fork-point={order.fork}",
        f"--head={order.head}",
        f"--config={ci.config}",
        f"--out={order.out}",
        "--replace",
        *(("--head-only",) if order.alone else ()),
        *((f"--alpha-share={order.alpha_share}",) if order.alpha_share < 1.0 else ()),
        *cases,
    )
