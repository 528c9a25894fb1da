"""ChatView: header, timeline and composer of the one conversation that is shown."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from sam_py.agent.state import SessionState
from sam_py.agent.summaries import reworded, words_of
from sam_py.bus import todo_list
from sam_py.bus.deltas import Delta, SettingChanged
from sam_py.bus.unfinished import is_unfinished
from sam_py.errors import SamError
from sam_py.messages.message import AssistantMessage, DeveloperMessage, Message, UserMessage
from sam_py.messages.parts import FilePart, Part, TextPart
from sam_py.settings.model import ModelChoice
from sam_py.store.drafts import Draft
from sam_py.ui.chat.chat_context import ChatContext
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.empty_state import EmptyState
from sam_py.ui.chat.header import Header
from sam_py.ui.chat.model_facts import ModelKnowledge
from sam_py.ui.chat.reply_facts import totals_of, totals_words
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.chat.timeline_rows import COLUMNS_PER_ROW
from sam_py.ui.mini_prompts.control import MiniPromptsControl
from sam_py.ui.open_conversations import OpenConversation
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.program_keeping import ProgramKeeping
    from sam_py.ui.voice.window_voice import WindowVoice

log = logging.getLogger(__name__)

_WRITES = frozenset({"edit", "edit_reply", "regenerate", "continue", "retry", "pin", "remove", "keep", "never"})


class ChatView(QWidget):
    """Shows an `OpenConversation` and turns what a person does in it into calls of its session.

    Troubles go to `trouble` (a sentence); everything that concerns the whole window goes up as a signal.
    """

    trouble = Signal(str)
    notice = Signal(str)
    undo_offered = Signal(str, object)
    """Words about what was done, and what undoes it."""
    settings_requested = Signal(str)
    title_changed = Signal(str)
    model_chosen = Signal(str, str)
    conversation_changed = Signal()
    """Another conversation is shown, or none."""

    def __init__(
        self,
        services: Services,
        context: RowContext,
        menu: QMenu,
        composer: Composer,
        empty: EmptyState,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._context = context
        self.conversation: OpenConversation | None = None
        self._off: Callable[[], None] | None = None
        self.recent_models: tuple[ModelChoice, ...] = ()
        self.models: ModelKnowledge | None = None
        """What the picker asks of models; the window sets it."""
        self.header = Header(services.themes, services.icons, menu, self)
        self.timeline = Timeline(context, self)
        self.empty = empty
        self.composer = composer
        self.prompts = MiniPromptsControl(services.mini_prompts, services.icons, services.tasks.spawn, composer, self)
        self.prompts.trouble.connect(self.trouble)
        self.chat_context = ChatContext(services, context, self.timeline, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.timeline)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self._stack, 1)
        self.foot = QWidget(self)
        """What notices must not cover: the strip and the composer."""
        foot = QVBoxLayout(self.foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(0)
        foot.addWidget(self.chat_context.strip)
        foot.addWidget(composer)
        layout.addWidget(self.foot)
        self._message_actions = self._handlers()
        self.timeline.action_requested.connect(self._act)
        self.timeline.copy_requested.connect(lambda text: QGuiApplication.clipboard().setText(text))
        self.timeline.selection.read_wanted.connect(lambda text: self.voice.read_text(text))
        self.timeline.selection.save_wanted.connect(self._save_rows)
        context.calls.whole_requested.connect(self._open_whole)
        context.calls.typed.connect(self._type)
        context.open_file = self._open_file
        self.chat_context.offered.connect(self.undo_offered)
        self.chat_context.model_requested.connect(composer.open_model_picker)
        self.chat_context.strip.focus_lost.connect(composer.setFocus)
        self.header.renamed.connect(self._rename)
        self.header.settings_requested.connect(self.open_settings)
        self.header.rename_ended.connect(composer.setFocus)
        composer.send_requested.connect(self.send)
        composer.stop_requested.connect(self.stop)
        composer.escaped.connect(self.fall_silent)
        composer.reads_toggled.connect(lambda on: self.voice.read_replies(on))
        composer.edit_last_requested.connect(self.edit_last)
        composer.edit_submitted.connect(self._edit)
        composer.queued_removed.connect(self._drop_queued)
        composer.queued_edited.connect(self._edit_queued)
        composer.queued_sent.connect(self._send_queued)
        composer.draft_changed.connect(self._keep_draft)
        composer.model_chosen.connect(self.set_model)
        self._usage_soon = QTimer(self)
        self._usage_soon.setSingleShot(True)
        self._usage_soon.setInterval(0)
        self._usage_soon.timeout.connect(self._show_usage)

    # Which conversation

    def show_conversation(self, conversation: OpenConversation, draft: Draft) -> None:
        """Show another conversation; the reader's place in the one before is kept in it."""
        early = self.composer.draft() if self.conversation is None else Draft()  # typed while the program started
        self.leave()
        self.conversation = conversation
        self._off = conversation.bus.subscribe(self._on_delta)
        self._context.calls.attach(conversation.bus)
        self.prompts.attach(conversation.bus)
        self.chat_context.attach(conversation)
        # First the timeline gets its width: measuring the rows once is enough then.
        self._stack.setCurrentWidget(self.timeline if len(conversation.bus) else self.empty)
        conversation.model.set_idle(not conversation.session.state.is_busy)
        self.timeline.set_model(conversation.model, conversation.place)
        if draft.edit is not None and draft.edit.message_id not in conversation.bus:  # deleted, here or elsewhere
            edit = draft.edit
            text = "\n\n".join(piece for piece in (edit.text, draft.text) if piece)
            draft = draft.model_copy(update={"text": text, "parts": (*edit.parts, *draft.parts), "edit": None})
        self.composer.set_draft(draft)
        if early.text or early.parts:
            self.composer.put_back(early.text, early.parts)
        self.show_state(conversation.session.state)
        self._show_title()
        self._show_usage()
        self._show_todo()
        self.show_model()
        self.conversation_changed.emit()

    def leave(self) -> None:
        """Let go of the conversation that is shown, keeping where the reader was."""
        if self.conversation is not None:
            self.conversation.place = self.timeline.place()
        if self._off is not None:
            self._off()
            self._off = None
        self.timeline.set_model(None)
        self._context.calls.detach()
        self.chat_context.detach()
        self.prompts.detach()
        self.conversation = None
        self.conversation_changed.emit()

    def show_state(self, state: SessionState) -> None:
        self.composer.set_busy(state.is_busy)
        self.composer.set_queued(state.queued)
        self.timeline.set_waiting(state.text if state.phase == "waiting" else "")
        self.chat_context.show_state(state)
        if self.conversation is not None:
            self.conversation.model.set_idle(not state.is_busy)
            self.composer.set_refusal(self._services.library.refusal_of(self.conversation.id))

    def show_model(self) -> None:
        """Name the model of the next request, and offer the others."""
        if self.conversation is not None:
            choice = self.conversation.session.choice
            providers = self._services.settings.current.providers
            self.composer.set_models(providers, choice, self.recent_models, self.models)
            label = self._context.label_of(choice.provider, choice.model)
            self.empty.set_model(choice.provider, label, is_connected=bool(self._services.settings.current.providers))

    # What a person does

    def send(self, text: str, parts: tuple[Part, ...]) -> None:
        conversation = self.conversation
        if conversation is None or self._refuses():  # it still starts, or nothing can be kept: back into the box
            QTimer.singleShot(0, lambda: self.composer.put_back(text, parts))
            return
        self._stack.setCurrentWidget(self.timeline)
        self.timeline.go_to_end()
        self._spawn(conversation.session.send(text, parts), "send")

    def stop(self) -> None:
        """End the reply, and what is read of it: also while tools run, when no reply streams."""
        self.fall_silent()
        if self.conversation is not None:
            self.conversation.session.stop()

    @property
    def context(self) -> RowContext:
        return self._context

    def put_above_composer(self, strip: QWidget) -> None:
        """A line between the messages and the composer: it takes room at the foot, and moves nothing that is read."""
        layout = self.foot.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.composer), strip)

    @property
    def voice(self) -> WindowVoice:
        """What reads messages aloud; made when it is first asked for."""
        return self._services.voice()

    @property
    def keeping(self) -> ProgramKeeping:
        return self._services.keeping()

    def fall_silent(self) -> bool:
        """Stop reading aloud. False where nothing was read."""
        return self._context.voice is not None and self._context.voice.stop()

    def set_model(self, provider: str, model: str) -> None:
        """Use a model in this conversation from now on, and in new ones."""
        self.use_here(provider, model)
        if self.conversation is not None:
            self.model_chosen.emit(provider, model)

    def use_here(self, provider: str, model: str) -> None:
        """Use a model in this conversation alone."""
        if self.conversation is not None:
            self.conversation.session.set_model(provider, model)
            self.show_model()

    def open_settings(self) -> None:
        """What this conversation does otherwise than the program's settings say."""
        from sam_py.ui.chat.conversation_settings import ConversationSettingsDialog

        if self.conversation is not None:
            session = self.conversation.session
            label = self._context.label_of(session.choice.provider, session.choice.model)
            ConversationSettingsDialog(self._services, session, label, self).open()

    def summarise(self) -> None:
        """Let the model summarise what was said before the last turns; a strip above the composer says how it goes."""
        self.chat_context.summarise()

    def edit_last(self) -> None:
        """Put the last message of the person into the composer, to be sent again otherwise."""
        if (message_id := self._last("user")) is not None:
            self._act("edit", message_id)

    def last_reply(self) -> str | None:
        """The id of the last reply on the path."""
        return self._last("assistant")

    def _last(self, role: str) -> str | None:
        bus = self.conversation.bus if self.conversation is not None else None
        for index in range(len(bus) - 1 if bus is not None else -1, -1, -1):
            assert bus is not None
            if bus.role_at(index) == role:
                return bus.id_at(index)
        return None

    def act_on_last_reply(self, action: str) -> None:
        conversation = self.conversation
        tip = conversation.bus.tip if conversation is not None else None
        if action == "regenerate" and conversation is not None and tip is not None:
            unfinished = not conversation.is_busy and is_unfinished(conversation.bus, tip)
            if unfinished or conversation.bus.get(tip).role == "user":
                self._act("retry", tip)
                return
        if (reply := self.last_reply()) is not None:
            self._act(action, reply)

    def _act(self, action: str, message_id: str) -> None:
        conversation = self.conversation
        if conversation is None or message_id not in conversation.bus:
            return
        handler = self._message_actions.get(action)
        if handler is None:
            log.error("the timeline asked for the unknown action %s", action)
        elif action not in _WRITES or not self._refuses():
            handler(conversation, message_id)

    def _refuses(self) -> bool:
        """Whether nothing can be written here: then it is said why."""
        why = self._services.library.refusal_of(self.conversation.id) if self.conversation is not None else ""
        if why:
            self.trouble.emit(why)
        return bool(why)

    def _handlers(self) -> dict[str, Callable[[OpenConversation, str], None]]:
        return {
            "copy": self._copy,
            "copy_markdown": self._copy,
            "edit": lambda c, id_: self._begin_edit(c.bus.get(id_)),
            "edit_reply": lambda c, id_: self._begin_edit(c.bus.get(id_)),
            "regenerate": self._regenerate,
            "continue": lambda c, id_: self._spawn(c.session.continue_reply(id_), "continue"),
            "retry": lambda c, id_: self._spawn(c.session.retry(id_), "retry"),
            "speak": lambda _c, id_: self.voice.read_or_stop(id_),
            "save": lambda c, id_: self.keeping.export_messages(c.id, (id_,)),
            "save_speech": lambda _c, id_: self.voice.save(id_),
            "pin": lambda c, id_: c.bus.annotate(id_, pinned=not c.bus.get(id_).pinned),
            "previous": lambda c, id_: self._step_branch(c, id_, -1),
            "next": lambda c, id_: self._step_branch(c, id_, 1),
            "remove": self._remove,
            "details": self._show_details,
            "model": lambda _c, _id: self.composer.open_model_picker(),
            "settings": self._open_settings_for,
            **self.chat_context.handlers(),
        }

    def _save_rows(self, first: int, last: int) -> None:
        if self.conversation is not None:
            bus = self.conversation.bus
            places = range(first // COLUMNS_PER_ROW, min(last // COLUMNS_PER_ROW + 1, len(bus)))
            self.keeping.export_messages(self.conversation.id, tuple(map(bus.id_at, places)))

    def _show_details(self, conversation: OpenConversation, message_id: str) -> None:
        from sam_py.ui.chat.message_details import MessageDetails

        MessageDetails(conversation.bus.get(message_id), self._context, self).open()

    def _open_whole(self, attachment: str) -> None:
        from sam_py.ui.chat.tool_whole import WholeOutput

        path = self._services.library.attachments.path(attachment)
        try:
            if path is None:
                raise FileNotFoundError(attachment)
            WholeOutput(path, self._context, self).open()
        except OSError as error:
            log.warning("the output %s cannot be read: %s", attachment, error)
            self.trouble.emit(self.tr("The whole output is no longer there. The part on the card is all that is left."))

    def _open_file(self, part: FilePart) -> None:
        from sam_py.ui.chat.opened_files import open_file

        work = open_file(part, self._services.library, self._context, self, self.trouble.emit)
        self._spawn(work, "open a file")

    def _type(self, text: str) -> None:
        """Words that were meant for the message, typed while a question had the keyboard."""
        self.composer.setFocus()
        self.composer.text.insertPlainText(text)

    def _copy(self, conversation: OpenConversation, message_id: str) -> None:
        QGuiApplication.clipboard().setText(conversation.bus.get(message_id).plain_text)
        self.notice.emit(self.tr("Copied"))

    def _open_settings_for(self, conversation: OpenConversation, message_id: str) -> None:
        message = conversation.bus.get(message_id)
        choice = conversation.session.choice
        self.settings_requested.emit(message.provider if isinstance(message, AssistantMessage) else choice.provider)

    def _begin_edit(self, message: Message) -> None:
        rest = tuple(part for part in message.parts if not isinstance(part, TextPart))
        if isinstance(message, AssistantMessage):
            rest = ()
        text = words_of(message) if isinstance(message, DeveloperMessage) else message.text
        self.composer.set_edit_mode(message.id, text, rest)

    def _edit(self, message_id: str, text: str, parts: tuple[Part, ...]) -> None:
        conversation = self.conversation
        if conversation is None:
            return
        if message_id not in conversation.bus or self._services.library.refusal_of(conversation.id):
            self.send(text, parts)  # deleted meanwhile, or not to be written: what was written is not lost with it
            return
        message = conversation.bus.get(message_id)
        if isinstance(message, UserMessage):
            self._spawn(conversation.session.edit_and_resend(message_id, text, parts), "edit and send again")
        elif isinstance(message, DeveloperMessage) and message.covers:
            try:
                conversation.bus.replace(reworded(message, text))
            except SamError as error:
                self.trouble.emit(str(error))
        else:
            kept = tuple(part for part in message.parts if not isinstance(part, TextPart))
            conversation.bus.replace(message.model_copy(update={"parts": (*kept, TextPart(text=text.strip()))}))

    def _regenerate(self, conversation: OpenConversation, message_id: str) -> None:
        bus, session = conversation.bus, conversation.session
        if bus.get(message_id).role == "assistant":
            self._spawn(session.regenerate(message_id), "regenerate")
            return
        index = bus.index_of(message_id)
        below = bus.id_at(index + 1) if index is not None and index + 1 < len(bus) else None
        if below is not None and bus.get(below).role == "assistant":
            self._spawn(session.regenerate(below), "regenerate")
        else:
            self._spawn(session.retry(message_id), "retry")

    def _step_branch(self, conversation: OpenConversation, message_id: str, step: int) -> None:
        brothers = conversation.bus.siblings(message_id)
        place = brothers.index(message_id) + step
        if 0 <= place < len(brothers):
            conversation.session.select_branch(brothers[place])
            self.timeline.show_message(brothers[place], mark=False)
            self.timeline.set_current(brothers[place])

    def _remove(self, conversation: OpenConversation, message_id: str) -> None:
        message = conversation.bus.get(message_id)
        if message_id == conversation.session.works_at:  # calls that wait or run get their results by that
            conversation.session.stop()
        results = [self._context.calls.result_of(part.call_id, message_id) for part in message.tool_calls]
        conversation.session.remove(message_id)
        self.chat_context.removed(conversation, message)
        for result in results:  # a call and its result go together
            if result is not None:
                conversation.session.remove(result.id)
        if not len(conversation.bus):
            self._stack.setCurrentWidget(self.empty)
            self.composer.setFocus()  # the messages had the keyboard

    def _drop_queued(self, index: int) -> None:
        if self.conversation is not None and index < len(self.conversation.session.state.queued):
            self.conversation.session.remove_queued(index)

    def _edit_queued(self, index: int) -> None:
        """Bring a queued message back into the composer, before what stands there."""
        if self.conversation is None or index >= len(self.conversation.session.state.queued):
            return
        message = self.conversation.session.remove_queued(index)
        self.composer.put_back(message.text, message.parts)

    def _send_queued(self) -> None:
        if self.conversation is not None and not self._refuses():
            self._spawn(self.conversation.session.send_queued(), "send what was held")

    def _rename(self, title: str) -> None:
        if self.conversation is not None:
            self.conversation.bus.change_setting("title_source", "person")
            self.conversation.bus.change_setting("title", title)

    def _keep_draft(self, draft: Draft) -> None:
        if self.conversation is not None:
            self._services.library.drafts.save(self.conversation.id, draft)

    def _spawn(self, work: object, name: str) -> None:
        self._services.tasks.spawn(work, name)  # type: ignore[arg-type]

    # News

    def _on_delta(self, delta: Delta) -> None:
        if isinstance(delta, SettingChanged):
            if delta.key == "title":
                self._show_title()
            elif delta.key in ("provider", "model"):
                self.show_model()
            elif delta.key == todo_list.SETTING:
                self._show_todo()
            return
        if not self._usage_soon.isActive() and type(delta).__name__ in ("Inserted", "Updated", "Removed", "Reset"):
            self._usage_soon.start()

    def _show_title(self) -> None:
        assert self.conversation is not None
        title = self.conversation.bus.settings.title or self.tr("New chat")
        self.header.set_title(title)
        self.title_changed.emit(title)

    def _show_todo(self) -> None:
        if self.conversation is not None:
            kept = getattr(self.conversation.bus.settings, todo_list.SETTING, None)
            self.header.todo_button.show_list(todo_list.TodoList.from_json(kept))

    def _show_usage(self) -> None:
        """The tokens and the cost of all requests so far."""
        if self.conversation is None:
            return
        if len(self.conversation.bus):
            self._stack.setCurrentWidget(self.timeline)
        self.header.set_usage(*totals_words(totals_of(self.conversation.bus.tasks, self._context)))

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Page Up, Page Down, F2 and Escape, where nothing that has the keyboard has a use for them."""
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self.timeline.isVisible():
            self.timeline.scroll_page(-1 if event.key() == Qt.Key.Key_PageUp else 1)
        elif event.key() == Qt.Key.Key_F2 and not event.modifiers():
            self.header.begin_rename()
        elif event.key() == Qt.Key.Key_Escape and self.conversation is not None and self.conversation.is_busy:
            self.stop()
        elif event.key() == Qt.Key.Key_Escape and self.fall_silent():
            event.accept()
        else:
            super().keyPressEvent(event)
