"""Hostile titles, model names, labels, file names and errors: shown as they are, everywhere in the window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QMenu, QWidget

from sam_py.messages.history import ErrorOccurred
from sam_py.ui.chat.attachments_intake import PastedText
from sam_py.ui.links import describe_target, safe_target
from sam_py.ui.widgets.confirm import Confirm
from sam_py.ui.widgets.plain import menu_text, one_line, tooltip, window_title
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting
from tests.ui.hostile.generator import names

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def _guessed_as_html(text: str) -> bool:
    """Whether a text that is no escaped text of ours would be read as HTML by a tooltip."""
    from PySide6.QtGui import Qt as GuiQt

    return GuiQt.mightBeRichText(text) and not (text.startswith("<span>") and "<" not in _inside(text))


def _inside(text: str) -> str:
    return text.removeprefix("<span>").removesuffix("</span>").replace("<br>", "")


@given(st.text(max_size=80))
def test_a_tooltip_shows_any_text_as_it_is(text: str) -> None:
    assert not _guessed_as_html(tooltip(text))


@given(st.text(max_size=80))
def test_one_line_has_no_control_and_turns_nothing_round(text: str) -> None:
    line = one_line(text)
    assert not set(line) & set("\n\r\t\x00\x1b\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2028\u2029")
    assert one_line(line) == line


def test_a_menu_shows_an_ampersand_and_a_title_its_brackets() -> None:
    assert menu_text("R&D\t&Quit") == "R&&D &&Quit"
    assert window_title("a [*] b\n") == "a [*][*] b"


def test_hostile_names_are_plain_text_in_the_whole_window(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        faults: list[str] = []
        async with FaultServer(Reply("Hello")) as server:
            port = int(server.base_url.split(":")[2].split("/")[0])
            sam = await sit_down().start()
            window, chat = sam.window, sam.chat
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            asked = len(server.requests)
            for name in names(port):
                sam.use_server(server.base_url, model=name)
                chat.conversation.bus.change_setting("title", name)
                chat.composer.tray.add(PastedText("text", name[:200]))
                await sam.until(lambda: not chat.composer.tray.is_reading, "the attachment")
                window.notices.show_notice(name, action_text=name[:40], on_action=lambda: None)
                error = ErrorOccurred(code="server", text=name, detail=name, message_id=sam.bus.tip, retryable=True)
                await sam.until(chat.timeline.rows_in_order, "the rows")
                chat.timeline.rows_in_order()[-1]._show_error(error, is_last=True)
                chat.composer.open_model_picker()
                chat.composer.picker.close()
                window.open_palette()
                await asyncio.sleep(0)
                faults += [f"{name[:30]!r}: {fault}" for fault in _read_as_html(window)]
                faults += [f"{name[:30]!r}: {fault}" for fault in _read_as_html(chat.composer.picker)]
                title = window.windowHandle().title()
                assert "\n" not in title
                assert "\u202e" not in title
                for item in list(chat.composer.tray.items):
                    chat.composer.tray.remove(item.id)
                window.notices.clear()
                window.open_palette()
                for palette in window.findChildren(QWidget):
                    if type(palette).__name__ == "CommandPalette":
                        palette._leave()
            listing = "/v1/models"  # the program asks by itself, when all is quiet
            assert [each.path for each in server.requests[asked:] if each.path != listing] == []
            assert sorted(set(faults)) == []
            await sam.close()

    run(scenario())


def _read_as_html(root: QWidget) -> list[str]:
    faults = []
    for widget in (root, *root.findChildren(QWidget)):
        kind = type(widget).__name__
        if _guessed_as_html(widget.toolTip()):
            faults.append(f"{kind}: tooltip {widget.toolTip()[:60]!r}")
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            faults.append(f"{kind}: label {widget.text()[:60]!r}")
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            for row in range(min(200, widget.model().rowCount())):
                tip = widget.model().index(row, 0).data(Qt.ItemDataRole.ToolTipRole)
                if tip and _guessed_as_html(str(tip)):
                    faults.append(f"{kind}: row's tooltip {tip[:60]!r}")
        if isinstance(widget, QMenu):
            faults += [f"menu: {a.text()[:40]!r}" for a in widget.actions() if "\n" in a.text()]
        if hasattr(widget, "shortcut") and callable(widget.shortcut) and not widget.shortcut().isEmpty():
            faults.append(f"{kind}: a key made of its words: {widget.shortcut().toString()}")
    return faults


_REFUSED = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "vbscript:x",
    "file:///etc/passwd", "FILE://host/share", "//evil.example/x", "\\\\host\\share", "https:\\\\evil.example",
    "data:text/html,<script>", "blob:https://x", "about:blank", "chrome://settings", "ms-settings:x", "smb://h/s",
    "ssh://h", "tel:123", "ftp://h/x", "http:", "http://", "https:///x", "http://[::1", "http://a b/", "http://a%00b/",
    "https://exa\u202emple.org", "https://ex\u200bample.org", "http://x:99999/", "mailto:", "mailto:a", "mailto:a@b@c",
    "mailto:a b@c", "qrc:/x", "", " ", "x" * 5_000, "view-source:https://x", "steam://run/1", "http:/\\evil",
    "https://<script>", "http://'x'", "intent://x#Intent;end", "jar:http://x!/y",
)  # fmt: skip


@pytest.mark.parametrize("url", _REFUSED)
def test_what_is_no_web_or_mail_address_is_never_opened(url: str) -> None:
    assert safe_target(url) is None
    assert describe_target(url).startswith("⃠")


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("https://paypal.com@evil.example/login", "https://evil.example/login"),
        ("https://user:pw@evil.example", "https://evil.example"),
        ("https://paypal.com%2f@evil.example/", "https://evil.example/"),
        ("HTTPS://EVIL.EXAMPLE/x", "https://evil.example/x"),
        ("https://раураl.com/", "https://xn--l-7sba6dbr.com/"),
        ("https://evil.example:8443/?q=https://good.example#top", None),
        ("https://good.example.evil.example/", None),
        ("mailto:someone@example.org?subject=x&body=y", "mailto:someone@example.org"),
        ("http://127.0.0.1:8080/x", None),
        ("http://[::1]:8080/x", None),
    ],
)
def test_the_question_shows_the_host_that_is_really_opened(qtbot: Any, url: str, opened: str | None) -> None:
    assert safe_target(url) == (opened or url)


def test_the_question_about_a_link_says_the_true_host(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.window._open_link("https://paypal.com@evil.example/<b>x</b>")
        question = sam.window.findChild(Confirm)
        words = [label.text() for label in question.findChildren(QLabel)]
        assert any(text.startswith("https://evil.example/") for text in words)
        assert not any("paypal" in text for text in words)
        question.reject()
        sam.window._open_link("javascript:alert('<b>x</b>')")
        assert "not opened" in sam.window.notices.notices[-1].text
        await sam.until(lambda: sam.window.findChild(Confirm) is None, "the end of the question")
        await sam.close()

    run(scenario())


@pytest.mark.parametrize("seed", range(10))
def test_no_made_up_address_gets_past_the_door(seed: int) -> None:
    """200 addresses of random pieces: what is opened is http, https or mail, with a host and without a user."""
    import random
    from urllib.parse import urlsplit

    chance = random.Random(seed)
    pieces = (
        *("http", "https", "javascript", "file", "mailto", ":", "://", "//", "/", "\\", "@", "?", "#", "[", "]", ".."),
        *("evil.example", "127.0.0.1", "user:pw", "%2f", "%00", "\n", "\t", " ", "ü", "\u202e", "\u200d", "<", "'"),
    )
    for _number in range(20):
        url = "".join(chance.choice(pieces) for _ in range(chance.randint(2, 9)))
        target = safe_target(url)
        if target is None:
            continue
        parts = urlsplit(target)
        assert parts.scheme in ("http", "https", "mailto"), url
        assert parts.scheme == "mailto" or (parts.hostname and parts.username is None), url
        assert target.isprintable()
