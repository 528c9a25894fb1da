"""The blocks of a row: what is let go of is heard of no more."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from sam_py.ui.chat.blocks import TextBlock
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.markdown.maths import shared_formulas
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons


def test_a_formula_that_is_drawn_after_its_row_went_harms_nobody(qtbot: QtBot) -> None:
    themes = Themes()
    parent = QWidget()
    qtbot.addWidget(parent)
    context = RowContext(
        themes=themes,
        icons=Icons(themes),
        attachment_path=lambda _hash: Path("/nowhere"),
        label_of=lambda provider, _model: provider,
        show_metrics=True,
    )
    text = "In a line $q_{731}$.\n\n$$\n\\frac{q_{731}}{2}\n$$\n"
    with qtbot.waitSignals([shared_formulas().ready] * 2, timeout=20_000):
        block = TextBlock(context, text, live=False, parent=parent)
        block.layout_for(600)
        block.release()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
