"""announce: say something to whoever uses a screen reader, without moving the keyboard."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def is_listened_to() -> bool:
    """Whether a screen reader is there."""
    from PySide6.QtGui import QAccessible  # its names take 2 ms to load: not before the window stands

    return QAccessible.isActive()


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Have `text` read out in the name of `widget`; at once where `urgent`. Costs nothing without a screen reader."""
    if not text.strip() or not is_listened_to():
        return
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    event = QAccessibleAnnouncementEvent(widget, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
