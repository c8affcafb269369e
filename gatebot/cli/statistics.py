"""Commands on evidence itself: power (what can be seen), aa (what is a false alarm)."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatebot.cli.console import say
from gatebot.model.plan import MOST_SEEDS
from gatebot.render.numbers import money

if TYPE_CHECKING:
    from gatebot.commands.power import PowerTold
    from gatebot.core.splitting import Share, Splits


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(power)


def power(
    directory: Annotated[Path, typer.Argument(help="The suite's directory.")] = Path(),
    *,
    config: Annotated[
        str, typer.Option("--config", help="Path of gatebot.yaml in that directory.")
    ] = "gatebot.yaml",
    results: Annotated[
        Path | None,
        typer.Option("--results", help="Results of a run: its pass rates instead of assumed ones."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, max=MOST_SEEDS, help="Slots per case and side, one look.")
    ] = None,
    drop: Annotated[
        float | None, typer.Option("--drop", help="What would it take to see this drop? 0.05 = five points.")
    ] = None,
) -> int:
    """What this suite can see, what it costs, and what it would take to see more; nothing is run."""
    from gatebot.commands.power import PowerRequest
    from gatebot.commands.power import power as story

    request = PowerRequest(directory, config, _today(), results, seeds, drop)
    for line in power_lines(story(request)):
        say(line)
    return 0


def show_recorded_splits(recorded: Path, suite: Path, config: str, splits: int) -> None:
    """Split recorded trials at random and print how often the gate closed."""
    from gatebot.commands.aa import aa_recorded
    from gatebot.commands.compare import Recording

    _show_splits(aa_recorded(Recording(recorded), suite, config, _today(), splits))


def _show_splits(found: Splits) -> None:
    looked = "looks after 3, 5, 7 and 10 rounds" if found.sequential else "one look"
    say(f"{found.cases} cases, {found.slots} slots a side, {looked}; the same agent on both sides")
    say(f"false alarms: {_share(found.alarms)}")
    for name, share in found.planted.items():
        say(f"found with {name}: {_share(share)}")


def _share(share: Share) -> str:
    low, high = share.limits
    return f"{share.reds} of {share.count} splits closed the gate: {share.rate:.1%} ({low:.1%} to {high:.1%})"


def power_lines(told: PowerTold) -> list[str]:
    """The outlook as lines for a terminal."""
    found = told.outlook
    up_to = "up to " if found.sequential else ""
    lines = [
        f"{found.cases} cases, {up_to}{found.seeds} slots a side; pass rates {told.source}",
        "smallest drop of the mean pass rate found with probability 0.8: "
        + ("none, there is too little to lose" if found.drop is None else f"{100 * found.drop:.1f} points"),
    ]
    if found.sequential and found.single[0]:
        always, mostly = found.single
        lines.append(
            f"one case that stops passing is convicted with probability {_most(always)} if it always passed, "
            f"{_most(mostly)} if it passed nine times of ten"
        )
    more = f", and {found.confirming} for each suspect case" if found.confirming else ""
    lines.append(f"trials: {found.rounds} if every round is run, both sides together{more}")
    if found.sequential:
        lines.append(f"  about {_trials(found.unchanged, told)} if nothing changed")
        if found.dropped is not None:
            lines.append(f"  about {_trials(found.dropped, told)} with that drop, suspects included")
    if told.drop is not None and told.needed is not None:
        wanted = told.needed.seeds
        seeds = "more than 2000" if wanted is None else str(wanted)
        command = f" (`--seeds {wanted}`)" if wanted is not None and wanted <= MOST_SEEDS else ""
        cases = "more than 2000" if told.needed.cases is None else str(told.needed.cases)
        lines.append(
            f"to see a drop of {100 * told.drop:g} points: {seeds} slots a side{command} with these {found.cases} cases, "
            f"or {cases} cases like these with {found.seeds} slots"
        )
    return lines


def _trials(expected: float, told: PowerTold) -> str:
    """204 (51% of all rounds), $1.20; suspects' fresh trials come on top of the rounds and may exceed them."""
    price = told.usd_per_trial
    cost = "" if price is None else f", {money(expected * price)}"
    share = expected / told.outlook.rounds
    part = "all rounds and fresh trials" if share > 1 else f"{share:.0%} of all rounds"
    return f"{expected:.0f} ({part}){cost}"


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _most(chance: float) -> str:
    return "above 0.99" if chance > 0.99 else f"{chance:.2f}"
