"""WindowVoice: joins the narrator with the window: what is read, marked and shown, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import UnknownMessageError
from sam_py.settings.model import Settings
from sam_py.speech.base import Manner, Readout, SpeechEngine, SpeechError
from sam_py.speech.voice_state import VoiceNews, VoiceState
from sam_py.ui.services import Services
from sam_py.ui.voice.highlight import SpokenHighlight
from sam_py.ui.voice.offers import VoiceOffers
from sam_py.ui.voice.player_strip import PlayerStrip
from sam_py.ui.widgets.notices import Notice, Notices

if TYPE_CHECKING:
    from sam_py.ui.chat.chat_view import ChatView
    from sam_py.ui.chat.composer_dictation import Dictation
    from sam_py.ui.chat.row import MessageRow
    from sam_py.ui.voice.saving import SpeechSaving


class Reader(Protocol):
    """What the window asks of `speech.narrator.Narrator`."""

    reads_replies: bool

    @property
    def state(self) -> VoiceState: ...

    def subscribe(self, listener: Callable[[VoiceNews], None]) -> Callable[[], None]: ...

    def follow(self, bus: MessageBus | None) -> None: ...

    def read(self, message_id: str) -> None: ...

    def read_text(self, text: str) -> None: ...

    def skip(self) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def stop(self) -> None: ...


class Program(VoiceOffers, Protocol):
    """What stands behind the reader: `ProgramVoice`."""

    def engine(self) -> SpeechEngine:
        """The chosen one. Raises `SpeechError`."""

    def manner(self) -> Manner: ...

    def readout(self) -> Readout: ...

    def warm_up(self) -> None: ...

    async def aclose(self) -> None: ...


class WindowVoice(QObject):
    """Made when something is to be heard for the first time; the narrator then follows what the window shows."""

    def __init__(
        self,
        reader: Reader,
        program: Program,
        services: Services,
        chat: ChatView,
        notices: Notices,
        open_settings: Callable[[str], object],
    ) -> None:
        super().__init__(chat)
        self._reader = reader
        self._program = program
        self._services = services
        self._chat = chat
        self._notices = notices
        self._open_settings = open_settings
        self.make_dictation: Callable[[], Dictation] | None = None
        self._dictation: Dictation | None = None
        self._notice: Notice | None = None
        self._is_held = False
        """The voice waits until what the notice says is mended."""
        self._chosen = ""
        """The message that the person asked for."""
        self._read_now = ""
        self.highlight = SpokenHighlight(chat.timeline)
        self.strip = PlayerStrip(services.icons, chat.foot)
        chat.put_above_composer(self.strip)
        self._saving: SpeechSaving | None = None
        self.strip.pause_clicked.connect(self.pause_or_resume)
        self.strip.skip_clicked.connect(self.skip)
        self.strip.stop_clicked.connect(self.stop)
        self.strip.show_clicked.connect(self.show_spoken)
        self.strip.focus_lost.connect(chat.composer.focus_text)
        self.highlight.followed.connect(self._show_strip)
        chat.conversation_changed.connect(self._follow)
        chat.context.voice = self
        self._off = [reader.subscribe(self._on_news), services.settings.subscribe(self._settings_changed)]
        self._follow()
        reader.reads_replies = services.settings.current.voice.read_replies

    @property
    def offers(self) -> VoiceOffers:
        """What the settings page chooses from."""
        return self._program

    @property
    def saving(self) -> SpeechSaving:
        """What makes audio files; made when the first one is wanted."""
        if self._saving is None:
            from sam_py.ui.voice.saving import SpeechSaving

            self._saving = SpeechSaving(self._program, self._services, self._chat, self._notices)
        return self._saving

    # What rows ask

    def is_read(self, message_id: str) -> bool:
        """Whether a message is being read, or about to be."""
        return bool(message_id) and message_id == self._message_read()

    def show_in(self, row: MessageRow) -> None:
        self.highlight.show_in(row)

    # What a person does

    def read_or_stop(self, message_id: str = "") -> None:
        """Read that message, or fall silent where it is being read.

        Without one: what is read ends; else what is selected is read, else the message that the keyboard is on, else
        the last reply.
        """
        if self.is_read(message_id) or (not message_id and self.stop()):
            self.stop()
            return
        timeline = self._chat.timeline
        if not message_id and timeline.selection.read_aloud():
            return
        message_id = message_id or timeline.current_id or self._chat.last_reply() or ""
        if not message_id:
            return
        self._chosen = message_id
        try:
            self._reader.read(message_id)
        except UnknownMessageError:
            self._chosen = ""  # it was deleted while its menu was open
        self._tell_rows()

    def dictate(self, *, by_key: bool = False) -> None:
        """Begin to write down what is said, or end it."""
        if self._dictation is None and self.make_dictation is not None:
            self._dictation = self.make_dictation()
        if self._dictation is not None:
            self._dictation.press(by_key=by_key)

    def read_text(self, text: str) -> None:
        """Read what is selected."""
        from sam_py.speech.plain import as_heard

        self._chosen = ""
        self._reader.read_text(as_heard(text))

    def stop(self) -> bool:
        """Fall silent. False where nothing was to be heard."""
        self._chosen = ""
        if self._reader.state.phase == "silent":
            return False
        self._reader.stop()
        return True

    def pause_or_resume(self) -> None:
        match self._reader.state.phase:
            case "speaking":
                self._reader.pause()
            case "paused":
                self._reader.resume()
            case _:
                pass

    def skip(self) -> None:
        self._reader.skip()

    def show_spoken(self) -> None:
        """Bring what is read into view."""
        self.highlight.go_there()

    def read_replies(self, on: bool) -> None:
        """Read replies while they are written, from now on or no more. Kept in the settings."""

        def change(settings: Settings) -> Settings:
            return settings.model_copy(update={"voice": settings.voice.model_copy(update={"read_replies": on})})

        self._services.settings.change(change)

    def save(self, message_id: str) -> None:
        """Save a message's speech as an audio file, where the person says."""
        conversation = self._chat.conversation
        if conversation is not None and message_id in conversation.bus:
            self.saving.ask(conversation.bus.get(message_id))

    def warm_up(self) -> None:
        """Begin to start what speaks."""
        self._program.warm_up()

    async def aclose(self) -> None:
        """The window is closed: silence, and the end of what speaks."""
        self.end()
        await self._program.aclose()

    def end(self) -> None:
        """The window closes: silence at once, and nothing more is listened to."""
        for off in self._off:
            off()
        self._off.clear()
        if self._dictation is not None:
            self._dictation.cancel()
        if self._saving is not None:
            self._saving.cancel()
        self._reader.stop()
        self._reader.follow(None)

    # What the narrator says

    def _on_news(self, news: VoiceNews) -> None:
        if isinstance(news, SpeechError):
            if not self._program.is_testing:
                self._say(news)
            return
        if news.phase == "silent" or (news.utterance is not None and news.utterance.message_id != self._chosen):
            self._chosen = ""
        if self._is_held and news.phase != "paused":
            self._end_notice()
        self._show_highlight(news)
        self._show_strip()
        self._tell_rows()

    def _show_highlight(self, state: VoiceState) -> None:
        utterance = state.utterance
        if state.phase == "silent" or (utterance is not None and not utterance.message_id):
            self.highlight.show(None)
        elif utterance is not None:
            self.highlight.show(utterance, asked=utterance.message_id == self._chosen)

    def _show_strip(self) -> None:
        away = self.highlight.is_somewhere and not self.highlight.follows
        self.strip.show_state(self._reader.state, can_go_there=away)

    def _message_read(self) -> str:
        state = self._reader.state
        if state.phase == "silent":
            return ""
        return state.utterance.message_id if state.utterance is not None else self._chosen or self._read_now

    def _tell_rows(self) -> None:
        """The button of the message that is read says *Stop*."""
        now = self._message_read()
        if now != self._read_now:
            self._read_now = now
            self._chat.timeline.actions_on_rows.follow()

    def _say(self, error: SpeechError) -> None:
        """At most one notice at a time, however many sentences fail."""
        self._end_notice()
        self._is_held = self._reader.state.phase == "paused"
        self._notices.show_notice(
            str(error),
            kind="error",
            action_text=self.tr("Settings"),
            on_action=lambda: self._open_settings("voice"),
        )
        self._notice = self._notices.notices[-1]

    def _end_notice(self) -> None:
        self._is_held = False
        if self._notice is not None and self._notice in self._notices.notices:
            self._notice.dismiss()

    def _follow(self) -> None:
        conversation = self._chat.conversation
        self._reader.follow(conversation.bus if conversation is not None else None)

    def _settings_changed(self, settings: Settings) -> None:
        self._reader.reads_replies = settings.voice.read_replies
