"""A network of the run's own: a loopback on which its processes reach each other, and nothing else. Standard library only.

Neither Landlock nor a seccomp filter can tell the loopback from the rest. A network namespace can; the kernel makes one
for whoever administers the machine, and for everybody else inside a user namespace, unless that is forbidden, as a
default container does.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct

from gatebot.process import kernel

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS of netdevice(7)
_UP = 1
_libc = ctypes.CDLL(None, use_errno=True)


def take_as_administrator() -> bool:
    """Leave this machine's network for one of our own; False where we may not. Raises OSError."""
    try:
        _unshare(_NEW_NETWORK)
    except OSError as error:
        if error.errno == errno.EPERM:
            return False
        raise
    _start_loopback()
    return True


def take_as_user() -> None:
    """The same inside a user namespace, in which we are who we were and have no right left. Raises OSError."""
    uid, gid = os.geteuid(), os.getegid()
    _unshare(_NEW_USER | _NEW_NETWORK)
    for name, text in (("setgroups", "deny"), ("gid_map", f"{gid} {gid} 1"), ("uid_map", f"{uid} {uid} 1")):
        _write(f"/proc/self/{name}", text)
    _start_loopback()
    kernel.drop_bounding_set()
    kernel.clear_capabilities()


def _unshare(flags: int) -> None:
    if _libc.unshare(ctypes.c_int(flags)) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _start_loopback() -> None:
    """A fresh namespace has a loopback that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)
