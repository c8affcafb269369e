"""What decides."""

import unittest

from shopkit.slugs import slug


class Slugs(unittest.TestCase):
    def test_any_number_of_spaces_is_one_hyphen(self) -> None:
        assert [slug(f"a{' ' * n}b") for n in (1, 2, 3, 4)] == ["a-b"] * 4

    def test_spaces_around_are_nothing(self) -> None:
        assert slug("  Shoes ") == "shoes"
