"""A tiny shop library with three bugs, each with an issue in golden/."""
