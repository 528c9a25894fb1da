"""What the panel says while there is no mini prompt, and examples of some, which a click adds."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.cards import CardButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.icons import Icons


def _(text: str) -> str:
    return QCoreApplication.translate("PromptExamples", text)


def examples() -> tuple[tuple[str, str], ...]:
    """Names and texts."""
    return (
        (_("Short answers"), _("Answer in five sentences or fewer. Go on only where I ask for more.")),
        (_("Ask first"), _("Where the answer hangs on something that I did not say, ask me before you assume it.")),
        (_("Say how sure"), _("Mark what you are not sure of, and say how I could check it.")),
    )


class PromptExamples(QWidget):
    added = Signal(str, str)
    """name, text"""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        intro = self.tr(
            "A mini prompt is a wish that a model is reminded of with every message of a conversation. Tick the ones "
            "that are to hold in this conversation. They are sent along and never become part of what was said."
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.setSpacing(8)
        column.addWidget(Words(icons, intro, role="muted"))
        column.addSpacing(2)
        column.addWidget(Words(icons, self.tr("Begin with one of these, or write your own:"), role="muted", small=True))
        self.cards: list[CardButton] = []
        for name, text in examples():
            card = CardButton(icons, "plus", name, text, parent=self)
            card.clicked.connect(partial(self.added.emit, name, text))
            self.cards.append(card)
            column.addWidget(card)
        column.addStretch(1)


class MoreExamples(QWidget):
    """The examples that were not added yet, small, below the first prompts of somebody who begins."""

    added = Signal(str, str)
    """name, text"""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        flow = FlowLayout(gap_px=6, parent=self)
        self.pills: list[PillButton] = []
        for name, text in examples():
            pill = PillButton(icons, name, kind="outline", icon="plus", height_px=28, parent=self)
            pill.setAccessibleDescription(text)
            pill.setToolTip(text)
            pill.clicked.connect(partial(self.added.emit, name, text))
            self.pills.append(pill)
            flow.addWidget(pill)
        self.hide()

    def offer(self, taken: Collection[str]) -> None:
        """Offer those whose name is not `taken`."""
        for pill in self.pills:
            pill.setHidden(pill.text() in taken)
        self.setVisible(any(not pill.isHidden() for pill in self.pills))
        self.updateGeometry()
