"""Model files: how one is named in settings, and whether a file can be one."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from urllib.parse import urlsplit

from sam_py.providers.errors import ProviderError

_MAGIC = b"GGUF"
_PART = re.compile(r"-(\d{5})-of-(\d{5})$")
"""How llama.cpp names the parts of a model that is cut into several files; the first one stands for all."""
_LOOKED_AT_BYTES = 1 << 18


def address_of(file: Path) -> str:
    """The base URL of an account whose model is `file`: a ``file:`` address."""
    return file.absolute().as_uri()


def model_file_of(address: str) -> Path | None:
    """The model file that a base URL names; None for the address of a server.

    >>> model_file_of("file:///models/my%20model.gguf").name, model_file_of("http://127.0.0.1:8080/v1")
    ('my model.gguf', None)
    """
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    from urllib.request import url2pathname  # brings all of HTTP with it: the window does not wait for that

    return Path(url2pathname(parts.path))


def model_name(file: Path) -> str:
    """What a person calls the model of `file`.

    >>> model_name(Path("Qwen3-30B-Q4_K_M-00001-of-00002.gguf"))
    'Qwen3-30B-Q4_K_M'
    """
    return _PART.sub("", file.stem)


def check_model_file(file: Path) -> None:
    """Raise `ProviderError` where `file` cannot be a model that llama.cpp runs, and say why."""
    try:
        with file.open("rb") as opened:
            head = opened.read(8)
    except FileNotFoundError as error:
        raise _unusable(f"The model file {file} is not there any more. Choose it again.") from error
    except OSError as error:
        raise _unusable(f"The model file {file} cannot be read: {error.strerror or error}.") from error
    if head[:4] != _MAGIC or len(head) < 8:
        raise _unusable(f"{file.name} is not a GGUF model. Choose a file that ends in .gguf.")
    version = struct.unpack("<I", head[4:])[0]
    if version & 0xFFFF == 0:  # written for processors with the other byte order
        raise _unusable(f"{file.name} was made for another kind of processor. Choose another file of the model.")
    part = _PART.search(file.stem)
    if part is not None and part[1] != "00001":
        first = file.with_name(f"{file.stem[: part.start()]}-00001-of-{part[2]}{file.suffix}").name
        raise _unusable(f"{file.name} is a later part of a model. Choose its first file, {first}.")
    if file.name.lower().startswith("mmproj"):
        raise _unusable(f"{file.name} only reads pictures for another model. Choose the model's own file.")


def fingerprint(file: Path) -> str:
    """What tells the content of `file` from that of another, wherever it lies: its length, its beginning and its end.

    Raises `ProviderError` where it cannot be read.
    """
    import hashlib  # the window does not wait for it

    check_model_file(file)
    try:
        with file.open("rb") as opened:
            length = opened.seek(0, os.SEEK_END)
            ends = b""
            for start in (0, max(0, length - _LOOKED_AT_BYTES)):
                opened.seek(start)
                ends += opened.read(_LOOKED_AT_BYTES)
    except OSError as error:
        raise _unusable(f"The model file {file} cannot be read: {error.strerror or error}.") from error
    return f"{length} {hashlib.blake2b(ends, digest_size=16).hexdigest()}"


def _unusable(text: str) -> ProviderError:
    return ProviderError(text, code="no_model", retryable=False)
