"""Files of a commit through GitHub's API: the policy can be read before anything is cloned, and without running anything."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from gatebot.github_api.client import Client
from gatebot.github_api.commits import file_at
from gatebot.github_api.errors import ApiError
from gatebot.model.config import Config
from gatebot.suite.load import load_config
from gatebot.suite.snapshot import policy_digest


@dataclass(frozen=True, slots=True)
class CommitFiles:
    """A FileSource of single files; there is no listing."""

    client: Client
    sha: str

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError when the commit has none, ApiError otherwise."""
        try:
            return file_at(self.client, path, self.sha)
        except ApiError as error:
            if error.kind == "not_found":
                raise FileNotFoundError(path) from None
            raise

    def list(self) -> Sequence[str]:
        """Nothing: what is read here is read by name."""
        return ()


def config_at(client: Client, sha: str, path: str) -> Config | None:
    """The configuration a commit holds, or None. Raises ConfigError for a broken one, ApiError."""
    source = CommitFiles(client, sha)
    try:
        source.read(path)
    except FileNotFoundError:
        return None
    return load_config(source, path).config


def policy_in_force(config: Config, today: datetime.date) -> str:
    """The digest of the policy as an evaluation of today has it: without quarantines whose date has passed."""
    kept = tuple(entry for entry in config.quarantine if entry.until >= today)
    return policy_digest(config.model_copy(update={"quarantine": kept}))
