"""From the settings to the engine in use: made when needed, the same while nothing changes, closed when it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from sam_py.providers.http import Http
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings, VoiceSettings
from sam_py.speech.base import Manner, SpeechEngine, SpeechError
from sam_py.speech.engines import catalogue
from sam_py.speech.engines.catalogue import Engines, Guest, no_system_voices
from sam_py.speech.engines.system import SystemVoices
from tests.fakes.speech import FakeSpeech
from tests.speech.engines.conftest import run, spoken

ACCOUNTS = (
    ProviderSettings(id="o", preset="openai", label="Mine"),
    ProviderSettings(id="c", preset="anthropic", label="Claude"),
)


class Chosen:
    """Settings that a test changes."""

    def __init__(self, **voice: Any) -> None:
        self.settings = Settings(providers=ACCOUNTS, voice=VoiceSettings(**voice))
        self.engines = Engines(lambda: self.settings, Http, self._no_key)

    @staticmethod
    async def _no_key(_account: str) -> None:
        return None

    def change(self, **voice: Any) -> None:
        changed = self.settings.voice.model_copy(update=voice)
        self.settings = self.settings.model_copy(update={"voice": changed})


def test_an_engine_stays_until_what_it_was_made_of_changes() -> None:
    async def scenario() -> None:
        chosen = Chosen(engine="server", server=ModelChoice(provider="o", model="tts-1"))
        server = chosen.engines.current()
        assert server.name == "Mine"
        chosen.change(rate=1.5, volume=0.5)
        assert chosen.engines.current() is server
        chosen.change(server=ModelChoice(provider="o", model="gpt-4o-mini-tts"))
        assert chosen.engines.current() is not server
        chosen.change(engine="piper", piper_voices=("a.onnx",))
        piper = chosen.engines.current()
        assert chosen.engines.engine("system") is not chosen.engines.current()
        chosen.change(piper_voices=("a.onnx", "b.onnx"))
        assert chosen.engines.current() is not piper
        await chosen.engines.aclose()

    run(scenario)


@pytest.mark.usefixtures("espeak", "no_process_left")
def test_the_processes_of_an_engine_end_when_another_one_is_chosen() -> None:
    async def scenario() -> None:
        chosen = Chosen()
        chosen.engines.warm_up()
        system = chosen.engines.current()
        assert isinstance(system, SystemVoices)
        assert len(await spoken(system, "Hello.", chosen.engines.manner())) == 1
        chosen.change(engine="server", server=ModelChoice(provider="o", model="tts-1"))
        chosen.engines.current()
        await chosen.engines.aclose()
        await chosen.engines.aclose()
        assert system.relay.pids == []

    run(scenario)


def test_an_engine_that_cannot_be_made_says_what_to_do() -> None:
    async def scenario() -> None:
        chosen = Chosen(engine="server", server=ModelChoice(provider="c", model="tts-1"))
        with pytest.raises(SpeechError, match="Choose an account"):
            chosen.engines.current()
        chosen.engines.warm_up()  # is no place to say so
        chosen.change(engine="qt")
        with pytest.raises(SpeechError, match="only where there is a window"):
            chosen.engines.current()

    run(scenario)


def test_an_engine_may_come_from_outside() -> None:
    async def scenario() -> None:
        speech = FakeSpeech()
        guest = Guest(lambda: cast("SpeechEngine", speech), lambda: "It is not here.")
        engines = Engines(lambda: Settings(voice=VoiceSettings(engine="qt")), Http, Chosen._no_key, qt=guest)
        assert engines.current() is speech
        assert engines.offered()[-1].missing == "It is not here."
        await engines.aclose()

    run(scenario)


def test_the_manner_is_that_of_the_chosen_engine() -> None:
    chosen = Chosen(voices={"system": "gmw/de", "piper": "x.onnx"}, rate=1.25)
    assert chosen.engines.manner() == Manner("gmw/de", 1.25)
    chosen.change(engine="server")
    assert chosen.engines.manner() == Manner("", 1.25)


def test_the_list_says_what_each_engine_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sam_py.speech.engines.piper.find_piper", lambda: None)
    monkeypatch.setattr(catalogue, "no_system_voices", lambda: "")
    chosen = Chosen()
    system, piper, server, qt = chosen.engines.offered()
    assert (system.key, system.name, system.missing) == ("system", "System voices", "")
    assert "pipx install piper-tts" in piper.missing
    assert server.missing == ""
    assert "only where there is a window" in qt.missing
    chosen.settings = chosen.settings.model_copy(update={"providers": ACCOUNTS[1:]})
    assert "add one" in chosen.engines.offered()[2].missing


def test_espeak_is_looked_for_where_libraries_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    look: Callable[[], str] = lambda: no_system_voices("linux", [str(tmp_path)])  # noqa: E731
    assert "espeak-ng" in look()
    (tmp_path / "x86_64-linux-gnu").mkdir()
    (tmp_path / "x86_64-linux-gnu" / "libespeak-ng.so.1").touch()
    assert look() == ""
    assert no_system_voices("darwin") == ""
