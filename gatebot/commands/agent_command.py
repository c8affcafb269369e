"""What can be told of an agent's command before it is run: a program or a script that is not there.

Only a hint: another machine may have what this one lacks, and a setup may make it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from gatebot.commands.changed_files import touched
from gatebot.process.environment import SYSTEM_PATH
from gatebot.suite.finding import Finding
from gatebot.suite.loaded import ConfigFile

_SCRIPT = re.compile(r"[\w.][\w./-]{0,199}\.(?:py|js|mjs|ts|sh)")
_PATH = ":".join(map(str, SYSTEM_PATH))


def command_warnings(file: ConfigFile, root: Path) -> Iterator[Finding]:
    """Warnings about the agent's command, or about the one that starts its server. `root` holds the configuration's path.

    With a setup nothing is looked for: it may install the program and write the script.
    """
    agent = file.config.agent
    command, where = agent.command, ("agent", "command")
    if command is None and agent.http is not None:
        command, where = agent.http.start, ("agent", "http", "start")
    if command is None:
        return
    program, named = command[0], ".".join(where)
    place = file.document.locate((*where, 0))
    if any(char.isspace() for char in program):
        message = f"the program of {named} has a space in its name: {program[:80]!a}"
        yield Finding(
            "warning", place, message, "no shell reads the list: give each argument an item of its own"
        )
        return
    if agent.setup:
        return
    folder = (root / file.folder).resolve()
    if shutil.which(str(folder / program) if "/" in program else program, path=_PATH) is None:
        sought = "no program of the repository" if "/" in program else f"in none of {_PATH}"
        message = f"the program of {named} is {sought}: {program[:80]!a}"
        yield Finding("warning", place, message, "correct it, or install it in `agent.setup`")
    script = next((one for one in enumerate(command) if one[0] and _SCRIPT.fullmatch(one[1])), None)
    if script is not None and not (folder / script[1]).is_file():
        place = file.document.locate((*where, script[0]))
        message = f"{named} names a script that is not there: {script[1][:80]!a}"
        yield Finding("warning", place, message, "paths are relative to gatebot.yaml's folder")


def paths_warning(file: ConfigFile, root: Path) -> Iterator[Finding]:
    """A warning where `paths` leaves out the script that the agent starts from: a change of it alone would not be run.

    The configuration and the cases count whatever `paths` names. Globs that are none are told elsewhere.
    """
    config = file.config
    words = [*(config.agent.command or ()), *((config.agent.http and config.agent.http.start) or ())]
    script = next((one for one in words if _SCRIPT.fullmatch(one)), None)
    if script is None or not config.paths or not (root / file.folder / script).is_file():
        return
    path = os.path.normpath(f"{file.folder}/{script}" if file.folder else script)
    try:
        left_out = not touched((path,), config.paths)
    except ValueError:
        return
    if left_out:
        message = f"`paths` leaves out {path!a}, which the agent is started from"
        hint = "a pull request that changes it alone would pass without a run: name it in `paths`"
        yield Finding("warning", file.document.locate(("paths",), key=True), message, hint)
