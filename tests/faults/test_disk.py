"""F34, F35: disks that are full, read-only, or on which nothing may be run. Real ones, mounted where only we see them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.conftest import PullRequest

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = ("unshare", "--mount", "--propagation", "private")


def _can_mount() -> bool:
    try:
        return (
            subprocess.run(
                [*PRIVATE, "mount", "-t", "tmpfs", "x", "/mnt"], check=False, capture_output=True
            ).returncode
            == 0
        )
    except OSError:
        return False


pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0 or not _can_mount(), reason="needs root and mounts of its own"),
]


def in_mounts(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in a mount namespace of its own; `$GATEBOT` runs the command line."""
    gatebot = f"{sys.executable} -m gatebot"
    return subprocess.run(
        [*PRIVATE, "sh", "-eu", "-c", script],
        cwd=ROOT,
        env={**os.environ, "GATEBOT": gatebot, **variables},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_a_disk_that_fills_up_is_named_and_what_was_finished_is_kept(
    pull_request: PullRequest, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    script = """
    mount -t tmpfs -o size=60k gatebot-test "$OUT"
    code=0; $GATEBOT $GATE 2> "$SAID" || code=$?; echo "first $code"
    cp -r "$OUT" "$KEPT"
    mount -o remount,size=50m "$OUT"
    code=0; $GATEBOT $GATE 2>> "$SAID" || code=$?; echo "second $code"
    cp "$OUT/trials.jsonl" "$OUT/report.json" "$KEPT/"
    """
    said, kept = tmp_path / "said", tmp_path / "kept"
    gate = " ".join(pull_request.gate(out / "results", "--no-store"))
    script = script.replace(
        '"$OUT/trials.jsonl" "$OUT/report.json"', '"$OUT/results/trials.jsonl" "$OUT/results/report.json"'
    )
    # Most of the disk is taken by something else, so that the journal has room for a few trials.
    script = script.replace("code=0;", 'head -c 30000 /dev/zero > "$OUT/else"; code=0;', 1)
    ended = in_mounts(script, OUT=str(out), SAID=str(said), KEPT=str(kept), GATE=gate)
    told = said.read_text("utf-8")
    assert "first 3" in ended.stdout, (ended, told)
    assert "No space left on device" in told
    assert "Traceback" not in told
    journal = kept / "results" / "trials.jsonl"
    lines = [
        json.loads(line) for line in (journal.read_bytes() if journal.exists() else b"").split(b"\n")[:-1]
    ]
    assert len(lines) < 24
    assert "second 0" in ended.stdout or "second 1" in ended.stdout, (ended, told)
    whole = [json.loads(line) for line in (kept / "trials.jsonl").read_text("utf-8").splitlines()]
    assert len(whole) == 24
    assert whole[: len(lines)] == lines  # not one of them was run again
    assert json.loads((kept / "report.json").read_text("utf-8"))["trials"]["completed"] == 24


@pytest.mark.parametrize("options", ["ro", "noexec"])
def test_a_cache_that_is_read_only_or_runs_nothing_is_done_without(
    pull_request: PullRequest, tmp_path: Path, cache: Path, options: str
) -> None:
    (cache / "gatebot").mkdir(mode=0o711)
    script = """
    mount -t tmpfs -o "$OPTIONS" gatebot-test "$CACHE"
    exec $GATEBOT $GATE
    """
    gate = " ".join(pull_request.gate(tmp_path / "out"))
    ended = in_mounts(script, OPTIONS=options, CACHE=str(cache / "gatebot"), GATE=gate)
    assert ended.returncode in (0, 1), ended.stderr
    assert "note: Checkouts and environments are kept in" in ended.stderr
    assert ("cannot be written" if options == "ro" else "programs may not be run") in ended.stderr


def test_a_repository_that_is_read_only_is_judged(pull_request: PullRequest, tmp_path: Path) -> None:
    script = """
    mount --bind "$REPO" "$REPO"
    mount -o remount,ro,bind "$REPO"
    ! touch "$REPO/x" 2> /dev/null
    cd "$REPO"
    PYTHONPATH="$ROOT" exec $GATEBOT $GATE
    """
    gate = " ".join(pull_request.gate(tmp_path / "out"))
    ended = in_mounts(script, REPO=str(pull_request.root), GATE=gate, ROOT=str(ROOT))
    assert ended.returncode in (0, 1), ended.stderr
