"""What Qt finds on this computer, as one JSON object on stdout: run in a child process by ``sam-py doctor``.

Qt ends the process where its platform plugin cannot start; so it is not asked inside the program that reports it.
"""

from __future__ import annotations

import json
import sys

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication, QTextLayout

SAMPLES = {
    "Latin": "Aé",
    "emoji": "\N{SLIGHTLY SMILING FACE}",
    "Chinese": "\u4f60\u597d",
    "Japanese": "\u3053\u3093",
    "Korean": "\uc548\ub155",
    "Arabic": "\u0645\u0631",
    "Hebrew": "\u05e9\u05dc",
    "Cyrillic": "\u041f\u0440",
    "Greek": "\u039a\u03b1",
    "Devanagari": "\u0928\u092e",
    "Thai": "\u0e2a\u0e27",
    "mathematics": "\u222b\u2211",
}
"""Characters that need a font of their own, by what they are."""


def probe() -> int:
    """Start Qt without a window and print versions, screens and the scripts that no font here has."""
    app = QGuiApplication(["sam-py"])
    found = {
        "pyside": PySide6.__version__,
        "qt": qVersion(),
        "platform": app.platformName(),
        "screens": [
            {
                "name": screen.name(),
                "width_px": screen.size().width(),
                "height_px": screen.size().height(),
                "scale": screen.devicePixelRatio(),
            }
            for screen in app.screens()
        ],
        "font": app.font().family(),
        "missing": [name for name, sample in SAMPLES.items() if not _is_drawn(sample)],
    }
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


def _is_drawn(text: str) -> bool:
    """Whether some font has a glyph for each character of `text`: glyph 0 is the box that stands for none."""
    layout = QTextLayout(text)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    glyphs = [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]
    return bool(glyphs) and 0 not in glyphs
