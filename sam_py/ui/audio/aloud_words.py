"""What is said where a voice that speaks by itself does not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from sam_py.speech.base import SpeechError

_INSTALL = (
    ("apt-get", "sudo apt install speech-dispatcher speech-dispatcher-espeak-ng"),
    ("dnf", "sudo dnf install speech-dispatcher speech-dispatcher-espeak-ng"),
    ("pacman", "sudo pacman -S speech-dispatcher espeak-ng"),
    ("zypper", "sudo zypper install speech-dispatcher speech-dispatcher-module-espeak"),
)


def what_is_missing() -> str:
    """Why Qt has no voice here, and what helps; empty where it may have. Looks at files alone."""
    if sys.platform in ("win32", "darwin") or shutil.which("speech-dispatcher"):
        return ""
    return _needs_dispatcher()


def refusal(why: str, detail: str = "") -> SpeechError:
    """The words for what `aloud_worker` says."""
    if why == "voice":
        text = _("The chosen voice is not on this computer any more. Choose another one in Settings > Voice.")
    elif why == "missing" and sys.platform not in ("win32", "darwin"):
        text = _needs_dispatcher()
    elif why == "missing":
        text = _("Qt finds no voice on this computer. Choose the system voices in Settings > Voice.")
    else:
        text = _(
            "Qt's voices report that they cannot speak. Try again, or choose the system voices in Settings > Voice."
        )
    return SpeechError(text, detail=detail)


def no_answer() -> SpeechError:
    """Nothing comes from the engine."""
    return SpeechError(
        _("Qt's voices do not answer. Go on to try again, or choose the system voices in Settings > Voice.")
    )


def install_command(which: Callable[[str], str | None] = shutil.which) -> str:
    """How Speech Dispatcher comes to this Linux.

    >>> install_command(lambda name: "/usr/bin/pacman" if name == "pacman" else None)
    'sudo pacman -S speech-dispatcher espeak-ng'
    """
    return next((command for program, command in _INSTALL if which(program)), _INSTALL[0][1])


def _needs_dispatcher() -> str:
    words = _("Qt's voices need Speech Dispatcher. Install it with “%1”.")
    return words.replace("%1", install_command())


def _(text: str) -> str:
    return QCoreApplication.translate("SpokenAloud", text)
