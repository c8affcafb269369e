"""Which trees may be checked out, which links stay inside, and what a digest covers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import RepositoryError
from gatebot.workspace.tree import Entry, Kind, path_order, select, shown, stays_inside, tree_digest


class MadeTree:
    """A tree in memory: path → (kind, content)."""

    def __init__(self, files: Mapping[str, tuple[Kind, bytes]], extra: Sequence[Entry] = ()) -> None:
        self._files = files
        self._extra = extra

    def entries(self) -> Sequence[Entry]:
        return sorted(
            [*(Entry(path, kind) for path, (kind, _) in self._files.items()), *self._extra], key=path_order
        )

    def open(self, entry: Entry) -> BinaryIO:
        return BytesIO(self._files[entry.path][1])


def tree(*paths: str, **links: str) -> MadeTree:
    files: dict[str, tuple[Kind, bytes]] = dict.fromkeys(paths, ("file", b"x"))
    files |= {path: ("symlink", target.encode()) for path, target in links.items()}
    return MadeTree(files)


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".GIT/config", "a/.git/hooks/post-checkout", ".git", ".git ./x", ".g\u200cit/config", "git~1/x",
        "../x", "a/../../x", "a/./x", "a//x", "/etc/passwd", "a/\0", "",
    ],
)  # fmt: skip
def test_a_path_that_leads_out_or_into_a_repository_is_refused(path: str) -> None:
    with pytest.raises(RepositoryError) as caught:
        select(tree("fine", path))
    assert caught.value.message.isprintable()
    assert caught.value.hint


@pytest.mark.parametrize(
    "path", [".github/x", ".gitignore", ".gitattributes", "git", "a.git/config", "..x", "x..", "-rf"]
)
def test_paths_that_only_look_alike_are_fine(path: str) -> None:
    assert [entry.path for entry in select(tree(path)).entries] == [path]


@pytest.mark.parametrize(
    ("one", "other"),
    [("README", "readme"), ("Golden/a", "golden/b"), ("caf\u00e9", "cafe\u0301"), ("stra\u00dfe", "STRASSE")],
)
def test_names_that_differ_by_case_or_form_only_are_refused(one: str, other: str) -> None:
    with pytest.raises(RepositoryError, match="case or Unicode form"):
        select(tree(one, other))
    assert select(tree(one, other), lambda path: path == other).entries == (Entry(one, "file"),)


@pytest.mark.parametrize(("kind", "said"), [("file", "twice"), ("symlink", "twice")])
def test_a_path_that_comes_twice_is_refused(kind: Kind, said: str) -> None:
    with pytest.raises(RepositoryError, match=said):
        select(MadeTree({"a": ("file", b"x")}, [Entry("a", kind)]))


def test_a_link_that_is_also_a_directory_is_refused() -> None:
    with pytest.raises(RepositoryError, match="both a file and a directory"):
        select(MadeTree({"a": ("symlink", b"/etc"), "a/passwd": ("file", b"x")}))


def test_what_is_left_out_is_said() -> None:
    selection = select(
        MadeTree(
            {
                "lib": ("submodule", b""),
                "pipe": ("special", b""),
                "leak": ("symlink", b"/etc/shadow"),
                "fine": ("symlink", b"file"),
                "file": ("file", b"x"),
                "golden/a.yaml": ("file", b"x"),
            }
        ),
        lambda path: path.startswith("golden/"),
    )
    assert [entry.path for entry in selection.entries] == ["file", "fine"]
    assert len(selection.notices) == 3
    assert all(any(word in notice for notice in selection.notices) for word in ("lib", "pipe", "leak"))


@pytest.mark.parametrize(
    ("links", "inside"),
    [
        ({"l": "a"}, True),
        ({"l": "nowhere/at/all"}, True),
        ({"l": "."}, True),
        ({"d/l": "../a"}, True),
        ({"d/l": ".."}, True),
        ({"l": ".."}, False),
        ({"l": "../x"}, False),
        ({"l": "/etc"}, False),
        ({"l": "a/../../x"}, False),
        ({"d/l": "../../x"}, False),
        ({"l": "m", "m": "a"}, True),
        ({"l": "m", "m": "/etc"}, False),
        ({"l": "m/x", "m": "../y"}, False),
        ({"l": "l"}, False),
        ({"l": "m", "m": "l"}, False),
        ({"d1/d2/up": "../..", "l": "d1/d2/up/../x"}, False),
        ({"d1/d2/up": "../..", "l": "d1/d2/up/x"}, True),
    ],
)
def test_links_are_followed_as_the_kernel_would(links: dict[str, str], inside: bool) -> None:
    assert stays_inside("d/l" if "d/l" in links else "l", links) is inside


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TARGETS = st.lists(st.sampled_from(["a", "b", "c", "..", "."]), min_size=1, max_size=5).map("/".join)


@given(
    links=st.dictionaries(PATHS, TARGETS, min_size=1, max_size=4),
)
def test_a_link_that_stays_inside_resolves_inside_on_disk(
    links: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("links") / "tree"
    (root / "a" / "b").mkdir(parents=True)
    made: dict[str, str] = {}
    for path, target in links.items():
        place = root / path
        if (
            place.parent.is_dir()
            and place.parent.resolve().is_relative_to(root)
            and not place.exists()
            and not place.is_symlink()
        ):
            if place.parent.resolve() != place.parent:
                continue
            place.symlink_to(target)
            made[path] = target
    for path in made:
        try:
            resolved = (root / path).resolve(strict=True)
        except (OSError, RuntimeError):
            continue  # dangling or looping: nothing can be read through it
        assert stays_inside(path, made) <= resolved.is_relative_to(root)


def test_a_digest_covers_names_modes_and_contents_and_no_order_of_writing() -> None:
    plain: dict[str, tuple[Kind, bytes]] = {"a": ("file", b"1"), "b": ("file", b"2")}
    variants: Sequence[Mapping[str, tuple[Kind, bytes]]] = (
        plain,
        {"b": plain["b"], "a": plain["a"]},
        {**plain, "a": ("executable", b"1")},
        {**plain, "a": ("file", b"3")},
        {**plain, "a": ("symlink", b"1")},
        {"c": plain["a"], "b": plain["b"]},
        {"a": plain["a"]},
        {"a": ("file", b"2"), "b": ("file", b"1")},
    )
    digests = [tree_digest(MadeTree(files)) for files in variants]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 7
    assert all(len(digest) == 64 for digest in digests)


def test_a_digest_stays_what_it_is() -> None:
    content = hashlib.sha256(b"x").digest()  # changing the formula invalidates every stored trial
    expected = hashlib.sha256(b"gatebot tree 1\0" + b"100644 a\0" + content).hexdigest()
    assert tree_digest(tree("a")) == expected


def test_what_is_excluded_does_not_count() -> None:
    assert tree_digest(tree("a", "golden/x"), lambda path: path.startswith("golden/")) == tree_digest(
        tree("a")
    )


def test_paths_are_shown_without_their_control_characters() -> None:
    assert shown("ü/fine") == "ü/fine"
    assert shown("a\x1b[31m\udcff") == "a\\x1b[31m\\udcff"
