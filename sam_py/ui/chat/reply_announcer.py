"""ReplyAnnouncer: a screen reader hears a reply paragraph by paragraph as it comes, and how it ended."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget

from sam_py.bus.deltas import Appended, Delta, ErrorShown, Updated
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.ui.widgets.announce import announce, is_listened_to

_LONGEST = 4_000
"""Characters of a paragraph beyond which it is read as it was written: parsing could take long."""

Say = Callable[[str, bool], None]
"""Reads a text out; True: it is urgent."""


class ReplyAnnouncer:
    """Listens to one conversation at a time, and only while somebody listens to it.

    A paragraph is read when it is complete, code as one paragraph. What is read was never read before.
    """

    def __init__(self, widget: QWidget, say: Say | None = None) -> None:
        self._say: Say = say or (lambda text, urgent: announce(widget, text, urgent=urgent))
        self._off: Callable[[], None] | None = None
        self._reply = ""
        self._text = ""
        self.is_quiet = False
        """Our own voice reads replies: two voices at once are understood by nobody. Errors are said all the same."""

    def attach(self, bus: MessageBus) -> None:
        """Listen to this conversation from now on."""
        self.detach()
        self._off = bus.subscribe(self._on_delta)

    def detach(self) -> None:
        if self._off is not None:
            self._off()
            self._off = None
        self._reply = self._text = ""

    def _on_delta(self, delta: Delta) -> None:
        if not is_listened_to():
            return
        match delta:
            case Appended(index=int(), kind="text") if not self.is_quiet:
                self._grow(delta.message_id, delta.text)
            case Updated(message=AssistantMessage() as reply) if reply.id == self._reply:
                self._end(reply)
            case ErrorShown(index=int()):
                self._say(_tr("Error: {text}").replace("{text}", delta.error.text), True)
            case _:
                pass

    def _grow(self, reply: str, text: str) -> None:
        if reply != self._reply:
            self._reply, self._text = reply, ""
        self._text += text
        if "\n" not in text:
            return
        done, gap, rest = self._text.rpartition("\n\n")
        if gap and done.count("```") % 2 == 0:
            self._text = rest
            self._read(done)

    def _end(self, reply: AssistantMessage) -> None:
        rest, self._reply, self._text = self._text, "", ""
        self._read(rest)
        match reply.stop_reason:
            case "aborted":
                self._say(_tr("The reply was stopped."), False)
            case "length":
                self._say(_tr("The reply was cut off at the length limit."), False)
            case _:
                pass

    def _read(self, markdown: str) -> None:
        if words := spoken(markdown):
            self._say(words, False)


def spoken(markdown: str) -> str:
    """The words of a piece of Markdown, without its marks."""
    if len(markdown) > _LONGEST:
        return markdown.strip()
    from sam_py.ui.markdown.documents import ClosedDocument

    document = ClosedDocument()
    document.setMarkdown(markdown, QTextDocument.MarkdownFeature.MarkdownNoHTML)
    return document.toPlainText().strip()


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReplyAnnouncer", text)
