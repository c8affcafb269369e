"""Graders: a finished trial in, scores, checks and the first divergence out."""
