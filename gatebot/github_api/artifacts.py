"""Files of another run: its artifact, fetched by run id, read without unpacking, within bounds. All of it is hostile."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from gatebot.errors import InputFileError
from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError

MAX_ARTIFACT_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 2_000
ARTIFACT = "gatebot-results"
MAX_RATIO = 200


def artifact_name(suite: str, attempt: int) -> str:
    """What the gate's results are uploaded as: one name per suite and attempt, since names may repeat over attempts."""
    return f"{ARTIFACT}-{suite}-{attempt}"


def run_artifact(client: Client, run_id: int, name: str) -> bytes:
    """The zip of the newest artifact of that name of the run. Raises ApiError: `not_found` when there is none."""
    listed = client.pages(f"/actions/runs/{run_id}/artifacts", "artifact", "artifacts", name=name)
    found = [one for one in listed if one.get("name") == name and one.get("expired") is not True]
    if not found:
        raise ApiError(
            "not_found", f"run {run_id} has no artifact {name!a}", "it may have expired: run the gate again"
        )
    newest = max(found, key=lambda one: fields.number(one, "id"))
    if fields.number(newest, "size_in_bytes") > MAX_ARTIFACT_BYTES:
        raise ApiError("malformed", f"the artifact {name!a} is too large")
    return client.download(
        f"/actions/artifacts/{fields.number(newest, 'id')}/zip", MAX_ARTIFACT_BYTES, "artifact"
    )


def members(data: bytes, limits: Mapping[str, int]) -> dict[str, bytes]:
    """The named members of a zip, each at most as many bytes as `limits` says; absent ones are left out.

    Nothing is unpacked onto a disk. Raises InputFileError for what is no plain zip: damaged, encrypted, too many
    entries, a name twice, an entry larger than it claims or than a sane ratio allows.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise _bad("has too many entries")
            for entry in entries:
                limit = limits.get(entry.filename)
                if limit is None:
                    continue
                if entry.filename in found:
                    raise _bad("holds a name twice")
                found[entry.filename] = _member(archive, entry, limit)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise _bad("cannot be read") from error
    return found


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    if entry.flag_bits & 0x1:
        raise _bad("is encrypted")
    if entry.file_size > limit or entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
        raise _bad("holds a file that is too large")
    with archive.open(entry) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit or len(data) != entry.file_size:
        raise _bad("holds a file of another size than it says")
    return data


def _bad(what: str) -> InputFileError:
    return InputFileError(f"the artifact {what}", "run the gate again")
