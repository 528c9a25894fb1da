"""Tab order: what Tab goes through, in the order in which it is read, however and whenever it was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget


def takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at a widget now."""
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isEnabled()
        and widget.isVisible()
        and widget.focusProxy() is None
    )


def stops_below(root: QWidget, wanted: Callable[[QWidget], bool] = takes_tab) -> list[QWidget]:
    """What Tab stops at in `root`: line by line, each in reading direction."""
    found = [widget for widget in root.findChildren(QWidget) if wanted(widget)]
    if wanted(root):
        found.append(root)
    places = {widget: widget.mapTo(root, QPoint(0, 0)) for widget in found}
    found.sort(key=lambda widget: (places[widget].y(), places[widget].x()))
    lines: list[list[QWidget]] = []
    foot = -1
    for widget in found:
        middle = places[widget].y() + widget.height() // 2
        if not lines or middle >= foot:
            lines.append([])
            foot = places[widget].y() + widget.height()
        lines[-1].append(widget)
    backwards = root.layoutDirection() == Qt.LayoutDirection.RightToLeft
    for line in lines:
        line.sort(key=lambda widget: places[widget].x(), reverse=backwards)
    return [widget for line in lines for widget in line]


def move_focus(window: QWidget, stops: Iterable[QWidget], step: int) -> bool:
    """Give the keyboard to the stop after (`step` 1) or before (-1) the one that has it; round at the ends.

    False where the keyboard is at none of them.
    """
    order = list(stops)
    focus = window.focusWidget()
    if focus not in order:
        return False
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    reason = Qt.FocusReason.TabFocusReason if step > 0 else Qt.FocusReason.BacktabFocusReason
    order[(order.index(focus) + step) % len(order)].setFocus(reason)
    return True
