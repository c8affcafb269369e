"""Zips from elsewhere: what is no plain, honest one is refused by name, quickly, without the disk or much memory."""

from __future__ import annotations

import io
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest

from gatebot.errors import InputFileError
from gatebot.github_api.archive import MAX_ENTRIES, members_of, opened

LIMIT = 1_000_000
WANTED = {"trials.jsonl": LIMIT, "plan.json": LIMIT}


def made(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data, method)
    return buffer.getvalue()


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def read(data: bytes) -> dict[str, bytes]:
    return members_of(io.BytesIO(data), WANTED)


GOOD = made(("trials.jsonl", b"{}\n"), ("logs/setup-head.log", b"hello"))


def test_named_members_are_read_and_others_are_left() -> None:
    assert read(GOOD) == {"trials.jsonl": b"{}\n"}
    assert read(made()) == {}


def patched(data: bytes, at: int, fmt: str, *values: int) -> bytes:
    held = bytearray(data)
    struct.pack_into(fmt, held, at if at >= 0 else len(held) + at, *values)
    return bytes(held)


def lying_size() -> bytes:
    """The directory says 3 bytes; the stream holds more."""
    data = made(("trials.jsonl", b"x" * 5_000))
    return patched(data, data.index(b"PK\x01\x02") + 24, "<L", 3)


def larger_than_it_is() -> bytes:
    data = made(("trials.jsonl", b"{}\n"))
    return patched(data, data.index(b"PK\x01\x02") + 24, "<L", 900)


def wrong_checksum() -> bytes:
    data = made(("trials.jsonl", b"{}\n"))
    return patched(data, data.index(b"PK\x01\x02") + 16, "<L", 7)


def encrypted() -> bytes:
    data = made(("trials.jsonl", b"{}\n"))
    return patched(data, data.index(b"PK\x01\x02") + 8, "<H", 1)


def overlapping() -> bytes:
    """Two entries of the directory that share one stream: how a bomb of quadratic size is made."""
    data = made(("trials.jsonl", b"{}\n"), ("plan.json", b"{}\n"))
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    return patched(data, second + 42, "<L", 5)


def sixty_four_bit() -> bytes:
    """A locator before the end sends a reader to another directory than the one the end describes."""
    return GOOD[:-22] + b"PK\x06\x07" + b"\0" * 16 + GOOD[-22:]


def many_in_the_end_record_alone() -> bytes:
    return patched(GOOD, -22 + 8, "<HH", 65_000, 65_000)


def twice() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return made(("trials.jsonl", b"{}\n"), ("trials.jsonl", b"[]\n"))


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "cannot be read"),
    "no zip": (lambda: b"PK not at all" * 10, "cannot be read"),
    "cut": (lambda: GOOD[:-30], "cannot be read"),
    "a comment that holds a second end": (lambda: GOOD + GOOD[-22:-2] + b"\x05\0", "cannot be read"),
    "parent": (lambda: made(("../../etc/cron.d/x", b"x"), ("trials.jsonl", b"")), "leads out"),
    "absolute": (lambda: made(("/etc/passwd", b"x")), "leads out"),
    "backslash": (lambda: made(("..\\x", b"x")), "leads out"),
    "drive": (lambda: made(("C:/x", b"x")), "leads out"),
    "link": (lambda: made((entry("trials.jsonl", stat.S_IFLNK | 0o777), b"/etc/passwd")), "else than files"),
    "pipe": (lambda: made((entry("plan.json", stat.S_IFIFO | 0o644), b"")), "else than files"),
    "a name twice": (twice, "twice"),
    "names alike": (lambda: made(("trials.jsonl", b""), ("Trials.jsonl", b"x")), "twice"),
    "bomb": (lambda: made(("trials.jsonl", b"0" * 50_000_000)), "too large"),
    "a bomb nobody asked for": (lambda: made(("other", b"0" * 50_000_000)), "too large"),
    "too large": (lambda: made(("plan.json", bytes(range(256)) * 4_000)), "too large"),
    "many": (lambda: made(*((str(n), b"") for n in range(MAX_ENTRIES + 1))), "too many"),
    "many, it says": (many_in_the_end_record_alone, "too many"),
    "64 bit": (sixty_four_bit, "64-bit"),
    "encrypted": (encrypted, "encrypted"),
    "bzip2": (lambda: made(("plan.json", b"{}"), method=zipfile.ZIP_BZIP2), "no upload uses"),
    "lzma": (lambda: made(("plan.json", b"{}"), method=zipfile.ZIP_LZMA), "no upload uses"),
    "overlapping": (overlapping, "overlap"),
    "lying size": (lying_size, "cannot be read"),
    "larger than it is": (larger_than_it_is, "another size"),
    "wrong checksum": (wrong_checksum, "cannot be read"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_plain_zip_is_refused_by_name(kind: str) -> None:
    make, told = HOSTILE[kind]
    data = make()
    tracemalloc.start()
    try:
        with pytest.raises(InputFileError, match=told):
            read(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


def test_every_byte_flipped_is_read_alike_or_refused() -> None:
    whole = read(GOOD)
    for at in range(len(GOOD)):
        try:
            found = read(GOOD[:at] + bytes([GOOD[at] ^ 0xFF]) + GOOD[at + 1 :])
        except InputFileError:
            continue
        assert set(found) <= set(WANTED)
        assert all(found[name] == whole.get(name, found[name]) for name in found)


def test_every_truncation_is_refused() -> None:
    for size in range(len(GOOD)):
        with pytest.raises(InputFileError):
            read(GOOD[:size])


def test_a_large_member_is_handed_out_in_blocks() -> None:
    data = made(("trials.jsonl", bytes(range(251)) * 20_000), method=zipfile.ZIP_STORED)
    tracemalloc.start()
    try:
        with opened(io.BytesIO(data)) as archive:
            blocks = archive.blocks("trials.jsonl", 10_000_000)
            assert blocks is not None
            assert sum(len(block) for block in blocks) == 251 * 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000 + len(data)
