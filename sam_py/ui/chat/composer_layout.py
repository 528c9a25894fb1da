"""Where the composer's parts stand in its box: what waits, what is wrong, attachments, the text, the row of buttons."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.chat.composer_box import SHADOW_PX

if TYPE_CHECKING:
    from sam_py.ui.chat.composer import Composer


def lay_out(composer: Composer) -> None:
    """Fill the composer's box, and have Tab go through it in the order of reading."""
    column = QVBoxLayout(composer.box)
    column.setContentsMargins(SHADOW_PX, 0, SHADOW_PX, SHADOW_PX)
    column.setSpacing(0)
    column.addWidget(composer.queue)
    column.addLayout(_message(composer))
    column.addLayout(_buttons(composer))
    order = (
        composer.text,
        composer.attach_button,
        composer.model_button,
        composer.prompts_button,
        composer.microphone,
        composer.speaker,
        composer.stop_button,
        composer.send_button,
    )
    for before, after in itertools.pairwise(order):
        QWidget.setTabOrder(before, after)


def _message(composer: Composer) -> QVBoxLayout:
    inside = QVBoxLayout()
    inside.setContentsMargins(8, 8, 8, 0)
    inside.setSpacing(8)
    for widget in (composer.refusal, composer.banner, composer.errors, composer.chips):
        inside.addWidget(widget)
    words = QHBoxLayout()
    words.setContentsMargins(8, 2, 4, 0)
    words.addWidget(composer.text)
    inside.addLayout(words)
    return inside


def _buttons(composer: Composer) -> QHBoxLayout:
    hint = composer.hint
    hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    row = QHBoxLayout()
    row.setContentsMargins(6, 2, 6, 6)
    row.setSpacing(4)
    row.addWidget(composer.attach_button)
    row.addWidget(composer.model_button)
    row.addWidget(composer.prompts_button)
    row.addStretch(1)
    row.addWidget(hint)
    row.setStretchFactor(hint, 1)
    row.addSpacing(4)
    row.addWidget(composer.microphone)
    row.addWidget(composer.speaker)
    row.addWidget(composer.stop_button)
    row.addWidget(composer.send_button)
    return row
