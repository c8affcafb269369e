"""Mistakes in a case: the file, what is said (after the file's name), the hint."""

IN_A_CASE = [
    ("input: hi\nexpcet: {}\n", "2:1: unknown key 'expcet'", "did you mean 'expect'?"),
    ("expect: {}\n", "1:1: missing key 'input'", "write `input: What the user asks`"),
    (
        "input: hi\ngolden:\n  calls:\n    - name: search\n      arguments: {q: x}\n",
        "4:13: 'golden.calls[0].name' must be keys with values, found the text 'search'",
        "write `- search: {…}`, its arguments in the brackets",
    ),
    ("input: ''\n", "1:8: input is empty", "write what the user says"),
    ("input: []\n", "1:8: input is empty", "write what the user says"),
    ("input: [a, '']\n", "1:12: a turn of the input is empty", "write what the user says"),
    ("input: 5\n", "1:8: 'input' must be text, found the number 5", 'put it in quotes: "5"'),
    ("input: {a: 1}\n", "1:8: 'input' must be text, found keys with values", ""),
    ("input: [a, {role: user, content: x}]\n", "1:12: 'input[1]' must be text, found keys with values", ""),
    (
        "input: [{role: user, content: x}, a]\n",
        "1:35: 'input[1]' must be keys with values, found the text 'a'",
        "",
    ),
    (
        "input: [{role: bot, content: x}]\n",
        "1:16: 'input[0].role' must be one of system, user, assistant; found the text 'bot'",
        "",
    ),
    (
        "input: [{role: user, content: x}, {role: assistant, content: y}]\n",
        "1:1: the input ends without a user message: there is nothing to ask the agent",
        "end it with {role: user, content: …}",
    ),
    (
        "input: hi\nid: a b\n",
        "2:5: 'id' may hold letters, digits, '.', '_' and '-' (100 at most), and begins with a letter or digit; found the text 'a b'",
        "",
    ),
    ("input: hi\nid: 12\n", "2:5: 'id' must be text, found the number 12", 'put it in quotes: "12"'),
    ("input: hi\nforbid: [a]\n", "2:1: unknown key 'forbid'", "'forbid' belongs under 'expect'"),
    (
        "input: hi\nexpect: {forbid: a}\n",
        "2:18: 'expect.forbid' must be a list, found the text 'a'",
        "write [a]",
    ),
    (
        "input: hi\nexpect: {answer: hi}\n",
        "2:18: 'expect.answer' must be keys with values, found the text 'hi'",
        "",
    ),
    (
        "input: hi\nexpect: {answer: {}}\n",
        "2:18: an empty answer expectation would always pass",
        "name at least one check, such as contains",
    ),
    (
        "input: hi\nexpect: {answer: {contains: []}}\n",
        "2:19: an empty `contains` would always pass",
        "give at least one string",
    ),
    (
        "input: hi\nexpect: {answer: {contains: {}}}\n",
        "2:29: an empty expectation would always pass",
        "give at least one string",
    ),
    (
        "input: hi\nexpect: {answer: {contains: 5}}\n",
        "2:29: 'expect.answer.contains' must be text, a list or {all, any}, found the number 5",
        "",
    ),
    (
        "input: hi\nexpect: {answer: {contains: [5]}}\n",
        "2:30: 'expect.answer.contains[0]' must be text, found the number 5",
        'put it in quotes: "5"',
    ),
    (
        "input: hi\nexpect: {answer: {exact: false}}\n",
        "2:26: 'expect.answer.exact' can only be true, found false",
        "leave the key out where it is not wanted",
    ),
    (
        "input: hi\nexpect: {answer: {number: ten}}\n",
        "2:27: 'expect.answer.number' must be a number or {value, …}, found the text 'ten'",
        "",
    ),
    (
        "input: hi\nexpect: {answer: {number: {valu: 1}}}\n",
        "2:28: unknown key 'valu'",
        "did you mean 'value'?",
    ),
    (
        "input: hi\nexpect: {answer: {similar: 0.8}}\n",
        "2:28: 'expect.answer.similar' must be true or {text, threshold, entities, semantic}, found the number 0.8",
        "",
    ),
    (
        "input: hi\nexpect: {outcome: passed}\n",
        "2:19: 'expect.outcome' must be recorded; found the text 'passed'",
        "",
    ),
    (
        "input: hi\nexpect: {state: {assert: [{path: a, op: '=', value: 1}]}}\n",
        "2:41: 'expect.state.assert[0].op' must be one of ==, !=, <, <=, >, >=, contains, exists, absent; found the text '='",
        "did you mean '=='?",
    ),
    (
        "input: hi\nexpect: {state: {assertions: []}}\n",
        "2:18: unknown key 'assertions'",
        "did you mean 'assert'?",
    ),
    (
        "input: hi\nexpect: {trajectory: {match: unorderd}}\n",
        "2:30: 'expect.trajectory.match' must be one of strict, unordered, superset, subset; found the text 'unorderd'",
        "did you mean 'unordered'?",
    ),
    (
        "input: hi\nexpect: {trajectory: {args: {a: ignor}}}\n",
        "2:33: 'expect.trajectory.args.a' must be one of exact, ignore, subset, superset; found the text 'ignor'",
        "did you mean 'ignore'?",
    ),
    (
        "input: hi\nexpect: {trajectory: {args: {a: {b: ignor}}}}\n",
        "2:37: 'expect.trajectory.args.a.b' must be one of exact, ignore, any, case_insensitive, unordered; found the text 'ignor'",
        "did you mean 'ignore'?",
    ),
    (
        "input: hi\nexpect: {trajectory: {args: {a: {b: {}}}}}\n",
        "2:37: an argument is matched by exactly one of regex, tolerance, one_of, similar",
        "write {tolerance: 0.01}",
    ),
    (
        "input: hi\nexpect: {trajectory: {args: {a: {b: {tolerence: 1}}}}}\n",
        "2:38: unknown key 'tolerence'",
        "did you mean 'tolerance'?",
    ),
    (
        "input: hi\ngolden: {calls: [{a: {}, b: {}}]}\n",
        "2:18: 'golden.calls[0]' must be one call, `tool: {arguments}`",
        "give each call an item of its own",
    ),
    (
        "input: hi\ngolden: {calls: [{a: x}]}\n",
        "2:22: 'golden.calls[0].a' must be keys with values, found the text 'x'",
        "",
    ),
    ("input: hi\ngolden: {calls: [{}]}\n", "2:18: 'golden.calls[0]' must not be empty", ""),
    (
        "input: hi\ngolden: {calls: [5]}\n",
        "2:18: 'golden.calls[0]' must be text, found the number 5",
        'put it in quotes: "5"',
    ),
    ("input: hi\ngolden: {calls: [[]]}\n", "2:18: 'golden.calls[0]' must not be empty", ""),
    (
        "input: hi\ngolden: {calls: [[[a]]]}\n",
        "2:19: 'golden.calls[0][0]' must be a golden call, `tool: {arguments}`",
        "",
    ),
    ("input: hi\ngolden: {calls: [{call: a, arg: {}}]}\n", "2:28: unknown key 'arg'", "did you mean 'args'?"),
    (
        "input: hi\ngolden: {calls: [{any_of: [a]}]}\n",
        "2:27: 'golden.calls[0].any_of' must have at least 2 items",
        "",
    ),
    (
        "input: hi\ngolden: {calls: {a: {}}}\n",
        "2:17: 'golden.calls' must be a list, found keys with values",
        "",
    ),
    (
        "input: hi\ngolden: {calls: [a], messages: []}\n",
        "2:22: golden has both calls and messages",
        "keep one of them",
    ),
    (
        "input: hi\ngolden: {calls: [{call: a, after: b}]}\n",
        "2:35: 'golden.calls[0].after' must be a list, found the text 'b'",
        "write [b]",
    ),
    ("input: hi\ntimeout: 0\n", "2:10: 'timeout' must be above 0, found the number 0", ""),
    ("input: hi\ntags: x\n", "2:7: 'tags' must be a list, found the text 'x'", "write [x]"),
    ("input: hi\ncontext: [a]\n", "2:10: 'context' must be keys with values, found a list", ""),
]
