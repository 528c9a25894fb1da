"""PiperFile: a voice file of Piper (``.onnx``), and what the ``.onnx.json`` beside it says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sam_py.speech.base import SpeechError, Voice
from sam_py.speech.engines.languages import language_tag

_LARGEST_JSON = 16_000_000


@dataclass(frozen=True, slots=True)
class PiperFile:
    path: Path
    language: str = ""
    length_scale: float = 1.0
    """How long its sounds are at normal speed."""
    speakers: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".onnx")

    def voices(self) -> list[Voice]:
        """One for each speaker; ids are the path, and with several speakers their numbers: ``…/libritts.onnx#7``."""
        languages = (self.language,) if self.language else ()
        if len(self.speakers) < 2:
            return [Voice(str(self.path), self.name, languages)]
        ordered = sorted(self.speakers.items(), key=lambda each: each[1])
        return [Voice(f"{self.path}#{number}", f"{self.name}: {speaker}", languages) for speaker, number in ordered]


def read_piper_file(path: Path) -> PiperFile:
    """Read what is beside the voice. Blocks. Raises `SpeechError`."""
    beside = path.with_name(f"{path.name}.json")
    if not path.is_file():
        raise SpeechError(f"The voice file {path} is not there any more. Choose another one in settings.")
    if not beside.is_file():
        raise SpeechError(
            f"The file {beside.name} is missing beside {path.name}. It comes from the same place as the voice: "
            f"download it into {path.parent}."
        )
    try:
        if beside.stat().st_size > _LARGEST_JSON:
            raise ValueError("it is too large")
        told = json.loads(beside.read_bytes())
        rate_hz, _map = int(told["audio"]["sample_rate"]), dict(told["phoneme_id_map"])
        scale = float(_part(told, "inference").get("length_scale") or 1.0)
        if rate_hz <= 0 or not 0.05 < scale < 20:
            raise ValueError(f"a rate of {rate_hz} Hz and a length of {scale}")
        speakers = {str(name): int(number) for name, number in _part(told, "speaker_id_map").items()}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise SpeechError(
            f"The file {beside.name} does not describe a voice of Piper. Download it again.", detail=repr(error)
        ) from error
    code = _part(told, "language").get("code") or _part(told, "espeak").get("voice") or ""
    return PiperFile(path, language_tag(str(code)), scale, speakers)


def _part(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = told.get(name)
    return part if isinstance(part, dict) else {}
