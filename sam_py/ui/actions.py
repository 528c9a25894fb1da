"""Actions: everything a person can do in the window, with its words, shortcut and place in the menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. `menu` is the menu it stands in; `shortcuts` are portable texts, the first one is shown."""

    name: str
    text: str
    menu: str
    shortcuts: tuple[str, ...] = ()
    separated: bool = False
    checkable: bool = False


def _(text: str) -> str:
    return QCoreApplication.translate("Actions", text)


def specs() -> tuple[ActionSpec, ...]:
    """The table of all actions, in the order of the menus."""
    file, edit, chat, view, help_ = _("&File"), _("&Edit"), _("&Conversation"), _("&View"), _("&Help")
    voice = _("V&oice")
    return (
        ActionSpec("new", _("New chat"), file, ("Ctrl+N",)),
        ActionSpec("attach", _("Attach files…"), file, ("Ctrl+Shift+O",)),
        ActionSpec("model_file", _("Open a model file…"), file, ("Ctrl+Shift+M",)),
        ActionSpec("import", _("Import conversations…"), file, ("Ctrl+Shift+J",), separated=True),
        ActionSpec("export_all", _("Export everything…"), file, ("Ctrl+Shift+F6",)),
        ActionSpec("settings", _("Settings…"), file, ("Ctrl+,",), separated=True),
        ActionSpec("quit", _("Quit"), file, ("Ctrl+Q",), separated=True),
        ActionSpec("edit_last", _("Edit my last message"), edit, ("Ctrl+Up",)),
        ActionSpec("copy_reply", _("Copy the last reply"), edit, ("Ctrl+Shift+C",)),
        ActionSpec("find", _("Find in this conversation"), edit, ("Ctrl+F",), separated=True),
        ActionSpec("find_next", _("Next place"), edit, ("F3",)),
        ActionSpec("find_previous", _("Previous place"), edit, ("Shift+F3",)),
        ActionSpec("search", _("Search everywhere"), edit, ("Ctrl+Shift+F",)),
        ActionSpec("filter", _("Find a conversation"), edit, ("Ctrl+Shift+G",)),
        ActionSpec("stop", _("Stop the reply"), chat, ("Ctrl+.",)),
        ActionSpec("regenerate", _("Regenerate the last reply"), chat, ("Ctrl+R",)),
        ActionSpec("continue", _("Continue the last reply"), chat, ("Ctrl+Shift+Return",)),
        ActionSpec("model", _("Choose the model…"), chat, ("Ctrl+M",), separated=True),
        ActionSpec("mini_prompts", _("Mini prompts…"), chat, ("Ctrl+Shift+K",)),
        ActionSpec("chat_settings", _("Settings of this conversation…"), chat, ("Ctrl+Shift+,",)),
        ActionSpec("summarise", _("Summarise earlier messages"), chat, ("Ctrl+Shift+S",)),
        ActionSpec("rename", _("Rename…"), chat, ("Ctrl+Shift+R",), separated=True),
        ActionSpec("pin", _("Pin or unpin"), chat, ("Ctrl+Shift+P",)),
        ActionSpec("duplicate", _("Duplicate"), chat, ("Ctrl+Shift+D",)),
        ActionSpec("export", _("Export…"), chat, ("Ctrl+Shift+E",)),
        ActionSpec("archive", _("Archive or unarchive"), chat, ("Ctrl+Shift+A",)),
        ActionSpec("delete", _("Delete…"), chat, ("Ctrl+Shift+Backspace",)),
        ActionSpec("next", _("Next conversation"), chat, ("Ctrl+PgDown", "Ctrl+Tab"), separated=True),
        ActionSpec("previous", _("Previous conversation"), chat, ("Ctrl+PgUp", "Ctrl+Shift+Tab")),
        ActionSpec("read_aloud", _("Read aloud, or stop reading"), voice, ("F9",)),
        ActionSpec("pause_voice", _("Pause or resume reading"), voice, ("Ctrl+F9",)),
        ActionSpec("skip_sentence", _("Skip the sentence"), voice, ("Shift+F9",)),
        ActionSpec("show_spoken", _("Go to what is being read"), voice, ("Alt+Shift+F9",)),
        ActionSpec("save_speech", _("Save the last reply as audio…"), voice, ("Ctrl+Shift+F8",)),
        ActionSpec("read_replies", _("Read replies aloud"), voice, ("Ctrl+Shift+F9",), separated=True, checkable=True),
        ActionSpec("dictate", _("Dictate, or end dictation"), voice, ("F7",)),
        ActionSpec("voice_settings", _("Voice settings…"), voice, ("Ctrl+F8",)),
        ActionSpec("sidebar", _("Sidebar"), view, ("Ctrl+B",), checkable=True),
        ActionSpec("inspector", _("Inspector: what the model is sent"), view, ("Ctrl+Shift+I",), checkable=True),
        ActionSpec("pinned", _("Pinned messages"), view, ("Ctrl+Shift+B",), separated=True),
        ActionSpec("library", _("Library"), view, ("Ctrl+Shift+Y",)),
        ActionSpec("messages", _("Go to the messages"), view, ("F6",)),
        ActionSpec("composer", _("Go to the text box"), view, ("Ctrl+L",)),
        ActionSpec("notice", _("Go to the newest notice"), view, ("F8",)),
        ActionSpec("to_end", _("Go to the end"), view, ("Ctrl+End",)),
        ActionSpec("to_start", _("Go to the start"), view, ("Ctrl+Home",)),
        ActionSpec("zoom_in", _("Larger text"), view, ("Ctrl++", "Ctrl+="), separated=True),
        ActionSpec("zoom_out", _("Smaller text"), view, ("Ctrl+-",)),
        ActionSpec("zoom_reset", _("Normal text size"), view, ("Ctrl+0",)),
        ActionSpec("theme", _("Light or dark"), view, ("Ctrl+Shift+L",), separated=True),
        ActionSpec("full_screen", _("Full screen"), view, ("F11",), checkable=True),
        ActionSpec("palette", _("All commands…"), help_, ("Ctrl+K",)),
        ActionSpec("guide", _("Ask the guide"), help_, ("F1",)),
        ActionSpec("shortcuts", _("Keyboard shortcuts"), help_, ("Ctrl+/",)),
        ActionSpec("about", _("About SAM"), help_, separated=True),
    )


class Actions:
    """The `QAction`s by name, and menus made of them."""

    def __init__(self, window: QWidget, handlers: dict[str, Callable[[], object]]) -> None:
        self._specs = specs()
        self._actions: dict[str, QAction] = {}
        for spec in self._specs:
            action = QAction(spec.text, window)
            action.setObjectName(spec.name)
            action.setShortcuts([QKeySequence(text) for text in spec.shortcuts])
            action.setCheckable(spec.checkable)
            action.setAutoRepeat(spec.name != "dictate")  # its key is held while one speaks
            action.setMenuRole(_roles().get(spec.name, QAction.MenuRole.NoRole))
            handler = handlers[spec.name]
            action.triggered.connect(lambda _checked=False, run=handler: run())
            window.addAction(action)
            self._actions[spec.name] = action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def listed(self) -> Iterable[tuple[ActionSpec, QAction]]:
        """Every action with its place in the menus."""
        return ((spec, self._actions[spec.name]) for spec in self._specs)

    def fill_menu_bar(self, bar: QMenuBar) -> None:
        for menu in self._menus(bar):
            bar.addMenu(menu)

    def fill_menu(self, menu: QMenu) -> None:
        """All menus as parts of one, for the header's button."""
        for submenu in self._menus(menu):
            menu.addMenu(submenu)

    def _menus(self, parent: QWidget) -> list[QMenu]:
        menus: dict[str, QMenu] = {}
        for spec in self._specs:
            menu = menus.get(spec.menu)
            if menu is None:
                menu = menus[spec.menu] = QMenu(spec.menu, parent)
            elif spec.separated:
                menu.addSeparator()
            menu.addAction(self._actions[spec.name])
        return list(menus.values())


def _roles() -> dict[str, QAction.MenuRole]:
    return {
        "settings": QAction.MenuRole.PreferencesRole,
        "quit": QAction.MenuRole.QuitRole,
        "about": QAction.MenuRole.AboutRole,
    }
