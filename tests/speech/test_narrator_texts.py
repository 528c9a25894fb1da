"""What the narrator reads with the real makers of sentences: Markdown of replies, and selections."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.parts import TextPart
from sam_py.speech.base import Manner, Readout, Utterance
from sam_py.speech.narrator import Narrator
from sam_py.speech.plain import PlainText, as_heard
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.voice_state import VoiceState
from tests.fakes.speech import FakePlayer, FakeSpeech, stepped

REPLY = """\n\n# A plan\n\nIt takes 3.14 minutes. See [the **guide**](https://example.org/a.b).

- First, open it.
- Then close it.

```python
print("never. read. this.")
```

That is all."""


def test_a_reply_in_markdown_is_heard_without_markup_and_marked_where_it_stands() -> None:
    async def run() -> None:
        engine, player = FakeSpeech(), FakePlayer()
        queue = SpeechQueue(lambda: engine, Manner, player)
        narrator = Narrator(queue, lambda: Readout(code="skip"))
        marked: list[Utterance] = []
        narrator.subscribe(
            lambda news: marked.append(news.utterance) if isinstance(news, VoiceState) and news.utterance else None
        )
        bus = MessageBus()
        narrator.follow(bus)
        narrator.reads_replies = True
        reply = bus.begin_assistant()
        for character in REPLY:
            bus.append_delta(reply, character)
        bus.complete(reply)
        while narrator.state.phase != "silent":
            await asyncio.sleep(1)
        part = bus.get(reply).parts[0]
        assert isinstance(part, TextPart)
        heard = player.texts(engine)
        assert heard == [
            "A plan",
            "It takes 3.14 minutes.",
            "See the guide.",
            "First, open it.",
            "Then close it.",
            "That is all.",
        ]
        where = [part.text[each.start : each.end] for each in marked]
        assert where[1] == heard[1]
        assert where[3:] == heard[3:]
        await queue.aclose()

    stepped(run)


def plain(*pieces: str) -> list[Utterance]:
    text = PlainText()
    return [each for found in (*map(text.feed, pieces), text.finish()) for each in found]


def test_a_selection_is_read_as_it_stands_with_its_lines_and_paragraphs() -> None:
    selected = "2 * 3 is six. # No heading\nA line\nthat goes on\n\nA paragraph\u2029Another\ufffc one."
    found = plain(selected)
    assert [each.text for each in found] == [
        "2 * 3 is six.",
        "# No heading A line that goes on",
        "A paragraph",
        "Another one.",
    ]
    assert {each.kind for each in found} == {"text"}


def test_of_a_selection_formulas_are_put_into_words_and_tables_read_row_by_row() -> None:
    selected = "So $a_1^3$ is.\n\nPort\tHeight\nBrest\t6.1 m\n\n$$\nx^2\n$$\n\nFrom $5 to $10, echo $HOME."
    assert [each.text for each in plain(as_heard(selected))] == [
        "So a sub 1 cubed is.",
        "Port, Height",
        "Brest, 6.1 m",
        "x squared",
        "From $5 to $10, echo $HOME.",
    ]


@given(st.text(alphabet="ab. \n\u2029,!", max_size=60), st.integers(1, 7))
def test_how_a_selection_is_cut_into_pieces_makes_no_difference(text: str, size: int) -> None:
    assert plain(*(text[at : at + size] for at in range(0, len(text), size))) == plain(text)
