"""Both sides made ready: checked out and set up in kept places, or found there as an earlier run left them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from gatebot.commands.request import EvaluationRequest
from gatebot.commands.sandbox import alert, check_entry, examine_sandbox, serves, starts_programs
from gatebot.commands.trials import SideReady
from gatebot.commands.views import Evaluation
from gatebot.model.plan import Plan
from gatebot.model.trial import SIDES, Side
from gatebot.process.isolation import IsolationReport
from gatebot.process.launch import Launchers
from gatebot.results.store import ResultsDirectory
from gatebot.workspace.cache_directory import CacheDirectory
from gatebot.workspace.checkout import Examined
from gatebot.workspace.installed import difference, installed_packages
from gatebot.workspace.installer_variables import installer_variables
from gatebot.workspace.kept_place import forget_oldest
from gatebot.workspace.session import session_directory
from gatebot.workspace.side_place import SideFiles, SidePlace, side_place


@dataclass(frozen=True, slots=True)
class Prepared:
    """The plan with what came of the setups, the sides that can run, and what runs them."""

    plan: Plan
    ready: Mapping[Side, SideReady]
    launchers: Launchers


@contextmanager
def launchers_of(evaluation: Evaluation, request: EvaluationRequest) -> Generator[Launchers]:
    """Hold launchers until the end of the block; where sides start programs, the sandbox is tried meanwhile."""
    with session_directory() as session, Launchers(session, request.nursery) as launchers:
        if any(starts_programs(view.agent) for view in evaluation.sides.values()):
            launchers.begin_examination(evaluation.ruler.suite.config.network)
        yield launchers


@contextmanager
def prepared(
    evaluation: Evaluation,
    examined: Mapping[Side, Examined],
    plan: Plan,
    request: EvaluationRequest,
    launchers: Launchers,
    cache: CacheDirectory,
) -> Generator[Prepared]:
    """Hold each side's checkout and environment until the end of the block.

    A side whose setup failed is told in the plan and is not among the ready. Raises GatebotError.
    """
    results = ResultsDirectory(request.out)
    with ExitStack() as stack:
        ready: dict[Side, SideReady] = {}
        sandbox: IsolationReport | None = None
        if any(starts_programs(view.agent) for view in evaluation.sides.values()):
            served = any(serves(view.agent) for view in evaluation.sides.values())
            sandbox = examine_sandbox(launchers, evaluation.ruler.suite.config, request, served=served)
        if any(view.agent.command or view.agent.python for view in evaluation.sides.values()):
            launchers.make_ready(evaluation.ruler.suite.config.concurrency)
        for side, view in evaluation.sides.items():
            folder = PurePosixPath(evaluation.config_path).parent.as_posix()
            files = SideFiles(
                side=side,
                tree=view.tree,
                exclude=evaluation.hidden(side).__contains__,
                digest=examined[side].digest,
                folder="" if folder == "." else folder,
                commands=view.agent.setup,
                variables=installer_variables(request.environment),
            )
            place = stack.enter_context(
                side_place(cache.sides, launchers, files, results.log(f"setup-{side}.log"), request.tell)
            )
            plan = _with_setup(plan, side, place)
            if place.setup.ok:
                ready[side] = SideReady(
                    view.agent,
                    place.directory,
                    place.setup.bin_dirs,
                    place.setup.variables,
                    (place.checkout,),
                )
        forget_oldest(cache.sides)
        if sandbox is not None:
            check_entry(sandbox, [path for one in ready.values() for path in (one.directory, *one.bin_dirs)])
            plan = replace(
                plan, isolation=str(sandbox), notes=tuple(dict.fromkeys((*plan.notes, *alert(sandbox))))
            )
        plan = replace(plan, notes=tuple(dict.fromkeys((*plan.notes, *_drift(ready)))))
        yield Prepared(plan, ready, launchers)


def _drift(ready: Mapping[Side, SideReady]) -> tuple[str, ...]:
    """What the report must say about packages that differ: agents may do so because of them, and of nothing else."""
    base, head = (installed_packages(ready[side].bin_dirs) if side in ready else {} for side in SIDES)
    differ = difference(base, head) if base and head else ""
    return (f"Installed packages differ from the base to the head: {differ}.",) if differ else ()


def _with_setup(plan: Plan, side: Side, place: SidePlace) -> Plan:
    info = plan.base if side == "base" else plan.head
    if info is None:
        return plan
    status = "ok" if place.setup.ok else "failed"
    changed = replace(info, setup=status, setup_reason=place.setup.reason)
    return replace(plan, base=changed) if side == "base" else replace(plan, head=changed)
