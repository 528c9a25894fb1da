"""VoiceList: the voices of an engine, found by name or language, with what is in the way of listing them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPalette,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from sam_py.speech.base import Voice
from sam_py.ui.settings.fields import Words
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

_ID = Qt.ItemDataRole.UserRole + 1
_LANGUAGES = Qt.ItemDataRole.UserRole + 2
_FOUND_BY = Qt.ItemDataRole.UserRole + 3
_SEARCH_FROM = 8
_ROWS = 6
_ROW_PX = 30

_Index = QModelIndex | QPersistentModelIndex


class VoiceList(QWidget):
    """Shows one of: that it looks, what went wrong (with *Try again*), the voices. `chosen(id)` is a person's."""

    chosen = Signal(str)
    retry_wanted = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._current = ""
        self.filter = FilterField(icons, self.tr("Find a voice or a language"))
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Voices"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self._voices = QStandardItemModel(self)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self._voices)
        self._found.setFilterRole(_FOUND_BY)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list.setModel(self._found)
        self.list.setItemDelegate(_VoicePainter(icons, self))
        self.words = Words(icons, role="muted", small=True)
        self.retry = PillButton(icons, self.tr("Try again"), kind="outline", icon="regenerate", height_px=30)
        self._trouble = QWidget()
        row = QHBoxLayout(self._trouble)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.words, 1)
        row.addWidget(self.retry)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.filter)
        column.addWidget(self.list)
        column.addWidget(self._trouble)
        self.filter.textChanged.connect(self._search)
        self.filter.installEventFilter(self)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.retry.clicked.connect(self.retry_wanted)
        icons.changed.connect(self._retheme)
        self._retheme()
        self.say_looking()

    # What the page tells it

    def say_looking(self) -> None:
        self._show(self.tr("Looking for voices…"), is_error=False, can_retry=False)

    def say_trouble(self, text: str) -> None:
        self._show(text, is_error=True, can_retry=True)

    def show_voices(self, voices: Sequence[Voice], current: str) -> None:
        """Offer these and the engine's own choice; one that is chosen but no longer there is listed as such."""
        self._voices.clear()
        self._add("", self.tr("The engine's own choice"), ())
        for voice in voices:
            self._add(voice.id, one_line(voice.name) or voice.id, voice.languages)
        if current and all(voice.id != current for voice in voices):
            self._add(current, self.tr("%1 (not there at the moment)").replace("%1", one_line(current)), ())
        self.filter.clear()
        self.filter.setVisible(len(voices) >= _SEARCH_FROM)
        self.list.setFixedHeight(min(_ROWS, self._voices.rowCount()) * self._row_px() + 10)
        self.list.show()
        none = self.tr("This engine lists no voices.")
        self._trouble.setVisible(not voices)
        self.retry.setVisible(not voices)
        self.words.say("" if voices else none)
        self.show_current(current)

    def show_current(self, voice_id: str) -> None:
        """Mark the voice that is chosen."""
        self._current = voice_id
        for row in range(self._found.rowCount()):
            index = self._found.index(row, 0)
            if index.data(_ID) == voice_id:
                if self.list.currentIndex() != index:
                    self.list.setCurrentIndex(index)
                self.list.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
                return
        self.list.setCurrentIndex(QModelIndex())

    @property
    def shown(self) -> list[str]:
        """The ids of the voices that the search leaves, from top to bottom."""
        return [str(self._found.index(row, 0).data(_ID)) for row in range(self._found.rowCount())]

    @property
    def current(self) -> str:
        return self._current

    # Inside

    def _add(self, voice_id: str, name: str, tags: tuple[str, ...]) -> None:
        languages = ", ".join(dict.fromkeys(language_name(tag) for tag in tags))
        item = QStandardItem(name)
        item.setData(voice_id, _ID)
        item.setData(languages if languages.casefold() != name.casefold() else "", _LANGUAGES)
        item.setData(f"{name} {languages} {' '.join(tags)}", _FOUND_BY)
        item.setData(f"{name}, {languages}" if languages else name, Qt.ItemDataRole.AccessibleTextRole)
        self._voices.appendRow(item)

    def _show(self, text: str, *, is_error: bool, can_retry: bool) -> None:
        self.filter.hide()
        self.list.hide()
        self.words.say(text, "error" if is_error else "muted")
        self.retry.setVisible(can_retry)
        self._trouble.show()

    def _search(self, words: str) -> None:
        self._found.setFilterFixedString(words.strip())
        none = not self._found.rowCount()
        self._trouble.setVisible(none)
        self.retry.hide()
        self.words.say(self.tr("No voice or language is called that.") if none else "")
        self.show_current(self._current)

    def _choose(self, index: QModelIndex) -> None:
        voice_id = index.data(_ID)
        if voice_id is not None and voice_id != self._current:
            self._current = str(voice_id)
            self.chosen.emit(self._current)

    def _row_px(self) -> int:
        return round(_ROW_PX * self._icons.themes.current.scale)

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        palette = QPalette(self.list.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(colours.raised))
        self.list.setPalette(palette)
        radius = round(8 * theme.scale)
        self.list.setStyleSheet(
            f"QListView {{ background: {colours.raised}; border: 1px solid {colours.border};"
            f" border-radius: {radius}px; padding: 4px; }}"
            f"QListView:focus {{ border-color: {colours.accent}; }}"
        )
        if self._voices.rowCount():
            self.list.setFixedHeight(min(_ROWS, self._voices.rowCount()) * self._row_px() + 10)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search, Down goes into the list, and Enter takes what is found first."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._found.rowCount():
            if event.key() == Qt.Key.Key_Down:
                if not self.list.currentIndex().isValid():
                    self.list.setCurrentIndex(self._found.index(0, 0))
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self._found.index(0, 0))
                self.show_current(self._current)
                return True
        return super().eventFilter(watched, event)


class _VoicePainter(QStyledItemDelegate):
    """The name at the left, the languages at the right, a tick before the chosen one."""

    def __init__(self, icons: Icons, owner: VoiceList) -> None:
        super().__init__(owner)
        self._icons = icons
        self._owner = owner

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(self._px(120), self._px(_ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = self._icons.themes.current
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        font: QFont = QFont(option.font)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_chosen = index.data(_ID) == self._owner.current
        has_keyboard = bool(state & QStyle.StateFlag.State_Selected and state & QStyle.StateFlag.State_Active)
        if is_chosen or has_keyboard or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            lively = is_chosen or has_keyboard
            painter.setBrush(QColor(theme.palette.selected if lively else theme.palette.hover))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), self._px(6), self._px(6))
        side = self._px(14)
        if is_chosen:
            place = QRect(rect.left() + self._px(8), rect.center().y() - side // 2, side, side)
            self._icons.paint(painter, "check", "accent", place.toRectF())
        line = rect.adjusted(self._px(30), 0, -self._px(10), 0)
        font.setPointSizeF(theme.body_pt * 0.97)
        small = QFont(font)
        small.setPointSizeF(theme.small_pt)
        languages = str(index.data(_LANGUAGES) or "")
        wide = min(QFontMetrics(small).horizontalAdvance(languages) + 4, line.width() // 2)
        right = line.adjusted(line.width() - wide, 0, 0, 0)
        left = line.adjusted(0, 0, -wide - self._px(8), 0)
        for text, place, face, colour, side_flag in (
            (str(index.data() or ""), left, font, theme.palette.text, Qt.AlignmentFlag.AlignLeft),
            (languages, right, small, theme.palette.text_muted, Qt.AlignmentFlag.AlignRight),
        ):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            cut = QFontMetrics(face).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, side_flag | Qt.AlignmentFlag.AlignVCenter, cut)
        painter.restore()


def language_name(tag: str) -> str:
    """What a BCP 47 tag is called; the tag itself where Qt knows no language of it.

    >>> language_name("de"), language_name("pt-BR"), language_name("xx-klingon")
    ('German', 'Portuguese (Brazil)', 'xx-klingon')
    """
    code, _, rest = tag.replace("_", "-").partition("-")
    language = QLocale.codeToLanguage(code)
    if language in (QLocale.Language.AnyLanguage, QLocale.Language.C):
        return tag
    name = QLocale.languageToString(language)
    if not rest:
        return name
    territory = QLocale.codeToTerritory(rest.rpartition("-")[2])
    where = rest if territory == QLocale.Country.AnyCountry else QLocale.territoryToString(territory)
    return f"{name} ({where})"
