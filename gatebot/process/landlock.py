"""Landlock by its three system calls: a process gives up every file, port and signal that no rule allows it.

Needs no privilege once no-new-privileges is set, works in a default container, is inherited by every child, and also
keeps a process from tracing or reading the memory of processes outside. Standard library only. Rights and the version
("ABI") that brought each: linux/landlock.h, https://docs.kernel.org/userspace-api/landlock.html.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_ASK_VERSION = 1
_BELOW_PATH = 1
_TRUNCATE_SINCE, _DEVICES_SINCE, _NETWORK_SINCE, _SCOPES_SINCE = 3, 5, 4, 6
_REFER_SINCE = 2

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11
_MAKE_MEETING_POINTS = 1 << 9 | 1 << 10 | 1 << 12  # sockets, pipes, links
_SHARED = "/dev/"
_FIRST_RIGHTS = (1 << 13) - 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_TCP = 1 << 0 | 1 << 1  # bind and connect
_SCOPES = 1 << 0 | 1 << 1  # abstract unix sockets and signals

_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def version() -> int:
    """The ABI this kernel offers; 0 when it offers none (not built in, not switched on, or filtered away)."""
    found = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(int(found), 0)


def truncates(abi: int) -> bool:
    """Whether that version keeps files outside from being cut to nothing."""
    return abi >= _TRUNCATE_SINCE


def scopes(abi: int) -> bool:
    """Whether that version keeps signals and abstract unix sockets inside."""
    return abi >= _SCOPES_SINCE


def close_files(readable: Iterable[str], writable: Iterable[str], *, offline: bool) -> None:
    """Leave this process and its children nothing but reading below `readable` and writing below `writable`, for good.

    Paths may be files or directories; those that are not there, or that the process cannot reach, are passed over.
    Devices can be made nowhere, and in shared places no sockets, pipes and links: over those, runs at the same time
    could hand each other open files. `offline` also closes TCP, where this kernel's Landlock knows it. Raises OSError.
    """
    abi = version()
    if not abi:
        raise OSError(errno.ENOSYS, "no Landlock")
    handled = _handled(abi)
    ruleset = _ruleset(abi, handled, offline=offline)
    try:
        for paths, rights in ((readable, _READ), (writable, handled & ~_MAKE_DEVICES)):
            for path in paths:
                barred = _MAKE_MEETING_POINTS if path.startswith(_SHARED) else 0
                _allow(ruleset, path, rights & handled & ~barred)
        _checked(_libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "restrict")
    finally:
        os.close(ruleset)


def _handled(abi: int) -> int:
    later = (
        (_REFER_SINCE, _REFER),
        (_TRUNCATE_SINCE, _TRUNCATE),
        (_DEVICES_SINCE, _IOCTL_DEV),
    )
    handled = _FIRST_RIGHTS
    for since, right in later:
        if abi >= since:
            handled |= right
    return handled


def _ruleset(abi: int, handled: int, *, offline: bool) -> int:
    """An open ruleset; an older kernel refuses a longer structure unless what it does not know is zero."""
    attributes = _Ruleset(
        handled,
        _TCP if offline and abi >= _NETWORK_SINCE else 0,
        _SCOPES if scopes(abi) else 0,
    )
    size = ctypes.sizeof(attributes)
    made = _libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    return _checked(made, "ruleset")


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = _PathRule(rights, place)
        added = _libc.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_BELOW_PATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
        _checked(added, "rule")
    finally:
        os.close(place)


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"landlock {what}")
    return int(result)
