"""What a conversation shows before its first message: who will answer, and how to connect a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.chat.model_file_note import ModelFileNote
from sam_py.ui.chat.model_names import GUIDE
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.cards import CardButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:  # HTTP is not needed to draw
    from sam_py.providers.local import FoundServer

_COLUMN_PX = 640
_MARK_PX = 52
_ABOUT_PX = 470
_THREE_COLUMNS_FROM_PX = 560
_TWO_TITLES_FROM_PX = 340
_GREETING = 1.9
_LOW_GREETING = 1.25
"""Of the body's size."""
_CARDS_SHOWN = 3
"""Found servers beyond this are in the model picker; here they would push the rest out of sight."""


class EmptyState(QScrollArea):
    """Greets; with the offline guide it offers the ways to connect a model, with a model it stays out of the way."""

    local_server_chosen = Signal(object)
    """`FoundServer`"""
    model_file_requested = Signal()
    add_key_requested = Signal(str)
    """A preset's name; "" lets the person choose one."""
    suggestion_chosen = Signal(str)
    look_again_requested = Signal()
    """Look for servers on this computer once more."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._themes = icons.themes
        self._found: tuple[FoundServer, ...] = ()
        self._provider = GUIDE
        self._is_connected = False
        self._columns = 0
        self.is_low = False
        """Whether there is too little height for the ways to connect below the mark and the greeting."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("New conversation"))

        self._page = QWidget(self)
        self.setWidget(self._page)
        self._mark = QLabel(self._page)
        self.greeting = QLabel(self.tr("What shall we work on?"), self._page)
        self.about = QLabel(self._page)
        self._connect_title = QLabel(self.tr("Connect a model"), self._page)
        self._about_row = QHBoxLayout()
        self._grid = QGridLayout()
        self.note = ModelFileNote(icons, self._page)
        self.note.retry_requested.connect(self.model_file_requested)
        self._ask_title = QLabel(self.tr("Or ask the guide"), self._page)
        self._ask = QWidget(self._page)
        self._keys = QLabel(self._page)
        self.cards: list[CardButton] = []
        self.suggestions: list[PillButton] = []
        self._build()
        self._themes.changed.connect(self._take_theme)
        self._said: tuple[str, str, bool] | None = None
        self.set_model(GUIDE, "")
        self._take_theme()

    def set_model(self, provider: str, label: str, *, is_connected: bool = False) -> None:
        """Say who answers: a model by its `label`, or the offline guide. `is_connected`: there is a model to choose."""
        guide = provider == GUIDE
        said = (provider, "" if guide else label, is_connected)
        if said == self._said:
            return
        self._said = said
        self._provider = provider
        self._is_connected = is_connected
        if guide and is_connected:
            self.about.setText(
                self.tr("The offline guide answers here: it is no model, but it knows this program well.")
            )
        elif guide:
            self.about.setText(
                self.tr(
                    "No model is connected yet. Until one is, the offline guide answers: it is no model, but it knows "
                    "this program well."
                )
            )
        else:
            self.about.setText(self.tr("You are writing to {model}.").format(model=label))
        for widget in (self._ask_title, self._ask):
            widget.setVisible(guide)
        self._connect_title.setVisible(guide and not is_connected)
        self._ask_title.setText(self.tr("Ask the guide") if is_connected else self.tr("Or ask the guide"))
        self._keys.setVisible(not guide)
        self._fill_cards()

    def set_found(self, servers: Sequence[FoundServer]) -> None:
        """Offer the model servers that run on this computer."""
        if tuple(servers) != self._found:
            self._found = tuple(servers)
            self._fill_cards()

    def _build(self) -> None:
        for label in (self._mark, self.greeting, self.about, self._connect_title, self._ask_title, self._keys):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(label is not self._mark)
        self._keys.setText(
            self.tr("Enter sends · Shift+Enter breaks the line · drop files to attach · Ctrl+K lists every command")
        )
        flow = FlowLayout(gap_px=8, centred=True, parent=self._ask)
        for text in (
            self.tr("Show me what formatting looks like"),
            self.tr("How do I connect a local model?"),
            self.tr("Which keys can I press?"),
            self.tr("Where is my data kept?"),
        ):
            pill = PillButton(self._icons, text, kind="outline", max_width_px=400, parent=self._ask)
            pill.clicked.connect(self._suggestion_clicked)
            self.suggestions.append(pill)
            flow.addWidget(pill)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._ask.setSizePolicy(policy)
        self._grid.setSpacing(10)
        self._column = QVBoxLayout(self._page)
        self._column.setSpacing(0)
        self._column.addStretch(2)
        self._about_row.addWidget(self.about)
        self._mark.setContentsMargins(0, 0, 0, 14)
        self._column.addWidget(self._mark)
        self._column.addWidget(self.greeting)
        self._column.addSpacing(6)
        self._about_at = self._column.count()
        self._column.addLayout(self._about_row)
        self._column.addWidget(self._connect_title)
        self._column.addSpacing(10)
        self._column.addLayout(self._grid)
        self._column.addSpacing(10)
        self._column.addWidget(self.note)
        self._about_below_at = self._column.count()
        self._column.addSpacing(16)
        self._column.addWidget(self._ask_title)
        self._column.addSpacing(10)
        self._column.addWidget(self._ask)
        self._column.addWidget(self._keys)
        self._column.addStretch(3)

    def _fill_cards(self) -> None:
        for card in self.cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = []
        if self._provider == GUIDE and not self._is_connected:
            self._add_server_cards()
            self._add_card(
                "file",
                self.tr("Open a model file"),
                self.tr("A GGUF file on this computer. llama.cpp runs it here; nothing leaves the computer."),
            ).clicked.connect(self.model_file_requested)
            self._add_card(
                "key",
                self.tr("Use an API key"),
                self.tr("OpenAI, OpenRouter, Mistral and others. The key stays in this computer's keyring."),
            ).clicked.connect(self._key_clicked)
            self._add_card(
                "link",
                self.tr("Enter an address"),
                self.tr("Any server that speaks OpenAI's chat interface, here or in your network."),
            ).clicked.connect(self._address_clicked)
        self._columns = 0
        self._arrange()

    def _add_server_cards(self) -> None:
        for server in self._found[:_CARDS_SHOWN]:
            card = self._add_card(
                "server", self.tr("Use {name}").format(name=server.label), self._server_words(server), lively=True
            )
            card.setProperty("server", self._found.index(server))
            card.clicked.connect(self._server_clicked)
        if not self._found:
            self._add_card(
                "server",
                self.tr("Run one here"),
                self.tr("Start Ollama, LM Studio or llama.cpp, then click here to look for it."),
            ).clicked.connect(self.look_again_requested)

    def _server_words(self, server: FoundServer) -> str:
        if server.needs_key:
            return self.tr("Runs on this computer and asks for a key.")
        if len(server.models) == 1:
            return self.tr("Runs on this computer with {model}.").format(model=server.models[0])
        if server.models:
            return self.tr("Runs on this computer with {n} models.").format(n=len(server.models))
        return self.tr("Runs on this computer.")

    def _add_card(self, icon: str, title: str, sentence: str, *, lively: bool = False) -> CardButton:
        card = CardButton(self._icons, icon, title, sentence, lively=lively, parent=self._page)
        self.cards.append(card)
        return card

    def _arrange(self) -> None:
        """Cards side by side where there is room, otherwise below each other; the column in the middle."""
        scale = self._themes.current.scale
        width = self.viewport().width()
        side = max(16, (width - round(_COLUMN_PX * scale)) // 2)
        room = width - 2 * side
        beside = max(0, (room - round(_ABOUT_PX * scale)) // 2)
        columns = 1
        if room >= _THREE_COLUMNS_FROM_PX * scale:
            columns = 2 if len(self.cards) in (2, 4) else 3
        self._set_low(self._ways_end(columns, room, room - 2 * beside) > self.viewport().height())
        if self.is_low:
            columns = max(columns, 2 if room >= _TWO_TITLES_FROM_PX * scale else 1)
        self._about_row.setContentsMargins(beside, 12 if self.is_low else 0, beside, 0 if self.is_low else 26)
        margin = 8 if self.is_low else 16
        self._column.setContentsMargins(side, margin, side, margin)
        if columns == self._columns:
            return
        self._columns = columns
        for at in range(3):
            self._grid.setColumnStretch(at, 1 if at < columns else 0)
        for at, card in enumerate(self.cards):
            self._grid.addWidget(card, at // columns, at % columns)
            card.show()

    def _ways_end(self, columns: int, width: int, about_width: int) -> int:
        """How far down the last way to connect would reach with everything in its usual size, in px."""
        if not self.cards:
            return 0
        theme = self._themes.current
        greeting = QFont(self.font())
        greeting.setPointSizeF(theme.body_pt * _GREETING)
        above = 16 + round(_MARK_PX * theme.scale) + 14 + QFontMetrics(greeting).height() + 6
        above += self.about.heightForWidth(about_width) + 26 + self._connect_title.sizeHint().height()
        each = (width - 10 * (columns - 1)) // columns
        heights = [card.whole_height(each) for card in self.cards]
        rows = [max(heights[at : at + columns]) for at in range(0, len(heights), columns)]
        return above + sum(10 + row for row in rows)

    def _set_low(self, low: bool) -> None:
        """Without enough height: no mark, a small greeting, titles alone on the cards, and who answers below them."""
        for card in self.cards:
            card.set_short(low)
        if low == self.is_low:
            return
        self.is_low = low
        self._mark.setVisible(not low)
        self._column.removeItem(self._about_row)
        self._column.insertLayout(self._about_below_at - 1 if low else self._about_at, self._about_row)
        self._take_fonts()

    def _take_theme(self) -> None:
        theme = self._themes.current
        side = round(_MARK_PX * theme.scale)
        ratio = self.devicePixelRatioF()
        whole = QSize(round(side * ratio), round(side * ratio))
        self._mark.setPixmap(self._icons.pixmap("app", "accent", whole, ratio))
        self._take_fonts()
        ground = QPalette(self.palette())
        ground.setColor(QPalette.ColorRole.Window, QColor(theme.palette.window))
        self.setPalette(ground)
        self._page.setAutoFillBackground(True)
        self._page.setPalette(ground)
        self._columns = 0
        self._arrange()

    def _take_fonts(self) -> None:
        theme = self._themes.current
        greeting = theme.body_pt * (_LOW_GREETING if self.is_low else _GREETING)
        for label, points, weight, colour in (
            (self.greeting, greeting, QFont.Weight.DemiBold, theme.palette.text),
            (self.about, theme.body_pt * 1.05, QFont.Weight.Normal, theme.palette.text_muted),
            (self._connect_title, theme.small_pt * 1.04, QFont.Weight.DemiBold, theme.palette.text_muted),
            (self._ask_title, theme.small_pt * 1.04, QFont.Weight.DemiBold, theme.palette.text_muted),
            (self._keys, theme.small_pt, QFont.Weight.Normal, theme.palette.text_muted),
        ):
            font = QFont(self.font())
            font.setPointSizeF(points)
            font.setWeight(weight)
            label.setFont(font)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            label.setPalette(palette)

    def _server_clicked(self) -> None:
        self.local_server_chosen.emit(self._found[int(self.sender().property("server"))])

    def _key_clicked(self) -> None:
        self.add_key_requested.emit("")

    def _address_clicked(self) -> None:
        self.add_key_requested.emit("compatible")

    def _suggestion_clicked(self) -> None:
        pill = self.sender()
        assert isinstance(pill, PillButton)
        self.suggestion_chosen.emit(pill.text())

    def showEvent(self, event: QShowEvent) -> None:
        # A style sheet forgets the fonts and colours of labels that were shown before they moved to another parent.
        self._take_theme()
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()  # first: the page must not keep the margins of a wider window
        super().resizeEvent(event)
