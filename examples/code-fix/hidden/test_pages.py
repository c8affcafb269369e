"""What decides."""

import unittest

from shopkit.pages import page_count


class Pages(unittest.TestCase):
    def test_a_rest_needs_a_page(self) -> None:
        assert [page_count(n, 5) for n in (1, 6, 9, 11)] == [1, 2, 2, 3]

    def test_full_pages_need_no_further_one(self) -> None:
        assert [page_count(n, 5) for n in (5, 10)] == [1, 2]

    def test_nothing_needs_no_page(self) -> None:
        assert page_count(0, 5) == 0
