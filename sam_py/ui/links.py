"""The one door from the program to a browser, a mail program, or the program of a document."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

_SCHEMES = frozenset({"http", "https", "mailto"})
_MAX_CHARS = 4_000


def safe_target(url: str) -> str | None:
    """Return the address that a link may open, or None where it may not.

    Only http, https and mailto; the host in its ASCII form, so that a look-alike shows; no user name or password.

    >>> safe_target("HTTPS://user:pw@bücher.example/x"), safe_target("javascript:alert(1)")
    ('https://xn--bcher-kva.example/x', None)
    """
    text = "".join(char for char in url.strip() if char.isprintable())
    if not text or text != url.strip() or len(text) > _MAX_CHARS or "\\" in text:
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _SCHEMES:
        return None
    if scheme == "mailto":
        address = parts.path
        return f"mailto:{address}" if address.count("@") == 1 and not any(c.isspace() for c in address) else None
    host = _ascii_host(parts.hostname or "")
    if not host:
        return None
    rest = (
        (parts.path or "")
        + (f"?{parts.query}" if parts.query else "")
        + (f"#{parts.fragment}" if parts.fragment else "")
    )
    return f"{scheme}://{host}{f':{port}' if port else ''}{rest}".replace(" ", "%20")


def describe_target(url: str) -> str:
    """Return what a person is shown before a link is opened: the real address, or the text that will not open."""
    return safe_target(url) or f"⃠ {url[:200]}"


def open_url(url: str) -> bool:
    """Open a link in the browser or the mail program. Returns False where it may not be opened or nothing opens it."""
    target = safe_target(url)
    return target is not None and QDesktopServices.openUrl(QUrl(target))


def _ascii_host(host: str) -> str:
    if not host or any(char.isspace() or char in "%<>\"'`{}|^" for char in host):
        return ""
    if ":" in host:
        return f"[{host}]"
    try:
        return host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return ""


def open_document(path: Path) -> bool:
    """Open a copy of a document in its own program; the caller gave it the ending of what it is."""
    return path.is_file() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def open_folder(folder: Path) -> bool:
    """Show one of the program's own folders in the system's file manager. Returns False where nothing shows it."""
    return folder.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
