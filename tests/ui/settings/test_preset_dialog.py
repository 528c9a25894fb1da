"""The list of presets is searched by typing, walked by keys, and grouped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from sam_py.providers.presets import PRESETS
from sam_py.ui.settings.preset_dialog import PresetDialog, PresetRows
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[PresetDialog]:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PresetDialog(Icons(Themes()), parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.open()
    yield dialog
    dialog.close()


def shown(rows: PresetRows) -> list[str]:
    return [rows.words(rows.index(at, 0)) for at in range(rows.rowCount())]


def test_every_preset_stands_in_one_of_three_groups(dialog: PresetDialog, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(dialog.rows)  # type: ignore[no-untyped-call]
    lines = shown(dialog.rows)
    assert len(lines) == len(PRESETS) + 3
    assert lines.index("OpenAI") < lines.index("On this computer") < lines.index("llama.cpp")


def test_a_service_is_found_by_a_few_letters_and_chosen_by_enter(dialog: PresetDialog, qtbot: QtBot) -> None:
    QTest.keyClicks(dialog.search, "deeps")
    assert shown(dialog.rows) == ["Services, with a key", "DeepSeek"]
    with qtbot.waitSignal(dialog.preset_chosen) as chosen:
        QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    assert chosen.args[0].preset == "deepseek"
    assert not dialog.isVisible()


def test_what_a_preset_is_good_for_is_searched_too(dialog: PresetDialog) -> None:
    QTest.keyClicks(dialog.search, "many makers")
    assert "OpenRouter" in shown(dialog.rows)


def test_arrows_walk_over_headings(dialog: PresetDialog) -> None:
    for _ in range(len(PRESETS) + 5):
        QTest.keyClick(dialog.search, Qt.Key.Key_Down)
        assert dialog.rows.preset(dialog.list.currentIndex()) is not None
    QTest.keyClick(dialog.search, Qt.Key.Key_PageUp)
    assert dialog.rows.preset(dialog.list.currentIndex()) is not None


def test_a_name_that_nothing_has_leaves_nothing_to_add(dialog: PresetDialog, qtbot: QtBot) -> None:
    QTest.keyClicks(dialog.search, "zzz")
    assert shown(dialog.rows) == []
    assert not dialog.add.isEnabled()
    with qtbot.assertNotEmitted(dialog.preset_chosen):
        QTest.keyClick(dialog.search, Qt.Key.Key_Return)


def test_a_screen_reader_hears_the_hint(dialog: PresetDialog) -> None:
    at = shown(dialog.rows).index("OpenRouter")
    said = dialog.rows.data(dialog.rows.index(at, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "OpenRouter. One key for the models of many makers."
