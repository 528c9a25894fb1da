"""OwnHosts: the hosts of one's own network from which tools may fetch pages; without one, pages come from outside."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit

_BETWEEN = re.compile(r"[,;\s]+")


class OwnHosts(QLineEdit):
    """A line with names or addresses; addresses of pages are cut to their host. `kept` comes only from a person."""

    kept = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(self.tr("None; for example localhost, 192.168.1.5"))
        self.editingFinished.connect(self.keep)

    def show_hosts(self, hosts: tuple[str, ...]) -> None:
        text = ", ".join(hosts)
        if not self.isModified() and self.text() != text:
            with QSignalBlocker(self):
                self.setText(text)

    def keep(self) -> None:
        """Keep what was typed, if anything was."""
        if self.isModified():
            self.setModified(False)
            self.kept.emit(hosts_in(self.text()))


def hosts_in(text: str) -> tuple[str, ...]:
    """The hosts that a person named, each once.

    >>> hosts_in("LocalHost, http://192.168.1.5:3000/docs; [::1]  localhost")
    ('localhost', '192.168.1.5', '::1')
    """
    found = []
    for word in _BETWEEN.split(text.strip()):
        try:
            host = urlsplit(word if "://" in word else f"//{word}").hostname
        except ValueError:  # brackets that do not close: no host
            continue
        if host:
            found.append(host)
    return tuple(dict.fromkeys(found))
