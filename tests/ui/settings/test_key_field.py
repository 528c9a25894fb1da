"""Where a key is entered: into the keyring, or for this session with a clear word, and never into a file."""

from __future__ import annotations

import threading
from typing import Any

import keyring.errors
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from tests.ui.settings.test_settings_dialog import MemoryBackend, Stage, stage

__all__ = ["stage"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Refusing(MemoryBackend):
    """A keyring in one of its bad states."""

    error: Exception | None = None

    def get_password(self, service: str, username: str) -> str | None:
        if self.error is not None:
            raise self.error
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.error is not None:
            raise self.error
        super().set_password(service, username, password)


LOCKED = keyring.errors.KeyringLocked("locked")
DISMISSED = keyring.errors.InitError("Failed to create the collection: Prompt dismissed..")
ABSENT = keyring.errors.NoKeyringError("none")


def with_keyring(stage: Stage, error: Exception | None) -> Refusing:
    refusing = Refusing()
    refusing.error = error
    stage.keyring = refusing
    return refusing


@pytest.mark.parametrize(
    ("error", "said"), [(LOCKED, "is locked"), (DISMISSED, "could not be unlocked"), (ABSENT, "No system keyring")]
)
def test_without_a_usable_keyring_that_is_said_before_a_key_is_entered(
    stage: Stage, error: Exception, said: str
) -> None:
    with_keyring(stage, error)
    _page, editor = stage.add("openai")
    notice = editor.keys.notice.text()
    assert said in notice
    assert "for this session only" in notice
    assert "OPENAI_API_KEY" in notice
    assert "never written to a file" in notice


@pytest.mark.parametrize("error", [LOCKED, DISMISSED, ABSENT])
def test_a_key_without_a_keyring_is_for_this_session_and_in_no_file(stage: Stage, error: Exception) -> None:
    with_keyring(stage, error)
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-canary-7f1")
    assert editor.keys.source == "session"
    assert "For this session only" in editor.keys.state.text()
    assert "For good, set the environment variable" in editor.keys.notice.text()
    assert "until you quit" not in editor.keys.notice.text()  # said once, above
    stage.file.flush()
    folder = stage.services.paths.config.parent
    assert not [path for path in folder.rglob("*") if path.is_file() and b"sk-canary-7f1" in path.read_bytes()]


def test_a_key_goes_to_the_keyring_once_that_is_unlocked(stage: Stage) -> None:
    refusing = with_keyring(stage, LOCKED)
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-canary-7f1")
    refusing.error = None
    editor.keys.again.click()
    assert "sk-canary-7f1" in refusing["openai"]
    assert editor.keys.source == "keyring"
    assert not editor.keys.notice.text()
    assert editor.keys.again.isHidden()


def test_a_keyring_that_hangs_is_said_and_the_key_is_there_meanwhile(stage: Stage, monkeypatch: Any) -> None:
    gate = threading.Event()

    def hang(*_arguments: str) -> None:
        gate.wait(30)

    monkeypatch.setattr(MemoryBackend, "set_password", hang)
    monkeypatch.setattr(stage.services.secrets, "_limit_s", 0.05)
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-canary-7f1")
    gate.set()
    assert editor.keys.source == "session"
    assert "did not answer" in editor.keys.notice.text()


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("sk-one sk-two", "spaces"),
        ("https://platform.openai.com/api-keys", "an address"),
        ("sk-\u2026abc", "characters that no key has"),
        ('sk-"abc', "quotation marks"),
        ("x" * 9_000, "too long"),
    ],
)
def test_what_cannot_be_a_key_stays_in_its_field_with_the_reason(stage: Stage, pasted: str, said: str) -> None:
    _page, editor = stage.add("openai")
    editor.keys.field.setText(pasted)
    editor.keys.field.editingFinished.emit()
    assert said in editor.keys.state.text()
    assert editor.keys.field.text() == pasted
    assert not stage.keyring


@pytest.mark.parametrize(
    "pasted",
    ["  sk-good-1\n", '"sk-good-1"', "'sk-good-1',", "OPENAI_API_KEY=sk-good-1", 'export OPENAI_API_KEY="sk-good-1"',
     "Bearer sk-good-1", "Authorization: Bearer sk-good-1", "\u201csk-good-1\u201d"],
)  # fmt: skip
def test_what_stands_around_a_pasted_key_is_taken_off(stage: Stage, pasted: str) -> None:
    _page, editor = stage.add("openai")
    QGuiApplication.clipboard().setText(pasted)
    editor.keys.field.paste()
    editor.keys.field.editingFinished.emit()
    assert '"key": "sk-good-1"' in stage.keyring["openai"]
    assert editor.keys.field.text() == ""


def test_no_key_is_kept_for_an_unencrypted_address_elsewhere(stage: Stage) -> None:
    _page, editor = stage.add("compatible")
    stage.type(editor.address, "http://models.example.com/v1")
    assert "Not encrypted" in editor.address_error.text()
    stage.type(editor.keys.field, "sk-canary-7f1")
    assert "https://" in editor.keys.state.text()
    assert editor.keys.field.text() == "sk-canary-7f1"
    assert not stage.keyring


def test_what_is_typed_is_hidden_until_it_is_asked_for(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    assert editor.keys.field.echoMode() == QLineEdit.EchoMode.Password
    editor.keys.shown.click()
    assert editor.keys.field.echoMode() == QLineEdit.EchoMode.Normal
    assert editor.keys.shown.accessibleName() == "Hide what is typed"
    stage.type(editor.keys.field, "sk-canary-7f1")
    assert editor.keys.field.echoMode() == QLineEdit.EchoMode.Password


def test_the_page_of_keys_opens_on_a_click_alone(stage: Stage, monkeypatch: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr("sam_py.ui.settings.key_field.open_url", opened.append)
    _page, editor = stage.add("openai")
    assert opened == []
    editor.keys.get_key.click()
    assert opened == ["https://platform.openai.com/api-keys"]
