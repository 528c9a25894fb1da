"""ExpertFields: extra headers and body keys of an account, for those who know what their server wants."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from sam_py.settings.model import ProviderSettings
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2 "token"
_OF_THE_CONNECTION = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection", "accept"})
_SECRET = re.compile(r"authorization|cookie|(api|access|auth|secret)[-_]?(key|token)|^x-goog-api-key$|token$", re.I)
_OURS = frozenset({"model", "messages", "stream", "input", "contents", "tools", "system"})


class ExpertFields(QWidget):
    """Folded away until asked for. A field that holds a fault keeps it, says what is wrong, and changes nothing."""

    headers_changed = Signal(object)
    body_changed = Signal(object)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self.toggle = PillButton(icons, self.tr("For experts"), icon="chevron-right")
        self.headers = self._editor(self.tr("Extra headers"), "X-Title: SAM")
        self.headers_error = Words(icons, small=True)
        self.body = self._editor(self.tr("Extra keys of the request"), '{"seed": 7}')
        self.body_error = Words(icons, small=True)
        self.inside = QWidget()
        inner = QVBoxLayout(self.inside)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        for name, field, hint, error in (
            (
                self.tr("Extra headers"),
                self.headers,
                self.tr("One in a line, its name and its value with a colon between them."),
                self.headers_error,
            ),
            (
                self.tr("Extra keys of the request"),
                self.body,
                self.tr("A JSON object; its keys are laid over those that SAM sends."),
                self.body_error,
            ),
        ):
            label = Words(icons, name, small=True)
            label.setBuddy(field)
            field.setAccessibleDescription(hint)
            error.hide()
            inner.addWidget(label)
            inner.addWidget(field)
            inner.addWidget(error)
            inner.addWidget(Words(icons, hint, role="muted", small=True))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.toggle)
        column.addWidget(self.inside)
        self.toggle.clicked.connect(lambda: self.set_open(self.inside.isHidden()))
        icons.changed.connect(self._retheme)
        self._retheme()
        self.set_open(False)

    def set_open(self, is_open: bool) -> None:
        if not is_open:
            self.keep()
        self.inside.setVisible(is_open)
        self.toggle.set_words(self.tr("For experts"), icon="chevron-down" if is_open else "chevron-right")

    def show_account(self, account: ProviderSettings) -> None:
        """Bring the fields to the settings; one that is being typed in, or holds a fault, stays."""
        headers = "\n".join(f"{name}: {value}" for name, value in account.headers.items())
        body = json.dumps(account.extra_body, indent=2, ensure_ascii=False) if account.extra_body else ""
        for field, text, error in ((self.headers, headers, self.headers_error), (self.body, body, self.body_error)):
            if not field.hasFocus() and not error.text() and field.toPlainText() != text:
                field.setPlainText(text)

    def keep(self) -> None:
        """Take what stands in the fields."""
        headers, wrong_headers = read_headers(self.headers.toPlainText())
        body, wrong_body = read_body(self.body.toPlainText())
        self.headers_error.say(wrong_headers, "error")
        self.body_error.say(wrong_body, "error")
        if headers is not None:  # only now: what is kept comes back into the fields
            self.headers_changed.emit(headers)
        if body is not None:
            self.body_changed.emit(body)

    def _editor(self, name: str, example: str) -> QPlainTextEdit:
        field = _Leaving(self.keep)
        field.setAccessibleName(name)
        field.setPlaceholderText(example)
        field.setTabChangesFocus(True)
        return field

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        for field in (self.headers, self.body):
            field.setFixedHeight(round(76 * theme.scale))
            field.setStyleSheet(
                f"QPlainTextEdit {{ background: {colours.raised}; border: 1px solid {colours.border};"
                f" border-radius: {round(8 * theme.scale)}px; padding: {round(2 * theme.scale)}px; }}"
                f"QPlainTextEdit:focus {{ border-color: {colours.accent}; }}"
            )


def read_headers(text: str) -> tuple[dict[str, str] | None, str]:
    """The headers of lines like ``Name: value``, or None and what is wrong with them."""
    headers: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        fault = _header_fault(name, colon, value)
        if fault:
            return None, _("Line {number}: {fault}").format(number=number, fault=fault)
        headers[name] = value
    return headers, ""


def _header_fault(name: str, colon: str, value: str) -> str:
    if not colon:
        return _("a header has a name and a value, with a colon between them.")
    if not _HEADER_NAME.fullmatch(name):
        return _("“{name}” cannot be the name of a header: it has letters, digits and hyphens.").format(name=name[:60])
    if not value.isascii() or not value.isprintable():
        return _("the value may hold plain characters alone, and no line break.")
    if name.lower() in _OF_THE_CONNECTION:
        return _("“{name}” is set by SAM itself.").format(name=name)
    if _SECRET.search(name):
        return _("a key belongs into its own field: here it would be kept in a file that can be read.")
    return ""


def read_body(text: str) -> tuple[Mapping[str, object] | None, str]:
    """The keys of a JSON object, or None and what is wrong with it; nothing at all is no keys."""
    if not text.strip():
        return {}, ""
    try:
        value = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        return None, _("This is not JSON (line {line}). It looks like {example}.").format(
            line=line, example='{"seed": 7}'
        )
    except RecursionError:
        return None, _("This is nested too deeply.")
    if not isinstance(value, dict):
        return None, _("Write an object, with braces around it: {example}.").format(example='{"seed": 7}')
    ours = sorted(_OURS & value.keys())
    if ours:
        return None, _("“{key}” is set by SAM itself.").format(key=ours[0])
    return value, ""


class _Leaving(QPlainTextEdit):
    """Says when the keyboard leaves it."""

    def __init__(self, left: Callable[[], object]) -> None:
        super().__init__()
        self._left = left

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._left()


def _(text: str) -> str:
    return QCoreApplication.translate("ExpertFields", text)
