"""All without a mouse: one key one command, Tab in reading order, the keyboard never lost, an evening by keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu, QWidget

from sam_py.messages.message import AssistantMessage
from sam_py.ui.settings.preset_dialog import PresetDialog
from sam_py.ui.settings.settings_dialog import SettingsDialog
from sam_py.ui.widgets.buttons import FlatButton
from tests.fakes.fault_server import FaultServer, Json, Reply, Stream, chunk
from tests.fakes.sitting import Sitting
from tests.ui.access.states import RICH, all_states

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]
Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the keyboard"
    return widget


def press(key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    """Press a key where the keyboard is: in an open menu, or at the widget with the focus."""
    popup = QApplication.activePopupWidget()
    QTest.keyClick(focus() if popup is None else popup.focusWidget() or popup, key, held)


def type_in(text: str) -> None:
    QTest.keyClicks(focus(), text)


def choose(words: str) -> None:
    """Walk down an open menu to the entry with these words, and press Enter."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    for _entry in range(40):
        press(Key.Key_Down)
        active = menu.activeAction()
        if active is not None and active.text().split("\t")[0] == words:
            press(Key.Key_Return)
            return
    raise AssertionError(f"the menu has no {words!r}: {[action.text() for action in menu.actions()]}")


def tab_to(wanted: Callable[[QWidget], bool], *, most: int = 60) -> QWidget:
    """Press Tab until the keyboard is where it is wanted."""
    for _step in range(most):
        if wanted(focus()):
            return focus()
        press(Key.Key_Tab)
    raise AssertionError("Tab never came there")


async def opened(sam: Sitting) -> QDialog:
    """Wait for a dialog that has the keyboard."""

    def has_it() -> bool:
        return isinstance(QApplication.activeWindow(), QDialog) and QApplication.focusWidget() is not None

    await sam.until(has_it, "a dialog with the keyboard")
    dialog = QApplication.activeWindow()
    assert isinstance(dialog, QDialog)
    return dialog


async def closed(sam: Sitting) -> None:
    """Wait until no dialog is left; the offscreen platform has no window manager that would activate the window."""
    await sam.until(lambda: not any(each.isVisible() for each in sam.window.findChildren(QDialog)), "the dialog's end")
    sam.window.activateWindow()

    def is_back() -> bool:
        return QApplication.activeWindow() is sam.window and QApplication.focusWidget() is not None

    await sam.until(is_back, "the window with the keyboard")


async def activated(sam: Sitting, window: QWidget) -> None:
    """What a window manager does after a menu or a popup has gone."""
    window.activateWindow()
    await sam.until(lambda: QApplication.focusWindow() is window.windowHandle(), "the window's turn")


async def choose_in_menu(sam: Sitting, words: str, window: QWidget) -> None:
    """Choose from the menu that is open over `window`, and come back to it."""
    menu = QApplication.activePopupWidget()
    assert menu is not None
    await sam.until(lambda: QApplication.focusWindow() is menu.windowHandle(), "the menu's window")
    choose(words)
    await activated(sam, window)


def named(name: str) -> Callable[[QWidget], bool]:
    return lambda widget: widget.accessibleName() == name


def test_no_key_means_two_things(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            async for state, root in all_states(sam, server):
                window = root.window()
                keys = [key for each in window.findChildren(QShortcut) for key in QShortcut.keys(each)]
                for action in {*window.actions(), *window.findChildren(QAction)}:
                    if not isinstance(action.parent(), QLineEdit):
                        keys += action.shortcuts()
                twice = [key for key, count in Counter(each.toString() for each in keys).items() if count > 1]
                assert twice == [], state
            await sam.close()

    run(scenario())


def test_every_command_stands_in_a_menu_and_has_a_key(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        listed = {action.text() for menu in sam.window._menu.findChildren(QMenu) for action in menu.actions()}
        for spec, action in sam.window.actions_by_name.listed():
            assert action.text() in listed
            assert action.shortcuts() or spec.name == "about"
        await sam.close()

    run(scenario())


@pytest.mark.parametrize(
    ("key", "held", "left", "at"),
    [
        (Key.Key_Home, CTRL, "one two\nthree four", 0),
        (Key.Key_End, CTRL, "one two\nthree four", 18),
        (Key.Key_Left, CTRL, "one two\nthree four", 8),
        (Key.Key_Backspace, CTRL, "one two\nfour", 8),
        (Key.Key_Delete, CTRL, "one two\nthree ", 14),
        (Key.Key_A, CTRL, "one two\nthree four", 18),
        (Key.Key_Home, NONE, "one two\nthree four", 8),
    ],
)
def test_while_typing_the_keys_edit(
    run: Run, sit_down: SitDown, key: Qt.Key, held: Qt.KeyboardModifier, left: str, at: int
) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(RICH)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            text = sam.chat.composer.text
            text.set_text("one two\nthree four")
            cursor = text.textCursor()
            cursor.setPosition(14)
            text.setTextCursor(cursor)
            press(key, held)
            assert (text.text(), text.textCursor().position()) == (left, at)
            assert focus() is text
            await sam.close()

    run(scenario())


def test_ctrl_z_in_the_text_box_brings_typed_words_back(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.type("some words")
        press(Key.Key_A, CTRL)
        press(Key.Key_Delete)
        press(Key.Key_Z, CTRL)
        assert sam.chat.composer.text.text() == "some words"
        await sam.close()

    run(scenario())


def test_tab_goes_as_one_reads_and_comes_round(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(RICH)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            await sam.type("words")
            window, chat = sam.window, sam.chat
            sides = (window.sidebar, chat.header, chat.timeline, chat.composer)
            window.sidebar.new_button.setFocus(Qt.FocusReason.TabFocusReason)
            for key, held, expected in ((Key.Key_Tab, NONE, sides), (Key.Key_Backtab, SHIFT, tuple(reversed(sides)))):
                seen: list[QWidget] = []
                start, walked = focus(), 0
                while True:
                    side = next(side for side in sides if side is focus() or side.isAncestorOf(focus()))
                    if not seen or seen[-1] is not side:
                        seen.append(side)
                    press(key, held)
                    walked += 1
                    assert walked < 80
                    if focus() is start and getattr(focus(), "_focus_at", 0) <= 0:
                        break
                assert [*dict.fromkeys(seen)] == list(expected)
                assert walked > 12
                while not chat.composer.isAncestorOf(focus()):
                    press(Key.Key_Tab)
                chat.composer.send_button.setFocus(Qt.FocusReason.TabFocusReason)
            await sam.close()

    run(scenario())


def test_the_keyboard_is_never_lost(run: Run, sit_down: SitDown) -> None:
    """After each of these the text box, or what was left, has the keyboard."""

    async def scenario() -> None:
        async with FaultServer(Reply("One"), Reply("Two")) as server:
            sam = await sit_down().start()
            window, text = sam.window, sam.chat.composer.text
            assert focus() is text
            sam.use_server(server.base_url)
            await sam.send("Hello")
            assert focus() is text
            await sam.answered()
            assert focus() is text
            for name in ("settings", "shortcuts"):
                window.actions_by_name[name].trigger()
                await opened(sam)
                press(Key.Key_Escape)
                await closed(sam)
                assert focus() is text, name
            window.open_palette()
            press(Key.Key_Escape)
            assert focus() is text
            picker = sam.chat.composer.picker
            sam.chat.composer.open_model_picker()
            await sam.until(lambda: QApplication.focusWindow() is picker.windowHandle(), "the picker's window")
            press(Key.Key_Escape)
            await activated(sam, window)
            assert focus() is text
            window.actions_by_name["new"].trigger()
            await sam.until(lambda: len(sam.bus) == 0, "the new conversation")
            assert focus() is text
            await sam.send("Second")
            await sam.answered()
            window.actions_by_name["delete"].trigger()
            await sam.until(lambda: len(sam.bus) == 0, "the empty conversation")
            assert focus() is text
            await sam.close()

    run(scenario())


def test_deleting_messages_by_key_goes_to_the_next_and_then_to_the_text_box(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("One")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            press(Key.Key_F6)
            press(Key.Key_Up)
            timeline = sam.chat.timeline
            assert timeline.current_id == sam.bus.id_at(0)
            press(Key.Key_Delete)
            await sam.answered()
            assert focus() is timeline
            assert timeline.current_id == sam.bus.id_at(0)
            press(Key.Key_Delete)
            await sam.until(lambda: sam.chat.empty.isVisible(), "the empty state")
            assert focus() is sam.chat.composer.text
            await sam.close()

    run(scenario())


def test_a_button_shows_that_the_keyboard_is_on_it(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(RICH)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            seen = 0
            for _step in range(40):
                press(Key.Key_Tab)
                widget = focus()
                if isinstance(widget, FlatButton):
                    with_focus = widget.grab().toImage()
                    widget.clearFocus()
                    without = widget.grab().toImage()
                    widget.setFocus(Qt.FocusReason.TabFocusReason)
                    assert with_focus != without, widget.accessibleName()
                    seen += 1
            assert seen > 10
            await sam.close()

    run(scenario())


def test_an_evening_without_a_mouse(run: Run, sit_down: SitDown, tmp_path: Path) -> None:
    """Issue 2's window, by keys alone."""
    note = tmp_path / "note.txt"
    note.write_text("The Elbe has 1094 km.", encoding="utf-8")

    async def scenario() -> None:
        endless = Stream((chunk("Half an "), chunk("answer")), then="hang")
        async with FaultServer(
            Reply("First [reply](https://example.org/a)."),
            endless,
            Reply("After the edit"),
            Reply("Once more"),
            paths={"/v1/models": Json({"data": []})},  # asked for when all is quiet
        ) as server:
            sam = await sit_down().start()
            window, chat = sam.window, sam.chat
            text = chat.composer.text

            # Add a provider: settings, Tab to "Add a provider…", its name in the list, the address, Esc.
            press(Key.Key_Comma, CTRL)
            settings = await opened(sam)
            assert isinstance(settings, SettingsDialog)
            tab_to(named("Add a provider…"))
            press(Key.Key_Return)
            await sam.until(lambda: isinstance(QApplication.activeWindow(), PresetDialog), "the list of presets")
            type_in("any compatible")
            press(Key.Key_Return)
            await activated(sam, settings)
            await sam.until(lambda: isinstance(focus(), QLineEdit), "the new account's first field")
            tab_to(named("Address"))
            press(Key.Key_A, CTRL)
            type_in(server.base_url)
            press(Key.Key_Tab)
            press(Key.Key_Escape)
            await closed(sam)
            assert focus() is text
            account = sam.program._settings.current.providers[0]
            assert account.base_url == server.base_url
            sam.use_server(server.base_url, provider_id=account.id)

            # Choose the model.
            chat.set_model("guide", "guide")
            press(Key.Key_M, CTRL)
            assert chat.composer.picker.isVisible()
            picker = chat.composer.picker
            await sam.until(lambda: QApplication.focusWindow() is picker.windowHandle(), "the picker's window")
            press(Key.Key_Up)
            press(Key.Key_Return)
            assert chat.conversation.session.choice.provider == account.id
            await activated(sam, window)

            # Attach, send.
            press(Key.Key_O, CTRL | SHIFT)
            await opened(sam)
            tab_to(lambda each: each.objectName() == "fileNameEdit")
            type_in(str(note))
            press(Key.Key_Return)
            await sam.until(lambda: chat.composer.tray.parts, "the attachment")
            await closed(sam)
            assert focus() is text
            await sam.send("How long is it?")
            await sam.answered()
            assert len(sam.messages[0].parts) == 2

            # Send and stop, edit, regenerate, walk the branches.
            await sam.send("And the Rhine?")
            await sam.until(lambda: "Half an answer" in sam.screen(), "the first words")
            press(Key.Key_Escape)
            assert not chat.conversation.is_busy
            press(Key.Key_Up)
            assert chat.composer.is_editing
            press(Key.Key_A, CTRL)
            await sam.send("And the Danube?")
            await sam.until(lambda: sam.messages[-1].text == "After the edit", "the answer")
            await sam.answered()
            press(Key.Key_R, CTRL)
            await sam.until(lambda: sam.messages[-1].text == "Once more", "the second version")
            await sam.answered()
            press(Key.Key_F6)
            assert chat.timeline.current_id == sam.bus.tip
            press(Key.Key_Left)
            await sam.answered()
            assert sam.messages[-1].text == "After the edit"
            press(Key.Key_Right)
            await sam.answered()
            assert sam.messages[-1].text == "Once more"

            # Copy, pin, delete a message; open a link's question.
            press(Key.Key_C, CTRL)
            assert QApplication.clipboard().text() == "Once more"
            press(Key.Key_Return)
            await choose_in_menu(sam, "Pin", window)
            assert sam.messages[-1].pinned
            press(Key.Key_Return)
            await choose_in_menu(sam, "Delete message", window)
            await sam.answered()
            assert not isinstance(sam.messages[-1], AssistantMessage) or sam.messages[-1].text != "Once more"
            press(Key.Key_Home)
            for _step in range(3):
                press(Key.Key_Up)
            press(Key.Key_Down)
            press(Key.Key_Tab)
            press(Key.Key_Return)
            await opened(sam)
            press(Key.Key_Escape)
            await closed(sam)

            # Conversations: rename, pin, archive and back, delete and undo.
            library, here = sam.program._library, chat.conversation.id
            press(Key.Key_L, CTRL)
            press(Key.Key_R, CTRL | SHIFT)
            press(Key.Key_A, CTRL)
            type_in("Rivers")
            press(Key.Key_Return)
            await sam.until(lambda: library.summary(here).title == "Rivers", "the title")
            await sam.until(lambda: QApplication.focusWidget() is not None, "the keyboard")
            press(Key.Key_P, CTRL | SHIFT)
            await sam.until(lambda: library.summary(here).pinned, "the pin")
            press(Key.Key_A, CTRL | SHIFT)
            await sam.until(lambda: library.summary(here).archived, "the archive")
            press(Key.Key_F8)
            press(Key.Key_Return)
            await sam.until(lambda: not library.summary(here).archived, "the way back")
            press(Key.Key_L, CTRL)
            press(Key.Key_Backspace, CTRL | SHIFT)
            await sam.until(lambda: library.summary(here) is None, "the deletion")
            await sam.until(lambda: window.notices.notices, "the notice")
            press(Key.Key_F8)
            assert focus().accessibleName() == "Undo"
            press(Key.Key_Return)
            await sam.until(lambda: library.summary(here) is not None, "the undo")
            await sam.until(lambda: chat.conversation.id == here, "the conversation")

            # Theme and text size.
            dark = sam.program._settings.current.appearance.theme == "dark"
            press(Key.Key_L, CTRL | SHIFT)
            assert (sam.program._settings.current.appearance.theme == "dark") != dark
            press(Key.Key_Plus, CTRL)
            assert sam.program._settings.current.appearance.text_scale == 110
            press(Key.Key_N, CTRL)
            await sam.until(lambda: len(sam.bus) == 0, "a new chat")
            assert focus() is text
            await sam.close()

    run(scenario())


def test_retry_and_details_of_an_error_are_reached_by_tab(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        bad = Json({"error": {"message": "overloaded", "code": "server_error"}}, 400)
        async with FaultServer(bad) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            press(Key.Key_F6)
            tab_to(named("Details"))
            press(Key.Key_Space)
            assert focus().accessibleName() == "Hide details"
            await sam.close()

    run(scenario())
