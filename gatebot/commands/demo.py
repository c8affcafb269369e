"""`gatebot demo`: a made-up pull request of the support-agent example, gated for real."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import gatebot
from gatebot.commands.gate import gate
from gatebot.commands.request import EvaluationRequest
from gatebot.errors import UsageError
from gatebot.model.report import Report
from gatebot.runner.progress import ProgressView
from gatebot.workspace.layered import Layer, layered_repository

EXAMPLE = "support-agent"
HEAD_OVERLAY = "demo"


def demo(request: EvaluationRequest, watch: ProgressView) -> Report:
    """Make the repository, gate its head against its base; the results go to `request.out`.

    `request.repo` is replaced by a temporary repository, removed afterwards. Its agent is our own, so it runs with any
    sandbox there is. Raises GatebotError.
    """
    example = _example()
    layers = (
        Layer(example, "Support agent", frozenset({HEAD_OVERLAY})),
        Layer(example / HEAD_OVERLAY / "head", (example / HEAD_OVERLAY / "message.txt").read_text("utf-8")),
    )
    with _made_up(layers) as (place, (base, head)):
        return gate(replace(request, repo=place, unsafe=True), base=base, head=head, watch=watch)


def _example() -> Path:
    """The example's files: in the installed package, or beside it in a checkout of the sources."""
    package = Path(gatebot.__file__).parent
    for place in (package / "examples" / EXAMPLE, package.parent / "examples" / EXAMPLE):
        if place.is_dir():
            return place
    raise UsageError("the example is not part of this installation", "run the demo from a clone: make demo")


@contextmanager
def _made_up(layers: tuple[Layer, ...]) -> Generator[tuple[Path, list[str]]]:
    with tempfile.TemporaryDirectory(prefix="gatebot-demo-", ignore_cleanup_errors=True) as place:
        repository = Path(place) / "repository"
        yield repository, layered_repository(repository, layers)
