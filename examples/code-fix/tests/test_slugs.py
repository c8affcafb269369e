"""What the agent may see of the tests."""

import unittest

from shopkit.slugs import slug


class Slugs(unittest.TestCase):
    def test_two_spaces_are_one_hyphen(self) -> None:
        assert slug("Red  Shoes") == "red-shoes"
