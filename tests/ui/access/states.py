"""Every state that the window can be in, one after the other, with the widgets that are to be looked at in each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from sam_py.agent.summaries import summary_message
from sam_py.providers.local import FoundServer
from sam_py.ui.chat.attachments_intake import PastedImage, PastedText
from sam_py.ui.chat.parts.pictures import ShownPicture
from sam_py.ui.settings.preset_dialog import PresetDialog
from sam_py.ui.settings.settings_dialog import SettingsDialog
from sam_py.ui.widgets.command_palette import CommandPalette
from tests.fakes.fault_server import DONE, FaultServer, Json, Stream, chunk
from tests.fakes.sitting import Sitting

RICH = """# Rivers

They run **down**, as [the survey](https://example.org/a) says; `flow()` computes it.

```python
def flow() -> int:
    return 1
```

| river | km |
|:--|--:|
| Elbe | 1094 |

- [x] seen
- [ ] to see

![A map](https://example.org/map.png)
"""

THOUGHT = Stream((chunk(reasoning_content="They asked about rivers."), chunk(RICH), chunk(finish="stop"), DONE))


async def all_states(sam: Sitting, server: FaultServer) -> AsyncIterator[tuple[str, QWidget]]:
    """Yield a name and the window or dialog that is on top, state by state."""
    window, chat = sam.window, sam.chat
    yield "empty with the guide", window
    found = [FoundServer("ollama", "Ollama", "http://127.0.0.1:1/v1", ("a", "b"))]
    chat.empty.set_found(found)
    yield "empty with a server found", window
    chat.empty.note.say("tiny")
    yield "empty while a model file is loaded", window
    chat.empty.note.say("Something is wrong", trouble=True, command="tiny", detail="tiny")
    yield "empty with a model file that cannot be loaded", window
    chat.empty.note.clear()
    sam.use_server(server.base_url)
    yield "empty with a model", window
    server._behaviours[:] = [THOUGHT]
    await sam.send("Tell me about rivers")
    await sam.answered()
    window.actions_by_name["messages"].trigger()
    yield "a conversation", window
    window.actions_by_name["regenerate"].trigger()
    await sam.until(lambda: len(sam.bus.siblings(sam.bus.tip or "")) == 2, "the second version")
    await sam.answered()
    window.actions_by_name["messages"].trigger()
    yield "a message with versions", window
    server._behaviours[:] = [Stream((chunk("First words"),), then="hang")]
    chat.composer.setFocus()
    await sam.send("And lakes?")
    await sam.until(lambda: "First words" in sam.screen(), "the first words")
    await sam.send("One more thing")
    yield "streaming, with a queue", window
    chat.stop()
    yield "stopped, with a held message", window
    chat.composer.queue.rows[0].remove.click()
    server._behaviours[:] = [Json({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)]
    await sam.send("And seas?")
    await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
    await sam.answered()
    yield "an error row", window
    chat.composer.tray.add(PastedImage(_picture(), "Map.png"))
    chat.composer.tray.add(PastedText("x\n" * 500, "Notes.txt"))
    await sam.until(lambda: not chat.composer.tray.is_reading, "the attachments")
    yield "attachments in the composer", window
    chat.edit_last()
    yield "an earlier message is edited", window
    chat.composer.cancel_edit()
    for item in list(chat.composer.tray.items):
        chat.composer.tray.remove(item.id)
    window.notices.show_notice("Something is over", action_text="Undo", on_action=lambda: None)
    window.notices.show_notice("Something is wrong", kind="error")
    yield "notices", window
    window.notices.clear()
    async for state in _summary(sam):
        yield state
    chat.header.begin_rename()
    yield "the title is edited", window
    QTest.keyClick(_focus(), Qt.Key.Key_Escape)
    sam.window.sidebar.list.rename(chat.conversation.id)
    yield "a title is edited in the sidebar", window
    QTest.keyClick(_focus(), Qt.Key.Key_Escape)
    stored = await sam.program._library.attachments.put(_png())
    path = sam.program._library.attachments.path(stored)
    assert path is not None
    chat.timeline.image_clicked.emit(ShownPicture(path, "Map.png"))
    yield "a picture shown large", await _dialog(sam)
    await _closed(sam, await _dialog(sam))
    async for state in _mini_prompts(sam):
        yield state
    chat.composer.setFocus()
    chat.composer.open_model_picker()
    yield "the model picker", chat.composer.picker
    chat.composer.picker.close()
    window.open_palette()
    yield "the palette", window
    QTest.keyClick(window.findChild(CommandPalette).field, Qt.Key.Key_Escape)
    for page in ("providers", "chat", "appearance", "data", "about"):
        window.open_settings(page)
        dialog = window.findChild(SettingsDialog)
        if page == "providers":
            dialog.pages["providers"].open_account("bench")
        yield f"settings: {page}", dialog
        if page == "providers":
            dialog.pages[page].editors["bench"].expert.set_open(True)
            yield "settings: an account for experts", dialog
            dialog.pages[page].open_presets()
            presets = dialog.findChild(PresetDialog)
            yield "the list of presets", presets
            presets.close()
        await _closed(sam, dialog)
    for name in ("shortcuts",):
        window.actions_by_name[name].trigger()
        yield name, await _dialog(sam)
        await _closed(sam, await _dialog(sam))
    chat.open_settings()
    yield "settings of the conversation", await _dialog(sam)
    await _closed(sam, await _dialog(sam))
    chat.timeline.action_requested.emit("details", sam.bus.id_at(1))
    yield "details of a message", await _dialog(sam)
    await _closed(sam, await _dialog(sam))
    window._open_link("https://example.org/a")
    yield "the question about a link", await _dialog(sam)
    await _closed(sam, await _dialog(sam))
    window.inspector.toggle()
    inspector: Any = window.inspector.widget
    await sam.until(lambda: inspector.context.rows.rowCount(), "the messages of the next request")
    inspector.context.list.setCurrentIndex(inspector.context.rows.index(0))
    for tab in ("context", "request", "todo", "pinned"):
        inspector.show_tab(tab)
        yield f"the inspector: {tab}", window
    window.inspector.toggle()
    window.chat.header.open_menu()
    yield "the menu", window._menu
    window._menu.close()
    chat.timeline.actions_on_rows.open_menu(sam.bus.id_at(1))
    menu = _popup()
    yield "a message's menu", menu
    menu.close()


async def _summary(sam: Sitting) -> AsyncIterator[tuple[str, QWidget]]:
    """A summary and the strip that tells of it, what it stands for, and a message that is never sent."""
    bus, timeline = sam.bus, sam.chat.timeline
    covered = [bus.at(0), bus.at(1)]
    summary = summary_message("Hello", covered, bus.id_at(1), provider="bench", model="tiny")
    bus.insert(summary)
    bus.annotate(bus.id_at(3), context="never")
    timeline.show_message(summary.id)
    await sam.until(lambda: sam.chat.chat_context.plan.plan is not None, "the plan")
    timeline.row_of(summary.id).blocks[0].head.click()
    await sam.answered()
    yield "a summary", sam.window
    bus.annotate(bus.id_at(3), context="")
    bus.remove(summary.id)
    timeline.go_to_end()
    await sam.answered()


async def _mini_prompts(sam: Sitting) -> AsyncIterator[tuple[str, QWidget]]:
    """The panel with examples, with a list and what can come back, with its menu, and with a prompt being written."""
    control = sam.chat.prompts
    sam.chat.composer.setFocus()
    control.toggle_panel()
    yield "mini prompts: examples", sam.window
    for _card in range(2):
        control.panel.examples.cards[0].click()
    control.panel.page.list.remove_wanted.emit(control.panel.page.list.current_id)
    control.panel.say_trouble("Something is wrong")
    yield "mini prompts: the list", sam.window
    control.panel.page.list.open_menu()
    menu = _popup()
    yield "mini prompts: a menu", menu
    menu.close()
    control.panel.new_button.click()
    control.panel.editor.save_button.click()
    yield "mini prompts: a new one", sam.window
    control.panel.editor.cancel_button.click()
    control.panel.close_button.click()


def _focus() -> QWidget:
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def _popup() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


async def _dialog(sam: Sitting) -> QDialog:
    def found() -> Any:
        return next((each for each in sam.window.findChildren(QDialog) if each.isVisible()), None)

    await sam.until(found, "the dialog")
    dialog: QDialog = found()
    return dialog


async def _closed(sam: Sitting, dialog: QDialog) -> None:
    import shiboken6

    dialog.close()
    await sam.until(lambda: not shiboken6.isValid(dialog), "the end of the dialog")


def _picture() -> QImage:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    return image


def _png() -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    _picture().save(buffer, "PNG")
    return bytes(buffer.data().data())
