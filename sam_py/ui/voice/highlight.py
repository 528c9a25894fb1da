"""SpokenHighlight: the sentence that is read stands marked in the timeline, and in view while the person follows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from sam_py.speech.base import Utterance
from sam_py.ui.chat.timeline import Timeline

if TYPE_CHECKING:
    from sam_py.ui.chat.parts.spoken import SpokenMark
    from sam_py.ui.chat.row import MessageRow

_LOOK_AGAIN_MS = 60
_LOOKS = 25
"""A sentence may be heard before the row that shows it was drawn: it is looked for so often."""
_AIR_PX = 8
_FOOT_PX = 56
"""At the foot of the view the button to the end may stand."""


class SpokenHighlight(QObject):
    """Owns the one mark of a timeline.

    The view goes along with what is read only while the person does: who scrolls away keeps their place, until they
    scroll back to it or ask for it (`go_there`). Rows that come and go tell by `show_in`. # D-038
    """

    followed = Signal(bool)
    """Whether the view goes along has changed."""

    def __init__(self, timeline: Timeline) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self._utterance: Utterance | None = None
        self._mark: SpokenMark | None = None
        self._follows = True
        self._moving = False
        self._at_end = timeline.is_at_end
        self._went_to_end = False
        self._looks = 0
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_LOOK_AGAIN_MS)
        self._again.timeout.connect(self._look_again)
        self._settled = QTimer(self)  # the rows stand where they belong again
        self._settled.setSingleShot(True)
        self._settled.setInterval(0)
        self._settled.timeout.connect(self._settle)
        timeline.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def follows(self) -> bool:
        """Whether the view goes along with what is read."""
        return self._follows

    @property
    def is_somewhere(self) -> bool:
        """Whether something of the conversation is being read, where one could go to."""
        return self._utterance is not None

    def show(self, utterance: Utterance | None, *, asked: bool = False) -> None:
        """Mark another sentence, or none. `asked`: the person asked for just this message to be read."""
        if self._settled.isActive():
            self._settle()
        if utterance is not None and not utterance.message_id:
            utterance = None  # a selection: no place of the conversation
        before, self._utterance = self._utterance, utterance
        self._looks = 0
        if utterance is None:
            self._again.stop()
            self._drop()
            return
        if before is None or before.message_id != utterance.message_id:
            self._follow(asked or self._timeline.is_at_end or self._is_row_in_view(utterance.message_id))
        elif before == utterance:
            return
        self._place()

    def show_in(self, row: MessageRow) -> None:
        """A row shows another message than before, or the same one drawn anew."""
        if self._utterance is not None and row.message_id == self._utterance.message_id:
            self._mark_in(row)

    def go_there(self) -> None:
        """Bring what is read into view, and go along with it from now on."""
        if self._utterance is not None:
            self._follow(True)
            self._looks = 0
            self._place()

    def is_in_view(self) -> bool:
        """Whether all that is marked can be seen, or of something tall a part."""
        rect = self._rect()
        return rect is not None and self._fits(rect)

    # Inside

    def _place(self) -> None:
        """Mark the sentence where it is drawn, and bring it into view."""
        assert self._utterance is not None
        row = self._timeline.row_of(self._utterance.message_id)
        if row is None and self._follows:
            message_id = self._utterance.message_id
            self._move(lambda: self._timeline.show_message(message_id, mark=False))
            row = self._timeline.row_of(self._utterance.message_id)
        if row is not None:
            self._mark_in(row)
        self._keep_in_view()

    def _mark_in(self, row: MessageRow) -> None:
        assert self._utterance is not None
        column = row.column_of(self._utterance.part_index)
        if self._mark is None or column is not self._mark.column or column.spoken is not self._mark:
            from sam_py.ui.chat.parts.spoken import SpokenMark  # with what draws Markdown: there is a row by now

            self._drop()
            if column is not None:
                self._mark = column.spoken = SpokenMark(column)
        if self._mark is not None:
            self._mark.move(self._utterance.start, self._utterance.end)
        if (self._mark is None or not self._mark.is_found) and self._looks < _LOOKS:
            self._looks += 1
            self._again.start()

    def _look_again(self) -> None:
        if self._utterance is not None:
            self._place()

    def _drop(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None and mark.column.spoken is mark:  # else the column went on to another text
            mark.forget()
            mark.column.spoken = None

    def _rect(self) -> QRect | None:
        """What is marked, in the viewport's coordinates; None where it is not on screen."""
        mark = self._mark
        if mark is None or mark.column.spoken is not mark or not mark.column.isVisible():
            return None
        rect = mark.rect()
        if rect.isEmpty():
            return None
        whole = rect.toAlignedRect()
        return QRect(mark.column.mapTo(self._timeline.viewport(), whole.topLeft()), whole.size())

    def _fits(self, rect: QRect) -> bool:
        view = self._timeline.viewport().height()
        foot = _FOOT_PX if self._timeline.pill.isVisible() else _AIR_PX
        if rect.height() > view - foot - _AIR_PX:
            return rect.top() < view // 2 and rect.bottom() > view // 2
        return rect.top() >= _AIR_PX and rect.bottom() <= view - foot

    def _is_row_in_view(self, message_id: str) -> bool:
        row = self._timeline.row_of(message_id)
        return row is not None and row.isVisible() and row.geometry().intersects(self._timeline.viewport().rect())

    def _keep_in_view(self) -> None:
        if not self._follows or QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            return  # something is being selected or dragged
        rect = self._rect()
        if rect is None or self._fits(rect):
            return
        view = self._timeline.viewport().height()
        room = min(view // 4, max(_AIR_PX, view - rect.height() - _FOOT_PX))
        bar = self._timeline.verticalScrollBar()
        self._move(lambda: bar.setValue(bar.value() + rect.top() - room))

    def _move(self, scroll: Callable[[], object]) -> None:
        """Scroll in the name of the voice: that is no sign that the person went elsewhere."""
        self._moving = True
        try:
            scroll()
        finally:
            self._moving = False
            self._at_end = self._timeline.is_at_end

    def _follow(self, follows: bool) -> None:
        if follows != self._follows:
            self._follows = follows
            self.followed.emit(follows)

    def _scrolled(self) -> None:
        """The person scrolled, or the text grew under them: only the first says whether they still follow."""
        was_at_end, self._at_end = self._at_end, self._timeline.is_at_end
        if self._moving or self._utterance is None:
            return
        if self._timeline.is_placing:
            self._went_to_end = self._went_to_end or (self._at_end and not was_at_end)
            self._settled.start()
        else:
            self._follow(self.is_in_view())

    def _settle(self) -> None:
        """The text grew, or the person went to its end."""
        self._settled.stop()
        went_to_end, self._went_to_end = self._went_to_end, False
        if self._utterance is None:
            return
        if went_to_end:
            self._follow(self.is_in_view())
        self._keep_in_view()
