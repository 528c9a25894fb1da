"""Dictation as the settings want it: account, key and language reach the server, and what it answers the composer."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sam_py.providers.http import Http
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings, VoiceSettings
from sam_py.ui.audio.devices import SoundDevices
from sam_py.ui.chat.composer import Composer
from sam_py.ui.voice.window_dictation import ask_for_microphone, dictation_in
from tests.fakes.fault_server import FaultServer, Json


def test_the_chosen_account_writes_down_what_is_said(composer: Composer, tmp_path: Path) -> None:
    opened: list[str] = []

    async def key_of(account: str) -> str | None:
        return f"key-of-{account}"

    async def run() -> Any:
        async with FaultServer(Json({"text": "Guten Tag."})) as server:
            http = Http()
            account = ProviderSettings(id="mine", preset="openai-chat", label="Mine", base_url=server.base_url)
            settings = SimpleNamespace(current=Settings())
            services: Any = SimpleNamespace(
                settings=settings,
                secrets=SimpleNamespace(key_of=key_of),
                registry=SimpleNamespace(http=http),
                tasks=SimpleNamespace(spawn=lambda work, name: asyncio.ensure_future(work)),
                icons=composer._icons,
            )
            chat: Any = SimpleNamespace(composer=composer)
            dictation = dictation_in(
                chat, services, SoundDevices(composer), lambda: None, lambda: opened.append("voice")
            )
            dictation.press()
            dictation.strip.again.click()
            voice = VoiceSettings(dictation=ModelChoice(provider="mine", model="whisper-1"), dictation_language="de")
            settings.current = Settings(providers=(account,), voice=voice)
            assert dictation._doors.is_configured()
            words = await dictation._doors.transcribe(b"RIFF")
            await http.aclose()
            return words, server.requests[0]

    words, request = asyncio.run(run())
    assert opened == ["voice"]
    assert words == "Guten Tag."
    assert request.headers["authorization"] == "Bearer key-of-mine"
    assert b'name="language"\r\n\r\nde\r\n' in request.raw


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the system may ask the person")
@pytest.mark.usefixtures("qapp")
def test_linux_asks_nobody_before_it_hears() -> None:
    answers: list[bool] = []
    ask_for_microphone(answers.append)
    assert answers == [True]
