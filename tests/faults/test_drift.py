"""S61: packages that differ between the sides are named in the report: a confounder, seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, shop
from tests.integration.stories.command_line import CommandLine

INSTALL = "import os, sys\nos.makedirs(sys.argv[1])\n"
LINE = (
    "python3 install.py $VIRTUAL_ENV/lib/python3.0/site-packages/answers-$(cat version).dist-info; "
    "python3 install.py $VIRTUAL_ENV/lib/python3.0/site-packages/same-2.dist-info"
)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_s61_what_is_installed_at_different_versions_is_named(
    gatebot: CommandLine, tmp_path: Path, version: str
) -> None:
    config = CONFIG.replace("timeout: 20", f"timeout: 20, setup: ['{LINE}']")
    files = {**shop(names=["address"], config=config), "install.py": INSTALL, "version": "1.0"}
    project = Project(tmp_path / "shop", files)
    base = str(project.repository.head.target)
    project.commit({"version": version, "other": "another tree"})
    ended = gatebot.gate(project.root, base, "HEAD", "--seeds", "1")
    assert (gatebot.results / "report.json").exists(), ended.told
    alerts = str(gatebot.report()["alerts"])
    said = "Installed packages differ from the base to the head: answers 1.0 → 1.1." in alerts
    assert said is (version == "1.1"), alerts
    assert "same 2" not in alerts
