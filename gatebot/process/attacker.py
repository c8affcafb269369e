"""What a hostile agent would try first, as a script that runs where an agent would. Harmless: it only looks.

Standard input is a JSON object (see `selftest`). One line comes out per attack: `held NAME` or `open NAME`. It imports
nothing of gatebot, because its user cannot read gatebot.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping

Targets = Mapping[str, str]
"""Name → what to attack: a process id, a path, a port; several are set apart by NUL."""
_libc = ctypes.CDLL(None, use_errno=True)
_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
_USER_KEYRING = -4
_VSOCK = 40
_ENGINES = (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
)


def _denied(result: int) -> int:
    """A system call's result; raises OSError when it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "denied")
    return result


def read_environment(targets: Targets) -> None:
    """The variables gatebot was started with."""
    _read(f"/proc/{targets['gatebot']}/environ")


def read_memory(targets: Targets) -> None:
    """The memory of gatebot through /proc, and its launcher's, whose socket leads to gatebot."""
    _either(_read_nothing(f"/proc/{targets['gatebot']}/mem"), _read_nothing(f"/proc/{os.getppid()}/mem"))


def copy_memory(targets: Targets) -> None:
    """The memory of gatebot by process_vm_readv; a bad address is a breach too: the right to read was there."""
    here = ctypes.create_string_buffer(1)
    ours = (ctypes.c_void_p * 2)(ctypes.addressof(here), 1)
    theirs = (ctypes.c_void_p * 2)(1, 1)
    pid = ctypes.c_int(int(targets["gatebot"]))
    one, none = ctypes.c_ulong(1), ctypes.c_ulong(0)
    if _libc.process_vm_readv(pid, ours, one, theirs, one, none) < 0 and ctypes.get_errno() != errno.EFAULT:
        raise OSError(ctypes.get_errno(), "denied")


def trace(targets: Targets) -> None:
    """ptrace, in the way that does not stop the other."""
    pid = ctypes.c_int(int(targets["gatebot"]))
    none = ctypes.c_void_p(None)
    _denied(_libc.ptrace(ctypes.c_int(_PTRACE_SEIZE), pid, none, none))
    _libc.ptrace(ctypes.c_int(_PTRACE_DETACH), pid, none, none)


def list_descriptors(targets: Targets) -> None:
    """The files and sockets gatebot holds open."""
    os.listdir(f"/proc/{targets['gatebot']}/fd")  # noqa: PTH208 - starts fast


def take_descriptor(targets: Targets) -> None:
    """One of gatebot's descriptors, through a pidfd."""
    handle = _denied(_libc.syscall(_PIDFD_OPEN, ctypes.c_int(int(targets["gatebot"])), ctypes.c_uint(0)))
    try:
        os.close(
            _denied(_libc.syscall(_PIDFD_GETFD, ctypes.c_int(handle), ctypes.c_int(0), ctypes.c_uint(0)))
        )
    finally:
        os.close(handle)


def signal_gatebot(targets: Targets) -> None:
    """Signal 0: the right to kill gatebot or its launcher, not used."""
    _either(
        lambda: os.kill(int(targets["gatebot"]), 0),
        lambda: os.kill(os.getppid(), 0),
    )


def bend_limits(targets: Targets) -> None:
    """Limits of gatebot: one second of processor time would end it. Only looked at."""
    resource.prlimit(int(targets["gatebot"]), resource.RLIMIT_CORE)


def read_secret(targets: Targets) -> None:
    """A file that is gatebot's alone."""
    _read(targets["secret"])


def read_public(targets: Targets) -> None:
    """A file that every user of the machine may read, and which is none of the agent's business."""
    _read(targets["public"])


def enter_neighbour(targets: Targets) -> None:
    """The directories of another trial."""
    os.listdir(targets["neighbour"])  # noqa: PTH208


def write_outside(targets: Targets) -> None:
    """A file anywhere but in the trial's own directories."""
    places = targets["places"].split("\0")
    _either(*(_write(os.path.join(place, f".gatebot-{os.getpid()}")) for place in places))  # noqa: PTH118


def become_root(targets: Targets) -> None:
    """The rights of root, kept, regained, or to be had by a set-uid program."""
    del targets
    if os.getuid() == 0:
        return
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    rights = (int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"))
    if any(rights) or fields["NoNewPrivs"].strip() != "1":
        return
    os.setuid(0)


def join_groups(targets: Targets) -> None:
    """Groups that gatebot is in, and what they may do."""
    del targets
    if not os.getgroups():
        raise PermissionError


def command_engine(targets: Targets) -> None:
    """A container engine, which is root on the machine."""
    del targets
    _either(*(_connect(socket.AF_UNIX, path) for path in _ENGINES))


def reach_abstract_socket(targets: Targets) -> None:
    """A socket that has no file, and so no mode."""
    _connect(socket.AF_UNIX, "\0" + targets["abstract"])()


def use_network(targets: Targets) -> None:
    """Any socket that is not a unix one."""
    address = ("127.0.0.1", int(targets["port"]))
    _either(
        _connect(socket.AF_INET, address),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
        lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).close(),
        lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    )


def leave_loopback(targets: Targets) -> None:
    """Anything beyond a loopback that is the trial's own: what listens on the machine's, the world, the machine's host."""
    port = int(targets["port"])
    _either(
        _connect(socket.AF_INET, ("127.0.0.1", port)),
        _send(socket.AF_INET, ("192.0.2.1", port)),
        _send(socket.AF_INET6, ("2001:db8::1", port)),
        lambda: socket.socket(_VSOCK, socket.SOCK_STREAM).close(),
        lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    )


def use_keyring(targets: Targets) -> None:
    """The keyring of the trial's user, in which a key would wait for whoever has that user next."""
    del targets
    calls = _KEYCTL.get(os.uname().machine)
    if calls is None:
        raise PermissionError
    _denied(_libc.syscall(calls, ctypes.c_int(0), ctypes.c_int(_USER_KEYRING), ctypes.c_int(1)))


def command_service_manager(targets: Targets) -> None:
    """What starts programs for this user outside of every sandbox."""
    del targets
    own = f"/run/user/{os.getuid()}"
    _either(*(_connect(socket.AF_UNIX, f"{own}/{name}") for name in ("bus", "systemd/private")))


def freeze_gatebot(targets: Targets) -> None:
    """The control group gatebot is in, whose files may be this user's."""
    with open(f"/proc/{targets['gatebot']}/cgroup", encoding="ascii", errors="replace") as stream:  # noqa: PTH123
        groups = [line.rstrip("\n").split(":", 2) for line in stream]
    places = [f"/sys/fs/cgroup{'/' + kind if kind else ''}{group}" for _, kind, group in groups]
    names = ("cgroup.procs", "cgroup.freeze", "freezer.state", "tasks")
    _either(*(_append(f"{place}/{name}") for place in places for name in names))


def open_terminal(targets: Targets) -> None:
    """The terminal gatebot was started from."""
    del targets
    os.close(os.open("/dev/tty", os.O_RDWR))


ATTACKS: dict[str, Callable[[Targets], None]] = {
    "read gatebot's environment": read_environment,
    "read gatebot's memory": read_memory,
    "copy gatebot's memory": copy_memory,
    "trace gatebot": trace,
    "list gatebot's open files": list_descriptors,
    "take gatebot's open files": take_descriptor,
    "signal gatebot": signal_gatebot,
    "bend gatebot's limits": bend_limits,
    "read gatebot's files": read_secret,
    "read files that everybody may read": read_public,
    "look into another trial": enter_neighbour,
    "write outside the trial": write_outside,
    "become root": become_root,
    "use gatebot's groups": join_groups,
    "command a container engine": command_engine,
    "reach sockets without a file": reach_abstract_socket,
    "open gatebot's terminal": open_terminal,
    "keep keys for whoever comes next": use_keyring,
    "command a service manager": command_service_manager,
    "freeze gatebot": freeze_gatebot,
    "use the network": use_network,
    "leave its own loopback": leave_loopback,
}


def main() -> None:
    """Try every attack that is asked for and say what came of it."""
    targets: Targets = json.load(sys.stdin)
    for name in targets["attacks"].split("\0"):
        try:
            ATTACKS[name](targets)
            sys.stdout.write(f"open {name}\n")
        except OSError:
            sys.stdout.write(f"held {name}\n")


def _either(*attempts: Callable[[], None]) -> None:
    """Succeed when one of the attempts does. Raises OSError when all are denied."""
    for attempt in attempts:
        try:
            attempt()
        except OSError:
            continue
        return
    raise PermissionError


def _read(path: str) -> None:
    with open(path, "rb") as stream:  # noqa: PTH123
        if not stream.read(1):
            raise PermissionError


def _read_nothing(path: str) -> Callable[[], None]:
    return lambda: os.close(os.open(path, os.O_RDONLY))


def _append(path: str) -> Callable[[], None]:
    return lambda: os.close(os.open(path, os.O_WRONLY))


def _send(family: int, address: tuple[str, int]) -> Callable[[], None]:
    def attempt() -> None:
        with socket.socket(family, socket.SOCK_DGRAM) as client:
            client.sendto(b"x", address)

    return attempt


def _write(path: str) -> Callable[[], None]:
    def attempt() -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        os.unlink(path)  # noqa: PTH108

    return attempt


def _connect(family: int, address: str | tuple[str, int]) -> Callable[[], None]:
    def attempt() -> None:
        with socket.socket(family, socket.SOCK_STREAM) as client:
            client.settimeout(2)
            client.connect(address)

    return attempt


if __name__ == "__main__":
    main()
