"""Answers one request of gatebot's: the graph's messages, and the nodes it went through."""

import json
import sys

from graph import built
from langchain_core.messages import HumanMessage, messages_to_dict


def main() -> None:
    """Read a request from standard input, print the answer."""
    request = json.load(sys.stdin)
    messages, nodes = [], []
    start = {"messages": [HumanMessage(request["input"])]}
    for update in built().stream(start, stream_mode="updates"):
        for node, change in update.items():
            nodes.append(node)
            messages += (change or {}).get("messages", [])
    print(json.dumps({"messages": messages_to_dict(messages), "graph": nodes}))


if __name__ == "__main__":
    main()
