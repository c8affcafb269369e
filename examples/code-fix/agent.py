"""A small repair agent: reads the file an issue names, tries edits, keeps the first with which the visible tests pass.

One JSON request on standard input, one JSON answer on standard output. The model is a set of rules (`RULES`); the seed
decides the order in which they come to its mind. The loop is a real one: read, edit, run the tests, look, go on.
"""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

# From a line that looks so to a line that may be better.
RULES = (
    (r"(\w+) // (\w+)$", r"\1 // \2 + 1"),
    (r"(\w+) // (\w+)$", r"-(-\1 // \2)"),
    (r"(\w+) // (\w+)$", r"round(\1 / \2)"),
    (r"(\w+) // (\w+)$", r"(\1 + \2 - 1) // \2"),
    (r'split\(" "\)\)$', r"split())"),
    (r'split\(" "\)\)$', r'split(" ")).replace("--", "-")'),
    (r'split\(" "\)\)$', r'split(" ")).strip("-")'),
    (r"\[share\] \* people$", r"[share] * (people - 1) + [total - share * (people - 1)]"),
    (r"\[share\] \* people$", r"[share + (number < total % people) for number in range(people)]"),
    (r"\[share\] \* people$", r"[share + 1] * people"),
)


class Agent:
    """Calls tools and writes down what they said."""

    def __init__(self) -> None:
        self.messages: list[dict[str, object]] = []

    def call(self, name: str, **arguments: object) -> str:
        """Call a tool; its result."""
        result = TOOLS[name](**arguments)
        identity = f"call-{len(self.messages)}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        made = [{"id": identity, "type": "function", "function": function}]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": made})
        self.messages.append({"role": "tool", "tool_call_id": identity, "content": result})
        return result

    def say(self, text: str) -> None:
        """Finish."""
        self.messages.append({"role": "assistant", "content": text})


def read_file(path: str) -> str:
    """The text of a file."""
    return Path(path).read_text("utf-8")


def edit_line(path: str, number: int, line: str) -> str:
    """Replace one line."""
    lines = Path(path).read_text("utf-8").splitlines()
    lines[number - 1] = line
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")
    return "ok"


def run_tests(path: str) -> str:
    """Run the tests in a file; `OK` or the last line of what went wrong."""
    argv = [sys.executable, "-S", "-B", "-m", "unittest", path]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=20)
    return done.stderr.strip().splitlines()[-1]


TOOLS = {"read_file": read_file, "edit_line": edit_line, "run_tests": run_tests}


def repair(agent: Agent, source: str, tests: str, rng: random.Random) -> str:
    """Try edits until the visible tests pass; what was done, in a sentence."""
    lines = agent.call("read_file", path=source).splitlines()
    ideas = [
        (number, re.sub(pattern, better, line))
        for number, line in enumerate(lines, start=1)
        for pattern, better in RULES
        if re.search(pattern, line)
    ]
    rng.shuffle(ideas)
    for number, line in ideas:
        agent.call("edit_line", path=source, number=number, line=line)
        if agent.call("run_tests", path=tests) == "OK":
            return f"Fixed {source}, line {number}; the tests in {tests} pass."
        agent.call("edit_line", path=source, number=number, line=lines[number - 1])
    return f"I could not fix {source}."


def main() -> None:
    """One issue."""
    request = json.load(sys.stdin)
    rng = random.Random(os.environ.get("GATEBOT_SEED", request["seed"]))
    agent = Agent()
    named = re.search(r"shopkit/(\w+)\.py", request["input"])
    if named is None:
        agent.say("Which file?")
    else:
        agent.say(repair(agent, named.group(), f"tests/test_{named.group(1)}.py", rng))
    json.dump({"messages": agent.messages}, sys.stdout)


if __name__ == "__main__":
    main()
