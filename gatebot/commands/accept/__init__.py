"""Accepting new behaviour: from files and results alone; nothing of a pull request is run."""
