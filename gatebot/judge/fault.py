"""What goes wrong between us and the API: a request that failed, or a session that cannot go on."""

from __future__ import annotations


class CallFailed(Exception):  # noqa: N818 - a failed call is an outcome that its one caller turns into a judge error
    """One request brought no answer. `told`: in our words. `ends_session`: no further request can succeed.

    `may_be_billed`: the request was sent, so that the API may charge for it although no answer came.
    """

    def __init__(self, told: str, *, ends_session: bool = False, may_be_billed: bool = False) -> None:
        self.told = told
        self.ends_session = ends_session
        self.may_be_billed = may_be_billed
        super().__init__(told)
