"""Whether the nodes a graph went through match the golden's, as agentevals' graph trajectories tell them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gatebot.graders.wording import clip, listed
from gatebot.model.case import MatchMode

Path = tuple[tuple[str, ...], ...]
EDGES_OF_THE_GRAPH = frozenset({"__start__", "__end__"})
NODES_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class GraphFit:
    """The verdict on a node path. `passed` None = no path was reported; `reason` says what is wrong with it."""

    passed: bool | None
    reason: str = ""


def match_graph(golden: Path, made: Path, mode: MatchMode) -> GraphFit:
    """Compare the node path of a trial with the golden's, both per turn.

    strict: the same nodes in the same order, turn by turn (what agentevals compares). unordered: the same nodes as
    often. superset: at least those of the golden. subset: at most. `__start__` and `__end__` count only where the
    golden names them. No path reported = no verdict, in every mode. Raises ValueError beyond 100,000 nodes.
    """
    if made == golden:
        return GraphFit(passed=True)
    if sum(map(len, made)) > NODES_LIMIT:
        message = f"the node path is longer than {NODES_LIMIT} nodes"
        raise ValueError(message)
    if not any(made):
        return GraphFit(None, "the trial reported no node path")
    unnamed = EDGES_OF_THE_GRAPH.difference(*golden)
    path = tuple(tuple(node for node in turn if node not in unnamed) for turn in made)
    if mode == "strict":
        reason = _first_difference(golden, path)
        return GraphFit(passed=not reason, reason=reason)
    wanted, got = (Counter(node for turn in one for node in turn) for one in (golden, path))
    missing = wanted - got if mode != "subset" else Counter[str]()
    extra = got - wanted if mode != "superset" else Counter[str]()
    if not missing and not extra:
        return GraphFit(passed=True)
    return GraphFit(passed=False, reason=f"{mode}: {_surplus(path, missing, extra)}")


def _first_difference(golden: Path, path: Path) -> str:
    """The first node that is another one, or the first turn too few or too many; empty when there is none."""
    for turn, (wanted, got) in enumerate(zip(golden, path, strict=False), start=1):
        if wanted == got:
            continue
        node = next(
            (i for i, (one, other) in enumerate(zip(wanted, got, strict=False)) if one != other), None
        )
        at = min(len(wanted), len(got)) if node is None else node
        return f"strict: node {at + 1} of turn {turn}: expected {_shown(wanted, at)}, got {_shown(got, at)}"
    if len(golden) != len(path):
        turn = min(len(golden), len(path)) + 1
        wanted, got = (listed(one[turn - 1], 8) if len(one) >= turn else "nothing" for one in (golden, path))
        return f"strict: turn {turn}: expected {wanted}, got {got}"
    return ""


def _shown(nodes: tuple[str, ...], at: int) -> str:
    return f"`{clip(nodes[at], 60)}`" if at < len(nodes) else "the turn's end"


def _surplus(path: Path, missing: Counter[str], extra: Counter[str]) -> str:
    """What is missing and what is there too often, with the place of the first such node."""
    parts: list[str] = []
    if missing:
        parts.append(f"expected node {_counted(missing)}, got {listed((n for t in path for n in t), 8)}")
    if extra:
        turn, node = _last_place(path, min(extra))
        parts.append(f"node {node} of turn {turn}: got {_counted(extra)}, which the golden does not expect")
    return "; ".join(parts)


def _counted(nodes: Counter[str]) -> str:
    return listed(f"{name} × {count}" if count > 1 else name for name, count in sorted(nodes.items()))


def _last_place(path: Path, node: str) -> tuple[int, int]:
    places = [(t, n) for t, turn in enumerate(path, 1) for n, name in enumerate(turn, 1) if name == node]
    return places[-1]
