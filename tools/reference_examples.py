"""The worked examples of docs/reference: tests load each one, so that none goes stale."""

CONFIG_EXAMPLES = {
    "the least there is": """
version: 1
suite: support-agent
agent:
  command: [python3, agent.py]
""",
    "as a team keeps it": """
# yaml-language-server: $schema=schema/config.v1.json
version: 1
suite: support-agent            # names the comment and the check
agent:
  command: [python3, agent.py]
  setup: ["pip install -r requirements.txt"]
  env: [ANTHROPIC_API_KEY]      # names that may pass; everything else is withheld
  timeout: 120                  # seconds per trial
cases: ["golden/*.yaml"]
seeds: {max: 10}                # looks after 3, 5, 7 and 10 rounds
concurrency: 4
gate:
  mode: detect
  alpha: 0.05
  metrics:                      # what can close the gate; everything else informs
    pass_rate: {margin: 0.10}
    trajectory_match: {margin: 0.10, target: 0.90}
    tokens: {margin: 1.25}      # a positive quantity: a ratio
quarantine:
  - case: flaky-search
    reason: the search service is being moved
    until: 2030-06-30
accept: {roles: [maintain, admin], by_author: false}
budget: {trials: 1000, seconds: 3600, usd: 5}
""",
}

CASE_EXAMPLES = {
    "a question with two tools": """
input: "What's our SLA, and does the live status page agree?"
tags: [multi-tool]
expect:
  answer: {contains: "99.9%"}
  trajectory: {match: unordered, args: {web_search: {query: ignore}}}
  forbid: [delete_repo]
golden:
  answer: Our SLA is 99.9% uptime; the status page agrees.
  calls:
    - search_docs: {query: SLA uptime}
    - web_search: {query: status page}
""",
    "several turns, final state, parallel and optional calls": """
input:
  - "I am Mia Chen. My kettle, order 4411, came broken."
  - "Refund it, please."
context: {channel: chat}
expect:
  answer: {number: {value: 39.9, tolerance: 0.01, unit: EUR}}
  state:
    mode: subset
    assert:
      - {path: orders.0.status, op: "==", value: refunded}
  trajectory:
    match: strict
    args:
      refund: {amount: {tolerance: 0.01}, reason: ignore}
      "*": exact
golden:
  answer: Your 39.90 EUR are on their way.
  state: {orders: [{id: "4411", status: refunded}]}
  calls:
    - - get_customer: {name: Mia Chen}      # one item, two calls: any order
      - get_order: {order_id: "4411"}
    - {call: check_policy, optional: true}  # arguments are not compared
    - any_of:
        - refund: {order_id: "4411", amount: 39.9, reason: broken}
        - refund_item: {order_id: "4411"}
""",
    "a recorded run as the golden": """
input:
  - {role: user, content: "Hi, is my parcel late?"}
  - {role: assistant, content: "Which order is it?"}
  - {role: user, content: "Order 7."}
expect:
  answer: {similar: {threshold: 0.8, entities: ["7"]}}
golden:
  messages:
    - {role: user, content: "Order 7."}
    - role: assistant
      content: ""
      tool_calls:
        - {id: c1, type: function, function: {name: track, arguments: '{"order": "7"}'}}
    - {role: tool, tool_call_id: c1, content: "in transit"}
    - {role: assistant, content: "Order 7 is in transit."}
""",
}

REPORT_EXAMPLE = {
    "shortened": """{
  "schema": "gatebot.report/1",
  "conclusion": "fail",
  "reason": "pass_rate regressed",
  "base_sha": "6f1c…",
  "head_sha": "90ab…",
  "metrics": [
    {
      "name": "pass_rate", "gating": true, "direction": "higher", "scale": "binary",
      "base": 0.96, "head": 0.78, "delta": -0.18, "interval": [-0.24, -0.12], "confidence": 0.9, "p_value": 0.0004, "n_cases": 30,
      "seeds": {"base": 5, "head": 5}, "margin": 0.1, "target": null, "verdict": "regressed", "ungraded": 0
    }
  ],
  "cases": [
    {
      "id": "refund-too-late", "label": "regressed",
      "base": {"passed": 5, "trials": 5}, "head": {"passed": 0, "trials": 5},
      "first_divergence": {
        "step": 2, "kind": "out_of_order", "expected": "get_policy", "actual": "refund",
        "explanation": "refund was called before get_policy"
      }
    }
  ],
  "trials": {
    "planned": 300, "completed": 300, "agent_error": 0, "timeout": 0, "infra_error": 0, "missing": 0, "cached": 0
  },
  "pass_hat_k": {"base": {"1": 0.96}, "head": {"1": 0.78}}
}
"""
}
