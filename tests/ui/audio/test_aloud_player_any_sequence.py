"""The player of voices that speak by themselves, whatever is asked of it and whatever its process does meanwhile."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, Signal

from sam_py.speech.base import Finished, PlayerNews, Started, TextClip, Trouble
from sam_py.ui.audio.aloud_player import AloudPlayer

STEPS = ("text", "silence", "end", "pause", "resume", "stop", "time", "begin", "finish", "late", "lose", "fail")


class Process(QObject):
    """Says what it is told to, one sentence at a time, when the test says so."""

    told = Signal(dict)
    ended = Signal()
    is_ready = True

    def __init__(self, pauses: bool) -> None:
        super().__init__()
        self.pauses = pauses
        self.saying: dict[str, Any] | None = None
        self.is_held = False
        self.last = 0
        self.spoken: list[str] = []
        """To their end."""

    def send(self, order: dict[str, Any]) -> None:
        if "say" in order:
            assert self.saying is None, "one at a time"
            assert order["say"] > self.last, "numbers rise"
            self.saying, self.last, self.is_held = order, order["say"], False
        elif "stop" in order:
            self.saying = None
        elif "pause" in order or "resume" in order:
            assert self.pauses
            self.is_held = "pause" in order

    def end(self) -> None:
        self.saying = None

    def begin(self) -> None:
        if self.saying is not None:
            self.told.emit({"began": self.saying["say"]})

    def finish(self) -> None:
        if self.saying is not None and not self.is_held:
            order, self.saying = self.saying, None
            self.spoken.append(order["text"])
            self.told.emit({"began": order["say"]})
            self.told.emit({"ended": order["say"]})


class Room:
    def __init__(self, pauses: bool) -> None:
        self.process = Process(pauses)
        process: Any = self.process
        self.player = AloudPlayer(process)
        self.news: list[PlayerNews] = []
        self.player.subscribe(self.news.append)
        self.mark = 1
        self.texts: dict[int, list[str]] = {}
        """Mark → what was given of it since the last silence."""
        self.ended: list[int] = []
        self.count = 0

    def forget(self) -> None:
        self.texts.clear()
        self.ended.clear()
        self.process.spoken.clear()
        self.news.clear()
        self.mark += 1

    def do(self, step: str) -> None:
        before = len(self.news)
        match step:
            case "text":
                self.count += 1
                self.texts.setdefault(self.mark, []).append(f"Sentence {self.count}.")
                self.player.play(self.mark, TextClip(b"", 1, text=f"Sentence {self.count}.", seconds=1.0))
            case "silence":
                self.player.play(self.mark, TextClip(b"", 1, seconds=0.5))
            case "end":
                self.player.end(self.mark)
                self.ended.append(self.mark)
                self.mark += 1
            case "pause":
                self.player.pause()
            case "resume":
                self.player.resume()
            case "stop":
                self.player.stop()
                assert self.process.saying is None
                self.forget()
                before = 0
            case "time":
                for timer, slot in ((self.player._next, self.player._go_on),
                                    (self.player._silence, self.player._silence_over)):  # fmt: skip
                    if timer.isActive():
                        timer.stop()
                        slot()
            case "begin":
                self.process.begin()
            case "finish":
                self.process.finish()
            case "late":
                self.process.told.emit({"ended": self.process.last - 1})
            case "lose":
                self.process.end()
                self.process.ended.emit()
            case "fail" if self.process.saying is not None:
                failed, self.process.saying = self.process.saying["say"], None
                self.process.told.emit({"failed": failed, "why": "engine", "detail": ""})
        if step in ("text", "silence", "end", "pause", "resume", "stop"):
            assert len(self.news) == before, "no news from within a call"
        if any(isinstance(each, Trouble) for each in self.news):
            assert isinstance(self.news[-1], Trouble)
            assert self.process.saying is None
            self.forget()

    def look(self) -> None:
        started = [each.mark for each in self.news if isinstance(each, Started)]
        finished = [each.mark for each in self.news if isinstance(each, Finished)]
        assert started == sorted(set(started)), "each begins once, in order"
        assert finished == self.ended[: len(finished)], "each ends once, in order, and only when it was ended"
        given = [text for texts in self.texts.values() for text in texts]
        assert self.process.spoken == given[: len(self.process.spoken)], "each is said once, in order"
        over = [text for mark in finished for text in self.texts.get(mark, [])]
        assert self.process.spoken[: len(over)] == over, "an end is told when all was said"


@given(st.booleans(), st.lists(st.sampled_from(STEPS), max_size=40))
@example(True, ["text", "end", "time", "begin", "pause", "lose", "resume", "time"])
@example(False, ["text", "silence", "time", "finish", "lose"])
@example(False, ["text", "end", "time", "begin", "pause", "resume", "time", "lose", "lose"])
def test_each_sentence_is_said_once_and_in_order_whatever_happens(qapp: Any, pauses: bool, steps: list[str]) -> None:
    room = Room(pauses)
    for step in steps:
        room.do(step)
        room.look()
    room.do("end")
    room.do("resume")
    for _ in range(3 * len(steps) + 6):
        room.do("time")
        room.do("finish")
        room.look()
    assert [each.mark for each in room.news if isinstance(each, Finished)] == room.ended
    assert room.process.spoken == [text for texts in room.texts.values() for text in texts]
    room.player.close()
