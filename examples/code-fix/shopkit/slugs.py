"""Names for addresses."""


def slug(title: str) -> str:
    """Lower case, words joined by single hyphens."""
    return "-".join(title.lower().split(" "))
