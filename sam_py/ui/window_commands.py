"""What each command of the window does, and the commands that change how it looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from sam_py.settings.file import SettingsFile
from sam_py.settings.model import AppearanceSettings, Settings
from sam_py.ui.tab_order import stops_below
from sam_py.ui.theme import Themes

if TYPE_CHECKING:
    from sam_py.ui.main_window import MainWindow

_ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)


class AppearanceCommands:
    """Larger, smaller, light, dark: written to the settings, from where the window takes them."""

    def __init__(self, settings: SettingsFile, themes: Themes) -> None:
        self._settings = settings
        self._themes = themes

    def zoom(self, step: int) -> None:
        """Take the next larger (1) or smaller (-1) text size, or the normal one (0)."""
        now = self._settings.current.appearance.text_scale
        if step == 0:
            scale = 100
        elif step > 0:
            scale = next((zoom for zoom in _ZOOMS if zoom > now), _ZOOMS[-1])
        else:
            scale = next((zoom for zoom in reversed(_ZOOMS) if zoom < now), _ZOOMS[0])
        self.change(text_scale=scale)

    def toggle_theme(self) -> None:
        self.change(theme="light" if self._themes.current.dark else "dark")

    def change(self, **fields: object) -> None:
        """Set fields of `AppearanceSettings`. Raises ValueError for what does not fit."""

        def changed(settings: Settings) -> Settings:
            values = {**settings.appearance.model_dump(), **fields}
            return settings.model_copy(update={"appearance": AppearanceSettings.model_validate(values)})

        self._settings.change(changed)


def tab_stops_of(window: MainWindow) -> list[QWidget]:
    """What Tab goes through: sidebar, header, messages, composer (or the page in their place), inspector, notices."""
    chat = window.chat
    messages = chat.timeline.walk.tab_stops() if chat.timeline.isVisible() else stops_below(chat.empty)
    sides: tuple[list[QWidget], ...]
    sides = stops_below(window.sidebar), stops_below(chat.header), messages, stops_below(chat.foot)
    page = window.centre.currentWidget()
    if page is not None and page is not chat:
        sides = stops_below(window.sidebar), stops_below(page)
    inspector = window.inspector.widget
    if inspector is not None and inspector.isVisible():
        sides = (*sides, stops_below(inspector))
    return [stop for side in sides for stop in side] + stops_below(window.notices)


def handlers_of(window: MainWindow) -> dict[str, Callable[[], object]]:
    """What runs for each action of `ui/actions.py`, by the action's name."""
    chat, sidebar = window.chat, window.sidebar
    return {
        "new": window.new_conversation,
        "attach": chat.composer.choose_files,
        "model_file": window.model_files.choose,
        "import": lambda: chat.keeping.import_files(),
        "export_all": lambda: chat.keeping.export_all(),
        "settings": window.open_settings,
        "quit": window.close,
        "edit_last": chat.edit_last,
        "copy_reply": lambda: chat.act_on_last_reply("copy"),
        "find": lambda: window.pages.find_here(),
        "find_next": lambda: window.pages.find_here(1),
        "find_previous": lambda: window.pages.find_here(-1),
        "search": lambda: window.pages.toggle("search"),
        "filter": lambda: _focus_filter(window),
        "pinned": lambda: window.pages.toggle("pinned"),
        "library": lambda: window.pages.toggle("library"),
        "stop": chat.stop,
        "regenerate": lambda: chat.act_on_last_reply("regenerate"),
        "continue": lambda: chat.act_on_last_reply("continue"),
        "model": chat.composer.open_model_picker,
        "mini_prompts": chat.prompts.toggle_panel,
        "chat_settings": chat.open_settings,
        "summarise": chat.summarise,
        "rename": chat.header.begin_rename,
        "pin": lambda: sidebar.act("pin"),
        "duplicate": lambda: sidebar.act("duplicate"),
        "export": lambda: sidebar.act("export"),
        "archive": lambda: sidebar.act("archive"),
        "delete": lambda: sidebar.act("delete"),
        "next": lambda: _step_conversation(window, 1),
        "previous": lambda: _step_conversation(window, -1),
        "read_aloud": lambda: chat.voice.read_or_stop(),
        "pause_voice": lambda: chat.voice.pause_or_resume(),
        "skip_sentence": lambda: chat.voice.skip(),
        "show_spoken": lambda: chat.voice.show_spoken(),
        "save_speech": lambda: chat.act_on_last_reply("save_speech"),
        "read_replies": lambda: chat.voice.read_replies(not chat.composer.speaker.isChecked()),
        "dictate": lambda: chat.voice.dictate(by_key=True),
        "voice_settings": lambda: window.open_settings("voice"),
        "sidebar": window.toggle_sidebar,
        "inspector": window.inspector.toggle_by_key,
        "messages": lambda: _focus(window, chat.timeline),
        "composer": lambda: _focus(window, chat.composer),
        "notice": window.notices.focus_latest,
        "to_end": chat.timeline.go_to_end,
        "to_start": chat.timeline.go_to_start,
        "zoom_in": lambda: window.appearance.zoom(1),
        "zoom_out": lambda: window.appearance.zoom(-1),
        "zoom_reset": lambda: window.appearance.zoom(0),
        "theme": window.appearance.toggle_theme,
        "full_screen": lambda: window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen),
        "palette": window.open_palette,
        "guide": window.ask_guide,
        "shortcuts": lambda: _show_shortcuts(window),
        "about": lambda: window.open_settings("about"),
    }


def _focus(window: MainWindow, widget: QWidget) -> None:
    window.to_conversation()
    widget.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _focus_filter(window: MainWindow) -> None:
    if window.sidebar.isHidden():
        window.columns.show_sidebar(True)
    window.sidebar.focus_filter()


def _step_conversation(window: MainWindow, step: int) -> None:
    neighbour = window.sidebar.neighbour(step)
    if neighbour is not None:
        window.open_conversation(neighbour)


def _show_shortcuts(window: MainWindow) -> None:
    from sam_py.ui.shortcut_sheet import ShortcutSheet

    ShortcutSheet(window.actions_by_name, window.chat.context.themes, window).open()
