"""`gatebot ci`: from an event on GitHub to what is told there."""
