"""What should happen: pure functions from evidence to decisions."""
