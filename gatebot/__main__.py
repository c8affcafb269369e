"""Start gatebot: answer --version at once, hand everything else to the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the console script and of `python -m gatebot`; ends the process with an exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from gatebot import __version__

        sys.stdout.write(f"gatebot {__version__}\n")
        sys.exit(0)
    import gc
    import os
    import signal

    # A package of the environment could have a say in how our input is checked; and to look for one takes time.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"

    gc.set_threshold(
        50_000, 20, 20
    )  # what a start makes stays: going through it again and again finds nothing
    sys.setswitchinterval(0.0005)  # threads that attend to programs shall not wait for one that computes
    from gatebot.cli.app import run

    # A cancelled CI job sends SIGTERM: outside the trials, which have handlers of their own, it ends us as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = run(sys.argv[1:])
    gc.freeze()  # nor does going through all of it at the very end: what must be closed has been closed
    sys.exit(code)


if __name__ == "__main__":
    main()
