"""Files of another run: its artifact, fetched by run id, read without unpacking, within bounds. All of it is hostile."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from gatebot.github_api import fields
from gatebot.github_api.archive import members_of, opened
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError

MAX_ARTIFACT_BYTES = 256 * 1024 * 1024
ARTIFACT = "gatebot-results"
_DOWNLOAD = "artifact.zip"


def artifact_name(suite: str, attempt: int) -> str:
    """What the gate's results are uploaded as: one name per suite and attempt, since names may repeat over attempts."""
    return f"{ARTIFACT}-{suite}-{attempt}"


def run_artifact(client: Client, run_id: int, name: str) -> bytes:
    """The zip of the newest artifact of that name of the run. Raises ApiError: `not_found` when there is none."""
    return client.download(_place(client, run_id, name), MAX_ARTIFACT_BYTES, "artifact")


def fetch_members(
    client: Client, run_id: int, name: str, folder: Path, limits: Mapping[str, int]
) -> frozenset[str]:
    """Write the named members of a run's newest artifact of that name into `folder`; the names of those it has.

    Names are `limits`' own (no folders), never the archive's; each is at most as many bytes as `limits` says, and nothing
    large is held in memory. Raises ApiError as `run_artifact` does, InputFileError for what is no plain zip.
    """
    download = folder / _DOWNLOAD
    found: set[str] = set()
    try:
        with download.open("wb") as sink:
            client.download_to(sink, _place(client, run_id, name), MAX_ARTIFACT_BYTES, "artifact")
        with download.open("rb") as stream, opened(stream) as archive:
            for member, limit in limits.items():
                blocks = archive.blocks(member, limit)
                if blocks is None:
                    continue
                with (folder / member).open("wb") as written:
                    written.writelines(blocks)
                found.add(member)
    finally:
        download.unlink(missing_ok=True)
    return frozenset(found)


def members(data: bytes, limits: Mapping[str, int]) -> dict[str, bytes]:
    """The named members of a zip, each at most as many bytes as `limits` says; absent ones are left out.

    Nothing is unpacked onto a disk. Raises InputFileError for what is no plain zip: see `archive.opened`.
    """
    return members_of(io.BytesIO(data), limits)


def _place(client: Client, run_id: int, name: str) -> str:
    listed = client.pages(f"/actions/runs/{run_id}/artifacts", "artifact", "artifacts", name=name)
    found = [one for one in listed if one.get("name") == name and one.get("expired") is not True]
    if not found:
        raise ApiError(
            "not_found", f"run {run_id} has no artifact {name!a}", "it may have expired: run the gate again"
        )
    newest = max(found, key=lambda one: fields.number(one, "id"))
    if fields.number(newest, "size_in_bytes") > MAX_ARTIFACT_BYTES:
        raise ApiError("malformed", f"the artifact {name!a} is too large")
    return f"/actions/artifacts/{fields.number(newest, 'id')}/zip"
