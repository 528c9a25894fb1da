"""Narrator: listens to the conversation that is shown, and says which of it is spoken and what falls silent."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from sam_py.bus.deltas import Appended, Delta, Inserted, Removed, Reset, Updated
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import UnknownMessageError
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.speech.base import Readout, SpeechError, Utterance
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.reading import Reading, Spoken, import_soon, moved, plain_text, spoken_text
from sam_py.speech.voice_state import GaveUpError, VoiceNews, VoiceState

log = logging.getLogger(__name__)

FOLLOWS_S = 0.25
"""A message that is sent so soon after a reply ended was waiting for that: the person did not interrupt the reading."""


class Narrator:
    """Reads replies while they stream (`reads_replies`), or what the person chose (`read`, `read_text`).

    - A reply is read from its beginning. One that streams already when it comes into sight (the switch is turned on,
      the conversation or the branch is shown again) is read from the sentence that is being written: nothing is heard
      twice, and who wants all of it asks for it with `read`.
    - The replies of one turn (with tools between them) are read one after another. A reply to a new message takes over
      from what is still read, except where that message had waited in the queue for the reply before it.
    - What the person silenced stays silent to the end of its turn.
    - A reply that the person stops, a message that is edited, removed or no longer on the path, and a conversation that
      is no longer followed fall silent at once. (A stop while tools run ends no reply: then the window calls `stop`.)
    """

    def __init__(
        self,
        queue: SpeechQueue,
        readout: Callable[[], Readout],
        spoken: Callable[[Readout], Spoken] = spoken_text,
        *,
        plain: Callable[[], Spoken] = plain_text,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`readout` is asked for each part that is read; `spoken` makes its sentences, `plain` those of a selection."""
        self._queue = queue
        self._readout = readout
        self._spoken = spoken
        self._plain = plain
        self._now = now
        self._bus: MessageBus | None = None
        self._leave: Callable[[], None] | None = None
        self._reads_replies = False
        self._readings: dict[str, Reading] = {}
        self._is_chosen = False
        """What is read was asked for by `read` or `read_text`."""
        self._muted: set[str] = set()
        """Replies of the turn that is not to be heard."""
        self._ended_at = float("-inf")
        self._follows: str | None = None
        """The message of the person that had waited for the end of the reply before it."""
        self._next_slice: asyncio.Handle | None = None
        self._listeners: list[Callable[[VoiceNews], None]] = []
        self._queue.subscribe(self._on_queue)

    # What the window asks for

    @property
    def state(self) -> VoiceState:
        return self._queue.state

    @property
    def reads_replies(self) -> bool:
        return self._reads_replies

    @reads_replies.setter
    def reads_replies(self, on: bool) -> None:
        if on == self._reads_replies:
            return
        self._reads_replies = on
        if not on:
            if not self._is_chosen:
                self._silence()
            return
        import_soon()
        self._queue.warm_up()
        self._muted.clear()
        if self._is_chosen:
            self._mute()
        else:
            self._join_what_streams()

    def subscribe(self, listener: Callable[[VoiceNews], None]) -> Callable[[], None]:
        """Call `listener` with each new state and each error; returns the function that ends it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def follow(self, bus: MessageBus | None) -> None:
        """Listen to the conversation that is shown (None: none is). What was read of another one falls silent."""
        if bus is self._bus:
            return
        self._silence()
        self._muted.clear()
        self._follows = None
        if self._leave is not None:
            self._leave()
        self._bus = bus
        self._leave = bus.subscribe(self._on_delta) if bus is not None else None
        if self._reads_replies:
            self._join_what_streams()

    def read(self, message_id: str) -> None:
        """Read the whole message, instead of what is being read; one that streams is read on as it grows.

        A message that is not on the path is not read. Raises UnknownMessageError.
        """
        if self._bus is None or message_id not in self._bus:
            raise UnknownMessageError(message_id)
        if self._bus.index_of(message_id) is None:
            return
        self._mute()
        self._silence()
        self._is_chosen = True
        self._begin(message_id, from_start=True)

    def read_text(self, text: str) -> None:
        """Read `text` (a selection), instead of what is being read."""
        self._mute()
        self._silence()
        self._is_chosen = True
        reading = Reading("", self._plain)
        reading.begin_text(text)
        self._readings[reading.message_id] = reading
        self._read_on()

    def skip(self) -> None:
        """Go to the next sentence."""
        self._queue.skip()

    def pause(self) -> None:
        self._queue.pause()

    def resume(self) -> None:
        self._queue.resume()

    def stop(self) -> None:
        """Silence at once, to the end of the turn that is read or streams; the next reply is read again."""
        self._mute()
        self._silence()

    # What happens in the conversation

    def _on_delta(self, delta: Delta) -> None:
        match delta:
            case Appended(_, message_id, part_index, kind, text):
                reading = self._readings.get(message_id)
                if reading is not None:
                    self._say(reading.take(part_index, kind, text))
            case Inserted(_, message):
                self._inserted(message)
            case Updated(_, message):
                self._updated(message)
            case Removed(_, message_id):
                self._forget(message_id)
            case Reset():
                self._path_changed()
            case _:
                pass

    def _inserted(self, message: Message) -> None:
        match message:
            case UserMessage():
                self._follows = message.id if self._now() - self._ended_at < FOLLOWS_S else None
            case AssistantMessage():
                self._may_begin(message.id)
            case _:
                pass

    def _updated(self, message: Message) -> None:
        reading = self._readings.get(message.id)
        if reading is None:
            self._may_begin(message.id)
            return
        if self._bus is not None and self._bus.is_streaming(message.id):
            if reading.is_whole:  # it goes on where it had ended
                self._begin(message.id, from_start=False)
            return
        self._settle(reading, message)

    def _settle(self, reading: Reading, message: Message) -> None:
        """A message that is being read came to its end, or was written anew."""
        moves = reading.moves_to(message)
        if moves is None:
            self._forget(message.id)
            return
        if reading.is_whole:
            return
        if isinstance(message, AssistantMessage) and message.stop_reason == "aborted":
            self.stop()
            return
        self._ended_at = self._now()
        rest = reading.settle(message, moves)
        if moves:
            self._queue.relabel(message.id, lambda utterance: moved(utterance, moves))
        self._say(rest)

    def _path_changed(self) -> None:
        bus = self._bus
        assert bus is not None
        for message_id, reading in tuple(self._readings.items()):
            if not message_id:
                continue  # a selection
            if bus.index_of(message_id) is None:
                self._forget(message_id)
            elif not bus.is_streaming(message_id):
                self._settle(reading, bus.get(message_id))
        if any(bus.index_of(message_id) is None for message_id in self._muted):
            self._muted.clear()
        self._join_what_streams()

    def _join_what_streams(self) -> None:
        for message_id in self._streaming():
            if message_id not in self._readings:
                self._may_begin(message_id)

    def _may_begin(self, message_id: str) -> None:
        """Begin to read the reply `message_id`, if it streams and is to be heard."""
        bus = self._bus
        if bus is None or not self._reads_replies or message_id in self._muted or not bus.is_streaming(message_id):
            return
        above = self._reply_above(message_id)
        if above in self._muted:
            self._muted.add(message_id)
            return
        follows = above is not None or (self._follows is not None and bus.parent_of(message_id) == self._follows)
        if self._is_chosen or not follows:
            self._silence()
            self._muted.clear()
        self._queue.warm_up()
        self._begin(message_id, from_start=False)

    def _reply_above(self, message_id: str) -> str | None:
        """The reply before `message_id` in the same turn."""
        bus = self._bus
        assert bus is not None
        place = (bus.index_of(message_id) or 0) - 1
        while place >= 0 and bus.role_at(place) == "tool":
            place -= 1
        return bus.id_at(place) if place >= 0 and bus.role_at(place) == "assistant" else None

    def _begin(self, message_id: str, *, from_start: bool) -> None:
        """Read a message: all of it, or from the sentence on that is being written."""
        assert self._bus is not None
        reading = Reading(message_id, lambda: self._spoken(self._readout()))
        self._readings[message_id] = reading
        message = self._bus.get(message_id)
        reading.begin(message, joins=not from_start)
        if not self._bus.is_streaming(message_id):
            reading.settle(message, {})
        self._read_on()

    def _read_on(self) -> None:
        """Say the next slice of what is there already, and go on with it when the window had its turn."""
        self._cancel_slice()
        for reading in self._readings.values():
            if reading.has_more:
                self._next_slice = asyncio.get_running_loop().call_soon(self._read_on)
                self._say(reading.more())
                return

    # What is heard

    def _say(self, utterances: Iterable[Utterance]) -> None:
        if utterances:
            self._queue.say(utterances)
        self._finish_if_over()

    def _finish_if_over(self) -> None:
        """Where no more comes, the queue ends with its last sentence."""
        if any(not reading.is_over for reading in self._readings.values()):
            return
        if self._is_chosen and self._readings and not any(reading.found for reading in self._readings.values()):
            self._readings.clear()
            self._say_nothing_there()
        self._queue.finish()

    def _say_nothing_there(self) -> None:
        self._is_chosen = False
        self._publish(SpeechError("There is nothing to read aloud here: choose some text."))

    def _forget(self, message_id: str) -> None:
        if self._readings.pop(message_id, None) is not None:
            self._queue.drop(message_id)
            self._finish_if_over()

    def _mute(self) -> None:
        """Let nothing more be heard of the turn that is read or streams."""
        self._muted.update(self._readings if not self._is_chosen else (), self._streaming())

    def _silence(self) -> None:
        self._cancel_slice()
        self._readings.clear()
        self._is_chosen = False
        self._queue.stop()

    def _cancel_slice(self) -> None:
        if self._next_slice is not None:
            self._next_slice.cancel()
            self._next_slice = None

    def _streaming(self) -> list[str]:
        """The replies on the path that stream."""
        if self._bus is None:
            return []
        return [each for each in self._bus.streaming_ids if self._bus.index_of(each) is not None]

    def _on_queue(self, news: VoiceNews) -> None:
        if isinstance(news, GaveUpError):
            self.stop()
        elif isinstance(news, VoiceState) and news.phase == "silent" and self._is_chosen:
            self._is_chosen = False
            self._readings.clear()
        self._publish(news)

    def _publish(self, news: VoiceNews) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(news)
            except Exception:  # one broken listener must not silence the voice
                log.exception("a listener failed on %s", type(news).__name__)
