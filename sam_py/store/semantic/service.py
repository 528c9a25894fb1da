"""MeaningService: the one door of the search by meaning. Its methods run on the loop's thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from sam_py.errors import SamError
from sam_py.paths import Paths
from sam_py.store.conversation_list import join
from sam_py.store.search_index.candidates import are_unknown
from sam_py.store.search_index.query import understand
from sam_py.store.search_index.results import Filters, Hit, IndexState
from sam_py.store.search_index.search import with_words
from sam_py.store.search_index.service import PAGE, SearchService
from sam_py.store.semantic import said
from sam_py.store.semantic.asked import asked
from sam_py.store.semantic.builder import Builder, Sleep
from sam_py.store.semantic.embedder import Embedder
from sam_py.store.semantic.floor import Floor
from sam_py.store.semantic.vectors import NAME, DifferentLengthError, Near, Vectors, discard, why_not

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
MeaningPhase = Literal["off", "waiting", "building", "ready", "failed"]

SETTLE_S = 2.0
"""So long after a change what was said is embedded: a reply that is saved often is embedded once or twice."""
RETRY_S, MOST_RETRY_S = 30.0, 1800.0
_NEAR = (200, 4_000, 1 << 40)
"""How many vectors are looked at for hits that fulfil the filters: more, while there were too few."""
_REMEMBERED = 32
_COUNTED_AT_ONCE = 4_000
_TOKEN_CHARACTERS = 4
_NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class MeaningState:
    """How far the vectors are: `done` of `total` messages of this run. `error` says why it waits."""

    phase: MeaningPhase = "off"
    done: int = 0
    total: int = 0
    error: SamError | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What embedding everything would take. `tokens` is a guess: four characters each."""

    messages: int
    tokens: int


class MeaningService:
    """Off until `use` is called with an embedder, and again when it is called with None. Nothing is asked meanwhile."""

    def __init__(self, paths: Paths, words: SearchService, *, sleep: Sleep = asyncio.sleep) -> None:
        self._path = paths.state / NAME
        self._words = words
        self._sleep = sleep
        self._embedder: Embedder | None = None
        self._vectors: Vectors | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._task: asyncio.Task[None] | None = None
        self._asked: dict[str, list[float]] = {}
        self._floor = Floor()
        self._news = asyncio.Event()
        self._quiet = asyncio.Event()
        """Set while everything is embedded, or nothing can be."""
        self._revision = -1
        self._unsubscribe: Callable[[], None] | None = None
        self._state = MeaningState()
        self._listeners: list[Callable[[MeaningState], None]] = []

    # Its life

    async def use(self, embedder: Embedder | None) -> None:
        """Have `embedder` embed all that was said from now on; None: no more, and what was made stays for later."""
        await self._end()
        self._embedder = embedder
        self._asked, self._floor = {}, Floor()
        if embedder is None:
            self._say(MeaningState())
            return
        self._vectors = Vectors(self._path, embedder.identity)
        self._say(MeaningState("waiting"))
        self._begin()

    async def cannot(self, trouble: SamError) -> None:
        """Be off as whom the person chose cannot be asked at all, and answer each question with why."""
        await self.use(None)
        self._say(MeaningState("failed", error=trouble))

    async def aclose(self) -> None:
        """End its work; the next start goes on from there."""
        await self._end()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown(wait=False)

    async def settled(self) -> None:
        """Return when all that lies on the disk now is embedded, or at once where it is off. Raises SamError."""
        await self._words.settled()
        if self._embedder is None:
            return
        self._wake()
        await self._quiet.wait()
        if self._state.error is not None:
            raise self._state.error

    async def forget(self) -> None:
        """Delete what was made. Raises SearchError."""
        embedder = self._embedder
        await self.use(None)
        await self._on_thread(lambda: discard(self._path))
        await self.use(embedder)

    # Its state

    @property
    def state(self) -> MeaningState:
        return self._state

    @property
    def is_on(self) -> bool:
        return self._embedder is not None

    def subscribe(self, listener: Callable[[MeaningState], None]) -> Callable[[], None]:
        """Call `listener` with each state from now on; returns the function that ends it."""
        return join(self._listeners, listener)

    async def why_not(self) -> str:
        """Why it cannot work here, in a sentence; "" where it can."""
        return await self._on_thread(why_not)

    async def kept(self) -> int:
        """How many bytes were made so far, for whichever model."""
        return await self._on_thread(lambda: self._path.stat().st_size if self._path.exists() else 0)

    async def estimate(self) -> Estimate:
        """How much there is to embed, if nothing is yet. Reads the index of words once, when it is whole.

        Raises SearchError.
        """
        await self._words.settled()
        messages = characters = 0
        after: int | None = -(2**62)
        while after is not None:
            some, more, after = await self._words.read(partial(said.characters, after=after, most=_COUNTED_AT_ONCE))
            messages, characters = messages + some, characters + more
        return Estimate(messages, -(-characters // _TOKEN_CHARACTERS))

    # Questions

    async def similar(
        self, text: str, filters: Filters = _NO_FILTERS, *, limit: int = PAGE, typing: bool = True
    ) -> list[Hit]:
        """Messages and titles that mean something like `text`, the nearest first; none while it is switched off, and
        none where nothing is nearer to it than to words without a meaning (`floor.Floor`).

        A word after ``-`` must not occur. What has the words, too, is a hit of these words, not `is_similar`; `typing`
        is that of `SearchService.search`. One request to the embedder, where it was not asked lately. Raises SamError.
        """
        embedder, vectors = self._embedder, self._vectors
        if embedder is None and self._state.error is not None:
            raise self._state.error
        if embedder is None or vectors is None or not text.strip() or limit < 1:
            return []
        wanted = asked(text)
        question = await self._vector_of(embedder, wanted.words)
        hits: list[Hit] = []
        near: list[Near] = []
        for most in _NEAR:
            try:
                nearest = partial(vectors.nearest, question, most, filters.conversation_id)
                near = await self._on_thread(nearest)
            except DifferentLengthError:
                await self.forget()  # another model answers under the same name
                return []
            hidden = self._words.hidden
            hits = await self._words.read(partial(said.hits, found=near, wanted=wanted, filters=filters, hidden=hidden))
            if len(hits) >= limit or len(near) < most:
                break
        everywhere = (
            near if not filters.conversation_id else await self._on_thread(lambda: vectors.nearest(question, 1))
        )
        if not hits or await self._is_below(embedder, vectors, everywhere[0].similarity, text):
            return []
        return await self._words.read(partial(with_words, hits=hits[:limit], text=text, filters=filters, typing=typing))

    # Inside

    async def _is_below(self, embedder: Embedder, vectors: Vectors, nearest: float, text: str) -> bool:
        """Whether the nearest of all is no nearer than what is found for words without a meaning."""
        floor = self._floor
        count = await self._on_thread(vectors.count)
        if floor.is_wanted(count):
            nonsense = await asyncio.gather(*map(embedder.question, floor.WORDS))
            floor.learn(count, await self._on_thread(partial(_nearest_of, vectors, nonsense)))
        is_unknown = await self._words.read(partial(are_unknown, query=understand(text, typing=False)))
        return floor.is_below(nearest, is_unknown=is_unknown)

    async def _vector_of(self, embedder: Embedder, text: str) -> list[float]:
        """The same question is asked again whenever the list on screen is brought up to date."""
        if text not in self._asked:
            vector = await embedder.question(text)
            if embedder is not self._embedder:  # another one was chosen meanwhile
                return vector
            self._asked[text] = vector
            if len(self._asked) > _REMEMBERED:
                del self._asked[next(iter(self._asked))]
        return self._asked[text]

    def _begin(self) -> None:
        self._revision = -1
        self._unsubscribe = self._words.subscribe(self._hear_words)
        self._task = asyncio.get_running_loop().create_task(self._work(), name="search by meaning")
        self._hear_words(self._words.state)

    async def _end(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait((task,))
        self._quiet.set()
        vectors, self._vectors = self._vectors, None
        if vectors is not None:
            await self._on_thread(vectors.close)

    def _hear_words(self, state: IndexState) -> None:
        """Each change of the index of words is followed, once it is whole."""
        if state.revision != self._revision and state.phase == "ready":
            self._revision = state.revision
            self._wake()

    def _wake(self) -> None:
        self._quiet.clear()
        self._news.set()

    async def _work(self) -> None:
        """Bring the vectors up to date whenever the index of words is, until it is cancelled."""
        wait_s = RETRY_S
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self._run_once()
            except SamError as error:
                log.warning("the search by meaning: %s (%s)", error, error.detail)
                trouble = error
            except Exception as error:  # an error of ours must not end it for good
                log.exception("the search by meaning failed")
                text = "The search by meaning failed because of an error in this program: it is tried again by itself."
                trouble = SamError(text, detail=str(error))
            else:
                wait_s = RETRY_S
                self._say(MeaningState("ready"))
                if not self._news.is_set():
                    self._quiet.set()
                await self._sleep(SETTLE_S)
                continue
            self._say(MeaningState("failed", self._state.done, self._state.total, trouble))
            self._quiet.set()
            await self._sleep(wait_s)
            wait_s = min(wait_s * 2, MOST_RETRY_S)
            self._wake()

    async def _run_once(self) -> None:
        assert self._embedder is not None
        assert self._vectors is not None
        builder = Builder(
            self._embedder, self._vectors, self._words.read, self._on_thread, self._tell_progress, sleep=self._sleep
        )
        try:
            await builder.run()
        except DifferentLengthError:
            log.info("another model answers under the same name: all is embedded anew")
            self._asked = {}
            await self._on_thread(self._vectors.discard)
            await builder.run()

    def _tell_progress(self, done: int, total: int) -> None:
        self._say(MeaningState("building", done, total))

    async def _on_thread(self, work: Callable[[], Answer]) -> Answer:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "sam-meaning")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _say(self, state: MeaningState) -> None:
        self._state = state
        for listener in tuple(self._listeners):
            try:
                listener(state)
            except Exception:  # one broken view must not stop the others
                log.exception("a listener failed on %s", state)


def _nearest_of(vectors: Vectors, questions: Sequence[Sequence[float]]) -> list[float]:
    """How near the nearest passage is to each."""
    found = [vectors.nearest(question, 1) for question in questions]
    return [near[0].similarity if near else 0.0 for near in found]
