"""The search by meaning over real conversations: asked of nobody while off, up to date by itself, gone when removed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.parts import TextPart
from sam_py.paths import Paths
from sam_py.store.autosave import Autosave
from sam_py.store.search_index.results import Filters, Hit, Results
from sam_py.store.search_index.service import SearchService
from sam_py.store.semantic.fusion import mixed
from sam_py.store.semantic.service import MeaningService, MeaningState
from sam_py.store.semantic.vectors import NAME, why_not
from tests.fakes.embedder import TopicEmbedder
from tests.fakes.many_talks import talks
from tests.fakes.recall import asked, vector
from tests.store.house import House, at_home

EVERYTHING = Filters()

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


class Searched:
    """A house whose conversations are searched; pauses and waits for another try are none."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.words = SearchService(house.paths, is_gentle=False)
        self.meaning = MeaningService(house.paths, self.words, sleep=self._sleep)
        self.states: list[MeaningState] = []
        self.meaning.subscribe(self.states.append)
        self.slept: list[float] = []
        self.tries_again = asyncio.Event()
        self.saves: dict[str, Autosave] = {}

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds >= 30:
            await self.tries_again.wait()
        await asyncio.sleep(0)

    async def talk(self, *texts: str, title: str = "") -> MessageBus:
        """A new conversation, saved; what is changed in it later is saved by `saved`."""
        bus = MessageBus(self.house.library.create(), auto_pin=0)
        self.saves[bus.conversation_id] = self.house.library.attach(bus)
        for text in texts:
            bus.add_user_message(text)
        if title:
            bus.change_setting("title", title)
        await self.saved(bus)
        return bus

    async def saved(self, bus: MessageBus) -> None:
        await self.saves[bus.conversation_id].save_now()

    async def found(self, text: str, filters: Filters = EVERYTHING, limit: int = 3) -> list[str]:
        return [hit.snippet for hit in await self.meaning.similar(text, filters, limit=limit)]


def searched(paths: Paths, story: Callable[[Searched], Awaitable[None]]) -> None:
    async def run(house: House) -> None:
        here = Searched(house)
        here.words.start()
        here.words.follow(house.library)
        try:
            await story(here)
        finally:
            await here.meaning.aclose()
            await here.words.aclose()

    at_home(paths, run)


async def three_talks(here: Searched) -> list[MessageBus]:
    return [
        await here.talk("My puppy is ill.", "Let a vet see it.", title="Animals"),
        await here.talk("The automobile broke down.", "Call the garage.", title="The lorry"),
        await here.talk("What is a fair salary?", "It depends."),
    ]


def test_what_means_the_same_is_found_though_no_word_is(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        await three_talks(here)
        embedder = TopicEmbedder()
        await here.meaning.use(embedder)
        await here.meaning.settled()
        assert not (await here.words.search("dog ")).hits
        hit = (await here.meaning.similar("dog", limit=1))[0]
        assert (hit.snippet, hit.kind, hit.is_similar, hit.place.role) == ("My puppy is ill.", "text", True, "user")
        assert set(await here.found("vehicle", limit=2)) == {"The lorry", "The automobile broke down."}
        assert sorted(embedder.asked) == sorted(
            ["Animals", "The lorry", "My puppy is ill.", "Let a vet see it.", "The automobile broke down.",
             "Call the garage.", "What is a fair salary?", "It depends."]
        )  # fmt: skip
        assert here.meaning.state.phase == "ready"
        done = [state.done for state in here.states if state.phase == "building"]
        assert all(more >= less or more == 0 for less, more in pairwise(done)), "another run begins at nothing"

    searched(paths, story)


def test_filters_narrow_it_however_few_fulfil_them(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        animals, cars, _salary = await three_talks(here)
        await here.talk(*[f"A dog, the {number}th." for number in range(240)])
        cars.annotate(cars.path[0], pinned=True)
        await here.saved(cars)
        await here.meaning.use(TopicEmbedder())
        await here.meaning.settled()
        assert await here.found("dog", Filters(conversation_id=animals.conversation_id), 1) == ["My puppy is ill."]
        assert await here.found("dog", Filters(pinned_only=True)) == ["The automobile broke down."]
        assert await here.found("car", Filters(kinds=frozenset({"title"})), 1) == ["The lorry"]
        assert await here.found("car", Filters(kinds=frozenset({"code"}))) == []

    searched(paths, story)


def test_only_what_changed_is_asked_again_and_what_is_removed_is_gone_at_once(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        animals, cars, _salary = await three_talks(here)
        embedder = TopicEmbedder()
        await here.meaning.use(embedder)
        await here.meaning.settled()
        embedder.asked.clear()
        animals.add_user_message("It is a terrier.")
        animals.add_user_message("My puppy is ill.")  # said before: its vector is known
        await here.saved(animals)
        await here.meaning.settled()
        assert embedder.asked == ["It is a terrier."]
        animals.remove(animals.path[2])
        assert "It is a terrier." not in await here.found("dog", limit=9)
        await here.house.library.delete(cars.conversation_id)
        assert not {"The lorry", "The automobile broke down."} & set(await here.found("car", limit=9))
        await here.saved(animals)
        await here.meaning.settled()
        await here.meaning.use(None)
        again = TopicEmbedder()
        await here.meaning.use(again)
        await here.meaning.settled()
        assert again.asked == []
        other = TopicEmbedder("another model")
        await here.meaning.use(other)
        await here.meaning.settled()
        assert sorted(set(other.asked)) == ["Animals", "It depends.", "Let a vet see it.", "My puppy is ill.",
                                            "What is a fair salary?"]  # fmt: skip

    searched(paths, story)


def test_nothing_is_asked_and_nothing_written_while_it_is_off(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        await three_talks(here)
        await here.meaning.settled()
        assert await here.meaning.similar("dog") == []
        assert (here.meaning.state.phase, here.meaning.is_on) == ("off", False)
        assert (await here.meaning.estimate()).messages == 6
        embedder = TopicEmbedder()
        await here.meaning.use(embedder)
        await here.meaning.use(None)
        embedder.asked.clear()
        await here.talk("A hound.")
        await here.meaning.settled()
        assert embedder.asked == embedder.questions == []
        await here.meaning.forget()
        assert not (here.house.paths.state / NAME).exists()

    searched(paths, story)


def test_a_provider_that_fails_is_asked_again_later_from_where_it_stood(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        await three_talks(here)
        embedder = TopicEmbedder()
        embedder.trouble = SamError("The server rests.")
        await here.meaning.use(embedder)
        with pytest.raises(SamError, match=r"The server rests\."):
            await here.meaning.settled()
        assert here.meaning.state.phase == "failed"
        embedder.trouble = None
        embedder.refused = {"It depends."}
        here.tries_again.set()
        await here.meaning.settled()
        assert await here.found("puppy", limit=1) == ["My puppy is ill."]
        assert "It depends." not in await here.found("puppy", limit=9)
        embedder.asked.clear()
        embedder.length = 12  # another model under the same name
        assert await here.found("terrier") == []
        await here.meaning.settled()
        assert len(embedder.asked) == 8
        assert await here.found("puppy", limit=1) == ["My puppy is ill."]

    searched(paths, story)


def test_an_edited_message_is_found_by_what_it_says_now(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        animals, *_others = await three_talks(here)
        await here.meaning.use(TopicEmbedder())
        await here.meaning.settled()
        message = animals.get(animals.path[0])
        animals.replace(message.model_copy(update={"parts": (TextPart(text="Will it rain soon"),)}))
        await here.saved(animals)
        await here.words.settled()
        assert "My puppy is ill." not in await here.found("dog", limit=9)
        await here.meaning.settled()
        assert await here.found("storm", limit=1) == ["Will it rain soon"]

    searched(paths, story)


def test_what_has_the_words_too_is_counted_once_and_shown_with_them(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        await three_talks(here)
        await here.talk(*[f"The dog is a puppy, the {number}th." for number in range(60)])
        await here.meaning.use(TopicEmbedder())
        await here.meaning.settled()
        words = await here.words.search("dog puppy")
        page = mixed(words, await here.meaning.similar("dog puppy"), 30)
        alike = [hit for hit in page.hits if hit.is_similar]
        assert (words.total, page.total) == (60, 60 + len(alike))
        assert not [hit.snippet for hit in alike if "The dog" in hit.snippet]
        assert all(hit.marks for hit in page.hits if not hit.is_similar)

    searched(paths, story)


def test_for_what_means_nothing_nothing_is_found(paths: Paths) -> None:
    class Known(TopicEmbedder):
        def vector(self, text: str) -> list[float]:
            return vector(text)

    async def story(here: Searched) -> None:
        for _title, told in talks()[:8]:
            await here.talk(*[text for _tag, text in told])
        embedder = Known()
        await here.meaning.use(embedder)
        await here.meaning.settled()
        assert [await here.found(text, limit=30) for text in ("zzzzqqq", "brxtl", "xvvkqq")] == [[], [], []]
        wanted = [text for text, _places in asked(8)][:5]
        assert all([await here.found(text) for text in wanted])
        asked_before = len(embedder.questions)
        await here.found("another zzzzqqq")
        assert len(embedder.questions) == asked_before + 1, "the floor is measured once"

    searched(paths, story)


def test_two_ranks_are_mixed_and_what_both_found_stands_first(paths: Paths) -> None:
    async def story(here: Searched) -> None:
        await three_talks(here)
        await here.meaning.use(TopicEmbedder())
        await here.meaning.settled()
        words = await here.words.search("automobile ")
        similar = await here.meaning.similar("automobile")
        both = mixed(words, similar, 3)
        assert both.hits[0].snippet == "The automobile broke down."
        assert both.hits[0].marks
        assert not both.hits[0].is_similar
        assert next(hit.snippet for hit in both.hits if hit.is_similar) == "The lorry"
        assert mixed(words, [], 3).hits == tuple(replace(hit, score=1.0) for hit in words.hits)
        many: tuple[Hit, ...] = tuple(
            replace(words.hits[0], place=replace(words.hits[0].place, message_id=str(number))) for number in range(30)
        )
        page = mixed(Results(many, ("next",), 90, True), similar, 30)
        more = [hit for hit in similar if hit.is_similar]
        assert (len(page.hits), page.next, page.total) == (30 + len(similar), ("next",), 90 + len(more))
        assert len(more) == len(similar) - 1

    searched(paths, story)
