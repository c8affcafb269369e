"""Pages of a listing."""


def page_count(items: int, per_page: int) -> int:
    """How many pages hold so many items."""
    return items // per_page
