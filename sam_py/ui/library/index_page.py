"""IndexPage: a page over the search index, which hears of the index only while it is seen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from sam_py.store.search_index.results import IndexState
from sam_py.store.search_index.service import SearchService


class IndexPage(QWidget):
    """Calls `_hear` with each state of the index while the page is shown, and `_set_margins` with each new width."""

    def __init__(self, search: SearchService, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._search = search
        self._unsubscribe: Callable[[], None] | None = None

    def _hear(self, state: IndexState) -> None:
        raise NotImplementedError

    def _set_margins(self) -> None:
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._unsubscribe is None:
            self._unsubscribe = self._search.subscribe(self._hear)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_margins()
        super().resizeEvent(event)
