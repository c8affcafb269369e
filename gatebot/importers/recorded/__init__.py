"""Recorded runs of benchmarks as suites: their tasks become cases, their runs trials with the source's own outcome."""
