"""Mistakes in gatebot.yaml: the file, what is said (after the file's name), the hint."""

IN_THE_CONFIG = [
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate:\n  metrics:\n    pass_rate: {marging: 0.1}\n",
        "6:17: unknown key 'marging'",
        "did you mean 'margin'?",
    ),
    ("version: 1\nsuite: demo\nagnet: oracle\n", "3:1: unknown key 'agnet'", "did you mean 'agent'?"),
    (
        "version: 1\nsuite: demo\n",
        "1:1: missing key 'agent'",
        "say how it is run: `agent: {command: [python3, agent.py]}`",
    ),
    ("version: 2\nsuite: demo\nagent: oracle\n", "1:10: 'version' must be 1; found the number 2", ""),
    (
        "version: '1'\nsuite: demo\nagent: oracle\n",
        "1:10: 'version' must be 1, found the text '1'",
        "write 1 without quotes",
    ),
    (
        "version: 1\nsuite: my suite\nagent: oracle\n",
        "2:8: 'suite' may hold letters, digits, '.', '_' and '-' (100 at most), and begins with a letter or digit; found the text 'my suite'",
        "",
    ),
    (
        "version: 1\nsuite: 7\nagent: oracle\n",
        "2:8: 'suite' must be text, found the number 7",
        'put it in quotes: "7"',
    ),
    (
        "version: 1\nsuite: demo\nagent: orakel\n",
        "3:8: there is no built-in agent 'orakel'",
        "did you mean 'oracle'?",
    ),
    (
        "version: 1\nsuite: demo\nagent: {}\n",
        "3:8: the agent says not how it is run",
        'give one of command, python, http, replay: command: ["./agent"]',
    ),
    ("version: 1\nsuite: demo\nagent:\n", "3:7: 'agent' must be keys with values, found nothing", ""),
    (
        "version: 1\nsuite: demo\nagent: {command: ./run}\n",
        "3:18: 'agent.command' must be a list, found the text './run'",
        "write [./run]",
    ),
    (
        "version: 1\nsuite: demo\nagent: {command: python3 -I agent.py --title 'a b' 5}\n",
        "3:18: 'agent.command' must be a list, found the text \"python3 -I agent.py --title 'a b' 5\"",
        'write [python3, -I, agent.py, --title, "a b", "5"]',
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: {pass_rate: {margin: 10%}}}\n",
        "4:38: 'gate.metrics.pass_rate.margin' must be a number, found the text '10%'",
        "write 0.10",
    ),
    ("version: 1\nsuite: demo\nagent: {command: []}\n", "3:18: 'agent.command' must not be empty", ""),
    (
        "version: 1\nsuite: demo\nagent: {command: [a], python: 'a:b'}\n",
        "3:8: an agent is run in one way, here are command and python",
        "keep one of them",
    ),
    (
        "version: 1\nsuite: demo\nagent: {python: run.py}\n",
        "3:17: 'agent.python' must be package.module:function; found the text 'run.py'",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: {http: {url: localhost}}\n",
        "3:21: 'agent.http.url' must begin with http:// or https://; found the text 'localhost'",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: {command: [a], timeout: 0}\n",
        "3:32: 'agent.timeout' must be above 0, found the number 0",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: {command: [a], timeout: 2m}\n",
        "3:32: 'agent.timeout' must be a number, found the text '2m'",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: {command: [a], env: [A-B]}\n",
        "3:29: 'agent.env[0]' must be the name of an environment variable: letters, digits and '_'; found the text 'A-B'",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: {command: [a, 1]}\n",
        "3:22: 'agent.command[1]' must be text, found the number 1",
        'put it in quotes: "1"',
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nseeds: {}\n",
        "4:8: seeds needs exactly one of max and fixed",
        "write {max: 10} or {fixed: 5}",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nseeds: 5\n",
        "4:8: 'seeds' must be keys with values, found the number 5",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nseeds: {max: 2.5}\n",
        "4:14: 'seeds.max' must be a whole number, found the number 2.5",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nseeds: {max: 100}\n",
        "4:14: 'seeds.max' must be at most 50, found the number 100",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {mode: detct}\n",
        "4:14: 'gate.mode' must be one of detect, prove, observe; found the text 'detct'",
        "did you mean 'detect'?",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {alpha: 0.5}\n",
        "4:15: 'gate.alpha' must be below 0.5, found the number 0.5",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: {passrate: {}}}\n",
        "4:18: unknown metric 'passrate'",
        "did you mean 'pass_rate'?",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: {tokens: {margin: 0.1}}}\n",
        "4:27: tokens is compared as a ratio: its margin must be above 1",
        "1.25 allows a quarter more",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: {pass_rate: {margin: 10}}}\n",
        "4:30: pass_rate lies in [0, 1]: its margin must be below 1",
        "0.10 is ten points",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: {pass_rate: {target: 95}}}\n",
        "4:30: pass_rate lies in [0, 1]: so must its target",
        "0.90 is ninety per cent",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ngate: {metrics: [pass_rate]}\n",
        "4:17: 'gate.metrics' must be keys with values, found a list",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\naccept: {by_author: yes}\n",
        "4:21: 'accept.by_author' must be true or false, found the text 'yes'",
        "write true",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nquarantine: [{case: a, reason: xxx, until: 2024-13-01}]\n",
        "4:44: 'until' must be a day of the calendar, found '2024-13-01'",
        "write YYYY-MM-DD",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nquarantine: [{case: a, reason: xxx, until: 20240101}]\n",
        "4:44: 'until' must be a day of the calendar, found 20240101",
        "write YYYY-MM-DD",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nquarantine: [{case: a, reason: x, until: 2024-12-01}]\n",
        "4:32: 'quarantine[0].reason' must have at least 3 characters",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nquarantine: [{case: a, until: 2024-12-01}]\n",
        "4:14: missing key 'quarantine[0].reason'",
        "Why, for whoever reads the report.",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ncases: golden/*.yaml\n",
        "4:8: 'cases' must be a list, found the text 'golden/*.yaml'",
        "write [golden/*.yaml]",
    ),
    ("version: 1\nsuite: demo\nagent: oracle\ncases: []\n", "4:8: 'cases' must not be empty", ""),
    (
        "version: 1\nsuite: demo\nagent: oracle\ncases: ['../x/*.yaml']\n",
        "4:9: the glob '../x/*.yaml' leads out of the suite's folder",
        "write it relative to the configuration, without '..'",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ncases: ['gold/*.yaml']\n",
        "4:8: the suite is empty: no case file matches gold/*.yaml",
        "write a first case",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nalpha: 0.1\n",
        "4:1: unknown key 'alpha'",
        "'alpha' belongs under 'gate'",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\ncolour: red\n",
        "4:1: unknown key 'colour'",
        "known keys: version, suite, agent, cases, trajectory, tools, network, isolation, seeds, concurrency, gate, quarantine, base, on_missing_base, paths, comment, job_exit, forks, accept, budget, prices, judge",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nconcurency: 3\ngate: {mood: x, alfa: 3}\n",
        "4:1: unknown key 'concurency'",
        "did you mean 'concurrency'?",
    ),
    ("- version\n", "1:1: the file must be keys with values, found a list", ""),
    ("hello\n", "1:1: the file must be keys with values, found the text 'hello'", ""),
    ("", " the configuration is empty", "`gatebot init` writes one"),
    (
        "version: 1\nsuite: demo\nagent: oracle\nbudget: {usd: -1}\n",
        "4:15: 'budget.usd' must be above 0, found the number -1",
        "",
    ),
    (
        "version: 1\nsuite: demo\nagent: oracle\nbudget: {usd: true}\n",
        "4:15: 'budget.usd' must be a number, found true",
        "",
    ),
]
