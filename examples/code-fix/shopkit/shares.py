"""Bills that are split."""


def split(total: int, people: int) -> list[int]:
    """Shares in cents that add up to the total and differ by one cent at most, the larger ones first."""
    share = total // people
    return [share] * people
