"""Large and small text in narrow and wide windows: nothing is cut off and nothing covers anything else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget

from sam_py.ui.chat.row_context import OUTSET_PX
from sam_py.ui.settings.settings_dialog import SettingsDialog
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting
from tests.ui.access.states import RICH

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


@pytest.mark.parametrize("scale", [80, 100, 150, 200])
def test_text_of_any_size_fits_into_windows_of_any_width(run: Run, sit_down: SitDown, scale: int) -> None:
    async def scenario() -> None:
        faults: list[str] = []
        async with FaultServer(Reply(RICH)) as server:
            sam = await sit_down().start()
            window = sam.window
            window.appearance.change(text_scale=scale)
            for width in (420, 800, 1400):
                window.resize(width, 800)
                faults += [f"empty {width}: {fault}" for fault in _faults(window)]
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            window.actions_by_name["messages"].trigger()
            for width in (420, 800, 1400):
                window.resize(width, 800)
                await sam.answered()
                faults += [f"chat {width}: {fault}" for fault in _faults(window)]
            window.inspector.toggle()
            for width, tab in product((420, 800, 1400), ("context", "request", "pinned")):
                window.resize(width, 800)
                window.inspector.show_tab(tab)
                await sam.answered()
                faults += [f"inspector {tab} {width}: {fault}" for fault in _faults(window.inspector.widget)]
            window.inspector.toggle()
            window.notices.show_notice("The conversation was deleted.", action_text="Undo", on_action=lambda: None)
            faults += [f"notice {width}: {fault}" for fault in _faults(window.notices)]
            window.notices.clear()
            panel = sam.chat.prompts.panel
            for width in (420, 800):
                window.resize(width, 800)
                panel.open_panel()
                faults += [f"examples of mini prompts {width}: {fault}" for fault in _faults(panel)]
                panel.new_button.click()
                panel.editor.save_button.click()
                faults += [f"a new mini prompt {width}: {fault}" for fault in _faults(panel)]
                panel.editor.cancel_button.click()
                panel.close_button.click()
            for page in ("providers", "chat", "appearance", "data", "about"):
                window.open_settings(page)
                dialog = window.findChild(SettingsDialog)
                if page == "providers":
                    dialog.pages["providers"].open_account("bench")
                faults += [f"settings {page}: {fault}" for fault in _faults(dialog)]
                dialog.close()
                await sam.until(lambda: window.findChild(SettingsDialog) is None, "the end of the settings")
            window.appearance.change(text_scale=100)  # the application's font is everybody's
            await sam.close()
        assert sorted(set(faults)) == []

    run(scenario())


@pytest.mark.parametrize("width", [420, 600, 720, 900])
def test_the_first_button_of_the_sidebar_keeps_its_words(run: Run, sit_down: SitDown, width: int) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        window = sam.window
        window.appearance.change(text_scale=200)
        window.resize(width, 700)
        if window.sidebar.isHidden():
            window.toggle_sidebar()
        button = window.sidebar.new_button
        await sam.until(lambda: button.width() >= button.sizeHint().width(), "the room for its words")
        assert window.width() == width
        window.appearance.change(text_scale=100)
        await sam.close()

    run(scenario())


def test_from_right_to_left_the_sides_change_and_nothing_is_covered(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(RICH)) as server:
            sam = await sit_down().start()
            window = sam.window
            sam.use_server(server.base_url)
            sam.chat.composer.text.set_text("שלום")
            sam.chat.composer.send()
            await sam.until(lambda: len(sam.messages) == 2, "the reply")
            await sam.answered()
            window.actions_by_name["messages"].trigger()
            assert window.sidebar.x() > window.centre.x()
            mine, reply = (sam.chat.timeline.row_of(message.id) for message in sam.messages)
            assert mine.blocks[0].geometry().left() == OUTSET_PX
            assert mine.blocks[0].geometry().right() < mine.width() // 2
            assert not mine.at_right
            assert reply.at_right
            assert _faults(window) == []
            await sam.close()

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        run(scenario())
    finally:
        app.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def _faults(root: QWidget) -> list[str]:
    for _round in range(4):  # layouts inside of layouts
        QApplication.sendPostedEvents()
    seen = [each for each in root.findChildren(QWidget) if each.isVisible()]
    words = [each for each in seen if isinstance(each, QAbstractButton | QLabel | QLineEdit)]
    return [*(fault for each in words for fault in _cut(each)), *_covered(root, words)]


def _cut(widget: QWidget) -> list[str]:
    if type(widget).__name__ == "ComposerHint":  # shows itself only where it has room
        return []
    name = f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()!r}"
    least = widget.minimumSizeHint()
    size = widget.size()
    faults = []
    if isinstance(widget, QLabel) and widget.wordWrap():
        needed = widget.heightForWidth(size.width())
        if widget.text() and needed > size.height() + 1:
            faults.append(f"{name}: {needed} px high, has {size.height()}")
    elif size.width() < least.width() - 1 or size.height() < least.height() - 1:
        faults.append(f"{name}: needs {least.width()} × {least.height()}, has {size.width()} × {size.height()}")
    parent = widget.parentWidget()
    if parent is not None and not parent.rect().adjusted(-2, -2, 2, 2).contains(widget.geometry()):
        place = widget.geometry()
        if type(parent).__name__ not in ("QWidget", "Timeline"):  # a viewport scrolls
            faults.append(f"{name}: {place} is outside of {type(parent).__name__} {parent.size()}")
    return faults


def _covered(root: QWidget, widgets: list[QWidget]) -> list[str]:
    """Pairs of which one stands on the other, where neither is in the other."""
    faults = []
    placed = [(each, _shown_of(each, root)) for each in widgets]
    for (one, here), (other, there) in itertools.combinations(placed, 2):
        if here.intersects(there) and not one.isAncestorOf(other) and not other.isAncestorOf(one):
            kinds = sorted((type(one).__name__, type(other).__name__))
            faults.append(f"{kinds}: {one.accessibleName()!r} and {other.accessibleName()!r}")
    return faults


def _shown_of(widget: QWidget, root: QWidget) -> QRect:
    """What can be seen of a widget, in the coordinates of `root`: what it stands in cuts off the rest."""
    shown = QRect(widget.mapTo(root, QPoint(0, 0)), widget.size()).adjusted(1, 1, -1, -1)
    around = widget.parentWidget()
    while around is not None and around is not root:
        shown = shown.intersected(QRect(around.mapTo(root, QPoint(0, 0)), around.size()))
        around = around.parentWidget()
    return shown
