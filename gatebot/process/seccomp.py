"""No network: a seccomp filter under which a process can make no socket but unix ones. Standard library only.

A filter needs no privilege once no-new-privileges is set, also works in a default container, and is inherited by every
child. It looks at numbers only, so it can close the network, but cannot tell one address from another.
"""

from __future__ import annotations

import ctypes
import errno
import os

from gatebot.process import kernel

_MODE_FILTER = 2
_PR_SET_SECCOMP = 22
_UNIX = 1
_IO_URING_SETUP = 425  # io_uring makes sockets without the system call; the number is the same everywhere
_X32_CALLS = 0x40000000
_ARCHITECTURES = {
    "x86_64": (0xC000003E, 41),
    "aarch64": (0xC00000B7, 198),
    "riscv64": (0xC00000F3, 198),
}
"""Machine → (AUDIT_ARCH_…, number of the socket call), from linux/audit.h and asm/unistd.h."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _FAIL_WITH = 0x7FFF0000, 0x00050000


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("yes", ctypes.c_ubyte),
        ("no", ctypes.c_ubyte),
        ("k", ctypes.c_uint32),
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def close_network() -> None:
    """Let this process and its children make no socket but unix ones, for good. Raises OSError."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no seccomp filter for {machine}")
    architecture, socket_call = _ARCHITECTURES[machine]
    # A jump counts the instructions to pass over: `yes` when the comparison holds, `no` when it does not.
    rules = (
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, 6, architecture),  # a foreign one (32 bit): its calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 4, 0, _X32_CALLS),
        (_EQUAL, 3, 0, _IO_URING_SETUP),
        (_EQUAL, 0, 3, socket_call),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 1, 2, _UNIX),
        (_RETURN, 0, 0, _FAIL_WITH | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL_WITH | errno.EACCES),
    )
    program = _Filter(len(rules), (_Instruction * len(rules))(*(_Instruction(*rule) for rule in rules)))
    kernel.set_process_option(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program))
