"""The few system calls the standard library does not offer: prctl and capset, by ctypes. Standard library only."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from collections.abc import Generator

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}.get(os.uname().machine)
_JOIN_SESSION_KEYRING = 1
_SETRESUID = {"x86_64": 117, "aarch64": 147, "riscv64": 147}
_UNCHANGED = ctypes.c_long(-1)
_ARGUMENTS_START = 45  # in proc(5) field 48, counted from 1, of which the two before ")" are cut off
_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySet(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


# Made once, where launchers are forked from, and not for every run.
_OURS = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
_NO_CAPABILITIES = (_CapabilitySet * 2)()


def set_process_option(option: int, value: int, second: int = 0) -> None:
    """`prctl(option, value, second)`; `second` may be an address. Raises OSError."""
    if _libc.prctl(option, value, second, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def read_small(path: str) -> bytes:
    """What a small file of /proc says. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def drop_bounding_set() -> None:
    """Empty the calling thread's capability bounding set. Raises OSError where that needs a right we lack."""
    for capability in range(_MOST_CAPABILITIES):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            error = ctypes.get_errno()
            if error == errno.EINVAL:
                return  # the kernel knows of no more
            raise OSError(error, "prctl")


def clear_capabilities() -> None:
    """Empty the effective, permitted and inheritable sets. Raises OSError."""
    if _libc.capset(ctypes.byref(_OURS), ctypes.byref(_NO_CAPABILITIES)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def leave_session_keyring() -> None:
    """Take a new, empty session keyring instead of gatebot's. Where the kernel has none or forbids it, there is none."""
    if _KEYCTL is not None:
        _libc.syscall(_KEYCTL, ctypes.c_int(_JOIN_SESSION_KEYRING), None)


@contextlib.contextmanager
def files_as(uid: int) -> Generator[None]:
    """Inside the block the calling thread looks at files and processes as that user (and group of the same number)."""
    _libc.setfsgid(ctypes.c_uint(uid))
    _libc.setfsuid(ctypes.c_uint(uid))
    try:
        yield
    finally:
        _libc.setfsuid(ctypes.c_uint(os.geteuid()))
        _libc.setfsgid(ctypes.c_uint(os.getegid()))


@contextlib.contextmanager
def thread_as(uid: int) -> Generator[None]:
    """Inside the block the calling thread, and no other, acts as that user; root stays what it can go back to.

    By the system call: the C library's own function would change every thread. Where its number is not known, or we
    may not, nothing changes.
    """
    number, before = _SETRESUID.get(os.uname().machine), os.geteuid()
    if number is not None:
        _libc.syscall(number, _UNCHANGED, ctypes.c_long(uid), _UNCHANGED)
    try:
        yield
    finally:
        if number is not None:
            _libc.syscall(number, _UNCHANGED, ctypes.c_long(before), _UNCHANGED)


def overwrite_arguments() -> None:
    """Write zeros over the arguments this process was started with, all but the first: Python has its own copies."""
    fields = read_small("/proc/self/stat").rpartition(b")")[2].split()
    start, end = int(fields[_ARGUMENTS_START]), int(fields[_ARGUMENTS_START + 1])
    if start:  # zero where the kernel does not tell
        skipped = ctypes.string_at(start, end - start).find(b"\0")
        if skipped >= 0:
            ctypes.memset(start + skipped, 0, end - start - skipped)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies; die at once if the parent has died already."""
    set_process_option(PR_SET_PDEATHSIG, 9)
    if os.getppid() != parent:
        os._exit(127)
