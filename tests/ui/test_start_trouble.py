"""What keeps the program from starting is said in a box that shows it as it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from sam_py.ui.start_trouble import trouble_box


def test_the_box_says_why_and_closes_by_a_key(qtbot: QtBot) -> None:
    box = trouble_box("<b>/data-folder.txt</b> is empty.")
    qtbot.addWidget(box)
    with qtbot.waitSignal(box.finished):
        box.open()
        qtbot.keyClick(box.button(QMessageBox.StandardButton.Close), Qt.Key.Key_Escape)
    assert (box.text(), box.textFormat()) == ("<b>/data-folder.txt</b> is empty.", Qt.TextFormat.PlainText)
