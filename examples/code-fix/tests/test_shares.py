"""What the agent may see of the tests."""

import unittest

from shopkit.shares import split


class Shares(unittest.TestCase):
    def test_nothing_is_lost(self) -> None:
        assert sum(split(101, 3)) == 101
