"""A zip from elsewhere, read without unpacking: named members alone, within bounds, block by block. All of it is hostile."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import BinaryIO

from gatebot.errors import InputFileError

MAX_ENTRIES = 2_000
MAX_DIRECTORY_BYTES = 1024 * 1024
MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
MAX_RATIO = 200
_BLOCK = 256 * 1024
_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_LOCATOR_SIGNATURE = b"PK\x06\x07"
_LOCATOR_BYTES = 20
_REGULAR = (0, stat.S_IFREG, stat.S_IFDIR)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A zip whose whole directory has been looked at: what is no plain, honest one never gets here."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._entries = {entry.filename: entry for entry in _checked(archive.infolist())}

    def blocks(self, name: str, limit: int) -> Iterator[bytes] | None:
        """The bytes of a member, at most `limit` of them, in blocks; None when there is no such member.

        Raises InputFileError when it is larger, or of another size than it says.
        """
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry.file_size > limit:
            raise bad("holds a file that is too large")
        return self._blocks(entry)

    def _blocks(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        left = entry.file_size
        with reading(), self._archive.open(entry) as stream:
            while block := stream.read(min(_BLOCK, left + 1)):
                left -= len(block)
                if left < 0:
                    break
                yield block
        if left:
            raise bad("holds a file of another size than it says")


@contextmanager
def opened(stream: BinaryIO) -> Generator[Archive]:
    """The archive in `stream`, which may be anything.

    Raises InputFileError for what is no plain zip: damaged, with a comment or of the 64-bit kind, too many entries, a name
    twice (or twice but for upper and lower case), names that lead out, links and devices, encrypted, compressed by
    something else than deflate, entries that overlap, or that expand beyond a sane ratio or in total.
    """
    _check_end(stream)
    with reading():
        archive = zipfile.ZipFile(stream)
    with archive:
        yield Archive(archive)


@contextmanager
def reading() -> Generator[None]:
    """Every way in which a damaged zip shows is the one error. Raises InputFileError."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
    ) as error:
        raise bad("cannot be read") from error


def members_of(stream: BinaryIO, limits: Mapping[str, int]) -> dict[str, bytes]:
    """The named members, each at most as many bytes as `limits` says; absent ones are left out. Raises InputFileError."""
    found: dict[str, bytes] = {}
    with opened(stream) as archive:
        for name, limit in limits.items():
            blocks = archive.blocks(name, limit)
            if blocks is not None:
                found[name] = b"".join(blocks)
    return found


def bad(what: str) -> InputFileError:
    """The error for an archive that is not what a gate uploads."""
    return InputFileError(f"the artifact {what}", "run the gate again")


def _check_end(stream: BinaryIO) -> None:
    """Look at the record at the very end before the directory it points to is read: that is read whole."""
    size = stream.seek(0, 2)
    if size < _END.size:
        raise bad("cannot be read")
    stream.seek(max(0, size - _END.size - _LOCATOR_BYTES))
    tail = stream.read()
    signature, _, _, _, entries, directory_bytes, _, comment = _END.unpack(tail[-_END.size :])
    if signature != _END_SIGNATURE or comment:
        raise bad("cannot be read")
    if tail.startswith(_LOCATOR_SIGNATURE) and len(tail) > _END.size:
        raise bad("is of the 64-bit kind")
    if entries > MAX_ENTRIES or directory_bytes > MAX_DIRECTORY_BYTES:
        raise bad("has too many entries")
    stream.seek(0)


def _checked(entries: Sequence[zipfile.ZipInfo]) -> Sequence[zipfile.ZipInfo]:
    if len(entries) > MAX_ENTRIES:
        raise bad("has too many entries")
    seen: set[str] = set()
    for entry in entries:
        folded = entry.filename.casefold()
        if folded in seen:
            raise bad("holds a name twice")
        seen.add(folded)
        _check_entry(entry)
    if sum(entry.file_size for entry in entries) > MAX_TOTAL_BYTES:
        raise bad("holds more than any run writes")
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    for one, following in pairwise(ordered):
        if one.header_offset + one.compress_size >= following.header_offset:
            raise bad("holds entries that overlap")
    return entries


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]:
        raise bad("holds a name that leads out of it")
    if stat.S_IFMT(entry.external_attr >> 16) not in _REGULAR:
        raise bad("holds something else than files")
    if entry.flag_bits & 0x1:
        raise bad("is encrypted")
    if entry.compress_type not in _METHODS:
        raise bad("is compressed in a way no upload uses")
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
        raise bad("holds a file that is too large")
