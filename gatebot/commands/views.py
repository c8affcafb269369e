"""What an evaluation is about, before anything is written: the ruler, and each side as it lies in its tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from gatebot.commands.ruler import Ruler, agent_files
from gatebot.model.config import AgentConfig
from gatebot.model.plan import Activity, SideInfo
from gatebot.model.trial import Side
from gatebot.suite.source import FileSource
from gatebot.workspace.checkout import Examined, examine
from gatebot.workspace.tree import FileTree


class Tree(FileTree, FileSource, Protocol):
    """A tree of files that can be checked out and read by the suite's loader."""


@dataclass(frozen=True, slots=True)
class SideView:
    """One side before it is checked out: its files, commit, agent, and the first slot it uses."""

    tree: Tree
    sha: str
    label: str
    agent: AgentConfig
    dirty: bool = False
    first_slot: int = 1


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What to evaluate: the activity, the ruler, the sides in the order base, head, and the configuration's path.

    `shared_tree`: both sides are the same commit on purpose (`gatebot aa`) and do run.
    """

    activity: Activity
    ruler: Ruler
    sides: Mapping[Side, SideView]
    config_path: str
    shared_tree: bool = False

    def same_agent(self, examined: Mapping[Side, Examined]) -> bool:
        """Whether both sides are the same agent in the same tree, so that there is nothing to compare."""
        if len(self.sides) < 2 or self.shared_tree:
            return False
        base, head = self.sides["base"], self.sides["head"]
        return examined["base"].digest == examined["head"].digest and base.agent == head.agent

    def hidden(self, side: Side) -> frozenset[str]:
        """Paths of the side's tree that its agent must not see."""
        return agent_files(self.sides[side].tree, self.config_path, self.ruler.suite)


def examine_sides(evaluation: Evaluation) -> dict[Side, Examined]:
    """The digest of what each side's agent may see, and what could not be written of it."""
    return {
        side: examine(view.tree, evaluation.hidden(side).__contains__)
        for side, view in evaluation.sides.items()
    }


def side_info(view: SideView, examined: Examined) -> SideInfo:
    """The side as the plan names it."""
    return SideInfo(sha=view.sha, tree=examined.digest, label=view.label, dirty=view.dirty)
