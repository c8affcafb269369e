"""What lint says of suites: cases that could never fail, goldens that are missing, names that do not exist."""

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.lint import lint_suite, raise_errors
from gatebot.suite.load import load_cases, load_config, load_suite_from
from tests.unit.suite.suite_files import CASE, CONFIG, FilesInMemory, findings_of

H = "input: hi\n"
SUPERSET = "whatever the agent calls would match"

FOUND = [
    # a case that checks nothing
    (H, "error", "1:1", "the case checks nothing: every trial would pass"),
    (H + "golden: {answer: x}\n", "error", "1:1", "the case checks nothing: every trial would pass"),
    (H + "expect: {poll: [a]}\n", "error", "2:1", "the case checks nothing: every trial would pass"),
    (
        H + "expect: {trajectory: {required: false}}\ngolden: {calls: [a]}\n",
        "error",
        "2:1",
        "the case checks nothing: every trial would pass",
    ),
    # a case that an idle agent passes
    (
        H + "expect: {forbid: [a]}\n",
        "warning",
        "2:10",
        "only forbidden tools are checked: an agent that does nothing passes this case",
    ),
    (
        H + "expect: {trajectory: {match: strict}}\ngolden: {calls: []}\n",
        "warning",
        "3:10",
        "an agent that does nothing passes this case",
    ),
    # an empty golden under superset
    (
        H + "expect: {answer: {contains: x}}\ngolden: {calls: []}\n",
        "error",
        "3:10",
        f"the list of golden calls is empty and the mode is superset: {SUPERSET}",
    ),
    (
        H + "golden: {calls: [{call: a, optional: true}]}\n",
        "error",
        "2:10",
        f"all golden calls are optional and the mode is superset: {SUPERSET}",
    ),
    (
        H + "golden: {calls: [a], variants: [{calls: []}]}\n",
        "error",
        "2:34",
        f"the list of golden calls is empty and the mode is superset: {SUPERSET}",
    ),
    (
        H + "expect: {outcome: recorded, trajectory: {required: false}}\ngolden: {calls: []}\n",
        "warning",
        "3:10",
        f"the list of golden calls is empty and the mode is superset: {SUPERSET}",
    ),
    (
        H + "expect: {trajectory: {match: subset}}\ngolden: {calls: [a]}\n",
        "warning",
        "2:10",
        "in mode subset an agent that calls no tool has no wrong call",
    ),
    # a golden that is needed and missing
    (
        H + "expect: {trajectory: {match: strict}}\n",
        "error",
        "2:10",
        "expect.trajectory has no golden calls to compare with",
    ),
    (H + "expect: {state: true}\n", "error", "2:10", "expect.state has nothing to compare with"),
    (
        H + "expect: {answer: {exact: true}}\ngolden: {answer: ''}\n",
        "error",
        "2:19",
        "exact: true compares with golden.answer, and there is none",
    ),
    (
        H + "expect: {answer: {similar: true}}\n",
        "error",
        "2:19",
        "similar compares with golden.answer, and there is none",
    ),
    (
        H + "expect: {answer: {similar: {threshold: 0.5}}}\n",
        "error",
        "2:19",
        "similar compares with golden.answer, and there is none",
    ),
    # a golden that is there and not used
    (
        H + "expect: {require: [a]}\ngolden: {state: {a: 1}}\n",
        "warning",
        "3:10",
        "golden.state is not compared with anything",
    ),
    (
        H + "expect: {state: {assert: [{path: a, op: '<'}]}}\n",
        "error",
        "2:27",
        "the assertion 'a <' has no value",
    ),
    # patterns
    (
        H + "expect: {answer: {regex: 'a{'}}\n",
        None,
        "",
        "",
    ),
    (
        H + "expect: {answer: {regex: '(a'}}\n",
        "error",
        "2:26",
        "not a regular expression: missing ) at position 2",
    ),
    (
        H + "expect: {answer: {regex: '((a{999}){999}){999}'}}\n",
        "error",
        "2:26",
        "counted repeats amount to too much for one pattern",
    ),
    (
        H + "expect: {trajectory: {args: {t: {x: {regex: '['}}}}}\ngolden: {calls: [t: {x: a}]}\n",
        "error",
        "2:45",
        "not a regular expression: unterminated character set at position 1",
    ),
    # tools
    (
        H + "expect: {forbid: [b, a]}\ngolden: {calls: [a]}\n",
        "error",
        "2:22",
        "'a' is forbidden and in the golden calls",
    ),
    (
        H + "expect: {forbid: [a, b]}\ngolden: {calls: [{any_of: [a, b]}]}\n",
        "error",
        "2:19",
        "'a' is forbidden and in the golden calls",
    ),
    (H + "expect: {forbid: [a]}\ngolden: {calls: [{any_of: [a, b]}]}\n", None, "", ""),
    (H + "expect: {require: [a], forbid: [a]}\n", "error", "2:20", "'a' is both required and forbidden"),
    (
        H + "expect: {require: [serch]}\ngolden: {calls: [search]}\n",
        "warning",
        "2:20",
        "expect.require names 'serch', which no golden call uses",
    ),
    (
        H + "expect: {trajectory: {args: {serch: ignore, '*': exact}}}\ngolden: {calls: [search]}\n",
        "warning",
        "2:30",
        "expect.trajectory.args names 'serch', which no golden call uses",
    ),
    # the order of golden calls
    (
        H + "golden: {calls: [{call: a, id: x}, {call: b, after: [y]}]}\n",
        "error",
        "2:36",
        "'b' comes after 'y', which no golden call has as id",
    ),
    (
        H + "golden: {calls: [{call: a, id: x}, {call: b, id: x}]}\n",
        "error",
        "2:36",
        "two golden calls have the id 'x'",
    ),
    (
        H + "golden: {calls: [[{call: a, id: x, after: [y]}, {call: b, id: y, after: [x]}]]}\n",
        "error",
        "2:18",
        "golden calls wait for each other: x after y after x",
    ),
    (
        H + "golden: {calls: [{call: a, id: x, after: [x]}]}\n",
        "error",
        "2:18",
        "golden calls wait for each other: x after x",
    ),
    (
        H + "golden: {calls: [{call: a, after: [y]}, {call: b, id: y}]}\n",
        "error",
        "2:18",
        "'a' comes after 'y', which stands further down",
    ),
    # nothing to say
    (CASE, None, "", ""),
    (H + "golden: {calls: [a]}\n", None, "", ""),
    (H + "expect: {answer: {exact: true}}\ngolden: {variants: [{answer: b}]}\n", None, "", ""),
    (H + "expect: {state: true}\ngolden: {state: {a: 1}}\n", None, "", ""),
    (H + "expect: {answer: {contains: x}, trajectory: {match: strict}}\ngolden: {calls: []}\n", None, "", ""),
    (
        H + "golden: {calls: [{call: a, id: x}, {call: b, id: y, after: [x]}, {call: c, after: [x, y]}]}\n",
        None,
        "",
        "",
    ),
    # a whole call in place of a tool's name
    (
        H + """golden: {calls: ['search_docs(query="SLA", top=3)']}\n""",
        "error",
        "2:18",
        """a tool's name has no arguments in brackets: search_docs(query="SLA", top=3)""",
    ),
    (
        H + "expect: {forbid: ['pay()']}\ngolden: {calls: [search]}\n",
        "error",
        "2:19",
        "a tool's name has no arguments in brackets: pay()",
    ),
]


@pytest.mark.parametrize(
    ("case", "level", "place", "message"), FOUND, ids=[f"{row[3]} {row[0]}" for row in FOUND]
)
def test_a_case(case: str, level: str | None, place: str, message: str) -> None:
    found = findings_of(case)
    if level is None:
        assert found == ()
    else:
        assert [(one.level, str(one)) for one in found] == [(level, f"golden/case.yaml:{place}: {message}")]
        assert found[0].hint


def test_errors_come_first_and_stop_loading() -> None:
    source = FilesInMemory(
        {
            "gatebot.yaml": CONFIG,
            "golden/a.yaml": H + "expect: {forbid: [x]}\n",
            "golden/b.yaml": H,
            "golden/c.yaml": H,
        }
    )
    file = load_config(source)
    found = lint_suite(file, load_cases(source, file))
    assert [one.level for one in found] == ["error", "error", "warning"]
    with pytest.raises(ConfigError) as caught:
        load_suite_from(source, source)
    assert (
        str(caught.value) == "golden/b.yaml:1:1: the case checks nothing: every trial would pass (and 1 more)"
    )
    raise_errors(one for one in found if one.level == "warning")


def test_names_from_a_case_are_shown_not_obeyed() -> None:
    (found,) = findings_of(H + 'expect: {require: ["\\e[2Jx", a]}\ngolden: {calls: [a]}\n')
    assert "\x1b" not in found.message
    assert "\\x1b[2Jx" in found.message


def test_a_call_in_place_of_a_name_is_shown_as_it_is_written() -> None:
    found = findings_of(H + """golden: {calls: ['search_docs(query="SLA", top=3)']}\n""")
    assert [one.hint for one in found] == ["""write `search_docs: {query: "SLA", top: 3}`"""]
