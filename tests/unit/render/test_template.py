"""A template escapes by default: only what is marked as Markdown passes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError

from gatebot.render.markdown import code
from gatebot.render.template import environment


def test_what_is_not_marked_is_escaped() -> None:
    template = environment().from_string("{{ plain }} {{ safe }} {{ 7 }}")
    assert template.render(plain="<b>@x</b> `", safe=code("x")) == "&lt;b&gt;@\u200bx&lt;/b&gt; &grave; `x` 7"


def test_a_safe_text_changed_by_a_filter_is_escaped_again() -> None:
    assert "&grave;" in environment().from_string("{{ safe | upper }}").render(safe=code("x"))


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ absent }}").render()


def test_a_template_cannot_reach_into_python() -> None:
    with pytest.raises(SecurityError):
        environment().from_string("{{ ''.__class__.__mro__ }}").render()


def test_jinja_is_imported_only_when_a_template_is_filled() -> None:
    told = "import sys, gatebot.render.comment, gatebot.render.summary; print('jinja2' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"
