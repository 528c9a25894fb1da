"""Builder: brings the vectors up to date with what is said, gently, from where it was left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from sam_py.store.search_index.reader import Work
from sam_py.store.semantic import said
from sam_py.store.semantic.embedder import Embedder
from sam_py.store.semantic.passages import cut_passages
from sam_py.store.semantic.vectors import Cut, Vectors, digest_of

Answer = TypeVar("Answer")
Sleep = Callable[[float], Awaitable[object]]

MESSAGES_AT_ONCE = 48
PASSAGES_AT_ONCE = 32
_LONGEST_PAUSE_S = 3.0


class Builder:
    """One run of it. `read` asks the index of words, `do` works on the vectors' thread, `tell` hears (done, total)."""

    def __init__(
        self,
        embedder: Embedder,
        vectors: Vectors,
        read: Callable[[Work[object]], Awaitable[object]],
        do: Callable[[Callable[[], object]], Awaitable[object]],
        tell: Callable[[int, int], None],
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._read = read
        self._do = do
        self._tell = tell
        self._sleep = sleep
        self._done = 0
        self._total = 0

    async def run(self) -> None:
        """Return when all that the index of words had at the beginning is embedded. Raises SamError."""
        there: list[said.Conversation] = await self._ask(said.conversations)
        known: dict[str, str] = await self._work(self._vectors.conversations)
        for gone in sorted(set(known) - {each.id for each in there}):
            await self._work(partial(self._vectors.remove_conversation, gone))
        changed = [each for each in there if known.get(each.id) != each.state]
        self._done, self._total = 0, sum(each.messages for each in changed)
        if changed:
            self._tell(self._done, self._total)
        for conversation in changed:
            await self._bring_up_to_date(conversation)

    async def _bring_up_to_date(self, conversation: said.Conversation) -> None:
        id = conversation.id
        wanted: dict[str, int] = await self._ask(lambda connection: said.versions(connection, id))
        known: dict[str, int] = await self._work(lambda: self._vectors.versions(id))
        if gone := sorted(set(known) - set(wanted)):
            await self._work(lambda: self._vectors.remove(id, gone))
        new = [message for message, version in reversed(wanted.items()) if known.get(message) != version]
        self._done += max(0, conversation.messages - len(new))
        for start in range(0, len(new), MESSAGES_AT_ONCE):
            some = new[start : start + MESSAGES_AT_ONCE]
            await self._take_in(id, some)
            self._done = min(self._done + len(some), self._total)
            self._tell(self._done, self._total)
        await self._work(lambda: self._vectors.finished(id, conversation.state))

    async def _take_in(self, conversation: str, messages: Sequence[str]) -> None:
        """Embed what is not known of these messages; each is written as soon as all of it is."""
        told: list[said.Said] = await self._ask(lambda connection: said.texts(connection, conversation, messages))
        waiting: list[Cut] = []
        texts: dict[bytes, str] = {}
        for each in told:
            spans = cut_passages(each.text)
            pieces = {digest_of(each.text[start:stop]): each.text[start:stop] for start, stop in spans}
            digests = tuple(digest_of(each.text[start:stop]) for start, stop in spans)
            cut = Cut(each.message, each.version, tuple(spans), digests)
            unknown: set[bytes] = await self._work(partial(self._vectors.unknown, digests))
            waiting.append(cut)
            texts |= {digest: pieces[digest] for digest in pieces if digest in unknown}
            if len(texts) >= PASSAGES_AT_ONCE:
                await self._write(conversation, waiting, texts)
                waiting, texts = [], {}
        if waiting:
            await self._write(conversation, waiting, texts)

    async def _write(self, conversation: str, cuts: list[Cut], texts: dict[bytes, str]) -> None:
        found: dict[bytes, Sequence[float] | None] = {}
        digests = list(texts)
        for start in range(0, len(digests), PASSAGES_AT_ONCE):
            some = digests[start : start + PASSAGES_AT_ONCE]
            began_s = time.monotonic()
            vectors = await self._embedder.texts([texts[digest] for digest in some])
            found.update(zip(some, vectors, strict=True))
            # As long a pause as it took: a model on this computer leaves it half of its time.
            await self._sleep(min(time.monotonic() - began_s, _LONGEST_PAUSE_S))
        await self._work(lambda: self._vectors.put(conversation, cuts, found))

    async def _ask(self, work: Work[Answer]) -> Answer:
        return await self._read(work)  # type: ignore[return-value]

    async def _work(self, work: Callable[[], Answer]) -> Answer:
        return await self._do(work)  # type: ignore[return-value]
