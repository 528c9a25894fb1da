"""VoiceState: what the voice does now, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sam_py.speech.base import SpeechError, Utterance

Phase = Literal["silent", "speaking", "paused"]


@dataclass(frozen=True, slots=True)
class VoiceState:
    """`utterance` is the one that is heard (while paused: the one that goes on); None where none is heard just now.

    ``speaking`` begins with the first sentence that is to be spoken and ends with the last sound: between, there may
    be nothing to hear while a sentence is made or the model still writes it.
    """

    phase: Phase = "silent"
    utterance: Utterance | None = None


class GaveUpError(SpeechError):
    """The voice fell silent by itself, as sentence after sentence could not be spoken; what waited is dropped."""


VoiceNews = VoiceState | SpeechError
