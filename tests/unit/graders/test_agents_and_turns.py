"""Advisory metrics: parallelism and hand-offs."""

from __future__ import annotations

import pytest

from gatebot.graders.grade import grade_trial
from gatebot.graders.handoffs import handoffs
from gatebot.graders.parallelism import parallelism
from gatebot.graders.steps import gather
from gatebot.model.config import TrajectoryDefault
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from tests.unit.graders.trials import call, case, golden, grade, steps_of, trial, value

find = call("find_user", {"name": "Ann Lee"}, result='{"id": "user-77"}')
orders = call("list_orders", {"user": "user-77"}, result='["order-5"]')
weather = call("get_weather", {"city": "Paris"}, result="sunny")
refund = call("refund", {"order": "order-5"}, result="ok")
told_user = call("list_orders", {"user": "Ann Lee"}, result="[]")


@pytest.mark.parametrize(
    ("turns", "told", "share"),
    [
        ([find, orders], "", 1.0),
        ([find, weather], "", 0.5),
        ([[find, weather], orders], "", 1.0),
        ([find, weather, orders], "", 2 / 3),
        ([find, told_user], "orders of Ann Lee", 0.5),
        ([find, orders, refund], "", 1.0),
        ([refund, weather], "", 1.0),  # what changes something comes before what follows it
        ([orders, orders], "user-77", 0.5),
    ],
)
def test_parallelism(turns: list[ToolCall | list[ToolCall]], told: str, share: float) -> None:
    assert parallelism(told, steps_of(*turns)).value == pytest.approx(share)


def test_dependent_calls_made_together_are_named() -> None:
    score = parallelism("", steps_of([find, orders]))
    assert score.reason == (
        'step 2: `list_orders(user="user-77")` needs the result of step 1, made in the same turn'
    )


def add(first: str, result: str) -> ToolCall:
    return call("calculator", {"sum": first}, result=result)


@pytest.mark.parametrize(
    ("turns", "share"),
    [
        ([find, add("1+1", "2"), orders], 1.0),  # the calculator needs no turn and is in none
        ([find, add("1+1", "2"), weather], 0.5),
        ([find, add("user-77", "4411-a"), call("orders", {"of": "4411-a"}, result="[]")], 1.0),
        ([[find, add("user-77", "4411-a")], orders], 1.0),  # an unsafe pair with a pure tool is none
    ],
    ids=["between", "independent", "handed-on", "together"],
)
def test_pure_tools_are_left_out_of_parallelism(turns: list[ToolCall | list[ToolCall]], share: float) -> None:
    score = parallelism("", steps_of(*turns), pure=frozenset({"calculator"}))
    assert score.value == pytest.approx(share)
    assert "calculator" not in score.reason


def test_pure_tools_alone_are_ungraded() -> None:
    score = parallelism("", steps_of(find, add("1", "2"), add("2", "3")), pure=frozenset({"calculator"}))
    assert (score.value, score.by_design) == (None, True)
    assert score.reason == "fewer than two calls of tools that are not pure"


def test_the_suite_says_which_tools_are_pure_by_any_of_their_names() -> None:
    defaults = TrajectoryDefault(pure=("sum",), aliases={"calculator": ("sum", "mcp__*__sum")})
    made = trial(find, call("mcp__math__sum", {"of": "1+1"}, result="2"), orders, answer="x")
    graded = grade_trial(case({"answer": {"contains": "x"}}), made, defaults)
    plain = grade_trial(case({"answer": {"contains": "x"}}), made, TrajectoryDefault())
    assert (value(graded, "parallelism"), value(plain, "parallelism")) == (1.0, pytest.approx(2 / 3))


def test_parallelism_is_ungraded_where_nothing_can_be_said() -> None:
    assert parallelism("", steps_of(find)).by_design
    unknown = parallelism("", steps_of(call("a"), call("b")))
    assert (unknown.value, unknown.by_design) == (None, False)


def said(*agents: str | None) -> Trajectory:
    return Trajectory(tuple(Message("assistant", "x", agent=agent) for agent in agents))


@pytest.mark.parametrize(
    ("agents", "count", "reason"),
    [
        (("a", "a"), None, "a single agent"),
        ((None, "a"), None, "a single agent"),
        (("a", "b"), 1, ""),
        (("a", "b", "b", "c"), 2, ""),
        (("a", "b", "a"), 2, "1 straight back, first a to b and back"),
    ],
)
def test_handoffs(agents: tuple[str | None, ...], count: float | None, reason: str) -> None:
    score = handoffs(said(*agents), steps_of())
    assert (score.value, score.reason) == (count, reason)
    assert score.by_design is (count is None)


def test_work_done_twice_by_different_agents_is_named() -> None:
    made = Trajectory(
        (
            Message("assistant", calls=(find,), agent="a"),
            Message("assistant", calls=(find, weather), agent="b"),
        )
    )
    score = handoffs(made, gather(made))
    assert score.reason == 'step 2: `find_user(name="Ann Lee")` was done by another agent in step 1'


def test_what_the_golden_says_of_order_is_a_dependency() -> None:
    ordered = (
        ExpectedCall("find", {}, 0, id="found"),
        ExpectedCall("orders", {}, 1, after=("found",)),
    )
    one_by_one = (call("find", result="a"), call("orders", result="b"))
    free = grade(case({"trajectory": {}}, golden("find", "orders")), trial(*one_by_one))
    bound = grade(case({"trajectory": {}}, ordered), trial(*one_by_one))
    assert (value(free, "parallelism"), value(bound, "parallelism")) == (0.5, 1.0)
    together = grade(case({"trajectory": {}}, ordered), trial(list(one_by_one)))
    assert "needs the result of step 1, made in the same turn" in together.scores["parallelism"].reason
