"""What a GGUF file says of itself at its beginning, and whether its model makes embeddings.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Blocking: it reads a vocabulary's length.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sam_py.providers.errors import ProviderError
from sam_py.providers.model_file.files import check_model_file

MOST_TOKENS = 1024
"""A passage has some 300. A model that reads forwards alone would keep a memory of all that it is given room for."""
_FEWEST_TOKENS = 64
_USUAL_TOKENS = 512
_MOST_VALUES, _LONGEST_TEXT = 10_000, 1 << 20
_SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
_NO_POOLING, _RANKS = 0, 4
_ENCODERS = re.compile(r"bert|^t5encoder$|-embed(ding)?$")
"""Kinds of models that can do nothing else; the others are made to talk, unless they say how they pool."""
_EMBEDS = re.compile(r"embed|minilm|\b(e5|gte|bge)\b", re.IGNORECASE)

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Embeds:
    """How llama.cpp is asked for the embeddings of a file: tokens that it takes at once, and what it pools by.

    `pooling` is "" where the file says it. `name` is what the model's makers call it; "" where they do not say.
    """

    tokens: int
    pooling: str = ""
    name: str = ""


def read_embeds(file: Path) -> Embeds:
    """Raises `ProviderError` where `file` is no model, or one that makes no embeddings, and says so."""
    check_model_file(file)
    try:
        with file.open("rb") as opened:
            told = read_header(opened)
    except (OSError, struct.error, ValueError) as error:
        text = f"{file.name} is damaged or not whole. Choose another file of the model, or load it down again."
        raise ProviderError(text, code="no_model", detail=str(error), retryable=False) from error
    return embeds_of(told, file.name)


def embeds_of(told: Mapping[str, Value], file_name: str) -> Embeds:
    """From what the header tells. Pure; raises `ProviderError`.

    >>> embeds_of({"general.architecture": "bert", "bert.context_length": 512, "bert.pooling_type": 1}, "a.gguf")
    Embeds(tokens=512, pooling='', name='')
    """
    kind = str(told.get("general.architecture", ""))
    name = str(told.get("general.name", ""))
    length = told.get(f"{kind}.context_length")
    tokens = length if isinstance(length, int) and length > 0 else _USUAL_TOKENS
    pooled = told.get(f"{kind}.pooling_type", _NO_POOLING)
    if pooled == _RANKS:
        raise _makes_none(f"{file_name} orders what others found, and makes no embeddings.")
    pooling = ""
    if pooled == _NO_POOLING:
        if _ENCODERS.search(kind):
            pooling = "mean"
        elif _EMBEDS.search(f"{file_name} {name}".replace("_", " ")):
            pooling = "last"  # written before such files could say it
        else:
            raise _makes_none(f"{file_name} is a model that talks, and makes no embeddings.")
    return Embeds(max(_FEWEST_TOKENS, min(tokens, MOST_TOKENS)), pooling, name)


def read_header(opened: BinaryIO) -> dict[str, Value]:
    """All single values of a file's header; lists are passed over. Raises ValueError, struct.error."""
    _magic, _version, _tensors, count = _numbers(opened, "<4sIQQ")
    if count > _MOST_VALUES:
        raise ValueError(f"it would have {count} values")
    found: dict[str, Value] = {}
    for _each in range(count):
        key = _text(opened)
        (kind,) = _numbers(opened, "<I")
        if kind == _ARRAY:
            _pass_over(opened)
        elif kind == _TEXT:
            found[key] = _text(opened)
        else:
            (found[key],) = _numbers(opened, f"<{_size(kind)}")
    return found


def _pass_over(opened: BinaryIO) -> None:
    kind, count = _numbers(opened, "<IQ")
    if kind == _ARRAY:
        raise ValueError("a list of lists")
    if kind == _TEXT:
        for _each in range(count):
            (length,) = _numbers(opened, "<Q")
            _skip(opened, length)
        return
    _skip(opened, struct.calcsize(f"<{_size(kind)}") * count)


def _skip(opened: BinaryIO, length: int) -> None:
    """Past the end, the next read finds nothing and says so."""
    if length >= 1 << 62:
        raise ValueError("a list without an end")
    if length < 1 << 16:
        opened.read(length)  # within the buffer; a seek would throw it away
    else:
        opened.seek(length, 1)


def _text(opened: BinaryIO) -> str:
    (length,) = _numbers(opened, "<Q")
    if length > _LONGEST_TEXT:
        raise ValueError(f"a text of {length} bytes")
    told = opened.read(length)
    if len(told) < length:
        raise ValueError("it ends in a text")
    return told.decode("utf-8", "replace")


def _numbers(opened: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, opened.read(struct.calcsize(form)))


def _size(kind: int) -> str:
    if kind not in _SIZES:
        raise ValueError(f"a value of the unknown kind {kind}")
    return _SIZES[kind]


def _makes_none(text: str) -> ProviderError:
    advice = "Choose an embedding model, for example nomic-embed-text or multilingual-e5-small."
    return ProviderError(f"{text} {advice}", code="no_model", retryable=False)
