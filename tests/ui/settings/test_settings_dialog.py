"""The settings dialog: changes hold at once, faults stand beside their field, keys go to the keyring alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.paths import default_paths
from sam_py.providers.base import ChatRequest, ModelInfo, StreamEvent, TextDelta
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.errors import ProviderError
from sam_py.providers.local import FoundServer
from sam_py.providers.presets import preset_of
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.settings.secrets import Secrets
from sam_py.ui.services import Services
from sam_py.ui.settings.about_page import AboutPage
from sam_py.ui.settings.account import address_fault, is_unprotected
from sam_py.ui.settings.account_editor import AccountEditor
from sam_py.ui.settings.appearance_page import AppearancePage
from sam_py.ui.settings.chat_page import ChatPage
from sam_py.ui.settings.providers_page import ProvidersPage
from sam_py.ui.settings.settings_dialog import SettingsDialog
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

OLLAMA = FoundServer("ollama", "Ollama", "http://127.0.0.1:11434/v1", ("llama3.2", "qwen"))


class MemoryBackend(dict[str, str]):
    """A keyring in memory."""

    def get_password(self, service: str, username: str) -> str | None:
        return self.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self[username]


class Answering:
    """A provider that lists these models and says a word, or fails with this."""

    id = "answering"

    def __init__(self, answer: list[str] | SamError) -> None:
        self.answer = answer

    def limits_of(self, model: str) -> Limits:
        return Limits()

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        yield TextDelta("ready")

    async def list_models(self) -> list[ModelInfo]:
        if isinstance(self.answer, SamError):
            raise self.answer
        return [ModelInfo(id=model) for model in self.answer]


class AnsweringRegistry:
    def __init__(self) -> None:
        self.answer: list[str] | SamError = []

    def get(self, provider_id: str) -> Answering:
        return Answering(self.answer)


class RunNow:
    """Runs what is spawned to its end before going on."""

    def spawn(self, work: Any, name: str = "") -> None:
        asyncio.run(work)


class Stage:
    def __init__(self, qtbot: Any, folder: Path) -> None:
        paths = default_paths(folder).create()
        self.file = SettingsFile(paths.config / "settings.json")
        self.keyring = MemoryBackend()
        self.registry = AnsweringRegistry()
        self.found = [OLLAMA]
        themes = Themes()
        secrets = Secrets(self._address, backend=lambda: self.keyring, environ={})
        self.services = Services(
            paths=paths,
            library=None,  # type: ignore[arg-type]
            registry=self.registry,  # type: ignore[arg-type]
            catalogue=Catalogue(paths.state / "models.json"),
            settings=self.file,
            secrets=secrets,
            themes=themes,
            icons=Icons(themes),
            tasks=RunNow(),  # type: ignore[arg-type]
            find_servers=self.find,
        )
        self.qtbot = qtbot
        self.dialog = SettingsDialog(self.services)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(self.dialog)
        self.dialog.open()

    async def find(self) -> list[FoundServer]:
        return self.found

    def _address(self, id: str) -> str:
        account = self.file.current.provider(id)
        return account.base_url if account is not None else ""

    @property
    def now(self) -> Settings:
        return self.file.current

    def page(self, name: str) -> Any:
        self.dialog.show_page(name)
        return self.dialog.pages[name]

    def add(self, preset: str) -> tuple[ProvidersPage, AccountEditor]:
        page = self.page("providers")
        page.add_preset(preset_of(preset))
        return page, page.editors[self.now.providers[-1].id]

    def type(self, field: QLineEdit, text: str) -> None:
        """As a person does: select all, type, leave the field."""
        field.clear()
        self.qtbot.keyClicks(field, text)
        field.editingFinished.emit()


@pytest.fixture
def stage(qtbot: Any, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(qtbot, tmp_path)
    yield stage
    stage.dialog.close()
    stage.file.close()


@pytest.mark.parametrize("name", ["providers", "chat", "appearance", "data", "about"])
def test_every_page_opens_and_paints(stage: Stage, name: str) -> None:
    stage.page(name)
    assert stage.dialog.buttons[name].isChecked()
    assert not stage.dialog.grab().isNull()


def test_an_unknown_page_changes_nothing(stage: Stage) -> None:
    stage.dialog.show_page("voice")
    assert stage.dialog.buttons["providers"].isChecked()


def test_escape_closes_the_dialog_and_stops_listening(stage: Stage) -> None:
    stage.qtbot.keyClick(stage.dialog, Qt.Key.Key_Escape)
    assert not stage.dialog.isVisible()
    assert not stage.file._listeners


def test_appearance_applies_at_once(stage: Stage) -> None:
    page: AppearancePage = stage.page("appearance")
    page.text_scale.more.click()
    page.show_metrics.click()
    page.theme.chosen.emit("dark")
    appearance = stage.now.appearance
    assert (appearance.text_scale, appearance.show_metrics, appearance.theme) == (110, False, "dark")


def test_a_page_follows_what_something_else_changes(stage: Stage) -> None:
    page: AppearancePage = stage.page("appearance")
    larger = stage.now.appearance.model_copy(update={"text_scale": 150})
    stage.file.change(lambda settings: settings.model_copy(update={"appearance": larger}))
    assert page.text_scale.number.text() == "150 %"


def test_the_text_size_stops_at_its_ends(stage: Stage) -> None:
    page: AppearancePage = stage.page("appearance")
    for _ in range(20):
        page.text_scale.more.click()
    assert stage.now.appearance.text_scale == 200
    assert not page.text_scale.more.isEnabled()


@pytest.mark.parametrize(("typed", "kept"), [("0.7", 0.7), ("1,5", 1.5), ("", None), ("0", 0.0)])
def test_a_temperature_is_kept(stage: Stage, typed: str, kept: float | None) -> None:
    page: ChatPage = stage.page("chat")
    stage.type(page.temperature, typed)
    assert stage.now.chat.temperature == kept
    assert not page.temperature.error.text()


@pytest.mark.parametrize("typed", ["3", "-1", "hot", "nan"])
def test_a_wrong_temperature_is_said_beside_the_field_and_not_kept(stage: Stage, typed: str) -> None:
    page: ChatPage = stage.page("chat")
    stage.type(page.temperature, typed)
    assert stage.now.chat.temperature is None
    assert "from 0 to 2" in page.temperature.error.text()
    assert page.temperature.text() == typed


@pytest.mark.parametrize(("typed", "kept"), [("4096", 4096), ("", None), ("0", None), ("many", None), ("1.5", None)])
def test_the_longest_reply_is_a_whole_number_or_nothing(stage: Stage, typed: str, kept: int | None) -> None:
    page: ChatPage = stage.page("chat")
    stage.type(page.max_tokens, typed)
    assert stage.now.chat.max_tokens == kept
    assert bool(page.max_tokens.error.text()) == (typed not in ("", "4096"))


@pytest.mark.parametrize(("typed", "kept"), [("4096", 4096), ("", None), ("1023", None), ("many", None)])
def test_the_longest_request_is_a_large_number_or_nothing(stage: Stage, typed: str, kept: int | None) -> None:
    page: ChatPage = stage.page("chat")
    stage.type(page.context_tokens, typed)
    assert stage.now.chat.context_tokens == kept
    assert bool(page.context_tokens.error.text()) == (typed not in ("", "4096"))


def test_summaries_by_themselves_are_switched_on_with_their_cost_in_view(stage: Stage) -> None:
    page: ChatPage = stage.page("chat")
    assert not page.auto_summary.isChecked()
    page.auto_summary.click()
    assert stage.now.chat.auto_summary


def test_instructions_are_kept_when_the_dialog_closes(stage: Stage) -> None:
    page: ChatPage = stage.page("chat")
    page.system_prompt.setPlainText("Answer briefly.")
    stage.dialog.close()
    assert stage.now.chat.system_prompt == "Answer briefly."


def test_adding_a_service_keeps_its_key_in_the_keyring_and_not_in_the_file(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    assert stage.now.providers[0].base_url == "https://api.openai.com/v1"
    stage.type(editor.keys.field, "sk-secret")
    assert "sk-secret" in stage.keyring["openai"]
    assert editor.keys.field.text() == ""
    assert editor.keys.state.text() == "Kept in the system keyring."
    stage.file.flush()
    assert "sk-secret" not in stage.file.path.read_text()


def test_a_key_that_cannot_be_one_is_refused_beside_its_field(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "two words")
    assert "paste only the key" in editor.keys.state.text()
    assert not stage.keyring


def test_a_key_can_be_forgotten(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-secret")
    editor.keys.forget.click()
    assert not stage.keyring
    assert editor.keys.forget.isHidden()


def test_testing_a_connection_lists_the_models_and_keeps_them(stage: Stage) -> None:
    _page, editor = stage.add("llamacpp")
    stage.registry.answer = ["one", "two"]
    editor.test.button.click()
    assert editor.test.said == ["The address answers", "It lets you in", "2 models: one, two", "one answers"]
    assert stage.now.providers[0].models == ("one", "two")
    editor.model.chosen.emit("two")
    editor.model.show_value("two")
    editor.use.click()
    assert stage.now.chat.default == ModelChoice(provider="llamacpp", model="two")
    assert not editor.use.isEnabled()


def test_a_connection_that_fails_says_why_and_can_be_tried_again(stage: Stage) -> None:
    _page, editor = stage.add("llamacpp")
    stage.registry.answer = SamError("Nothing answers at 127.0.0.1:8080. Start llama.cpp and try again.")
    editor.test.button.click()
    assert editor.test.said[-1].startswith("Nothing answers")
    assert editor.test.button.text() == "Test connection"


def test_a_server_without_models_says_so(stage: Stage) -> None:
    _page, editor = stage.add("llamacpp")
    editor.test.button.click()
    assert "offers no model" in editor.test.said[-1]


def test_a_wrong_address_is_said_and_not_kept(stage: Stage) -> None:
    _page, editor = stage.add("compatible")
    stage.type(editor.address, "localhost:8080")
    assert stage.now.providers[0].base_url == ""
    assert "begins with http" in editor.address_error.text()
    stage.type(editor.address, "http://127.0.0.1:9000/v1/")
    assert stage.now.providers[0].base_url == "http://127.0.0.1:9000/v1"
    assert not editor.address_error.text()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://x",
        "https://",
        "https://a b/v1",
        "http://x:99999999",
        "https://x/v1/chat/completions",
        "https://u:p@x",
        "example.com/v1",
        "https://x/v1\nhttps://y/v1",
        "https://x/v1?key=sk-1",
        '"https://x/v1"',
        "https://x/v1/messages",
    ],
)
def test_addresses_with_a_fault_are_explained(address: str) -> None:
    assert address_fault(address)


def test_an_unencrypted_address_elsewhere_is_warned_of() -> None:
    assert is_unprotected("http://192.168.1.5:8080/v1")
    assert not is_unprotected("http://127.0.0.1:8080/v1")
    assert not is_unprotected("https://example.com/v1")


def test_a_found_server_is_added_with_one_click_and_used_for_new_chats(stage: Stage) -> None:
    page: ProvidersPage = stage.page("providers")
    page.adopt(OLLAMA)
    assert stage.now.providers[0] == ProviderSettings(
        id="ollama", preset="ollama", label="Ollama", base_url=OLLAMA.base_url, model="llama3.2", models=OLLAMA.models
    )
    assert stage.now.chat.default == ModelChoice(provider="ollama", model="llama3.2")
    assert page._servers.count() == 0


def test_removing_can_be_undone_with_key_and_choice(stage: Stage) -> None:
    page: ProvidersPage = stage.page("providers")
    page.adopt(OLLAMA)
    stage.type(page.editors["ollama"].keys.field, "sk-local")
    before = stage.now
    page.editors["ollama"].remove.click()
    assert stage.now.providers == ()
    assert stage.now.chat.default.provider == "guide"
    assert stage.keyring
    page._restore()
    assert stage.now == before


def test_the_key_of_a_removed_provider_goes_when_the_dialog_closes(stage: Stage) -> None:
    page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-secret")
    page._remove("openai")
    stage.dialog.close()
    assert not stage.keyring


def test_two_accounts_of_one_service_have_ids_of_their_own(stage: Stage) -> None:
    stage.add("openai")
    stage.add("openai")
    assert [account.id for account in stage.now.providers] == ["openai", "openai-2"]


def test_the_details_to_copy_hold_no_key(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-secret")
    page: AboutPage = stage.page("about")
    page.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert "PySide6" in copied
    assert "sk-secret" not in copied


@pytest.mark.parametrize("scale", [0.8, 1.5, 2.0])
def test_the_pages_fit_at_other_text_sizes(stage: Stage, scale: float) -> None:
    stage.services.themes.use(stage.services.themes.current.scaled(scale))
    for name in stage.dialog.buttons:
        stage.page(name)
        assert not stage.dialog.grab().isNull()


def test_a_key_that_is_typed_is_kept_before_the_connection_is_tested(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.registry.answer = ["one"]
    editor.keys.field.setText("sk-typed")
    editor.test.button.click()
    assert "sk-typed" in stage.keyring["openai"]
    assert editor.test.said[-1] == "one answers"


def test_a_refused_key_is_said_at_the_key_too(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.type(editor.keys.field, "sk-old")
    stage.registry.answer = ProviderError("The key for OpenAI was refused. Open settings.", code="bad_key", status=401)
    editor.test.button.click()
    refused = "The key is refused. Look whether it is whole and still valid."
    assert editor.test.said == ["The address answers", refused]
    assert editor.keys.state.text() == refused


def test_a_key_that_is_missing_is_asked_for(stage: Stage) -> None:
    _page, editor = stage.add("openai")
    stage.registry.answer = ProviderError("There is no key for OpenAI yet.", code="bad_key")
    editor.test.button.click()
    assert editor.test.said[-1] == "A key is wanted. Enter it above and test again."


def test_what_was_tested_is_forgotten_with_the_address(stage: Stage) -> None:
    _page, editor = stage.add("llamacpp")
    stage.registry.answer = ["one"]
    editor.test.button.click()
    stage.type(editor.address, "http://127.0.0.1:9999/v1")
    assert editor.test.said == []
    assert stage.now.providers[0].models == ()


def test_experts_headers_and_keys_are_kept_and_faults_stay_in_their_field(stage: Stage) -> None:
    page, editor = stage.add("openrouter")
    editor.expert.set_open(True)
    editor.expert.headers.setPlainText("X-Title: SAM")
    editor.expert.body.setPlainText('{"provider": {"order": ["a"]}}')
    page.leave()
    assert stage.now.providers[0].headers == {"X-Title": "SAM"}
    assert stage.now.providers[0].extra_body == {"provider": {"order": ["a"]}}
    editor.expert.headers.setPlainText("X-Title SAM")
    page.leave()
    assert stage.now.providers[0].headers == {"X-Title": "SAM"}
    assert "Line 1" in editor.expert.headers_error.text()
    assert editor.expert.headers.toPlainText() == "X-Title SAM"


def test_the_dialog_opens_at_the_key_of_an_account(stage: Stage) -> None:
    page, _editor = stage.add("openai")
    stage.add("anthropic")
    stage.dialog.show_page("providers", "openai")
    stage.qtbot.waitUntil(lambda: stage.dialog.focusWidget() is page.editors["openai"].keys.field)
    assert page.editors["openai"].body.isVisible()
    assert not page.editors["anthropic"].body.isVisible()


@pytest.mark.parametrize(("typed", "kept"), [("0.9", 0.9), ("", None), ("2", None)])
def test_top_p_is_kept_between_its_ends(stage: Stage, typed: str, kept: float | None) -> None:
    page: ChatPage = stage.page("chat")
    stage.type(page.top_p, typed)
    assert stage.now.chat.top_p == kept
    assert bool(page.top_p.error.text()) == (typed == "2")


def test_how_hard_models_think_is_chosen_for_new_chats(stage: Stage) -> None:
    page: ChatPage = stage.page("chat")
    page.effort.chosen.emit("high")
    assert stage.now.chat.reasoning_effort == "high"
