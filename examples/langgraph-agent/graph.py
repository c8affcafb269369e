"""The agent as a LangGraph graph: look up, compare, have large sums reviewed, act, reply."""

import json
import re

from expenses import approve, get_expense, get_limit, reject
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

REVIEW_FROM = 500


def look_up(state: MessagesState) -> dict:
    """Ask for the expense that the user names."""
    found = re.search(r"E-\d+", state["messages"][-1].content)
    return _call("get_expense", expense_id=found.group()) if found else {}


def compare(state: MessagesState) -> dict:
    """Ask for the limit of the expense's category."""
    return _call("get_limit", category=_result(state, "get_expense")["category"])


def review(state: MessagesState) -> dict:
    """The second pair of eyes on a large sum; here it only takes note."""
    amount = _result(state, "get_expense")["amount"]
    return {"messages": [AIMessage(f"Reviewed, as {amount} is {REVIEW_FROM} or more.")]}


def act(state: MessagesState) -> dict:
    """Approve what is within the limit, reject the rest."""
    expense, limit = _result(state, "get_expense"), _result(state, "get_limit")
    name = _arguments(state, "get_expense")["expense_id"]
    if expense["amount"] <= limit:
        return _call("approve", expense_id=name)
    return _call("reject", expense_id=name, reason="over limit")


def reply(state: MessagesState) -> dict:
    """Tell the user what was done."""
    last = state["messages"][-1]
    done = last.content if isinstance(last, ToolMessage) else "Which expense is it?"
    return {"messages": [AIMessage(f"Done: {done}." if isinstance(last, ToolMessage) else done)]}


def after_look_up(state: MessagesState) -> str:
    """Without an expense there is nothing to do but ask."""
    return "tools" if getattr(state["messages"][-1], "tool_calls", None) else "reply"


def after_tools(state: MessagesState) -> str:
    """Where a tool's result leads: large sums are reviewed before anything is done."""
    match state["messages"][-1].name:
        case "get_expense":
            return "compare"
        case "get_limit":
            return "review" if _result(state, "get_expense")["amount"] >= REVIEW_FROM else "act"
        case _:
            return "reply"


def built():
    """The compiled graph."""
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([get_expense, get_limit, approve, reject]))
    for node in (look_up, compare, review, act, reply):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "look_up")
    graph.add_conditional_edges("look_up", after_look_up, ["tools", "reply"])
    graph.add_conditional_edges("tools", after_tools, ["compare", "review", "act", "reply"])
    graph.add_edge("compare", "tools")
    graph.add_edge("review", "act")
    graph.add_edge("act", "tools")
    graph.add_edge("reply", END)
    return graph.compile()


def _call(name: str, **arguments: object) -> dict:
    return {"messages": [AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call_{name}"}])]}


def _result(state: MessagesState, tool: str) -> dict:
    """What a tool answered last, read from JSON."""
    answers = [one for one in state["messages"] if isinstance(one, ToolMessage) and one.name == tool]
    return json.loads(answers[-1].content)


def _arguments(state: MessagesState, tool: str) -> dict:
    """What a tool was last asked for."""
    calls = [call for one in state["messages"] if isinstance(one, AIMessage) for call in one.tool_calls]
    return next(call["args"] for call in reversed(calls) if call["name"] == tool)
