"""From fork to exec: the launcher's child turns into the program it was asked for. Standard library only."""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Mapping

from gatebot.process import kernel, landlock, limits, own_network, seccomp
from gatebot.process.channel import Order

_STANDARD = (0, 1, 2)
_DEFAULT_SIGNALS = (
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGCHLD,
    signal.SIGQUIT,  # a shell that starts gatebot in the background has it ignored
)


def become(order: Order, files: list[int], errors: int, launcher: int) -> None:
    """Turn the calling process into the ordered program. Never returns.

    What goes wrong on the way is written to `errors` as `stage errno`; a successful exec closes it.
    """
    stage = "prepare"
    try:
        _take_files(files)
        os.setsid()
        os.umask(0o022)
        for number in _DEFAULT_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        kernel.set_process_option(
            kernel.PR_SET_DUMPABLE, 1
        )  # the launcher's memory is closed, and its files with it
        limits.be_first_out_of_memory()
        stage = "limits"
        limits.take_on(order.limits)
        stage = "cwd"
        os.chdir(order.cwd)
        stage = "program"
        program = find_program(order.argv[0], order.env)
        stage = "network"
        alone = order.loopback and own_network.take_as_administrator()
        stage = "user"
        if order.uid is not None:
            drop_to(order.uid)
        elif order.readable and os.geteuid() == 0:
            drop_capabilities()
        kernel.leave_session_keyring()
        kernel.set_process_option(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.die_with(launcher)
        stage = "network"
        if order.loopback and not alone:
            own_network.take_as_user()
        seccomp.forbid_keyrings()
        if order.uid is None:
            seccomp.forbid_limits_of_others()
        if order.offline or order.loopback:
            seccomp.allow_sockets((seccomp.UNIX,) if order.offline else seccomp.IP)
        if order.uid is not None:
            stage = "cwd"
            os.chdir(order.cwd)
        if order.readable:
            stage = "files"
            landlock.close_files(order.readable, order.writable, offline=order.offline)
        stage = "exec"
        os.execve(program, order.argv, order.env)  # noqa: S606 - never through a shell
    except OSError as error:
        os.write(errors, f"{stage} {error.errno or errno.EIO}".encode("ascii"))
    except (ValueError, LookupError):  # a NUL in an argument or a name
        os.write(errors, f"{stage} {errno.EINVAL}".encode("ascii"))
    finally:
        os._exit(127)


def find_program(name: str, env: Mapping[str, str]) -> str:
    """The file `name` means: a path as it is, or the first entry of that name on the environment's PATH.

    Unlike the C library's search, an entry that is there but cannot be run is an answer, not a reason to look
    further: running another interpreter than the side's own would be a silent fall-back. Raises
    FileNotFoundError.
    """
    if "/" in name:
        return name
    for folder in env.get("PATH", "").split(":"):
        path = f"{folder or '.'}/{name}"
        try:
            if not stat.S_ISLNK(os.lstat(path).st_mode) and not _is_program(path):
                continue
        except OSError:
            continue
        return path
    raise FileNotFoundError(errno.ENOENT, "not on PATH", name)


def drop_to(uid: int) -> None:
    """Become an unprivileged user with an equal group id, no other groups and no capability. Raises OSError."""
    kernel.drop_bounding_set()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kernel.clear_capabilities()


def drop_capabilities() -> None:
    """Stay root, but one without any capability, now and after exec: also such a root must not pass walls by them."""
    kernel.drop_bounding_set()
    kernel.clear_capabilities()


def _is_program(path: str) -> bool:
    mode = os.stat(path).st_mode  # noqa: PTH116 - a launcher starts without pathlib
    return stat.S_ISREG(mode) and bool(mode & 0o111)


def _take_files(files: list[int]) -> None:
    """Put the three descriptors onto 0, 1 and 2."""
    above = [os.dup(descriptor) if descriptor in _STANDARD else descriptor for descriptor in files]
    for number, descriptor in zip(_STANDARD, above, strict=True):
        os.dup2(descriptor, number)
