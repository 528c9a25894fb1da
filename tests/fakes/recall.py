"""How much of what answers a question is among the first ten: by words, by meaning, and by both as they are shown.

All of it is the program's own, from the journal to the request over HTTP; only the vectors are made here, of words
that mean the same, of pieces of words, and of chance. So what is compared is the ranks, not a model.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sam_py.messages.history import HistoryEvent, SettingsChanged
from sam_py.paths import Paths
from sam_py.providers.embedders import AccountEmbedder
from sam_py.providers.embeddings import EmbeddingService
from sam_py.providers.http import Http
from sam_py.settings.secrets import Secrets
from sam_py.store.journal import Journal
from sam_py.store.search_index.results import Hit
from sam_py.store.search_index.service import PAGE, SearchService
from sam_py.store.semantic.fusion import mixed
from sam_py.store.semantic.service import MeaningService
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.many_talks import alike, questions, talks
from tests.store.kit import answered, said

FIRST = 10
_PIECES, _CHANCES = 96, 32
_WORD = re.compile(r"\w+", re.UNICODE)
_MEANINGS = alike()


Sought = tuple[str, frozenset[tuple[str, str]]]
"""What is looked for, and the conversations and messages that answer it."""


@dataclass(frozen=True)
class Recall:
    """The mean shares over some questions."""

    questions: int
    words: float
    meaning: float
    fused: float


def vector(text: str, *, known: float = 1.0, pieces: float = 0.35, chance: float = 0.25) -> list[float]:
    """What the tests' model makes of `text`: how much it knows, sees of the letters, and errs."""
    meant = [0.0] * (max(_MEANINGS.values()) + 1)
    seen = [0.0] * _PIECES
    for word in _WORD.findall(text.lower()):
        number = _MEANINGS.get(word)
        if number is not None:
            meant[number] += known
        elif not word.isascii():
            for part, of in _MEANINGS.items():
                if part in word and not part.isascii():
                    meant[of] += known
        framed = f" {word} "
        for start in range(len(framed) - 2):
            digest = hashlib.blake2b(framed[start : start + 3].encode(), digest_size=4).digest()
            seen[int.from_bytes(digest) % _PIECES] += 1.0
    luck = random.Random(text)
    erred = [luck.gauss(0.0, 1.0) for _ in range(_CHANCES)]
    return [0.3, *meant, *_of_length(seen, pieces), *_of_length(erred, chance)]


def _of_length(values: Sequence[float], length: float) -> list[float]:
    size = math.hypot(*values)
    return [each * length / size for each in values] if size else list(values)


def chatter(messages: int, seed: int = 11) -> list[str]:
    """Messages that answer nothing, of the words of those that do."""
    known = sorted({word for _title, told in talks() for _tag, text in told for word in _WORD.findall(text)})
    luck = random.Random(seed)
    return [" ".join(luck.choices(known, k=luck.randint(6, 24))) for _ in range(messages)]


def asked(most_talks: int) -> list[Sought]:
    """The questions of `many_talks` that the first `most_talks` answer."""
    where: dict[str, set[tuple[str, str]]] = {}
    for number, (_title, messages) in enumerate(talks()[:most_talks]):
        for place, (tag, _text) in enumerate(messages):
            where.setdefault(tag, set()).add((f"t{number}", f"m{place}"))
    return [
        (text, frozenset[tuple[str, str]]().union(*(where[tag] for tag in tags)))
        for text, tags in questions()
        if tags <= where.keys()
    ]


def remembered(most_talks: int) -> list[Sought]:
    """Of every third message its two rarest words, as one who remembers them looks for it."""
    told = [
        ((f"t{number}", f"m{place}"), set(_WORD.findall(text.lower())))
        for number, (_title, messages) in enumerate(talks()[:most_talks])
        for place, (_tag, text) in enumerate(messages)
    ]
    often = Counter(word for _place, words in told for word in words)
    found: list[Sought] = []
    for place, words in told[::3]:
        rare = sorted(words, key=lambda word: (often[word], -len(word), word))
        found.append((" ".join(rare[:2]), frozenset({place})))
    return found


def measured(
    paths: Paths, sought: Sequence[Sequence[Sought]], *, most_talks: int = 99, chatters: int = 0, chance: float = 0.25
) -> list[Recall]:
    """Ask each group of questions in a library at `paths`, with `chatters` messages of no use in it.

    `chance` is how much the model errs; a text's own meaning has a length of about 1.
    """
    _write_talks(paths, most_talks, chatters)
    with EmbeddingServer(partial(vector, chance=chance)) as server:
        service = EmbeddingService("known", server.base_url, "known")
        return asyncio.run(_ask(paths, service, sought))


async def _ask(paths: Paths, service: EmbeddingService, sought: Sequence[Sequence[Sought]]) -> list[Recall]:
    http = Http()
    words = SearchService(paths, is_gentle=False)
    meaning = MeaningService(paths, words, sleep=_at_once)
    words.start()
    found = []
    try:
        await meaning.use(AccountEmbedder(service, http, Secrets(lambda _account: "")))
        await meaning.settled()
        for group in sought:
            shares = [0.0, 0.0, 0.0]
            for text, wanted in group:
                by_words = await words.search(text, limit=PAGE, typing=False)
                similar = await meaning.similar(text, limit=PAGE)
                for place, hits in enumerate((by_words.hits, similar, mixed(by_words, similar, PAGE).hits)):
                    shares[place] += _share(hits, wanted) / len(group)
            found.append(Recall(len(group), *shares))
    finally:
        await meaning.aclose()
        await words.aclose()
        await http.aclose()
    return found


def _write_talks(paths: Paths, most_talks: int, chatters: int) -> None:
    """The talks as journals, each a day after the one before, and behind each its part of the chatter."""
    idle, some = chatter(chatters), talks()[:most_talks]
    for number, (title, messages) in enumerate(some):
        _write(paths, f"t{number}", title, [text for _tag, text in messages], number)
        if mine := idle[number :: len(some)]:
            _write(paths, f"c{number}", "", mine, number)


def _write(paths: Paths, id: str, title: str, texts: Sequence[str], day: int) -> None:
    entries: list[HistoryEvent] = [SettingsChanged(key="title", value=title)] if title else []
    for place, text in enumerate(texts):
        make = said if place % 2 == 0 else answered
        entries.append(make(f"m{place}", text, f"m{place - 1}" if place else None, at_s=day * 86_400 + place))
    Journal(paths.conversations / id, "aa").save(entries)


def _share(hits: Sequence[Hit], wanted: frozenset[tuple[str, str]]) -> float:
    """Of the first ten, or of as many as can be there, how many answer the question."""
    right = {(hit.place.conversation_id, hit.place.message_id) for hit in hits[:FIRST]} & wanted
    return len(right) / min(FIRST, len(wanted))


async def _at_once(_seconds: float) -> None:
    return None
