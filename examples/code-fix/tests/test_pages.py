"""What the agent may see of the tests."""

import unittest

from shopkit.pages import page_count


class Pages(unittest.TestCase):
    def test_a_rest_needs_a_page(self) -> None:
        assert page_count(11, 5) == 3
