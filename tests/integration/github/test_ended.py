"""The job is cancelled in the middle: the check is completed in failure, and never left in progress."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.builders import Project
from tests.fakes.github.state import GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import push

SLOW = "import sys, time\nsys.stdin.read()\ntime.sleep(60)\nprint('late')\n"
DEADLINE_S = 60.0


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_cancelled_job_completes_its_check(
    actions: Actions, hub: GitHubState, project: Project, api: str, tmp_path: Path, sent: signal.Signals
) -> None:
    head = push(project, {"agent.py": SLOW})
    event = tmp_path / "event.json"
    event.write_text(json.dumps(actions.payload("opened", 1, "author")))
    environment = {
        **os.environ,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": hub.name,
        "GITHUB_API_URL": api,
        "GITHUB_SERVER_URL": api.removesuffix("/api/v3"),
        "GITHUB_RUN_ID": "5",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_WORKSPACE": str(project.root),
        "GITHUB_TOKEN": "ghs_bot",
    }
    root = Path(__file__).parents[3]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from gatebot.__main__ import main; main()"
    with subprocess.Popen(
        [sys.executable, "-I", "-c", code, "ci"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as job:
        assert job.stderr is not None
        for line in job.stderr:
            if line.startswith(b"trials 0/"):
                break
        assert [check.status for check in hub.checks] == ["in_progress"]
        started = time.monotonic()
        job.send_signal(sent)
        job.stderr.read()
        assert job.wait(DEADLINE_S) == 130
        assert time.monotonic() - started < 7
    assert [(check.head_sha, check.status, check.conclusion) for check in hub.checks] == [
        (head, "completed", "failure")
    ]
    assert [check.title.partition(",")[0] for check in hub.checks] == ["not evaluated: cancelled"]
