"""For all tests: properties are tried alike on every machine, however busy it is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")
