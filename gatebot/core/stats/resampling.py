"""How many labelings are drawn where not all can be gone through. Apart from the rest: a report names it without arrays."""

from __future__ import annotations

PERMUTATIONS = 9_999
INFORMING_PERMUTATIONS = 1_999
"""For metrics that only inform: their p-values are read, not held against a level."""
