"""SystemVoices: the voices of the operating system through pyttsx3, which runs in a process of its own.

It blocks while it speaks, prints, and hangs in some versions of macOS's and Linux's drivers
(nateshmbhat/pyttsx3#22, #8, #138); espeak crashes where it is used twice.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import IO, Any

from sam_py import workers
from sam_py.speech.base import Clip, Manner, SpeechError, Voice
from sam_py.speech.engines.languages import language_tag
from sam_py.speech.engines.process import Done, Failed, Gone, Program, Ready, Said, Sound, Told
from sam_py.speech.engines.relay import Patience, Question, Relay
from sam_py.speech.engines.text import pieces

WORDS_PER_MINUTE = 200
"""pyttsx3's own normal speed on every system."""
_LONGEST_LINE = 4 << 20
_LARGEST_CLIP = 64 << 20
_ALSO = (
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "WINDIR"),
    *("PATHEXT", "COMSPEC", "ESPEAK_DATA_PATH", "LC_MESSAGES"),
)
_INSTALL = (
    ("apt-get", "sudo apt install espeak-ng"),
    ("dnf", "sudo dnf install espeak-ng"),
    ("pacman", "sudo pacman -S espeak-ng"),
    ("zypper", "sudo zypper install espeak-ng"),
)


class SystemVoices:
    """A `SpeechEngine`."""

    def __init__(self, *, patience: Patience | None = None, program: Program | None = None) -> None:
        self.relay = Relay(program or system_program(), refusal, patience=patience)
        self._voices: tuple[Voice, ...] = ()

    @property
    def name(self) -> str:
        return "System voices"

    async def voices(self) -> Sequence[Voice]:
        if not self._voices:
            question = Question(lambda number: _line({"number": number, "voices": True}), length=300)
            async with aclosing(self.relay.ask(question)) as answers:
                async for told in answers:
                    if isinstance(told, Told):
                        self._voices = tuple(_voice(each) for each in told.value)
        return self._voices

    async def synthesise(self, text: str, manner: Manner) -> AsyncGenerator[Clip, None]:
        for piece in pieces(text):
            async with aclosing(self.relay.ask(_question(piece, manner))) as answers:
                async for clip in answers:
                    if isinstance(clip, Clip):
                        yield clip

    def warm_up(self) -> None:
        self.relay.warm_up()

    async def aclose(self) -> None:
        await self.relay.aclose()


def system_program() -> Program:
    return Program(
        command=lambda folder: workers.command("voice", str(folder)),
        answers=read_answers,
        environ=lambda: workers.environ(_ALSO),
    )


def read_answers(stream: IO[bytes], _folder: Path) -> Iterator[Said]:
    """What `system_worker` writes. Ends where the stream does; raises `ValueError` where that is in the middle."""
    while line := stream.readline(_LONGEST_LINE):
        said = json.loads(line)
        number = int(said.get("number", 0))
        if "ready" in said:
            yield Ready()
        elif "failed" in said:
            yield Failed(str(said["failed"]), str(said.get("detail", "")), number)
        elif "size" in said:
            size = int(said["size"])
            if not 0 <= size <= _LARGEST_CLIP:
                raise ValueError(f"a clip of {size} bytes")
            samples = stream.read(size)
            if len(samples) < size:
                raise ValueError("the samples are cut off")
            yield Sound(number, Clip(samples, int(said["rate_hz"]), int(said["channels"])))
        elif "voices" in said:
            yield Told(number, said["voices"])
        else:
            yield Done(number)


def refusal(said: Failed | Gone) -> SpeechError:
    """The words for a process that did not start, or that cannot say a sentence."""
    detail = said.detail or str(said)
    if isinstance(said, Failed) and said.reason == "voice":
        text = "The chosen voice is not on this computer any more. Choose another one in settings."
    elif isinstance(said, Failed) and said.reason == "silent":
        text = "The chosen voice says nothing of this sentence. It may not know its language: choose another voice."
    elif sys.platform not in ("win32", "darwin"):
        text = (
            "The system's voices do not start: they need eSpeak NG. "
            f"Install it with “{install_command()}”, then try again."
        )
    else:
        text = "The system's voices do not start. Choose another engine in settings, or restart the computer."
    return SpeechError(text, detail=detail)


def install_command(which: Callable[[str], str | None] = shutil.which) -> str:
    """How eSpeak NG comes to this Linux.

    >>> install_command(lambda name: "/usr/bin/dnf" if name == "dnf" else None)
    'sudo dnf install espeak-ng'
    """
    return next((command for program, command in _INSTALL if which(program)), _INSTALL[0][1])


def _question(piece: str, manner: Manner) -> Question:
    rate = round(WORDS_PER_MINUTE * min(2.0, max(0.5, manner.rate)))
    asked = {"text": piece, "voice": manner.voice, "words_per_minute": rate}
    return Question(lambda number: _line({"number": number, **asked}), len(piece))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _voice(told: dict[str, Any]) -> Voice:
    tags = (language_tag(str(each)) for each in told["languages"])
    return Voice(str(told["id"]), str(told["name"]), tuple(tag for tag in tags if tag))
