"""An agent that writes its key into its answer: the key is in nothing that is uploaded, told or committed."""

from __future__ import annotations

import base64
import json

import pytest

from tests.builders import CONFIG, Project, shop
from tests.fakes.github.state import GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import ACCEPT, only_check, only_comment, push

KEY = "sk-ant-SENTINEL-0123456789abcdef"
LEAKING = """\
import base64, json, os, sys
from urllib.parse import quote
request = json.load(sys.stdin)
key = os.environ["SHOP_KEY"]
forms = [key, key[::-1], key.encode().hex(), quote(key), base64.b64encode(b"x" + key.encode()).decode()]
print(" ".join(forms) + " " + os.environ["SHOP_MODEL"])
print(key, file=sys.stderr)
"""


@pytest.fixture
def leaking(actions: Actions, hub: GitHubState, project: Project) -> str:
    """A head that tells its key; the base does not."""
    keyed = CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY, SHOP_MODEL]")
    push(project, shop(config=keyed), "main")
    project.branch("topic", hub.tip("main"))
    actions.variables |= {"SHOP_KEY": KEY, "SHOP_MODEL": "a-model-of-today"}
    return push(project, {"agent.py": LEAKING})


def everything_told(actions: Actions, hub: GitHubState) -> bytes:
    told = [one.body for one in hub.comments]
    told += [
        f"{check.title}{check.summary}{check.text}{json.dumps(check.annotations)}" for check in hub.checks
    ]
    told += [json.dumps(one.body) for one in hub.log]
    held = b"".join(
        path.read_bytes() for path in actions.hub.project.root.rglob("results-*/**/*") if path.is_file()
    )
    return "".join(told).encode() + held


def test_a_key_that_an_agent_tells_is_told_to_nobody(
    actions: Actions, hub: GitHubState, leaking: str
) -> None:
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    assert only_check(hub, leaking).conclusion == "failure"
    told = everything_told(actions, hub) + job.summary.encode() + job.outputs.encode()
    coded = base64.b64encode(b"x" + KEY.encode())[2:-4]
    for form in (KEY.encode(), KEY[::-1].encode(), KEY.encode().hex().encode(), coded):
        assert form not in told
    assert b"a-model-of-today" in told
    assert "withheld" in only_comment(hub)
    assert "cleaned" in job.log


def test_a_golden_with_a_secret_is_not_committed(actions: Actions, hub: GitHubState, leaking: str) -> None:
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "alice").code == 1
    assert hub.tip("topic") == leaking
    assert "looks like a secret" in only_comment(hub)
