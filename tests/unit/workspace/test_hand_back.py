"""What root makes in a workspace of somebody else's is given to them, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gatebot.workspace.ownership import hand_back

RUNNER = 1001


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_results_and_fetched_commits_are_the_workspace_owner_s(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch()
    workspace = tmp_path / "workspace"
    for folder in ("results/logs", "results-store", ".git/objects/pack", "agent"):
        (workspace / folder).mkdir(parents=True)
        (workspace / folder / "file").touch()
    (workspace / "results" / "link").symlink_to(outside)
    os.chown(workspace / "results" / "logs" / "file", 1234, 1234)
    os.chown(workspace, RUNNER, RUNNER)
    hand_back(workspace, "results")
    owners = {str(path.relative_to(workspace)): path.lstat().st_uid for path in workspace.rglob("*")}
    assert owners.pop("results/logs/file") == 1234
    assert {name for name, uid in owners.items() if uid == 0} == {"agent", "agent/file"}
    assert set(owners.values()) == {0, RUNNER}
    assert outside.stat().st_uid == 0


def test_a_workspace_of_ones_own_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    before = (tmp_path / "results").stat()
    hand_back(tmp_path, "results")
    after = (tmp_path / "results").stat()
    assert (after.st_uid, after.st_gid, after.st_ctime_ns) == (
        before.st_uid,
        before.st_gid,
        before.st_ctime_ns,
    )
