"""Our templates: whatever they print is escaped unless it is marked as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from gatebot.render.markdown import Markdown, text

if TYPE_CHECKING:
    from jinja2 import Environment

Value: TypeAlias = "str | Sequence[str]"
"""What a template may be given. A plain `str` is escaped as text where it is printed."""


def fill(template: str, values: Mapping[str, Value]) -> Markdown:
    """The named template of this package, filled. A name the template does not know a value for is an error of ours."""
    return Markdown(environment().get_template(template).render(dict(values)))


@cache
def environment() -> Environment:
    """Jinja with escaping as the last thing that happens to every expression, and nothing of Python in reach."""
    # jinja2 costs a tenth of a second, and most commands render no template.
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=PackageLoader("gatebot.render", "templates"),
        autoescape=False,  # HTML escaping is not Markdown escaping: `finalize` does both
        finalize=_safe,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _safe(value: object) -> Markdown:
    return value if isinstance(value, Markdown) else text(str(value))
