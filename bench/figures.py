"""The plots of docs/statistics.md from simulated pull requests: `figures.py [COUNT] [DIRECTORY]`; without one only numbers."""

import sys
from dataclasses import dataclass
from pathlib import Path

from gatebot.core.playing import Arm, Arms, play
from gatebot.core.stats.drawing import drawn_passes, drawn_rates, generator_of
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.strata import FloatArray
from gatebot.model.config import Gate, MetricGate

ROUNDS = 10
SIZES = (10, 20, 50)
LOSSES = (0.0, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40)
COLOURS = ("#0072b2", "#d55e00", "#009e73")
GATE = Gate(metrics={"pass_rate": MetricGate()})
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 360, 64, 40, 90, 52


@dataclass(frozen=True)
class Line:
    """A line of a plot: its name and y in [0, 1] at every loss."""

    name: str
    values: tuple[float, ...]


def simulated(cases: int, loss: float, count: int) -> tuple[float, float]:
    """Share of red, and trials over those of ten fixed seeds, on a mature suite that lost this share of its passes."""
    reds, runs = 0, 0.0
    for number in range(count):
        generator = generator_of(cases, number)
        rates = drawn_rates("mature", cases, generator)

        def arm(true: FloatArray) -> Arm:
            passes = {"pass_rate": drawn_passes(true, ROUNDS, generator)}  # noqa: B023 - used before the next one
            return Arm(passes, drawn_passes(true, CONFIRM_TRIALS, generator))  # noqa: B023

        played = play(Arms(arm(rates), arm(rates * (1.0 - loss))), GATE, rounds=ROUNDS, sequential=True)
        reds += played.red
        runs += played.trials / (2 * ROUNDS * cases)
    return reds / count, runs / count


def plot(title: str, y_axis: str, lines: list[Line]) -> str:
    """An SVG line plot: losses in per cent across, shares in per cent up."""
    across = WIDTH - LEFT - RIGHT
    up = HEIGHT - TOP - BOTTOM

    def x(loss: float) -> float:
        return LEFT + across * loss / LOSSES[-1]

    def y(value: float) -> float:
        return TOP + up * (1.0 - value)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
    ]
    parts.extend(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="#ddd"/>'
        f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    parts.extend(
        f'<text x="{x(loss):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{loss:.0%}</text>'
        for loss in LOSSES
    )
    parts.append(
        f'<text x="{LEFT + across / 2}" y="{HEIGHT - 12}" text-anchor="middle">share of passes lost</text>'
        f'<text x="16" y="{TOP + up / 2}" text-anchor="middle" transform="rotate(-90 16 {TOP + up / 2})">{y_axis}</text>'
    )
    for line, colour in zip(lines, COLOURS, strict=True):
        points = " ".join(
            f"{x(loss):.1f},{y(value):.1f}" for loss, value in zip(LOSSES, line.values, strict=True)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    placed = 1e9
    for line, colour in sorted(zip(lines, COLOURS, strict=True), key=lambda pair: pair[0].values[-1]):
        placed = min(y(line.values[-1]) + 4, placed - 16)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{placed:.1f}" fill="{colour}">{line.name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    found = {(cases, loss): simulated(cases, loss, count) for cases in SIZES for loss in LOSSES}
    for cases in SIZES:
        told = "  ".join(
            f"{loss:.0%}: {found[cases, loss][0]:.0%}/{found[cases, loss][1]:.2f}" for loss in LOSSES
        )
        print(f"{cases} cases, red / runs by loss: {told}")
    if len(sys.argv) > 2:
        place = Path(sys.argv[2])
        place.mkdir(parents=True, exist_ok=True)
        for name, title, axis, part in (
            (
                "power",
                "How often the gate closes (mature suite, up to 10 rounds)",
                "pull requests stopped",
                0,
            ),
            ("cost", "What it costs, of the trials of ten fixed seeds", "trials", 1),
        ):
            lines = [
                Line(f"{cases} cases", tuple(found[cases, loss][part] for loss in LOSSES)) for cases in SIZES
            ]
            (place / f"{name}.svg").write_text(plot(title, axis, lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
