"""What loading keeps beside the values: the files, so that later checks can say where something stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from gatebot.model.config import Config
from gatebot.model.suite import Case
from gatebot.suite.yaml_reader import YamlDocument


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """gatebot.yaml as read: the configuration and where its parts stand."""

    config: Config
    document: YamlDocument

    @property
    def folder(self) -> str:
        """The folder the globs of cases are relative to; empty at the source's root."""
        parent = str(PurePosixPath(self.document.path).parent)
        return "" if parent == "." else parent


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case and the file it was read from."""

    case: Case
    document: YamlDocument
