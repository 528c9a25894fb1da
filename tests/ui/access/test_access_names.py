"""Whatever a person can reach has a name and a role that a screen reader can say, in the person's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from sam_py.ui.chat.header import ElidedText
from sam_py.ui.chat.plain_column import PlainColumn
from sam_py.ui.chat.timeline import Timeline
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting
from tests.ui.access.states import all_states

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]
Role = QAccessible.Role


def test_what_can_be_reached_has_a_name_and_a_role(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        faults: list[str] = []
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            async for state, root in all_states(sam, server):
                faults += [f"{state}: {fault}" for widget in _seen(root) for fault in _unnamed(widget)]
            await sam.close()
        assert sorted(set(faults)) == []

    run(scenario())


def test_no_label_reads_its_text_as_html(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        faults: list[str] = []
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            async for state, root in all_states(sam, server):
                for widget in _seen(root):
                    if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
                        faults.append(f"{state}: {widget.text()!r}")
            await sam.close()
        assert sorted(set(faults)) == []

    run(scenario())


class Brackets(QTranslator):
    """A language in which every sentence of ours stands in brackets: what has none was not given to a translator."""

    def translate(self, context: str, source: str, note: str | None = None, n: int = -1) -> str | None:  # type: ignore[override]
        return None if re.match("Q[A-Z]", context) or not source else f"⟦{source}⟧"

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def brackets(qapp: QApplication) -> Iterator[None]:
    translator = Brackets()
    assert qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


_DATA = {
    "SAM", "tiny", "Test server", "Ollama", "Map.png", "Notes.txt", "bench", "guide", "English",
    "Tell me about rivers", "And lakes?", "And seas?", "One more thing", "Something is over", "Something is wrong",
    "Undo", "Hello", "https://example.org/a", "https://example.com/v1", "chatcmpl-1", "127.0.0.1", "http://",
    "Enter", "Shift+", "Esc", "Delete", "Left / Right", "Up / Down", "tmp/", "pytest",
}  # fmt: skip


def test_every_word_of_ours_is_given_to_the_translator(brackets: None, run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        faults: list[str] = []
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            async for state, root in all_states(sam, server):
                for widget in _seen(root):
                    if _shows_data(widget):
                        continue
                    faults += [f"{state}: {type(widget).__name__}: {text!r}" for text in _texts(widget) if _ours(text)]
            await sam.close()
        assert sorted(set(faults)) == []

    run(scenario())


def _seen(root: QWidget) -> list[QWidget]:
    return [each for each in (root, *root.findChildren(QWidget)) if each.isVisible()]


def _unnamed(widget: QWidget) -> Iterator[str]:
    reached = widget.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(widget, QAbstractButton)
    if not reached or type(widget).__name__ in ("QWidget", "QScrollBar", "QFrame", "QComboBoxListView"):
        return
    if isinstance(widget, QLineEdit) and isinstance(widget.parentWidget(), QComboBox):
        return
    interface = QAccessible.queryAccessibleInterface(widget)
    name = interface.text(QAccessible.Text.Name) if interface is not None else ""
    if not name.strip() and not isinstance(widget, QMenu):
        yield f"{type(widget).__name__} without a name: {widget.objectName()} {widget.toolTip()}"
    role = interface.role() if interface is not None else None
    match widget:
        case QAbstractButton():
            fitting: tuple[Role, ...] = (Role.Button, Role.CheckBox, Role.RadioButton)
        case QLineEdit() | QTextEdit() | QPlainTextEdit():
            fitting = (Role.EditableText,)
        case QAbstractItemView():
            fitting = (Role.List, Role.Tree, Role.Table)
        case QMenu():
            fitting = (Role.PopupMenu,)
        case QComboBox():
            fitting = (Role.ComboBox,)
        case _:
            return
    if role not in fitting:
        yield f"{type(widget).__name__} {name!r} has the role {role}"


def _shows_data(widget: QWidget) -> bool:
    """Whether it says what the core says (errors are sentences of the core), or facts that no translator changes."""
    inside = {type(each).__name__ for each in _and_parents(widget)}
    return bool(inside & {"MessageRow", "ErrorBox", "AboutPage"}) or isinstance(widget, Timeline | PlainColumn)


def _and_parents(widget: QWidget | None) -> Iterator[QWidget]:
    while widget is not None:
        yield widget
        widget = widget.parentWidget()


def _texts(widget: QWidget) -> list[str]:
    texts = [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
    match widget:
        case QLabel() | QAbstractButton() | ElidedText():
            texts.append(widget.text if isinstance(widget, ElidedText) else widget.text())
        case QLineEdit() | QTextEdit():
            texts.append(widget.placeholderText())
        case QComboBox():
            texts += [widget.itemText(place) for place in range(widget.count())]
        case QMenu():
            texts += [action.text() for action in widget.actions() if not action.isSeparator()]
    texts += [action.text() for action in widget.actions() if isinstance(action, QAction) and action.text()]
    if widget.isWindow():
        texts.append(widget.windowTitle())
    return [words for text in texts if (words := text.partition("\t")[0])]  # after a tab stands the system's shortcut


def _ours(text: str) -> bool:
    """Whether a text has words that are neither translated nor somebody's data."""
    if text.startswith("/") or re.fullmatch(r".*\d{4} \d\d:\d\d.*", text):
        return False  # a folder, a date
    rest = re.sub(r"⟦.*⟧", "", text.replace("\u200b", ""), flags=re.DOTALL)
    rest = re.sub(r"(?:(?:Ctrl|Shift|Alt)\+)+[^)]*", "", rest)
    for known in _DATA:
        rest = rest.replace(known, "")
    return re.search(r"[^\W\d_]{3,}", rest) is not None
