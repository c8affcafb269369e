"""gatebot: a pull-request gate that stops AI agents from getting worse unnoticed."""

__version__ = "0.1.0"
