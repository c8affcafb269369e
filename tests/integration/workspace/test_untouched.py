"""Reading and copying a repository changes no byte of it: not a file, not the index, not a date."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gatebot.workspace.checkout import write_checkout
from gatebot.workspace.repository import open_repository
from gatebot.workspace.tree import tree_digest

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="needs the git program to make a real repository"
)
ENVIRONMENT = {
    "PATH": os.defpath,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
}
HOOKS = ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-commit")


def git(place: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(place), *words],
        env={**ENVIRONMENT, "HOME": str(place.parent)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository in every state at once: staged, changed, deleted, new and ignored files; two branches."""
    place = tmp_path / "repo"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "src").mkdir()
    for name in ("staged", "changed", "deleted", "removed", "src/same"):
        (place / name).write_text(f"{name}\n", encoding="utf-8")
    (place / "tool.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (place / "tool.sh").chmod(0o755)
    (place / ".gitignore").write_text("*.log\n", encoding="utf-8")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "one")
    git(place, "tag", "-a", "v1", "-m", "one")
    git(place, "checkout", "-qb", "topic")
    (place / "src" / "more").write_text("more\n", encoding="utf-8")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "two")
    git(place, "gc", "-q")
    (place / "staged").write_text("staged again\n", encoding="utf-8")
    git(place, "add", "staged")
    git(place, "rm", "-q", "removed")
    (place / "changed").write_text("changed again\n", encoding="utf-8")
    (place / "deleted").unlink()
    (place / "new").write_text("new\n", encoding="utf-8")
    (place / "x.log").write_text("ignored\n", encoding="utf-8")
    (place / "link").symlink_to("changed")
    return place


def state(place: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Every path below, `.git` included: mode, size, date of the last change, content."""
    found: dict[str, tuple[int, int, int, bytes]] = {}
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files, "."):
            path = Path(folder) / name
            info = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (info.st_mode, info.st_size, info.st_mtime_ns, content)
    return found


def use(place: Path, out: Path) -> dict[str, str]:
    """Everything a gate does with a repository; returns the digests."""
    opened = open_repository(place)
    head = opened.resolve("HEAD")
    point = opened.base_point(opened.resolve("main"), head)
    trees = {"base": opened.tree(point.fork), "head": opened.tree(head), "worktree": opened.working_tree()}
    for tree in trees.values():
        tree.read(".gitignore")
    return {name: write_checkout(tree, out / name).digest for name, tree in trees.items()}


def test_the_users_tree_is_untouched(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    before = state(repository)
    use(repository, tmp_path / "out")
    assert state(repository) == before


def test_the_tree_as_it_lies_is_what_git_would_commit(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    digests = use(repository, tmp_path / "out")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "all of it")
    opened = open_repository(repository)
    assert tree_digest(opened.tree(opened.resolve("HEAD"))) == digests["worktree"]
    assert len(set(digests.values())) == 3


def test_a_linked_worktree_is_read_like_any_other(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked), "main")
    (linked / "new").write_text("new\n", encoding="utf-8")
    opened = open_repository(linked)
    assert opened.resolve("HEAD").sha == git(repository, "rev-parse", "main").strip()
    assert "new" in opened.working_tree().list()
    assert ".git" not in {entry.path for entry in opened.working_tree().entries()}


def test_a_shallow_clone_is_read(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=topic", f"file://{repository}", "shallow")
    opened = open_repository(tmp_path / "shallow")
    assert "src/more" in opened.tree(opened.resolve("topic")).list()


def test_nothing_a_repository_names_is_ever_run(repository: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    for name in HOOKS:
        hook = repository / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
        hook.chmod(0o755)
    (repository / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n", encoding="utf-8")
    for name, value in {
        "core.fsmonitor": f"touch {canary}",
        "filter.evil.smudge": f"touch {canary}",
        "filter.evil.clean": f"touch {canary}; cat",
        "filter.evil.process": f"touch {canary}",
        "diff.external": f"touch {canary}",
        "diff.evil.textconv": f"touch {canary}",
        "core.sshCommand": f"touch {canary}",
        "core.pager": f"touch {canary}",
    }.items():
        git(repository, "config", name, value)
    (tmp_path / "out").mkdir()
    use(repository, tmp_path / "out")
    assert not canary.exists()
