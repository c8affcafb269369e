"""The human files: gatebot.yaml and golden/*.yaml, read safely and checked before anything runs."""
