"""The sheet of shortcuts shows every key in full."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from sam_py.ui.actions import Actions, specs
from sam_py.ui.shortcut_sheet import ShortcutSheet
from sam_py.ui.theme import Themes


@pytest.mark.parametrize("width_px", [1600, 1080, 760])
def test_no_key_is_cut_off(qtbot: QtBot, width_px: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(width_px, 760)
    actions = Actions(window, {spec.name: lambda: None for spec in specs()})
    sheet = ShortcutSheet(actions, Themes(), window)
    sheet.show()
    area = sheet.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0
    assert sheet.width() <= width_px
    labels = [label for label in area.findChildren(QLabel) if label.isVisible()]
    assert len(labels) > 60
    assert all(label.width() >= label.sizeHint().width() for label in labels)
