"""GitHub: the one door to PyGithub. Values go in and out; nothing here decides."""
