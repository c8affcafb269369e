"""What earlier runs told a pull request: whether our comment is there, or was there and a person has deleted it.

The comment cannot say of itself that it is gone, so the checks of the pull request's commits do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gatebot.github_api import fields
from gatebot.github_api.acceptances import our_check
from gatebot.github_api.client import Client
from gatebot.github_api.comments import our_comments
from gatebot.render.check import Binding, read_binding

_LOOKED_AT = 10
"""Earlier commits whose checks are asked for, newest first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A suite's place on a pull request: its number and suite, our App, the head, and the head before ("" unknown).

    `text`: what our check on the head said before this run took it over.
    """

    number: int
    suite: str
    app: str
    sha: str
    before: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """`there`: our comment is on the pull request. `deleted`: it was, and nobody but a person takes it away.

    `conclusion`: what the evaluation said that was told last; "" when none was.
    """

    there: bool
    deleted: bool = False
    conclusion: str = ""

    def calls_for_one(self, conclusion: str) -> bool:
        """Whether a comment may be created: not again for the same conclusion where a person has deleted one."""
        return not self.there and not (self.deleted and self.conclusion == conclusion)


def remembered(client: Client, place: Place) -> Remembered:
    """What is there, and what the newest earlier check of the pull request remembers. Raises ApiError."""
    if our_comments(client, place.number, place.suite):
        return Remembered(there=True)
    for binding in _bindings(client, place):
        return Remembered(there=False, deleted=binding.commented, conclusion=binding.conclusion)
    return Remembered(there=False)


def _bindings(client: Client, place: Place) -> Iterator[Binding]:
    """Bindings of our checks: on this head, on the head before, on the commits before that."""
    here = read_binding(place.text)
    if here is not None:
        yield here
    seen = {place.sha}
    for sha in _earlier(client, place):
        if sha in seen:
            continue
        seen.add(sha)
        check = our_check(client, sha, place.suite, place.app)
        found = None if check is None else read_binding(check.text)
        if found is not None:
            yield found


def _earlier(client: Client, place: Place) -> Iterator[str]:
    """The head before, which a forced push has taken out of the pull request, then its commits, newest first."""
    if place.before:
        yield place.before
    commits = [fields.sha(one, "sha") for one in client.pages(f"/pulls/{place.number}/commits")]
    yield from commits[::-1][:_LOOKED_AT]
