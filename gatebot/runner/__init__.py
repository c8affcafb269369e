"""Rounds in, finished trials out: order, the bounded pool, retries, budgets, progress."""
