"""What decides."""

import unittest

from shopkit.shares import split


class Shares(unittest.TestCase):
    def test_nothing_is_lost(self) -> None:
        for total in range(20):
            assert sum(split(total, 3)) == total

    def test_nobody_pays_two_cents_more(self) -> None:
        assert split(101, 3) == [34, 34, 33]
