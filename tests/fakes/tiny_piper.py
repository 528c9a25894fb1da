"""A voice of Piper that hums, 552 bytes, and a stand-in for the Piper program.

The voice is a real one: onnxruntime runs its graph, which makes 20 ms of a sine (100 Hz for the first speaker, 200 for
the second) of each phoneme: ``sin(range(0, size(input) * scales[1] * 320) * (sid + 1) * 2π * 100 / 16000)``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

_GRAPH = (
    "CAgSADqbBAoQCgVpbnB1dBIBbiIEU2l6ZQoYCgFuEgJuZiIEQ2FzdCoJCgJ0bxgBoAECChwKBnNjYWxlcwoDb25lEgVzY2FsZSIGR2F0aGVyChMK"
    "Am5mCgVzY2FsZRIBYSIDTXVsChAKAWEKA2hvcBIBYiIDTXVsChkKBHplcm8KAWIKBHN0ZXASAXQiBVJhbmdlChoKA3NpZBICc2YiBENhc3QqCQoC"
    "dG8YAaABAgoUCgJzZgoFc3RlcDESAnMxIgNBZGQKEwoCczEKBW9tZWdhEgF3IgNNdWwKDwoBdAoBdxICd3QiA011bAoMCgJ3dBIBcyIDU2luChwK"
    "AXMKBGF4ZXMSBm91dHB1dCIJVW5zcXVlZXplEgNodW0qERAHQgNvbmVKCAEAAAAAAAAAKg0QAUIDaG9wSgQAAKBDKg4QAUIEemVyb0oEAAAAACoO"
    "EAFCBHN0ZXBKBAAAgD8qDxABQgVzdGVwMUoEAACAPyoPEAFCBW9tZWdhSgR82SA9KhwIAhAHQgRheGVzShAAAAAAAAAAAAEAAAAAAAAAWhkKBWlu"
    "cHV0EhAKDggHEgoKAxIBYgoDEgFuWhwKDWlucHV0X2xlbmd0aHMSCwoJCAcSBQoDEgFiWhQKBnNjYWxlcxIKCggIARIECgIIA1oSCgNzaWQSCwoJ"
    "CAcSBQoDEgFiYh8KBm91dHB1dBIVChMIARIPCgMSAWIKAxIBYwoDEgF0QgQKABAP"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz .,!?ɪɛæʌʊəɔːˈˌðθŋʃʒɹɐɚ"

_PROGRAM = '''
"""As `from piper.__main__ import main` does it, with a hum for a voice."""
import argparse, math, struct, sys, time, wave
options = argparse.ArgumentParser()
for name in ("--model", "--output_dir", "--length_scale", "--speaker"):
    options.add_argument(name, default="0")
chosen = options.parse_args()
with open(chosen.model, "rb") as file:
    if file.read(3) != b"\\x08\\x08\\x12":
        raise ValueError("InvalidProtobuf")
for line in sys.stdin:
    text = line.strip()
    if "explode" in text:
        raise RuntimeError("Error in this sentence")
    frames = int(len(text) * float(chosen.length_scale) * 320)
    pitch = 100 * (1 + int(chosen.speaker)) / 16000
    place = f"{chosen.output_dir}/{time.monotonic_ns()}.wav"
    with wave.open(place, "wb") as out:
        out.setnchannels(1); out.setsampwidth(2); out.setframerate(16000)
        out.writeframes(b"".join(struct.pack("<h", int(30000 * math.sin(math.tau * pitch * t))) for t in range(frames)))
    print("WARNING:piper:Missing phoneme", file=sys.stderr, flush=True)
    print(f"INFO:__main__:Wrote {place}", file=sys.stderr, flush=True)
'''


def write_tiny_voice(path: Path, **changes: Any) -> Path:
    """Write the voice and what describes it; `changes` are laid over the description."""
    path.write_bytes(base64.b64decode(_GRAPH))
    told = {
        "audio": {"sample_rate": 16000},
        "espeak": {"voice": "en-us"},
        "language": {"code": "en_US"},
        "inference": {"noise_scale": 0.6, "length_scale": 1.0, "noise_w": 0.8},
        "num_symbols": len(_LETTERS) + 3,
        "num_speakers": 2,
        "speaker_id_map": {"low": 0, "high": 1},
        "phoneme_id_map": {"_": [0], "^": [1], "$": [2], **{each: [at + 3] for at, each in enumerate(_LETTERS)}},
    }
    path.with_name(f"{path.name}.json").write_text(json.dumps(told | changes))
    return path


def write_stand_in(path: Path) -> Path:
    """Write a program that takes Piper's arguments and answers as it does."""
    path.write_text(f"#!{sys.executable}{_PROGRAM}")
    path.chmod(0o755)
    return path
