"""Embeddings over HTTP: what OpenAI's ``/embeddings`` is asked, and the vectors that it answers.

https://platform.openai.com/docs/api-reference/embeddings/create; Ollama, llama.cpp, LM Studio, vLLM, Mistral and
Gemini's compatible address answer the same way.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sam_py.providers.endpoint import Endpoint, as_openai, endpoint_of
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, not_the_protocol
from sam_py.providers.hosts import is_same_machine
from sam_py.providers.http import Call, Http
from sam_py.providers.presets import Wire, is_host
from sam_py.settings.model import ModelChoice, Settings

log = logging.getLogger(__name__)

AT_ONCE = 32
"""Texts of one request: little enough for a small computer, much enough for a distant one."""
LONGEST = 6_000
"""Characters of one text; a passage has some 1,500. The smallest models see 512 tokens and cut the rest off."""
_SHORTEST = 160
"""A server that refuses longer texts, instead of cutting them off, is asked for both halves, down to this."""
_TOTAL_S = 600.0
"""A large model on a slow computer takes minutes for a batch, and says nothing meanwhile."""
_MAY_BE_THE_TEXT = frozenset({"bad_request", "too_long", "refused", "server", "bad_response"})
_HARMLESS = "hello"

_TASK = "Instruct: Given a search query, find what was said about it in past conversations\nQuery: "
# What a model was trained to see before a question, and before what may answer it; from the models' own pages.
_ASKED_AS: tuple[tuple[str, str, str], ...] = (
    ("nomic-embed-text", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("e5-large-instruct", _TASK, ""),
    ("e5-mistral", _TASK, ""),
    ("e5-small", "query: ", "passage: "),
    ("e5-base", "query: ", "passage: "),
    ("e5-large", "query: ", "passage: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("snowflake-arctic-embed", "query: ", ""),
    ("qwen3-embedding", _TASK, ""),
)
# Models whose vectors may be had shorter, and how long they are asked for: little is lost, and two thirds of the disk.
_SHORTENED: tuple[tuple[str, int], ...] = (("text-embedding-3-", 512), ("gemini-embedding", 768))


@dataclass(frozen=True, slots=True)
class EmbeddingService(Endpoint):
    """`base_url` ends before ``/embeddings``. `known_as` is another name of the model, from its makers."""

    known_as: str = ""

    @property
    def is_local(self) -> bool:
        """Whether what it is sent stays on this computer, as far as the address and the model's name tell."""
        return is_same_machine(self.base_url) and not self.model.endswith(("-cloud", ":cloud"))

    @property
    def identity(self) -> str:
        """Of what makes the vectors: those of another one cannot be compared with them."""
        return " ".join(filter(None, (self.base_url, self.model, "".join(leads_of(self)))))


def embedding_service(settings: Settings, choice: ModelChoice) -> EmbeddingService | None:
    """What the person chose; None where that is nothing, or its account is gone, switched off or of another kind."""
    return endpoint_of(EmbeddingService, settings, choice, _place)


def _place(wire: Wire, address: str) -> str | None:
    """Ollama and Gemini answer in OpenAI's way at another place; Anthropic makes no vectors."""
    if wire == "ollama":
        return f"{address.removesuffix('/api').removesuffix('/v1')}/v1"
    if wire == "gemini":
        return f"{address.removesuffix('/openai')}/openai"
    return as_openai(wire, address)


def embedding_body(service: EmbeddingService, texts: Sequence[str], *, is_question: bool = False) -> dict[str, Any]:
    """The body of a request. Pure.

    >>> embedding_body(EmbeddingService("x", "http://127.0.0.1/v1", "nomic-embed-text"), ["Lyon"], is_question=True)
    {'model': 'nomic-embed-text', 'input': ['search_query: Lyon'], 'encoding_format': 'float'}
    """
    lead = leads_of(service)[0 if is_question else 1]
    body: dict[str, Any] = {
        "model": service.model,
        "input": [lead + (text.strip()[:LONGEST] or "-") for text in texts],  # an empty one is refused by some
        "encoding_format": "float",
    }
    if is_host(service.base_url, "openai.com") or is_host(service.base_url, "googleapis.com"):
        name = service.model.lower().rpartition("/")[2]
        length = next((length for begin, length in _SHORTENED if name.startswith(begin)), None)
        if length is not None:
            body["dimensions"] = length
    return body


def leads_of(service: EmbeddingService) -> tuple[str, str]:
    """What stands before a question, and before any other text, for the model that is asked. Pure.

    >>> leads_of(EmbeddingService("x", "http://127.0.0.1/v1", "text-embedding-multilingual_E5_small"))
    ('query: ', 'passage: ')
    """
    names = f"{service.model} {service.known_as}".lower().replace("_", "-")
    return next(((question, text) for part, question, text in _ASKED_AS if part in names), ("", ""))


async def embed(
    http: Http, service: EmbeddingService, texts: Sequence[str], key: str | None, *, is_question: bool = False
) -> list[list[float]]:
    """One vector of length 1 for each text, in their order. Sends `AT_ONCE` texts at a time.

    Raises `ProviderError`, also for vectors that cannot be ones. Cancelling the task ends the request.
    """
    vectors: list[list[float]] = []
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        call = Call(
            url=f"{service.base_url}/embeddings",
            asked=Asked(service.label, service.model, service.base_url, service.local_program, with_key=bool(key)),
            body=embedding_body(service, some, is_question=is_question),
            key=key,
            key_header=service.key_header,
            headers=service.headers,
            total_s=_TOTAL_S,
        )
        try:
            told = await http.get_json(call)
        except ProviderError as error:
            raise _in_words(error, service) from error
        found = read_embeddings(told, len(some))
        if found is None:
            raise not_the_protocol(repr(told)[:300].encode("utf-8", "replace"), call.asked)
        vectors += found
    return vectors


async def embed_each(
    http: Http, service: EmbeddingService, texts: Sequence[str], key: str | None
) -> list[list[float] | None]:
    """As `embed`, but a text that the model cannot take is None, and does not stop the others.

    Raises `ProviderError` where not even a harmless one is taken: then it is not the texts.
    """
    try:
        return list(await embed(http, service, texts, key))
    except ProviderError as error:
        if error.code not in _MAY_BE_THE_TEXT:
            raise
        refusal = error
    if refusal.code != "too_long":
        await embed(http, service, [_HARMLESS], key)
    found = await _in_halves(http, service, texts, key)
    log.info("%s embeds %d of %d texts not: %s", service.label, found.count(None), len(texts), refusal)
    return found


async def _in_halves(
    http: Http, service: EmbeddingService, texts: Sequence[str], key: str | None
) -> list[list[float] | None]:
    """What one of `texts` was refused for does not keep its neighbours from going together."""
    middle = len(texts) // 2
    found: list[list[float] | None] = []
    for some in (texts[:middle], texts[middle:]):
        try:
            if len(some) == 1:
                found.append(await embed_one(http, service, some[0], key))
            else:
                found += await embed(http, service, some, key)
        except ProviderError as error:
            if error.code not in _MAY_BE_THE_TEXT:
                raise
            found += await _in_halves(http, service, some, key) if len(some) > 1 else [None]
    return found


async def embed_one(
    http: Http, service: EmbeddingService, text: str, key: str | None, *, is_question: bool = False
) -> list[float]:
    """The vector of `text`; of one that is too long for the model, the mean of its halves. Raises `ProviderError`."""
    text = text.strip()[:LONGEST]
    try:
        return (await embed(http, service, [text], key, is_question=is_question))[0]
    except ProviderError as error:
        if error.code != "too_long" or len(text) < 2 * _SHORTEST:
            raise
    middle = len(text) // 2
    cut = text.rfind(" ", middle // 2, middle) + 1 or middle
    halves = [await embed_one(http, service, half, key, is_question=is_question) for half in (text[:cut], text[cut:])]
    return _at_length_one([sum(both) for both in zip(*halves, strict=True)]) or halves[0]


def read_embeddings(told: Any, count: int) -> list[list[float]] | None:
    """The `count` vectors of an answer, each brought to length 1; None where these are not there. Pure.

    >>> read_embeddings({"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3.0, 4]}]}, 2)
    [[0.6, 0.8], [0.0, 1.0]]
    """
    items = told.get("data") if isinstance(told, dict) else None
    if not isinstance(items, list) or len(items) != count:
        return None
    found: dict[int, list[float]] = {}
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            return None
        index = item.get("index", place)
        vector = _at_length_one(item.get("embedding"))
        if vector is None or not isinstance(index, int) or not 0 <= index < count:
            return None
        found[index] = vector
    if len(found) != count or len({len(vector) for vector in found.values()}) != 1:
        return None
    return [found[index] for index in range(count)]


def _at_length_one(value: Any) -> list[float] | None:
    if not isinstance(value, list) or not value or not all(type(each) in (int, float) for each in value):
        return None
    length = math.hypot(*value)
    return [each / length for each in value] if length and math.isfinite(length) else None


def _in_words(error: ProviderError, service: EmbeddingService) -> ProviderError:
    """What a refusal means here, where the usual words are about chats."""
    if error.status in (404, 405, 501) or error.code == "no_model":
        text = (
            f"{service.label} makes no embeddings with the model {service.model}. Choose another account or an "
            "embedding model for the search by meaning in Settings > Data."
        )
        return ProviderError(text, code="no_model", status=error.status, detail=error.detail, retryable=False)
    if error.code == "too_long":
        text = f"The text is longer than the model {service.model} takes. Look for fewer words."
        return ProviderError(text, code="too_long", status=error.status, detail=error.detail, retryable=False)
    return error
