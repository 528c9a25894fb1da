"""SpeechQueue under any sequence of what may happen: order, once each, nothing lost, silence after a stop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.speech.base import Manner, PlayerNews, SpeechError, Trouble, Utterance
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.voice_state import GaveUpError, VoiceNews, VoiceState
from tests.fakes.speech import FakePlayer, FakeSpeech, stepped

SAY = st.tuples(st.just("say"), st.lists(st.sampled_from("aaaabbc?!~…"), min_size=1, max_size=5))
ASKED = ["pause", "resume", "resume", "skip", "skip", "stop", "finish", "manner", "engine", "drop", "gone", "refuse"]
ACTS = st.lists(
    st.tuples(
        st.one_of(SAY, st.tuples(st.sampled_from(ASKED), st.none())),
        st.sampled_from([0.0, 0.004, 0.03, 0.1, 0.25, 0.4, 0.8, 1.5, 30.0]),
    ),
    min_size=3,
    max_size=20,
)
"""Sentences: "a" to "c" are spoken, "?" fails once, "!" twice, "~" hangs twice, "…" has nothing to say."""


@dataclass
class Model:
    """What may be heard, told by what was asked alone."""

    said: list[str] = field(default_factory=list)
    forgiven: set[str] = field(default_factory=set)
    """These may be missing: they fail, or were stopped, skipped or dropped."""
    repeated: set[str] = field(default_factory=set)
    """Their beginning may be heard again: the device went away, or they began in the moment of a skip."""


async def _run(acts: list[tuple[tuple[str, object], float]], pieces: int, latency_s: float) -> None:
    engines = [FakeSpeech(pieces=pieces), FakeSpeech("Another", pieces=pieces, took_s=0.4, loudness=11_000)]
    chosen = {"engine": engines[0], "manner": Manner()}
    player = FakePlayer(latency_s)
    player.subscribe(lambda news: on_trouble(news))
    queue = SpeechQueue(lambda: chosen["engine"], lambda: chosen["manner"], player)  # type: ignore[return-value]
    model = Model()
    states = [VoiceState()]

    def on_trouble(news: PlayerNews) -> None:
        if isinstance(news, Trouble):
            model.repeated.update(line.utterance.text for line in queue._lines if line.mark)

    def on_news(news: VoiceNews) -> None:
        if isinstance(news, GaveUpError):
            model.forgiven.update(model.said)
        elif isinstance(news, VoiceState):
            assert news == queue.state
            assert news != states[-1], "an equal state is not news"
            states.append(news)

    queue.subscribe(on_news)
    for (act, value), wait_s in acts:
        if act in ("skip", "drop"):  # the news that it has begun may still be on its way
            model.repeated.update(line.utterance.text for line in queue._lines if line.mark and line.heard_at is None)
        match act, value:
            case "say", list(kinds):
                new = [
                    f"{kind}{len(model.said) + place:03}" if kind != "…" else "…" for place, kind in enumerate(kinds)
                ]
                for text in new:
                    failures = {"?": 1, "!": 2, "~": 2}.get(text[0], 0)
                    model.forgiven.update([text] * (failures > 1 or text == "…"))
                    error = "hang" if text[0] == "~" else SpeechError("Broken.")
                    engines[0].fails[text] = engines[1].fails[text] = [error] * failures
                model.said += new
                queue.say([Utterance(text, 0, 1, message_id=text[0]) for text in new])
            case "stop", _:
                model.forgiven.update(model.said)
                queue.stop()
                assert queue.state == VoiceState()
            case "skip", _:
                next_ = [line.utterance for line in queue._lines] or queue._waiting
                gone = queue.state.utterance or (next_[0] if next_ else None)
                model.forgiven.update([gone.text] if gone else [])
                queue.skip()
            case "drop", _:
                model.forgiven.update(text for text in model.said if text[0] == "a")
                model.forgiven.update([queue.state.utterance.text] if queue.state.utterance else [])
                queue.drop("a")
            case "gone", _:
                player.fail()
            case "refuse", _:
                player.refuses = 1
            case "manner", _:
                chosen["manner"] = Manner(rate=1.5 if chosen["manner"] == Manner() else 1.0)
            case "engine", _:
                chosen["engine"] = engines[1] if chosen["engine"] is engines[0] else engines[0]
            case name, _:
                getattr(queue, name)()
        for seconds in (0.0, wait_s):
            phase, now = queue.state.phase, asyncio.get_running_loop().time()
            if phase == "silent":
                assert queue.state.utterance is None
            await asyncio.sleep(seconds)
            assert states[-1] == queue.state
            assert all(engine.open <= 1 for engine in engines)
            if phase != "speaking":
                assert all(each.end_s <= now for each in player.heard), "sound in silence"
                assert player._timer is None
    for _ in range(40):  # the device may go once more, from news that was on its way
        queue.finish()
        queue.resume()
        await asyncio.sleep(120)
        if queue.state.phase == "silent":
            break
    assert queue.state == states[-1] == VoiceState()
    heard = _heard(player, engines)
    order = [text for place, text in enumerate(heard) if text not in heard[:place]]
    assert order == [text for text in model.said if text in order], "in order"
    again = [text for place, text in enumerate(heard) if text in heard[:place]]
    assert set(again) <= model.repeated, "at most once"
    assert {*model.said} - {*heard} <= model.forgiven, "none lost"
    await queue.aclose()
    assert all(engine.open == 0 for engine in engines)


def _heard(player: FakePlayer, engines: list[FakeSpeech]) -> list[str]:
    """The texts; both engines speak to one player, and a sentence is of the one that was asked with its number."""
    texts: list[str] = []
    marks: set[int] = set()
    for each in player.heard:
        if each.value and each.mark not in marks:
            marks.add(each.mark)
            texts.append(engines[each.value // 10_000].text_of(each.value))
    return texts


@settings(max_examples=120)
@given(SAY, ACTS, st.integers(1, 3), st.sampled_from([0.0, 0.005, 0.2]))
def test_each_sentence_is_heard_once_and_in_order_whatever_happens(
    first: tuple[str, object], acts: list[tuple[tuple[str, object], float]], pieces: int, latency_s: float
) -> None:
    stepped(lambda: _run([(first, 0.2), *acts], pieces, latency_s))
