"""Why Qt's voices speak by themselves: the day this fails, they can hand over their sound. # D-036"""

from __future__ import annotations

import pytest

qt_text_to_speech = pytest.importorskip("PySide6.QtTextToSpeech")


def test_pyside_does_not_bind_what_hands_over_the_sound() -> None:
    assert not hasattr(qt_text_to_speech.QTextToSpeech, "synthesize")
