"""Publishing: the check first, then the comment, summary and outputs. A failure to publish never changes a verdict."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.remembered import Place, Remembered, remembered
from gatebot.errors import GatebotError
from gatebot.github_api.checks import (
    Check,
    CheckSpec,
    checks_on,
    finish_check,
    is_ours,
    publish_status,
    start_check,
    started_check,
)
from gatebot.github_api.comments import publish_comment
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import pull_request
from gatebot.github_api.workflow_commands import (
    annotation_line,
    annotation_lines,
    write_outputs,
    write_summary,
)
from gatebot.model.publication import Annotation, CheckOutput, Publication
from gatebot.render.base_results import base_check_name, base_status_context
from gatebot.render.check import check_name, external_id, read_binding, status_context, with_commented
from gatebot.render.comment import MAX_BYTES
from gatebot.render.notice import with_notice


@dataclass(frozen=True, slots=True)
class Target:
    """Where a verdict goes: the suite's check on a commit, the comment of a pull request (None: there is none).

    `of_base`: the base's own check, whose name is another one. `before`: the pull request's head before this one, ""
    when it is not known. `order`: run and attempt that the verdict is of, when that is not this run.
    """

    suite: str
    sha: str
    number: int | None
    of_base: bool = False
    before: str = ""
    order: tuple[int, int] | None = None

    @property
    def check(self) -> str:
        """The check's name."""
        return base_check_name(self.suite) if self.of_base else check_name(self.suite)

    @property
    def context(self) -> str:
        """The commit status's name where checks may not be written."""
        return base_status_context(self.suite) if self.of_base else status_context(self.suite)


class Telling:
    """One verdict on its way to GitHub. Refusals are collected and said, and the next best place is used."""

    def __init__(self, ci: CiContext, target: Target) -> None:
        self._ci = ci
        self._target = target
        self._check: Check | None = None
        self._starting = False
        self._superseded = False
        self._done = False
        self.told: list[str] = []

    def start(self) -> None:
        """Show that the evaluation is running."""

        def begin() -> None:
            self._check = start_check(self._ci.client, self._spec())
            self._superseded = self._check is None

        self._starting = True
        self._try("check", begin)
        self._starting = False

    def _spec(self) -> CheckSpec:
        environment = self._ci.environment
        return CheckSpec(
            self._target.check,
            self._target.sha,
            external_id(*(self._target.order or (environment.run_id, environment.attempt))),
            environment.run_url,
            self._ci.app,
        )

    def finish(self, publication: Publication, *, comment: bool) -> None:
        """Tell everything. `comment`: whether one is created where there is none and nobody has deleted one."""
        memory = self._memory() if self._target.number is not None else None
        create = comment and memory is not None and memory.calls_for_one(_conclusion(publication))
        held = memory is not None and (memory.there or memory.deleted or create)
        self._finish_check(_remembering(publication, commented=held))
        if self._target.number is not None and not self._superseded:
            self._comment(self._with_warning(publication), self._target.number, create=create)
            if create and "comment" not in self.told:
                self._forget(publication)
        environment = self._ci.environment
        if write_summary(environment.summary_file, publication.summary_page):
            self.told.append("summary")
        for line in annotation_lines(publication.check.annotations):
            self._ci.say(line)
        outputs = (*publication.outputs, ("published", ",".join(self.told)))
        write_outputs(environment.output_file, outputs, self._ci.random_word)

    def fail(self, title: str, summary: str) -> None:
        """Complete the check of an evaluation that could not be made: in failure, never left in progress."""
        if not self._done:
            self._finish_check(Publication((), CheckOutput(title[:250], summary), "failure", ""))

    def _finish_check(self, publication: Publication) -> None:
        """Complete the check. Ended in the middle of it, it is not done, and `fail` completes the check after all."""
        self._complete(publication)
        self._done = True

    def _complete(self, publication: Publication) -> None:
        if self._superseded:
            self._ci.say("a newer run has taken this commit's check over; it is left alone")
            return

        def complete() -> None:
            # Ended while the check was being made: GitHub may have it, and nobody has told us its number.
            check = started_check(self._ci.client, self._spec()) if self._starting else self._check
            if check is None:
                return
            if finish_check(self._ci.client, check, publication.conclusion, publication.check):
                self.told.append("check")
            else:
                self._ci.say(
                    "a newer run has taken this commit's check over in the meantime; it is left alone"
                )
                self._superseded = True

        self._try("check", complete)
        if "check" not in self.told and not self._superseded and not self._starting:
            self._try("status", lambda: self._status(publication))

    def _memory(self) -> Remembered:
        """What is there already; when it cannot be read, nothing is: the comment then says for itself why it fails."""
        target = self._target
        text = "" if self._check is None else self._check.text
        place = Place(target.number or 0, target.suite, self._ci.app, target.sha, target.before, text)
        try:
            return remembered(self._ci.client, place)
        except ApiError:
            return Remembered(there=False)

    def _forget(self, publication: Publication) -> None:
        """A comment that could not be made must not look like one that somebody has deleted."""
        check = self._check
        if check is None or "check" not in self.told:
            return
        output = replace(_remembering(publication, commented=False).check, annotations=())
        self._try("check", lambda: finish_check(self._ci.client, check, publication.conclusion, output))

    def _with_warning(self, publication: Publication) -> Publication:
        """The comment warns where another check run carries our name on this commit: one of them may be forged."""
        try:
            found = checks_on(self._ci.client, self._target.sha, self._target.check)
        except ApiError:
            return publication
        foreign = [check for check in found if not is_ours(check, self._ci.app)]
        if not foreign:
            return publication
        apps = ", ".join(sorted({f"`{check.app or 'unknown'}`" for check in foreign})[:5])
        warning = (
            f"Another check run named `{self._target.check}` is on this commit, made by {apps}: it is not "
            "gatebot's. Require the check of one App only, and see who made the other."
        )
        self._ci.say(annotation_line(Annotation("", warning, "gatebot", level="warning")))
        warned = [with_notice(body, warning) for body in publication.comments]
        fitting = [body for body in warned if len(body.encode()) <= MAX_BYTES]
        return replace(publication, comments=tuple(fitting or warned[-1:]))

    def _status(self, publication: Publication) -> None:
        told = (publication.check.title, self._ci.environment.run_url)
        context = self._target.context
        publish_status(self._ci.client, self._target.sha, context, publication.conclusion, told)
        self.told.append("status")

    def _comment(self, publication: Publication, number: int, *, create: bool) -> None:
        def write() -> None:
            live = pull_request(self._ci.client, number)
            if live.head_sha != self._target.sha:
                self._ci.say("the head has moved on: the comment is left to the newer run")
                return
            written = publish_comment(
                self._ci.client,
                number,
                self._target.suite,
                publication.comments,
                create=create and live.open,
            )
            self._ci.say(f"comment: {written}")
            if written != "none":
                self.told.append("comment")

        self._try("comment", write)

    def _try(self, place: str, act: Callable[[], object]) -> None:
        try:
            act()
        except ApiError as error:
            hint = f"; {error.hint}" if error.hint else ""
            message = f"{place} not published: {error.message}{hint}"
            for line in annotation_lines([Annotation("", message, "gatebot", level="warning")]):
                self._ci.say(line)


def _conclusion(publication: Publication) -> str:
    binding = read_binding(publication.check.text)
    return "" if binding is None else binding.conclusion


def _remembering(publication: Publication, *, commented: bool) -> Publication:
    text = with_commented(publication.check.text, commented=commented)
    return replace(publication, check=replace(publication.check, text=text))


@contextmanager
def telling(ci: CiContext, target: Target) -> Generator[Telling]:
    """Start the check, and complete it whatever happens: errors, crashes, Ctrl-C and SIGTERM."""
    one = Telling(ci, target)
    try:
        one.start()
        yield one
    except GatebotError as error:
        hint = f"\n\n{error.hint}" if error.hint else ""
        one.fail(f"not evaluated: {error.message}", f"{error}{hint}")
        raise
    except KeyboardInterrupt:  # what Ctrl-C and SIGTERM raise outside the trials
        one.fail(
            "not evaluated: cancelled",
            "Whoever cancelled the job, or a newer commit, ended it. Run it again.",
        )
        raise
    except BaseException:
        one.fail("not evaluated: gatebot was ended or failed", "See the run's log.")
        raise
