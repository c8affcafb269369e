"""Builds small repositories by libgit2, hostile trees included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pygit2

REGULAR, EXECUTABLE, LINK, SUBMODULE, FOLDER = 0o100644, 0o100755, 0o120000, 0o160000, 0o040000
WHO = pygit2.Signature("A Person", "person@example.org", 1_700_000_000, 0)
Files = Mapping[str, bytes | tuple[int, bytes]]


class GitBuilder:
    """A repository under construction; `commit` takes the whole tree, path → content or (mode, content)."""

    def __init__(self, path: Path, *, bare: bool = False) -> None:
        self.path = path
        self.repository = pygit2.init_repository(str(path), bare=bare, initial_head="main")

    def commit(self, files: Files, *, branch: str = "main", parents: Sequence[str] = ()) -> str:
        """Commit exactly these files on `branch`; the parent is the branch's tip unless `parents` names others."""
        name = f"refs/heads/{branch}"
        before = [str(self.repository.references[name].target)] if name in self.repository.references else []
        created = self.repository.create_commit(
            None, WHO, WHO, "a change\n", self.tree(files), [pygit2.Oid(hex=p) for p in parents or before]
        )
        self.repository.references.create(name, created, force=True)
        return str(created)

    def tree(self, files: Files) -> pygit2.Oid:
        """Write the tree object that holds these files."""
        folders: dict[str, dict[str, bytes | tuple[int, bytes]]] = {}
        entries: list[tuple[int, bytes, pygit2.Oid]] = []
        for path, content in files.items():
            first, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(first, {})[rest] = content
                continue
            mode, data = content if isinstance(content, tuple) else (REGULAR, content)
            blob = pygit2.Oid(hex=data.decode()) if mode == SUBMODULE else self.repository.create_blob(data)
            entries.append((mode, first.encode(errors="surrogateescape"), blob))
        for name, inner in folders.items():
            entries.append((FOLDER, name.encode(errors="surrogateescape"), self.tree(inner)))
        return self.raw_tree(sorted(entries, key=lambda e: e[1] + (b"/" if e[0] == FOLDER else b"")))

    def raw_tree(self, entries: Sequence[tuple[int, bytes, pygit2.Oid]]) -> pygit2.Oid:
        """Write a tree object byte by byte: any name, any order, twice the same name."""
        raw = b"".join(b"%o %s\0%s" % (mode, name, oid.raw) for mode, name, oid in entries)
        return self.repository.odb.write(pygit2.enums.ObjectType.TREE, raw)

    def commit_tree(self, tree: pygit2.Oid, branch: str = "main") -> str:
        """Commit a tree object."""
        created = self.repository.create_commit(None, WHO, WHO, "a tree\n", tree, [])
        self.repository.references.create(f"refs/heads/{branch}", created, force=True)
        return str(created)

    def check_out(self, branch: str = "main") -> None:
        """Bring working tree and index to the branch's tip."""
        self.repository.checkout(f"refs/heads/{branch}", strategy=pygit2.enums.CheckoutStrategy.FORCE)
