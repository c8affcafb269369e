"""Refs, merge bases and trees, read from the object database alone."""

from __future__ import annotations

import os
from pathlib import Path

import pygit2
import pytest

from gatebot.errors import RepositoryError
from gatebot.workspace.repository import Commit, open_repository
from gatebot.workspace.tree import MAX_READ_BYTES, Entry, tree_digest
from tests.unit.workspace.git_builder import EXECUTABLE, LINK, SUBMODULE, WHO, GitBuilder

ID = b"1" * 40


@pytest.fixture
def git(tmp_path: Path) -> GitBuilder:
    return GitBuilder(tmp_path / "repo")


def test_a_commit_goes_by_all_its_names(git: GitBuilder) -> None:
    first = git.commit({"a": b"1"})
    second = git.commit({"a": b"2"})
    git.repository.references.create("refs/tags/v1", first)
    tag = git.repository.create_tag(
        "v1-notes", pygit2.Oid(hex=first), pygit2.enums.ObjectType.COMMIT, WHO, "notes"
    )
    git.repository.references.create("refs/remotes/origin/feature", first)
    opened = open_repository(git.path)
    names = {
        "main": second, "HEAD": second, "HEAD~1": first, "main^": first, second: second, second[:10]: second,
        "refs/heads/main": second, "v1": first, "v1-notes": first, str(tag): first, "origin/feature": first,
    }  # fmt: skip
    assert {name: opened.resolve(name).sha for name in names} == names
    assert opened.resolve("HEAD~1").label == "HEAD~1"


def test_a_branch_that_only_origin_has_is_found_by_its_bare_name(git: GitBuilder) -> None:
    sha = git.commit({"a": b"1"})
    git.repository.references.create("refs/remotes/origin/develop", sha)
    assert open_repository(git.path).resolve("develop") == Commit(sha, "develop")


@pytest.mark.parametrize(
    ("ref", "hint"),
    [
        ("mian", "did you mean main?"),
        ("featur", "did you mean feature or origin/feature?"),
        ("HEAD~7", "the history of HEAD is shorter than that"),
        ("zzzzzz", "name a branch, a tag or a commit id; there are: feature, main, origin/feature, v1"),
        ("", "name a branch"),
        ("-x", "name a branch"),
        ("main:a", "did you mean main?"),
        ("../../etc", "name a branch"),
        ("$(touch x)", "name a branch"),
        ("\x1b[31m\0", "name a branch"),
        ("0" * 40, "name a branch"),
    ],
)
def test_an_unknown_ref_is_told_with_the_nearest_names(git: GitBuilder, ref: str, hint: str) -> None:
    sha = git.commit({"a": b"1"})
    git.repository.references.create("refs/heads/feature", sha)
    git.repository.references.create("refs/remotes/origin/feature", sha)
    git.repository.references.create("refs/tags/v1", sha)
    with pytest.raises(RepositoryError) as caught:
        open_repository(git.path).resolve(ref)
    assert hint in caught.value.hint
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("name", ["a;b", "a$(id)", "a`b`", "a|b", "it's", "ü", "-x"])
def test_branch_names_are_names_and_nothing_else(git: GitBuilder, name: str) -> None:
    sha = git.commit({"a": b"1"})
    (git.path / ".git" / "refs" / "heads" / name).write_text(f"{sha}\n", encoding="utf-8")
    assert open_repository(git.path).resolve(name).sha == sha


def test_the_base_forks_where_the_histories_part(git: GitBuilder) -> None:
    fork = git.commit({"a": b"1"})
    tip = git.commit({"a": b"2"})
    head = git.commit({"a": b"1", "b": b"3"}, branch="topic", parents=[fork])
    opened = open_repository(git.path)
    point = opened.base_point(opened.resolve("main"), opened.resolve("topic"))
    assert (point.tip, point.fork, point.note) == (Commit(tip, "main"), Commit(fork, "main"), "")
    same = opened.base_point(opened.resolve(head), opened.resolve("topic"))
    assert same.fork.sha == head


def test_without_a_common_ancestor_the_tip_stands_in_and_it_is_said(git: GitBuilder) -> None:
    tip = git.commit({"a": b"1"})
    orphan = git.commit_tree(git.tree({"a": b"2"}), "orphan")
    opened = open_repository(git.path)
    point = opened.base_point(Commit(tip, "main"), Commit(orphan, "orphan"))
    assert point.fork == point.tip == Commit(tip, "main")
    assert "histories do not meet" in point.note


def test_a_shallow_clone_says_that_it_is_one(git: GitBuilder) -> None:
    tip = git.commit({"a": b"1"})
    orphan = git.commit_tree(git.tree({"a": b"2"}), "orphan")
    (git.path / ".git" / "shallow").write_text(f"{tip}\n{orphan}\n", encoding="utf-8")
    opened = open_repository(git.path)
    assert "shallow" in opened.base_point(Commit(tip, "main"), Commit(orphan, "orphan")).note
    with pytest.raises(RepositoryError) as caught:
        opened.resolve("qqqqqqqq")
    assert "fetch-depth: 0" in caught.value.hint


@pytest.mark.parametrize("what", ["plain directory", "nothing", "file"])
def test_no_repository_is_a_clear_error(tmp_path: Path, what: str) -> None:
    place = tmp_path / "place"
    if what == "plain directory":
        place.mkdir()
    elif what == "file":
        place.write_text("", encoding="utf-8")
    with pytest.raises(RepositoryError) as caught:
        open_repository(place)
    assert caught.value.hint


def test_a_repository_that_cannot_be_read_is_a_clear_error(git: GitBuilder) -> None:
    git.commit({"a": b"1"})
    (git.path / ".git" / "config").write_text(
        "[core]\nrepositoryformatversion = 1\n[extensions]\nfuture = 1\n", "utf-8"
    )
    with pytest.raises(RepositoryError) as caught:
        open_repository(git.path)
    assert caught.value.hint


def test_an_empty_repository_says_that_nothing_is_committed(git: GitBuilder) -> None:
    with pytest.raises(RepositoryError) as caught:
        open_repository(git.path).resolve("HEAD")
    assert "no commits yet" in caught.value.hint


def test_a_directory_inside_knows_where_it_is(git: GitBuilder) -> None:
    inner = git.path / "examples" / "one"
    inner.mkdir(parents=True)
    assert open_repository(inner).prefix == "examples/one"
    assert open_repository(git.path).prefix == ""
    assert open_repository(inner).root == git.path


def test_a_bare_repository_is_read_and_has_no_working_tree(tmp_path: Path) -> None:
    git = GitBuilder(tmp_path / "bare.git", bare=True)
    git.commit({"a": b"1"})
    opened = open_repository(git.path)
    assert opened.tree(opened.resolve("main")).read("a") == b"1"
    assert opened.root is None
    with pytest.raises(RepositoryError, match="bare"):
        opened.working_tree()


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a repository to another user")
def test_a_repository_of_another_user_is_read(git: GitBuilder) -> None:
    sha = git.commit({"a": b"1"})
    for folder, _, names in os.walk(git.path):
        for name in (folder, *(os.path.join(folder, name) for name in names)):  # noqa: PTH118
            os.chown(name, 1001, 1001)
    assert open_repository(git.path).resolve("main").sha == sha
    assert pygit2.settings.owner_validation


def test_a_commits_files_are_listed_in_order_and_read(git: GitBuilder) -> None:
    sha = git.commit(
        {
            "b/c": b"2",
            "a": b"1",
            "run": (EXECUTABLE, b"#!"),
            "link": (LINK, b"a"),
            "vendor": (SUBMODULE, ID),
            "b.c": b"3",
        }
    )
    opened = open_repository(git.path)
    tree = opened.tree(Commit(sha, "main"))
    assert [(entry.path, entry.kind) for entry in tree.entries()] == [
        ("a", "file"), ("b.c", "file"), ("b/c", "file"), ("link", "symlink"), ("run", "executable"),
        ("vendor", "submodule"),
    ]  # fmt: skip
    assert list(tree.list()) == ["a", "b.c", "b/c", "run"]
    assert tree.read("b/c") == b"2"


@pytest.mark.parametrize(
    "path", ["nope", "b", "b/nope", "a/x", "link", "vendor", "", "/a", "../a", "b/../a", "b//c"]
)
def test_what_is_no_file_of_the_commit_is_not_found(git: GitBuilder, path: str) -> None:
    sha = git.commit({"a": b"1", "b/c": b"2", "link": (LINK, b"a"), "vendor": (SUBMODULE, ID)})
    opened = open_repository(git.path)
    with pytest.raises(FileNotFoundError):
        opened.tree(Commit(sha, "main")).read(path)


def test_a_huge_file_is_not_read(git: GitBuilder) -> None:
    sha = git.commit({"a": bytes(MAX_READ_BYTES + 1)})
    with pytest.raises(RepositoryError, match="larger than 64 MB"):
        open_repository(git.path).tree(Commit(sha, "main")).read("a")


def test_missing_objects_are_a_clear_error(git: GitBuilder) -> None:
    sha = git.commit({"a": b"1", "b/c": b"2"})
    for folder in (git.path / ".git" / "objects").iterdir():
        for loose in folder.iterdir():
            if f"{folder.name}{loose.name}" != sha:
                loose.unlink()
    tree = open_repository(git.path).tree(Commit(sha, "main"))
    for act in (tree.entries, lambda: tree.read("a"), lambda: tree.open(Entry("a", "file", "1" * 40))):
        with pytest.raises(RepositoryError) as caught:
            act()
        assert "fetch" in caught.value.hint


def test_attributes_change_nothing(git: GitBuilder) -> None:
    content = b"$Id$ $Format:%H$\r\nline\n"
    attributes = b"* text=auto eol=crlf ident filter=evil export-subst\nsecret export-ignore\n"
    sha = git.commit({".gitattributes": attributes, "secret": content})
    git.repository.config["filter.evil.smudge"] = "touch /tmp/gatebot-smudged"
    tree = open_repository(git.path).tree(Commit(sha, "main"))
    assert tree.read("secret") == content


class TestTheTreeAsItLies:
    """WORKTREE: tracked, changed, new and deleted files, exactly as they are on disk."""

    def test_what_git_would_add_is_there_and_nothing_else(self, git: GitBuilder) -> None:
        git.commit(
            {
                "kept": b"1",
                "changed": b"1",
                "deleted": b"1",
                ".gitignore": b"*.log\nbuild/\n",
                "build/tracked": b"1",
            }
        )
        git.check_out()
        (git.path / "changed").write_bytes(b"2")
        (git.path / "deleted").unlink()
        (git.path / "new").write_bytes(b"3")
        (git.path / "debug.log").write_bytes(b"4")
        (git.path / "build" / "untracked").write_bytes(b"5")
        (git.path / "sub" / "build").mkdir(parents=True)
        (git.path / "sub" / "build" / "x").write_bytes(b"6")
        (git.path / "sub" / "y").write_bytes(b"7")
        tree = open_repository(git.path).working_tree()
        assert list(tree.list()) == [".gitignore", "build/tracked", "changed", "kept", "new", "sub/y"]
        assert tree.read("changed") == b"2"

    def test_without_changes_it_is_the_commit(self, git: GitBuilder) -> None:
        sha = git.commit({"a": b"1", "d/run": (EXECUTABLE, b"#!"), "l": (LINK, b"d/run"), "ü": b"2"})
        git.check_out()
        opened = open_repository(git.path)
        assert tree_digest(opened.working_tree()) == tree_digest(opened.tree(Commit(sha, "main")))

    def test_names_that_are_no_text_are_files_like_others(self, git: GitBuilder) -> None:
        name = b"caf\xe9".decode("utf-8", "surrogateescape")
        git.commit({name: b"1", f"{name}d/x": b"2", ".gitignore": b"*.log\n"})
        git.check_out()
        (git.path / f"{name}new").write_bytes(b"3")
        (git.path / f"{name}.log").write_bytes(b"4")
        opened = open_repository(git.path)
        assert set(opened.working_tree().list()) == {".gitignore", name, f"{name}d/x", f"{name}new"}
        assert opened.tree(opened.resolve("main")).read(f"{name}d/x") == b"2"

    def test_a_repository_inside_is_a_submodule(self, git: GitBuilder) -> None:
        git.commit({"a": b"1"})
        git.check_out()
        GitBuilder(git.path / "vendor" / "lib")
        (git.path / "vendor" / "lib" / "x").write_bytes(b"1")
        kinds = {entry.path: entry.kind for entry in open_repository(git.path).working_tree().entries()}
        assert kinds == {"a": "file", "vendor/lib": "submodule"}

    def test_pipes_and_links_are_neither_waited_on_nor_followed(
        self, git: GitBuilder, tmp_path: Path
    ) -> None:
        git.commit({"a": b"1"})
        git.check_out()
        os.mkfifo(git.path / "pipe")
        (tmp_path / "secret").write_bytes(b"key")
        (git.path / "leak").symlink_to(tmp_path / "secret")
        (git.path / "folder").symlink_to(tmp_path)
        tree = open_repository(git.path).working_tree()
        assert list(tree.list()) == ["a"]
        for path in ("pipe", "leak"):
            with pytest.raises(RepositoryError):
                tree.read(path)
        with pytest.raises(FileNotFoundError):
            tree.read("../secret")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_an_unreadable_file_is_a_clear_error(self, git: GitBuilder) -> None:
        git.commit({"a": b"1"})
        git.check_out()
        (git.path / "a").chmod(0)
        with pytest.raises(RepositoryError, match="Permission denied"):
            open_repository(git.path).working_tree().read("a")


def test_a_directory_that_is_gone_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    place.rmdir()
    with pytest.raises(RepositoryError, match="is gone"):
        open_repository(Path())
