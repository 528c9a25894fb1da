"""The settings file: never lost, never half written, never silently reset."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import sam_py.settings.file as settings_file_module
from sam_py.errors import SamError
from sam_py.settings.file import SettingsFile, write_atomically
from sam_py.settings.model import AppearanceSettings, ProviderSettings, Settings

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


def opened(path: Path) -> SettingsFile:
    return SettingsFile(path, clock=lambda: NOON)


def with_scale(scale: int):
    return lambda s: s.model_copy(update={"appearance": s.appearance.model_copy(update={"text_scale": scale})})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def test_a_first_start_has_the_standard_settings_and_writes_nothing(path):
    file = opened(path)
    assert file.current == Settings()
    assert file.problems == ()
    assert not path.exists()


def test_a_change_is_there_after_a_restart(path):
    file = opened(path)
    file.change(with_scale(130))
    file.close()
    assert opened(path).current.appearance.text_scale == 130


def test_a_change_tells_its_listeners_once_and_only_if_something_changed(path):
    file = opened(path)
    seen: list[int] = []
    unsubscribe = file.subscribe(lambda s: seen.append(s.appearance.text_scale))
    file.change(with_scale(120))
    file.change(with_scale(120))
    unsubscribe()
    file.change(with_scale(150))
    file.close()
    assert seen == [120]


def test_a_failing_listener_keeps_the_change_from_nobody(path, caplog):
    file = opened(path)
    seen: list[Settings] = []
    file.subscribe(lambda _: 1 / 0)
    file.subscribe(seen.append)
    file.change(with_scale(110))
    file.close()
    assert len(seen) == 1
    assert opened(path).current.appearance.text_scale == 110
    assert "a listener failed" in caplog.text


def test_a_change_is_written_beside_the_windows_thread(path, monkeypatch):
    writers: set[str] = set()
    sync = os.fsync

    def watched(descriptor: int) -> None:
        writers.add(threading.current_thread().name)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    file = opened(path)
    for scale in range(102, 122):
        file.change(with_scale(scale))
    file.close()
    assert writers
    assert threading.current_thread().name not in writers
    assert opened(path).current.appearance.text_scale == 121


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_the_file_is_readable_by_its_owner_alone(path):
    file = opened(path)
    file.change(with_scale(90))
    file.change(with_scale(95))
    file.close()
    for written in path.parent.iterdir():
        assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_fields_of_a_newer_version_survive_a_change(path):
    path.parent.mkdir()
    path.write_text(
        json.dumps(
            {
                "schema_version": 1,
                "voices": {"rate": 1.5},
                "appearance": {"text_scale": 110, "font": "Inter"},
                "providers": [{"id": "a", "label": "A", "region": "eu"}],
            }
        )
    )
    file = opened(path)
    file.change(with_scale(120))
    file.close()
    kept = json.loads(path.read_text())
    assert kept["voices"] == {"rate": 1.5}
    assert kept["appearance"]["font"] == "Inter"
    assert kept["appearance"]["text_scale"] == 120
    assert kept["providers"][0]["region"] == "eu"


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff\xfe\x00", b"[" * 100_000, b"\x00" * 50, b"null"])
def test_a_damaged_file_is_kept_aside_and_said_so(path, raw):
    path.parent.mkdir()
    path.write_bytes(raw)
    file = opened(path)
    assert file.current == Settings()
    assert (path.parent / "settings.json.damaged-20260102-120000").read_bytes() == raw
    assert "settings.json.damaged-20260102-120000" in " ".join(file.problems)


def test_a_damaged_file_falls_back_to_the_last_good_one(path):
    file = opened(path)
    file.change(with_scale(130))
    file.flush()
    file.change(with_scale(140))
    file.close()
    path.write_bytes(path.read_bytes()[:40])
    again = opened(path)
    assert again.current.appearance.text_scale == 130
    assert "before the last change" in " ".join(again.problems)
    again.change(with_scale(150))
    again.close()
    assert opened(path).current.appearance.text_scale == 150


def test_two_damaged_files_in_one_second_are_both_kept(path):
    path.parent.mkdir()
    path.write_bytes(b"first")
    opened(path)
    path.write_bytes(b"second")
    opened(path)
    kept = sorted(p.read_bytes() for p in path.parent.glob("settings.json.damaged-*"))
    assert kept == [b"first", b"second"]


def test_a_file_of_a_newer_version_is_used_as_far_as_it_is_understood_and_kept_aside(path):
    path.parent.mkdir()
    raw = json.dumps({"schema_version": 7, "appearance": {"text_scale": 125}}).encode()
    path.write_bytes(raw)
    file = opened(path)
    assert file.current.appearance.text_scale == 125
    assert "newer version" in file.problems[0]
    assert next(path.parent.glob("*.damaged-*")).read_bytes() == raw


def test_an_ollama_of_an_earlier_version_is_found_at_its_host(path):
    accounts = [
        {"id": "o", "preset": "ollama", "label": "Ollama", "base_url": "http://127.0.0.1:11434/v1/", "model": "m"},
        {"id": "v", "preset": "vllm", "label": "vLLM", "base_url": "http://127.0.0.1:8000/v1"},
    ]
    path.parent.mkdir()
    path.write_text(json.dumps({"schema_version": 1, "providers": accounts}))
    read = SettingsFile(path).current.providers
    assert [account.base_url for account in read] == ["http://127.0.0.1:11434", "http://127.0.0.1:8000/v1"]
    assert read[0].model == "m"


def test_one_unusable_value_does_not_cost_the_others(path):
    path.parent.mkdir()
    path.write_text(
        json.dumps(
            {
                "appearance": {"text_scale": 9000, "theme": "dark"},
                "chat": {"temperature": "hot", "system_prompt": "Be brief."},
                "providers": [{"id": "a", "label": "A"}, {"id": "b"}, {"id": "c", "label": "C", "headers": 3}],
            }
        )
    )
    file = opened(path)
    assert file.current.appearance == AppearanceSettings(theme="dark")
    assert file.current.chat.system_prompt == "Be brief."
    assert file.current.chat.temperature is None
    assert [p.id for p in file.current.providers] == ["a", "c"]
    assert "appearance.text_scale" in file.problems[0]


def test_an_unreadable_folder_in_place_of_the_file_is_said(path):
    path.mkdir(parents=True)
    file = opened(path)
    assert file.current == Settings()
    assert "could not be read" in file.problems[0]


def test_a_disk_that_fails_is_told_in_words_and_the_next_save_brings_everything(path, monkeypatch):
    file = opened(path)
    told: list[SamError] = []
    file.on_problem(told.append)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(settings_file_module, "_write_new", full)
        file.change(with_scale(130))
        with pytest.raises(SamError, match="no space left on device"):
            file.flush()
        assert file.current.appearance.text_scale == 130
    assert "make room" in str(told[0])
    file.close()
    assert file.save_error is None
    assert opened(path).current.appearance.text_scale == 130


async def _told_on_the_loop(file: SettingsFile) -> SamError:
    told: asyncio.Future[SamError] = asyncio.get_running_loop().create_future()
    file.on_problem(told.set_result)  # raises off the loop's thread in debug mode
    file.change(with_scale(130))
    return await asyncio.wait_for(told, 5)


def test_a_failed_save_is_told_on_the_loop_that_runs(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    file = opened(blocked / "settings.json")
    problem = asyncio.run(_told_on_the_loop(file), debug=True)
    assert "could not be saved" in str(problem)
    with pytest.raises(SamError):
        file.close()


def test_a_crash_before_the_rename_leaves_the_old_file_whole(path, monkeypatch):
    file = opened(path)
    file.change(with_scale(110))
    file.flush()
    before = path.read_bytes()

    def crash(*_: object) -> None:
        raise OSError(5, "crash")

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", crash)
        with pytest.raises(OSError, match="crash"):
            write_atomically(path, b"new")
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.tmp"))
    file.close()


def test_many_quick_changes_end_with_the_last_on_disk(path):
    file = opened(path)
    for number in range(200):
        provider = ProviderSettings(id=f"p{number}", label=str(number))
        file.change(lambda s, provider=provider: s.model_copy(update={"providers": (provider,)}))
    file.close()
    assert opened(path).current.providers[0].id == "p199"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@hypothesis_settings(max_examples=60, deadline=None)
@given(
    values=st.fixed_dictionaries(
        {}, optional={name: json_values for name in [*Settings.model_fields, "something_else"]}
    )
)
def test_whatever_stands_in_the_file_the_program_starts(values, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "settings.json"
    path.write_text(json.dumps(values))
    file = opened(path)
    assert isinstance(file.current, Settings)
    if file.problems:
        assert json.loads(next(path.parent.glob("*.damaged-*")).read_text()) == values
