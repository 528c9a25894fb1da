"""Only web and mail addresses leave the program, as what they really are, and through one door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices

import sam_py
from sam_py.ui.links import describe_target, open_folder, open_url, safe_target


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("HTTP://EXAMPLE.com", "http://example.com"),
        ("https://user:secret@example.com:8443/x", "https://example.com:8443/x"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://аpple.com", "https://xn--pple-43d.com"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("mailto:a@example.com", "mailto:a@example.com"),
        ("mailto:a@example.com?attach=/etc/passwd", "mailto:a@example.com"),
        ("https://example.com/a b", "https://example.com/a%20b"),
    ],
)
def test_a_safe_link_leads_where_it_says(url, target):
    assert safe_target(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "file:///etc/passwd",
        "smb://evil/share", "ms-msdt:/id", "vbscript:x", "//evil/share", "\\\\evil\\share", "C:\\x.exe", "/etc/passwd",
        "relative/path", "", " ", "http://", "https:///x", "https://exa mple.com", "https://evil.com\\@good.com",
        "https://good.com\u202e/moc", "http://a:99999/", "http://[", "mailto:", "mailto:a@b@c", "ftp://x.y",
        "https://" + "a" * 5_000, "https://%65vil.com", "tel:123", "about:blank", "view-source:http://x",
    ],
)  # fmt: skip
def test_any_other_link_is_refused(url, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    assert safe_target(url) is None
    assert open_url(url) is False
    assert not opened


def test_a_safe_link_is_opened_as_its_target(monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened.append(url.toString())) or True)
    assert open_url("https://user@example.com/x")
    assert opened == ["https://example.com/x"]


def test_a_refused_link_is_still_described():
    assert "javascript:" in describe_target("javascript:alert(1)")


def test_what_shows_messages_opens_addresses_through_the_one_door():
    root = Path(sam_py.__file__).parent
    users = set()
    for file in root.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name in ("QDesktopServices", "webbrowser"):
                users.add(file.relative_to(root).as_posix())
    assert users == {"ui/links.py"}


def test_a_folder_that_is_not_there_is_not_opened(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened.append(url.toLocalFile())) or True)
    assert open_folder(tmp_path)
    assert not open_folder(tmp_path / "gone")
    assert opened == [tmp_path.as_posix()]
