"""MainWindow: sidebar and conversation side by side, and the commands of the whole program."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget

from sam_py.agent.state import SessionState
from sam_py.errors import SamError
from sam_py.settings.model import ModelChoice, Settings
from sam_py.store.errors import StorageError
from sam_py.ui.actions import Actions
from sam_py.ui.appearance import apply_theme, theme_of
from sam_py.ui.chat.attachments_intake import Intake
from sam_py.ui.chat.chat_view import ChatView
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.empty_state import EmptyState
from sam_py.ui.chat.reply_announcer import ReplyAnnouncer
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.model_files import ModelFiles
from sam_py.ui.open_conversations import OpenConversation, OpenConversations
from sam_py.ui.provider_offers import ProviderOffers
from sam_py.ui.services import Services
from sam_py.ui.sidebar.sidebar import Sidebar
from sam_py.ui.tab_order import move_focus
from sam_py.ui.widgets.notices import Notices
from sam_py.ui.widgets.plain import window_title
from sam_py.ui.window_columns import Columns
from sam_py.ui.window_commands import AppearanceCommands, handlers_of, tab_stops_of
from sam_py.ui.window_inspector import WindowInspector
from sam_py.ui.window_state import Folds, load_window_state, save_window_state

if TYPE_CHECKING:
    from sam_py.ui.window_pages import WindowPages

log = logging.getLogger(__name__)

_FIRST_SIZE, _SMALLEST = (1080, 760), (420, 360)
_QUIET_AFTER_S = 1.5
_REFUSED_LINK_MS, _KEEP_AFTER_MS = 8_000, 1_000


class MainWindow(QMainWindow):
    """The one window. It holds no truth: conversations are in `OpenConversations`, choices in settings.

    Coroutines run through `services.tasks`; every failure ends in a notice.
    """

    closed = Signal()

    def __init__(self, services: Services, conversations: OpenConversations) -> None:
        super().__init__()
        self._services = services
        self.conversations = conversations
        self._state_path = services.paths.state / "window.json"
        self._state = load_window_state(self._state_path)
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEEP_AFTER_MS)
        self._keep_soon.timeout.connect(self._keep_state)
        self._shown_once = False
        self.appearance = AppearanceCommands(services.settings, services.themes)
        self._may_lose = False
        self._turns = 0
        """Counts how often the person turned to a conversation: one that is read slowly must not come up late."""
        self.setWindowTitle("SAM")
        self.setMinimumSize(*_SMALLEST)
        self.setAcceptDrops(False)
        self._offers = ProviderOffers(services, self)
        self.model_files = ModelFiles(services, self)
        context = RowContext(
            themes=services.themes,
            icons=services.icons,
            attachment_path=services.library.attachments.path,
            label_of=self._offers.label_of,
            price_of=self._offers.price_of,
            provider_label=self._offers.provider_label,
            show_metrics=services.settings.current.appearance.show_metrics,
            calls=ToolCalls(services.tools, folds=Folds(self._state.opened, self._keep_soon.start)),
        )
        self._context = context
        self._menu = QMenu(self)
        attachments = services.library.attachments
        self._intake = Intake(attachments.put, services.library.documents.of)
        composer = Composer(services.icons, self._intake, services.tasks.spawn, path_of=attachments.path, parent=self)
        empty = EmptyState(services.icons, parent=self)
        self.chat = ChatView(services, context, self._menu, composer, empty, self)
        self.sidebar = Sidebar(services.library, services.themes, services.icons, services.tasks.spawn, parent=self)
        appearance = services.settings.current.appearance
        self.centre = QStackedWidget(self)
        self.centre.addWidget(self.chat)
        self._pages: WindowPages | None = None
        self.columns = Columns(services.themes, self.sidebar, self.centre, appearance.sidebar_px, self)
        self.columns.sidebar_toggled.connect(self._sidebar_toggled)
        self.setCentralWidget(self.columns)
        self.columns.inspector_px = self._state.inspector_px
        self.inspector = WindowInspector(
            services, self.columns, self.chat, self.label_of, tab=self._state.inspector_tab, parent=self
        )
        self.inspector.toggled.connect(self._inspector_toggled)
        self.notices = Notices(services.themes, services.icons, self)
        self.notices.keep_above(self.chat.foot)
        self._announcer = ReplyAnnouncer(self.chat.timeline)
        self.actions_by_name = Actions(self, handlers_of(self))
        self._fill_menus()
        self._connect(composer, empty)
        self._restore_geometry()
        composer.setFocus()  # keys that are pressed as soon as the window stands are for the message
        self.chat.recent_models, self.chat.models = self._recent_models(), self._offers
        self._apply_settings(services.settings.current)
        self._unsubscribe = services.settings.subscribe(self._apply_settings)

    # Start and end

    async def start(self) -> None:
        """Bring back what was shown last, then look around for servers. The window stands already."""
        await self._begin(self._state.conversation)
        self.inspector.show(self._state.inspector_shown)
        self.chat.composer.setFocus()
        for problem in self._services.settings.problems:
            self.notices.show_notice(problem, kind="error")
        self._look_for_servers()
        self._services.tasks.spawn(self._when_all_is_quiet(), "housekeeping")

    async def _begin(self, last: str) -> None:
        """Show `last`, or a new conversation. Where the conversations cannot be read, say so and offer to try again."""
        try:
            await self._services.library.start()
        except SamError as error:
            retry = lambda: self._services.tasks.spawn(self._begin(last), "read the conversations again")  # noqa: E731
            self.notices.show_notice(str(error), "error", self.tr("Try again"), retry, about="gone")
        self.sidebar.refresh(self._state.folded)
        shown = self.chat.conversation
        if self._services.library.summary(last) is not None and (shown is None or not len(shown.bus)):
            await self._open(last)
        elif shown is None:
            await self._show(self.conversations.new())

    async def _when_all_is_quiet(self) -> None:
        """What can wait until the person has begun: loading the network code, the trash, what models can take."""
        await asyncio.sleep(_QUIET_AFTER_S)
        if self._services.settings.current.providers:  # the guide needs no network, and its 18 MB would lie idle
            await self._services.registry.http.warm_up()
        self._offers.learn_limits()
        await self._services.library.purge_trash()

    def _look_for_servers(self) -> None:
        self._offers.look_for_servers(self.chat.empty.set_found)

    async def aclose(self) -> None:
        """Keep where everything stood. Called once, after the window is closed."""
        self._unsubscribe()
        self._keep_state()
        self._announcer.detach()
        self.inspector.close()
        if self._pages is not None:
            self._pages.close()
        self.chat.leave()
        self.sidebar.detach()
        self._intake.close()

    def report(self, error: BaseException) -> None:
        """A task failed: say it."""
        if isinstance(error, StorageError) and error.solved:
            if error.kind != "missing" and self._services.library.trouble is None:
                self.notices.take_back("full", "read_only", "gone", "failed")
            self.notices.show_notice(str(error), kind="success")
        elif isinstance(error, SamError):
            self.notices.show_notice(str(error), kind="error", about=getattr(error, "kind", ""))
        else:
            text = self.tr("Something went wrong inside SAM. Nothing is lost; the log says more.")
            self.notices.show_notice(text, "error", self.tr("Open the log"), self._offers.open_log)

    def raise_to_front(self) -> None:
        """Another start of the program wants to see this window."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def label_of(self, provider: str, model: str) -> str:
        return self._offers.label_of(provider, model)

    # Conversations

    def new_conversation(self) -> None:
        """Show an empty conversation; the one that is empty already is used again."""
        self.to_conversation()
        self._services.tasks.spawn(self.show_new(), "new conversation")

    async def show_new(self) -> None:
        """As `new_conversation`; it is shown when this returns."""
        shown = self.chat.conversation
        if shown is None or not shown.is_blank:
            await self._show(self.conversations.new())
        self.to_conversation()
        self.chat.composer.setFocus()

    def open_conversation(self, conversation_id: str) -> None:
        self._services.tasks.spawn(self._open(conversation_id), "open conversation")

    async def _open(self, conversation_id: str) -> None:
        self._turns += 1
        turn = self._turns
        try:
            conversation = await self.conversations.open(conversation_id)
        except SamError as error:
            self.report(error)
            if self.chat.conversation is None:
                await self._show(self.conversations.new())
            return
        if turn != self._turns:  # the person went on to another one while this one was read
            return
        conversation.place = conversation.place or self._state.places.get(conversation_id)
        await self._show(conversation)

    async def _show(self, conversation: OpenConversation) -> None:
        self._turns += 1
        self.to_conversation()
        if conversation is self.chat.conversation:
            return
        self._keep_place()
        self.chat.show_conversation(conversation, self._services.library.drafts.load(conversation.id))
        self._announcer.attach(conversation.bus)
        self.inspector.conversation_shown()
        self.sidebar.set_current(conversation.id)
        self.chat.composer.setFocus()
        self.notices.say_of(conversation.id, conversation.notices)
        conversation.notices = ()
        update = {"conversation": conversation.id, "folded": self.sidebar.model.folded}
        self._state = self._state.model_copy(update=update)
        save_window_state(self._state_path, self._state)  # a crash comes back to this conversation, too
        await self.conversations.close_idle(conversation)

    @property
    def pages(self) -> WindowPages:
        """What can stand in the place of the conversation, and jumps into it; made when first used."""
        if self._pages is None:
            from sam_py.ui.window_pages import WindowPages

            self._pages = WindowPages(self._services, self, self._open)
        return self._pages

    def to_conversation(self) -> None:
        """Turn back from a page, if one is shown."""
        if self._pages is not None:
            self._pages.back()

    def on_session_state(self, conversation: OpenConversation, state: SessionState) -> None:
        """Called with every new state of every open conversation."""
        self.sidebar.set_busy(conversation.id, state.is_busy)
        if conversation is self.chat.conversation:
            self.chat.show_state(state)

    def on_deleted(self, conversation_id: str) -> None:
        """The sidebar deleted a conversation: show another one if it was this."""
        self._services.tasks.spawn(self._forget(conversation_id), "close a deleted conversation")

    async def _forget(self, conversation_id: str) -> None:
        shown = self.chat.conversation
        if shown is not None and shown.id == conversation_id:
            await self._show(self.conversations.new())
        await self.conversations.close(conversation_id)
        self._services.tools.forget(conversation_id)
        self._services.registry.http.sent.forget(conversation_id)

    # Commands

    def open_settings(self, page: str = "", account: str = "") -> None:
        from sam_py.ui.settings.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._services, self)
        if page:
            dialog.show_page(page, account)
        dialog.open()

    def open_palette(self) -> None:
        from sam_py.ui.widgets.command_palette import CommandPalette

        CommandPalette.open_over(
            self,
            self._services.themes,
            self.actions_by_name,
            self._services.library.summaries(),
            self.open_conversation,
        )

    def _remember_model(self, provider: str, model: str) -> None:
        choice = f"{provider}\n{model}"
        recent = (choice, *(each for each in self._state.recent_models if each != choice))[:8]
        self._state = self._state.model_copy(update={"recent_models": recent})
        self.chat.recent_models = self._recent_models()
        self._offers.remember_choice(provider, model)

    def _recent_models(self) -> tuple[ModelChoice, ...]:
        pairs = (each.split("\n", 1) for each in self._state.recent_models if "\n" in each)
        return tuple(ModelChoice(provider=provider, model=model) for provider, model in pairs)

    def _open_link(self, url: str) -> None:
        try:
            self._offers.open_link(url)
        except SamError as error:
            self.notices.show_notice(str(error), kind="error", timeout_ms=_REFUSED_LINK_MS)

    def toggle_sidebar(self) -> None:
        shown = self.sidebar.isHidden()
        if not self.columns.is_narrow:  # there it is shown for a moment
            self.appearance.change(sidebar_shown=shown)
        self.columns.show_sidebar(shown)

    def _sidebar_toggled(self, shown: bool) -> None:
        self.chat.header.show_sidebar_buttons(not shown)
        self.actions_by_name["sidebar"].setChecked(shown)

    def _inspector_toggled(self, shown: bool) -> None:
        self.chat.header.inspector_button.setChecked(shown)
        self.actions_by_name["inspector"].setChecked(shown)

    def ask_guide(self) -> None:
        """A new conversation with the offline guide, ready for a question."""
        self._services.tasks.spawn(self._open_guide(), "ask the guide")

    async def _open_guide(self) -> None:
        await self.show_new()
        self.chat.use_here("guide", "guide")
        self.chat.composer.setFocus()

    def close_now(self) -> None:
        """Close without a question: the system ends, or somebody asked from outside."""
        self._may_lose = True
        self.close()

    def _ask_whether_to_lose(self, trouble: StorageError) -> None:
        from sam_py.ui.widgets.confirm import Confirm

        title = self.tr("Your last words are not saved")
        Confirm.ask(self, self._services.icons, title, str(trouble), self.tr("Quit and lose them"), self.close_now)

    # Wiring

    def _connect(self, composer: Composer, empty: EmptyState) -> None:
        chat, sidebar = self.chat, self.sidebar
        sidebar.conversation_chosen.connect(self.open_conversation)
        sidebar.conversation_chosen.connect(self.columns.leave_sidebar)
        sidebar.new_requested.connect(self.new_conversation)
        sidebar.new_requested.connect(self.columns.leave_sidebar)
        sidebar.settings_requested.connect(self.open_settings)
        sidebar.page_requested.connect(lambda name: self.pages.toggle(name))
        sidebar.page_requested.connect(self.columns.leave_sidebar)
        sidebar.search_requested.connect(lambda text: self.pages.search(text))
        sidebar.deleted.connect(self.on_deleted)
        sidebar.notice_requested.connect(self._sidebar_notice)
        sidebar.hide_requested.connect(self.toggle_sidebar)
        chat.header.sidebar_requested.connect(self.toggle_sidebar)
        chat.header.new_requested.connect(self.new_conversation)
        chat.header.inspector_requested.connect(self.inspector.toggle)
        self.inspector.jumped.connect(self.to_conversation)
        chat.settings_requested.connect(lambda provider: self.open_settings("providers", provider))
        chat.notice.connect(lambda text: self.notices.show_notice(text, timeout_ms=1500))
        chat.trouble.connect(lambda text: self.notices.show_notice(text, kind="error"))
        chat.undo_offered.connect(self._offer_undo)
        chat.title_changed.connect(lambda title: self.setWindowTitle(f"{window_title(title)} – SAM"))
        chat.timeline.link_clicked.connect(self._open_link)
        chat.timeline.image_clicked.connect(self._offers.open_image)
        composer.add_provider_requested.connect(lambda: self.open_settings("providers"))
        composer.dictation_wanted.connect(lambda: chat.voice.dictate())
        composer.models_refresh_requested.connect(self._offers.ask_everyone)
        chat.model_chosen.connect(self._remember_model)
        empty.look_again_requested.connect(self._look_for_servers)
        empty.suggestion_chosen.connect(lambda text: chat.send(text, ()))
        empty.add_key_requested.connect(lambda _preset: self.open_settings("providers"))
        empty.local_server_chosen.connect(self._offers.adopt_server)
        empty.model_file_requested.connect(self.model_files.choose)
        empty.note.cancel_requested.connect(self.model_files.cancel)
        self.model_files.working.connect(self._model_file_news)
        self.model_files.troubled.connect(lambda *trouble: self._model_file_news(*trouble, trouble=True))
        self.model_files.ready.connect(self._offers.adopt_server)
        self._offers.changed.connect(chat.show_model)
        self._offers.changed.connect(self.inspector.refresh)
        self._offers.chosen.connect(chat.set_model)
        self._offers.failed.connect(chat.trouble)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _scheme: self._retheme())
        hints.accessibility().contrastPreferenceChanged.connect(lambda _preference: self._retheme())

    def _sidebar_notice(self, text: str, action_text: str, on_action: object) -> None:
        assert callable(on_action) or on_action is None
        self.notices.show_notice(text, action_text=action_text, on_action=on_action)

    def _offer_undo(self, text: str, undo: object) -> None:
        assert callable(undo)
        self.notices.show_notice(text, action_text=self.tr("Undo"), on_action=undo)

    def _model_file_news(self, text: str, command: str = "", detail: str = "", *, trouble: bool = False) -> None:
        """Said where the ways to connect are, or as a notice where a conversation is on screen."""
        note = self.chat.empty.note
        note.say(text, trouble=trouble, command=command, detail=detail)
        if text and not note.isVisible():
            words = " ".join(filter(None, (text, command)))
            self.notices.show_notice(words, kind="error" if trouble else "info")

    def _fill_menus(self) -> None:
        bar = self.menuBar()
        if bar.isNativeMenuBar():
            self.actions_by_name.fill_menu_bar(bar)
        else:
            bar.hide()
        self.actions_by_name.fill_menu(self._menu)

    def _apply_settings(self, settings: Settings) -> None:
        self._services.registry.configure(settings.providers)
        self._context.show_metrics = settings.appearance.show_metrics
        self.sidebar.commands.auto_pin = settings.chat.auto_pin
        for conversation in self.conversations.all():
            conversation.session.defaults = settings.chat
            conversation.bus.auto_pin = settings.chat.auto_pin
        self.chat.composer.set_send_with(settings.chat.send_with)
        self.chat.composer.show_reads(settings.voice.read_replies)
        self.actions_by_name["read_replies"].setChecked(settings.voice.read_replies)
        self._announcer.is_quiet = settings.voice.read_replies
        self._retheme()
        self._offers.refresh()
        self.columns.want_sidebar(settings.appearance.sidebar_shown)

    def _retheme(self) -> None:
        theme = theme_of(self._services.settings.current.appearance)
        before = self._services.themes.current.scale
        if apply_theme(theme, self._services.themes):
            if theme.scale != before:
                self.columns.set_widths()
                self.columns.make_room()
            self.update()

    # Where the window stands

    def _restore_geometry(self) -> None:
        saved = QByteArray.fromHex(self._state.geometry.encode())
        if saved.isEmpty() or not self.restoreGeometry(saved):
            self.resize(*_FIRST_SIZE)
        self.columns.set_widths()

    def _keep_place(self) -> None:
        conversation = self.chat.conversation
        if conversation is None:
            return
        self._state = self._state.with_place(conversation.id, self.chat.timeline.place())

    def _keep_state(self) -> None:
        self._keep_soon.stop()
        self._keep_place()
        conversation = self.chat.conversation
        update = {
            "geometry": bytes(self.saveGeometry().toHex().data()).decode(),
            "conversation": conversation.id if conversation is not None else "",
            "folded": self.sidebar.model.folded,
            "inspector_shown": self.inspector.is_shown,
            "inspector_px": self.columns.inspector_px,
            "inspector_tab": self.inspector.tab,
            "opened": self._context.folds.kept(),
        }
        self._state = self._state.model_copy(update=update)
        save_window_state(self._state_path, self._state)
        if self.columns.sidebar_px != self._services.settings.current.appearance.sidebar_px:
            self.appearance.change(sidebar_px=self.columns.sidebar_px)

    # Qt

    def focusNextPrevChild(self, next: bool) -> bool:
        return move_focus(self, tab_stops_of(self), 1 if next else -1) or super().focusNextPrevChild(next)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()  # hidden at once, gone when everything is saved: app.py ends the program
        trouble = self._services.library.trouble
        if trouble is not None and not self._may_lose:
            self._ask_whether_to_lose(trouble)
            return
        self._keep_state()
        self.hide()
        self.closed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown_once:
            self._shown_once = True
            QTimer.singleShot(0, self.chat.composer.setFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.columns.make_room()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.appearance.zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)
