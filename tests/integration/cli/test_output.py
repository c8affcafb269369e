"""What reaches standard output and standard error, whoever reads it and in whatever encoding."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.builders import CONFIG, Project, book, case, shop
from tests.integration.stories.command_line import in_own_process, strict_json, subprocess_argv


def worse_shop(place: Path) -> list[str | Path]:
    """A shop whose one case answers in Greek and got worse; what is typed to gate it."""
    names = ["address"]
    config = CONFIG + "gate: {metrics: {pass_rate: {}}}\n"
    project = Project(place / "shop", shop(config=config, names=names))
    project.write({"book.json": book({"address": "άγνωστο"}), "golden/address.yaml": case("address")})
    return ["gate", "--repo", project.root, "--base", "HEAD", "--out", place / "out", "--seeds", "4"]


def test_a_reader_that_leaves_changes_no_exit_code(tmp_path: Path) -> None:
    """`gatebot gate … | head -0` with pipefail still says that the gate is red."""
    argv = worse_shop(tmp_path)
    for more in ([], ["--json"]):
        reading, writing = os.pipe()
        os.close(reading)
        ended = subprocess.run(
            subprocess_argv(*argv, *more), stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
        )
        os.close(writing)
        assert ended.returncode == 1, ended.stderr
        assert b"Traceback" not in ended.stderr
        assert b"Exception ignored" not in ended.stderr


def test_json_is_exact_in_any_locale_and_the_summary_never_fails(tmp_path: Path) -> None:
    argv = worse_shop(tmp_path)
    plain = {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C"}
    ended = in_own_process(*argv, "--json", environment=plain)
    assert ended.code == 1, ended.err
    assert ended.out == (tmp_path / "out" / "report.json").read_text("utf-8")
    assert "άγνωστο" in ended.out
    assert strict_json(ended.out)["conclusion"] == "fail"
    told = in_own_process(*argv, environment=plain)
    assert told.code == 1
    assert told.out.isascii()
    assert "address" in told.out
