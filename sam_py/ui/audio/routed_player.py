"""RoutedPlayer: one player of two, for sound and for what a voice says by itself, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from sam_py.speech.base import Clip, Finished, Player, PlayerNews, TextClip, Trouble


class RoutedPlayer:
    """Invariant: at most one of the two has something; what is for the other one waits until that is over."""

    def __init__(self, loudspeaker: Player, make_aloud: Callable[[], Player]) -> None:
        """`make_aloud` is called with the first `TextClip`."""
        self._loudspeaker = loudspeaker
        self._make_aloud = make_aloud
        self._aloud: Player | None = None
        self._current = loudspeaker
        self._under_way: set[int] = set()
        """Marks of which the current one has something."""
        self._split = 0
        """The mark that goes on in the other player; its end in the current one is no news."""
        self._waiting: deque[tuple[int, Clip | None]] = deque()
        """Clips for the other one and all after them; None where a mark ends."""
        self._is_paused = False
        self._listeners: list[Callable[[PlayerNews], None]] = []
        loudspeaker.subscribe(self._hear)

    def subscribe(self, listener: Callable[[PlayerNews], None]) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def play(self, mark: int, clip: Clip) -> None:
        self._waiting.append((mark, clip))
        self._hand_on()

    def end(self, mark: int) -> None:
        self._waiting.append((mark, None))
        self._hand_on()

    def pause(self) -> None:
        self._is_paused = True
        for player in self._players():
            player.pause()

    def resume(self) -> None:
        self._is_paused = False
        for player in self._players():
            player.resume()

    def stop(self) -> None:
        self._waiting.clear()
        self._under_way.clear()
        self._split = 0
        for player in self._players():
            player.stop()

    def _players(self) -> list[Player]:
        return [self._loudspeaker, *([self._aloud] if self._aloud is not None else [])]

    def _hand_on(self) -> None:
        while self._waiting:
            mark, clip = self._waiting[0]
            if clip is not None and (player := self._player_of(clip)) is not self._current:
                if mark in self._under_way and mark != self._split:  # another engine finishes the sentence
                    self._split = mark
                    self._current.end(mark)
                if self._under_way:
                    return
                self._current = player
            self._waiting.popleft()
            self._under_way.add(mark)
            if clip is None:
                self._current.end(mark)
            else:
                self._current.play(mark, clip)

    def _player_of(self, clip: Clip) -> Player:
        if not isinstance(clip, TextClip):
            return self._loudspeaker
        if self._aloud is None:
            self._aloud = self._make_aloud()
            self._aloud.subscribe(self._hear)
            if self._is_paused:
                self._aloud.pause()
        return self._aloud

    def _hear(self, news: PlayerNews) -> None:
        if isinstance(news, Trouble):
            self.stop()
        elif isinstance(news, Finished):
            self._under_way.discard(news.mark)
            if news.mark == self._split:
                self._split = 0
                self._hand_on()
                return
        for listener in tuple(self._listeners):
            listener(news)
        self._hand_on()
