"""Filters on system calls: which kinds of socket a process can make; no keyrings, no limits of others. Standard library only.

A filter needs no privilege once no-new-privileges is set, also works in a default container, and is inherited by every
child. It looks at numbers only, so it can close the network, but cannot tell one address from another.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from collections.abc import Mapping, Sequence

from gatebot.process import kernel

UNIX = 1
IP = (UNIX, 2, 10, 16)
"""Unix, IPv4, IPv6, and netlink, by which a program asks what its network looks like."""
_MODE_FILTER = 2
_PR_SET_SECCOMP = 22
_IO_URING_SETUP = 425  # io_uring makes sockets without the system call; the number is the same everywhere
_X32_CALLS = 0x40000000
_ARCHITECTURES = {
    "x86_64": (0xC000003E, 41),
    "aarch64": (0xC00000B7, 198),
    "riscv64": (0xC00000F3, 198),
}
"""Machine → (AUDIT_ARCH_…, number of the socket call), from linux/audit.h and asm/unistd.h."""
_KEYRING_CALLS = {
    0xC000003E: (248, 249, 250, _X32_CALLS + 248, _X32_CALLS + 249, _X32_CALLS + 250),
    0x40000003: (286, 287, 288),
    0xC00000B7: (217, 218, 219),
    0x40000028: (309, 310, 311),
    0xC00000F3: (217, 218, 219),
}
"""AUDIT_ARCH_… → numbers of add_key, request_key, keyctl, on the machines above and for their 32 bit programs."""

_LIMIT_CALLS = {
    0xC000003E: (302, _X32_CALLS + 302),
    0x40000003: (340,),
    0xC00000B7: (261,),
    0x40000028: (369,),
    0xC00000F3: (261,),
}
"""AUDIT_ARCH_… → numbers of prlimit64."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _FAIL_WITH = 0x7FFF0000, 0x00050000
_Rule = tuple[int, int, int, int]
"""What to do, how many rules to pass over when a comparison holds and when it does not, and with what."""


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("yes", ctypes.c_ubyte),
        ("no", ctypes.c_ubyte),
        ("k", ctypes.c_uint32),
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def allow_sockets(families: Sequence[int]) -> None:
    """Let this process and its children make no sockets but those of these families, for good. Raises OSError."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no seccomp filter for {machine}")
    architecture, socket_call = _ARCHITECTURES[machine]
    count = len(families)
    _install(
        _filter(
            (_LOAD, 0, 0, _ARCHITECTURE),
            (_EQUAL, 0, count + 5, architecture),  # a foreign one (32 bit): its calls have other numbers
            (_LOAD, 0, 0, _NUMBER),
            (_AT_LEAST, count + 3, 0, _X32_CALLS),
            (_EQUAL, count + 2, 0, _IO_URING_SETUP),
            (_EQUAL, 0, count + 3, socket_call),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            *((_EQUAL, count - index + 1, 0, family) for index, family in enumerate(families[:-1])),
            (_EQUAL, 2, 1, families[-1]),
            (_RETURN, 0, 0, _FAIL_WITH | errno.ENOSYS),
            (_RETURN, 0, 0, _FAIL_WITH | errno.EACCES),
            (_RETURN, 0, 0, _ALLOW),
        )
    )


def forbid_keyrings() -> None:
    """Take the kernel's keyrings away: those of a user outlive its processes, and would pass from one run to another.

    Where no filter can be had, there is none: the self-test says whether keyrings are in reach.
    """
    with contextlib.suppress(OSError):
        _install(_NO_KEYRINGS)


def forbid_limits_of_others() -> None:
    """Let a process change no limits but its own, which it calls 0: one with gatebot's user could end gatebot by them.

    Where no filter can be had, there is none: the self-test says whether gatebot's limits are in reach.
    """
    with contextlib.suppress(OSError):
        _install(_NO_LIMITS_OF_OTHERS)


def _install(program: _Filter) -> None:
    kernel.set_process_option(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program))


def _filter(*rules: _Rule) -> _Filter:
    return _Filter(len(rules), (_Instruction * len(rules))(*(_Instruction(*rule) for rule in rules)))


def _forbidding(calls_of: Mapping[int, Sequence[int]], *unless: _Rule) -> _Filter:
    """Calls, by their numbers on each architecture, fail with EPERM; `unless`: rules that may allow one before."""
    rules: list[_Rule] = [(_LOAD, 0, 0, _ARCHITECTURE)]
    for architecture, calls in calls_of.items():
        rules.append((_EQUAL, 0, len(calls) + len(unless) + 3, architecture))
        rules.append((_LOAD, 0, 0, _NUMBER))
        rules.extend((_EQUAL, len(calls) - index, 0, call) for index, call in enumerate(calls))
        rules += [(_RETURN, 0, 0, _ALLOW), *unless, (_RETURN, 0, 0, _FAIL_WITH | errno.EPERM)]
    rules.append((_RETURN, 0, 0, _ALLOW))
    return _filter(*rules)


# Made once, where launchers are forked from, and not for every run.
_NO_KEYRINGS = _forbidding(_KEYRING_CALLS)
_NO_LIMITS_OF_OTHERS = _forbidding(
    _LIMIT_CALLS, (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 0, 1, 0), (_RETURN, 0, 0, _ALLOW)
)
