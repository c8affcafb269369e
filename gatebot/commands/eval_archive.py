"""Inspect's `.eval` archives: the one sample inside, unpacked within bounds, as the JSON that the log's importer reads."""

from __future__ import annotations

import zipfile
import zlib
from typing import IO

from gatebot.errors import InputFileError, Location

MAGIC = b"PK\x03\x04"
MOST_ENTRIES = 100_000
_SAMPLES = "samples/"
_AS_JSON = "write it as JSON first: inspect log dump"


def read_sample(stream: IO[bytes], location: Location, *, most: int) -> bytes:
    """The JSON of the archive's sample, of at most `most` bytes once unpacked; nothing is written to the disk.

    Raises InputFileError for an archive that is broken, packed in a way that Python cannot unpack, none of Inspect's,
    too large, or that holds several samples: each is a trajectory of its own.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return _only_sample(archive, location, most)
    except NotImplementedError as error:
        message = "the archive is packed in a way that cannot be unpacked here"
        raise InputFileError(message, _AS_JSON, location=location) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise InputFileError(
            "the archive is broken or encrypted", "is it whole?", location=location
        ) from error


def _only_sample(archive: zipfile.ZipFile, location: Location, most: int) -> bytes:
    entries = archive.infolist()
    samples = [one for one in entries if one.filename.startswith(_SAMPLES) and one.filename.endswith(".json")]
    if len(entries) > MOST_ENTRIES:
        raise InputFileError(f"an archive of {len(entries)} files", _AS_JSON, location=location)
    if not samples:
        message = "an archive without samples: none of Inspect's"
        raise InputFileError(message, "unpack it, and give one trace", location=location)
    if len(samples) > 1:
        message = f"an archive of {len(samples)} samples is not one trajectory"
        raise InputFileError(message, "unpack it, and give one file of samples/", location=location)
    with archive.open(samples[0]) as packed:
        content = packed.read(most + 1)
    if len(content) > most:
        message = f"a sample of more than {most // 1024 // 1024} MB"
        raise InputFileError(message, "give a log without events: inspect log dump", location=location)
    return content
