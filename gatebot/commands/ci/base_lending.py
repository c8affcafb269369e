"""The base's stored results laid where a gate on this machine looks for recordings: read by it, never handed on from it."""

from __future__ import annotations

import datetime
import hashlib
from collections import defaultdict

from gatebot.commands.ci.base_store import DefaultBranch, stored_results
from gatebot.commands.ci.context import CiContext
from gatebot.commands.reuse import recordings_key
from gatebot.errors import InfrastructureError
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import branch_tip
from gatebot.github_api.repository import default_branch
from gatebot.results.base_results import RecordedTrial
from gatebot.results.recordings import Recording, RecordingIndex
from gatebot.results.trial_store import TrialOrigin, TrialStore
from gatebot.workspace.cache_directory import cache_directory


def lend_stored_results(ci: CiContext, suite: str) -> None:
    """Fetch what trusted runs have stored of the base and lay it into this machine's store. Never raises over it.

    The log says what was found. A gate that finds nothing runs its base.
    """
    try:
        name = default_branch(ci.client)
        branch = DefaultBranch(name, branch_tip(ci.client, name))
        stored = stored_results(ci, suite, branch)
        ci.say(stored.told)
        if stored.trials:
            lay(ci, stored.trials)
    except (ApiError, InfrastructureError) as error:
        ci.say(f"the base's stored results cannot be used: {error.message}")


def lay(ci: CiContext, trials: tuple[RecordedTrial, ...]) -> None:
    """Put recordings into the store of this machine, each under the day it was recorded. Raises InfrastructureError."""
    place = cache_directory(ci.cache).store
    days: defaultdict[tuple[datetime.date, str, str, str], list[RecordedTrial]] = defaultdict(list)
    for one in trials:
        if one.role == "recording":
            origin = one.origin
            days[(one.recorded, origin.tree, origin.agent, origin.environment)].append(one)
    for (day, tree, agent, environment), held in sorted(days.items()):
        evaluation = hashlib.sha256(f"{day.isoformat()} on GitHub".encode()).hexdigest()
        store = TrialStore(place, day, ci.say)
        for one in held:
            origin = one.origin
            slot = TrialOrigin(evaluation, tree, origin.case, agent, environment, origin.slot)
            store.keep(slot, one.trial)
        slots = tuple(sorted({one.origin.slot for one in held}))
        index = RecordingIndex(place, recordings_key(tree, agent, environment))
        index.keep(Recording(evaluation, slots, day.isoformat()))
