"""The writer: what lands on disk is what the tree says, readable for all, and nothing is written through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pygit2
import pytest

from gatebot.errors import InfrastructureError, RepositoryError
from gatebot.workspace.checkout import remove_directory, write_checkout
from gatebot.workspace.repository import Commit, Repository, open_repository
from gatebot.workspace.tree import tree_digest
from tests.unit.workspace.git_builder import EXECUTABLE, FOLDER, LINK, REGULAR, SUBMODULE, GitBuilder

FILES: dict[str, bytes | tuple[int, bytes]] = {
    "agent.py": b"print('hi')\n",
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "data/link": (LINK, b"../agent.py"),
    "gatebot.yaml": b"version: 1\n",
    "golden/a.yaml": b"input: hi\n",
    "golden/read.me": b"kept\n",
    "leak": (LINK, b"/etc/passwd"),
    "up": (LINK, b"../outside"),
    "vendor": (SUBMODULE, b"1" * 40),
    ".gitattributes": b"* text=auto eol=crlf\n",
    "crlf.txt": b"a\r\nb\n",
}


@pytest.fixture
def git(tmp_path: Path) -> GitBuilder:
    return GitBuilder(tmp_path / "repo")


def opened(git: GitBuilder) -> Repository:
    return open_repository(git.path)


def hidden(path: str) -> bool:
    return path in ("gatebot.yaml", "golden/a.yaml")


def on_disk(directory: Path) -> dict[str, tuple[str, bytes | str]]:
    """Path → (kind and mode, content or target), links not followed."""
    found: dict[str, tuple[str, bytes | str]] = {}
    for folder, folders, files in os.walk(directory):
        for name in (*folders, *files):
            place = Path(folder) / name
            info = place.lstat()
            if stat.S_ISLNK(info.st_mode):
                found[str(place.relative_to(directory))] = ("link", str(place.readlink()))
            else:
                kind = "d" if stat.S_ISDIR(info.st_mode) else "f"
                content = b"" if kind == "d" else place.read_bytes()
                found[str(place.relative_to(directory))] = (f"{kind}{info.st_mode & 0o7777:o}", content)
    return found


def test_a_commit_is_written_without_what_the_agent_must_not_see(git: GitBuilder, tmp_path: Path) -> None:
    sha = git.commit(FILES)
    before = os.umask(0o077)
    try:
        checkout = write_checkout(opened(git).tree(Commit(sha, "main")), tmp_path / "side", hidden)
    finally:
        os.umask(before)
    assert on_disk(tmp_path / "side") == {
        ".gitattributes": ("f644", b"* text=auto eol=crlf\n"),
        "agent.py": ("f644", b"print('hi')\n"),
        "bin": ("d755", b""),
        "bin/run": ("f755", b"#!/bin/sh\n"),
        "crlf.txt": ("f644", b"a\r\nb\n"),
        "data": ("d755", b""),
        "data/link": ("link", "../agent.py"),
        "golden": ("d755", b""),
        "golden/read.me": ("f644", b"kept\n"),
    }
    assert (tmp_path / "side").stat().st_mode & 0o7777 == 0o755
    assert checkout.files == 6
    assert checkout.path == tmp_path / "side"
    assert [notice.split(" is left out")[0] for notice in checkout.notices] == [
        "symbolic link leak",
        "symbolic link up",
        "submodule vendor",
    ]


def test_the_digest_is_that_of_the_tree_less_what_is_left_out(git: GitBuilder, tmp_path: Path) -> None:
    one = git.commit(FILES)
    other = git.commit({**FILES, "golden/a.yaml": b"input: bye\n", "gatebot.yaml": b"version: 1 # new\n"})
    third = git.commit({**FILES, "agent.py": b"print('bye')\n"})
    trees = [opened(git).tree(Commit(sha, "x")) for sha in (one, other, third)]
    digests = [write_checkout(tree, tmp_path / str(n), hidden).digest for n, tree in enumerate(trees)]
    assert digests[0] == digests[1] == tree_digest(trees[0], hidden)
    assert digests[2] != digests[0]
    assert tree_digest(trees[0]) != tree_digest(trees[1])


def test_no_date_tells_one_checkout_from_another(git: GitBuilder, tmp_path: Path) -> None:
    git.commit(FILES)
    git.check_out()
    repository = opened(git)
    write_checkout(repository.tree(repository.resolve("main")), tmp_path / "commit")
    write_checkout(repository.working_tree(), tmp_path / "worktree")
    dates = {
        (Path(folder) / name).lstat().st_mtime
        for side in ("commit", "worktree")
        for folder, folders, files in os.walk(tmp_path / side)
        for name in (*folders, *files, ".")
    }
    assert dates == {946684800.0}


def test_the_tree_as_it_lies_is_written_like_a_commit(git: GitBuilder, tmp_path: Path) -> None:
    git.commit({"a": b"1", "gone": b"1", ".gitignore": b"*.log\n"})
    git.check_out()
    (git.path / "a").write_bytes(b"2")
    (git.path / "gone").unlink()
    (git.path / "new").write_bytes(b"3")
    (git.path / "new").chmod(0o600)
    (git.path / "x.log").write_bytes(b"4")
    os.mkfifo(git.path / "pipe")
    checkout = write_checkout(opened(git).working_tree(), tmp_path / "side")
    assert on_disk(tmp_path / "side") == {
        ".gitignore": ("f644", b"*.log\n"),
        "a": ("f644", b"2"),
        "new": ("f644", b"3"),
    }
    assert checkout.notices == ("pipe is left out: it is no file, directory or symbolic link",)


@pytest.mark.parametrize(
    "name",
    [b"..", b".", b".git", b".GIT", b"", b"git~1", "\u202e.git".encode(), b"a/b", b"/abs", b"a/../../b"],
)
def test_a_hostile_tree_writes_nothing_outside(git: GitBuilder, tmp_path: Path, name: bytes) -> None:
    blob = git.repository.create_blob(b"evil")
    inner = git.raw_tree([(REGULAR, b"config", blob)])
    for mode, oid in ((REGULAR, blob), (FOLDER, inner)):
        place = tmp_path / f"side-{mode:o}"
        try:
            sha = git.commit_tree(git.raw_tree([(mode, name, oid)]))
        except (ValueError, pygit2.GitError):
            continue  # libgit2 itself will not take that tree as a commit's
        with pytest.raises(RepositoryError):
            write_checkout(opened(git).tree(Commit(sha, "x")), place)
        assert not place.exists() or on_disk(place) == {}
    assert {path.name for path in tmp_path.iterdir()} <= {"repo", "side-100644", "side-40000"}


def test_nothing_is_written_through_a_link_of_the_tree(git: GitBuilder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    blob = git.repository.create_blob(str(outside).encode())
    inner = git.raw_tree([(REGULAR, b"owned", git.repository.create_blob(b"x"))])
    sha = git.commit_tree(git.raw_tree([(LINK, b"a", blob), (FOLDER, b"a", inner)]))
    with pytest.raises(RepositoryError):
        write_checkout(opened(git).tree(Commit(sha, "x")), tmp_path / "side")
    assert list(outside.iterdir()) == []


def test_names_that_are_no_text_are_written_as_they_are(git: GitBuilder, tmp_path: Path) -> None:
    name = b"caf\xe9\n\x1b".decode("utf-8", "surrogateescape")
    sha = git.commit({name: b"1"})
    write_checkout(opened(git).tree(Commit(sha, "x")), tmp_path / "side")
    assert [os.fsencode(path.name) for path in (tmp_path / "side").iterdir()] == [b"caf\xe9\n\x1b"]


def test_a_repository_embedded_in_the_tree_is_only_files(git: GitBuilder, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    config = f"[core]\nbare = true\nfsmonitor = touch {canary}\n".encode()
    sha = git.commit(
        {
            "evil/HEAD": b"ref: refs/heads/x\n",
            "evil/config": config,
            "evil/objects/x": b"",
            "evil/refs/x": b"",
        }
    )
    git.check_out()
    repository = opened(git)
    write_checkout(repository.tree(Commit(sha, "x")), tmp_path / "commit")
    write_checkout(repository.working_tree(), tmp_path / "worktree")
    assert not canary.exists()
    assert (tmp_path / "commit" / "evil" / "config").read_bytes() == config


def test_large_file_pointers_are_said(git: GitBuilder, tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    sha = git.commit({"model.bin": pointer, "a": b"1"})
    checkout = write_checkout(opened(git).tree(Commit(sha, "x")), tmp_path / "side")
    assert checkout.notices == ("1 file is a Git LFS pointer: gatebot does not fetch its content",)


def test_a_directory_that_exists_is_not_written_into(git: GitBuilder, tmp_path: Path) -> None:
    sha = git.commit({"a": b"1"})
    (tmp_path / "side").mkdir()
    with pytest.raises(InfrastructureError, match="File exists"):
        write_checkout(opened(git).tree(Commit(sha, "x")), tmp_path / "side")


def test_an_empty_tree_is_an_empty_directory(git: GitBuilder, tmp_path: Path) -> None:
    sha = git.commit({})
    checkout = write_checkout(opened(git).tree(Commit(sha, "x")), tmp_path / "side")
    assert (checkout.files, on_disk(tmp_path / "side")) == (0, {})


def test_removing_ends_at_links_and_opens_what_was_closed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_bytes(b"1")
    place = tmp_path / "side"
    (place / "closed" / "inner").mkdir(parents=True)
    (place / "closed" / "inner" / "file").write_bytes(b"1")
    (place / "link").symlink_to(victim)
    (place / "closed").chmod(0)
    remove_directory(place)
    assert not place.exists()
    assert (victim / "file").read_bytes() == b"1"
    remove_directory(place)
