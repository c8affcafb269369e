"""The tools of the expense desk, and the records behind them."""

from langchain_core.tools import tool

EXPENSES = {
    "E-101": {"category": "meals", "amount": 42},
    "E-102": {"category": "travel", "amount": 890},
    "E-103": {"category": "meals", "amount": 260},
    "E-104": {"category": "hardware", "amount": 1450},
    "E-105": {"category": "travel", "amount": 310},
}
LIMITS = {"meals": 100, "travel": 1000, "hardware": 1000}


@tool
def get_expense(expense_id: str) -> dict:
    """The category and amount of an expense."""
    return EXPENSES[expense_id]


@tool
def get_limit(category: str) -> int:
    """The most that may be spent on a category at once."""
    return LIMITS[category]


@tool
def approve(expense_id: str) -> str:
    """Pay an expense out."""
    return f"{expense_id} approved"


@tool
def reject(expense_id: str, reason: str) -> str:
    """Send an expense back."""
    return f"{expense_id} rejected: {reason}"
