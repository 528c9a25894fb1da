from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from sam_py.errors import SamError
from sam_py.messages.parts import ImagePart, TextPart
from sam_py.messages.usage import Usage
from sam_py.providers.accumulate import content_hash, fold
from sam_py.providers.base import (
    Finished,
    ImageProduced,
    StreamEvent,
    TextDelta,
    UsageReported,
    Waiting,
)
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.model_lists import read_models
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.presets import PRESETS, Preset, preset_of
from sam_py.providers.registry import Registry
from sam_py.providers.scripted import ScriptedProvider
from sam_py.providers.wire import Account
from sam_py.settings.model import ProviderSettings
from tests.fakes.fault_server import FaultServer, Json, Status

ACME = ProviderSettings(id="acme", preset="compatible", label="Acme", base_url="https://acme.example/v1/")


async def no_key(_provider_id: str) -> str | None:
    return None


def test_what_is_not_set_up_is_said_by_name() -> None:
    with pytest.raises(SamError, match="acme"):
        Registry(no_key).get("acme")


def test_a_provider_stays_the_same_object_until_its_settings_change() -> None:
    registry = Registry(no_key)
    registry.configure([ACME])
    first = registry.get("acme")
    registry.configure([ACME.model_copy(update={"model": "m2", "models": ("m1", "m2")})])
    assert registry.get("acme") is first
    registry.configure([ACME.model_copy(update={"base_url": "https://other.example/v1"})])
    assert registry.get("acme") is not first
    registry.configure([ACME.model_copy(update={"enabled": False})])
    with pytest.raises(SamError):
        registry.get("acme")


def test_what_was_added_stays_beside_the_settings() -> None:
    registry = Registry(no_key)
    guide = ScriptedProvider(id="guide")
    registry.add(guide)
    registry.configure([ACME])
    assert [provider.id for provider in registry.all()] == ["acme", "guide"]
    assert registry.get("guide") is guide


def test_every_preset_has_a_name_and_those_on_the_internet_a_key_page() -> None:
    assert len({preset.preset for preset in PRESETS}) == len(PRESETS)
    for preset in PRESETS:
        assert preset.label
        own_address = preset.preset == "azure"  # each resource has one
        assert preset.group != "service" or own_address or preset.base_url.startswith("https://")
        assert preset.group != "service" or (preset.needs_key and preset.key_page.startswith("https://"))
        assert preset.base_url or preset.hint
        assert preset.group != "local" or preset.base_url.startswith("http://127.0.0.1:")
    assert preset_of("of a newer version").preset == "compatible"


def test_an_account_of_openai_speaks_responses_there_and_what_it_spoke_elsewhere() -> None:
    registry = Registry(no_key)
    registry.configure(
        [
            ProviderSettings(id="saved", preset="openai", label="OpenAI", base_url="https://api.openai.com/v1"),
            ProviderSettings(id="new", preset="openai", label="OpenAI"),
            ProviderSettings(id="proxy", preset="openai", label="Proxy", base_url="https://llm.acme.example/v1"),
            ProviderSettings(id="chat", preset="openai-chat", label="OpenAI", base_url="https://api.openai.com/v1"),
        ]
    )
    spoken = {provider.id: type(provider).__name__ for provider in registry.all()}
    assert spoken == {
        "saved": "OpenAIResponsesProvider",
        "new": "OpenAIResponsesProvider",
        "proxy": "OpenAIChatProvider",
        "chat": "OpenAIChatProvider",
    }


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.preset)
def test_every_preset_can_be_set_up(preset: Preset) -> None:
    registry = Registry(no_key)
    account = ProviderSettings(id="p", preset=preset.preset, label=preset.label, base_url=preset.base_url)
    registry.configure([account])
    assert registry.get("p").label == preset.label
    assert registry.get("p").limits_of("any model") is not None


def test_the_window_does_not_wait_for_httpx() -> None:
    program = (
        "import sys, sam_py.providers.registry, sam_py.providers.local, sam_py.providers.accumulate;"
        "print([name for name in sys.modules if name in ('httpx', 'httpcore', 'anyio', 'certifi')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def models_from(answer: Status, **settings: object) -> list[str]:
    async def main() -> list[str]:
        http = Http()
        async with FaultServer(answer) as server:
            provider = OpenAIChatProvider(
                Account(id="p", label="Acme", base_url=server.base_url), http=http, key_of=no_key
            )
            try:
                models = await provider.list_models()
                assert all(provider.limits_of(model.id) == model.limits for model in models)
            finally:
                await http.aclose()
            return [model.id for model in models]

    return asyncio.run(main())


def test_only_models_to_talk_to_are_listed() -> None:
    names = ["gpt-5.2", "text-embedding-3-large", "whisper-1", "gpt-4o-realtime-preview", "dall-e-3", "o4-mini"]
    assert models_from(Json({"data": [{"id": name} for name in names]})) == ["gpt-5.2", "o4-mini"]


def test_a_list_that_is_a_web_page_is_an_error() -> None:
    with pytest.raises(ProviderError, match="not an answer of a model"):
        models_from(Status(200, "<html></html>", content_type="text/html"))


def test_a_server_that_turns_out_to_want_a_key_says_so() -> None:
    with pytest.raises(ProviderError, match="Acme wants a key"):
        models_from(Json({"error": {"message": "Unauthorized"}}, 401))


def test_a_service_that_needs_a_key_is_not_asked_without_one() -> None:
    async def main() -> None:
        provider = OpenAIChatProvider(
            Account(id="p", label="Acme", base_url="https://acme.example", needs_key=True), http=Http(), key_of=no_key
        )
        with pytest.raises(ProviderError, match="no key for Acme yet") as caught:
            await provider.list_models()
        assert caught.value.code == "bad_key"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("item", "context", "images"),
    [
        ({"id": "a", "context_length": 9, "architecture": {"input_modalities": ["text", "image"]}}, 9, True),
        ({"id": "gpt-4o", "context_window": 9, "architecture": {"input_modalities": ["text"]}}, 9, False),
        ({"id": "a", "max_model_len": 9}, 9, False),
        ({"id": "a", "max_context_length": 9, "capabilities": {"vision": True}}, 9, True),
        ({"id": "a", "meta": {"n_ctx_train": 99, "n_ctx": 9}}, 9, False),
        ({"id": "a", "meta": {"n_ctx_train": 99}}, None, False),
        ({"id": "a", "type": "vlm", "publisher": "x", "loaded_context_length": 9, "max_context_length": 99}, 9, True),
        ({"id": "llava-1.5"}, None, True),
        ({"id": "a", "context_length": None, "top_provider": {"context_length": 9}}, 9, False),
    ],
)
def test_what_servers_say_of_a_model_is_read(item: dict[str, object], context: int | None, images: bool) -> None:
    (found,) = read_models({"data": [item]})
    assert (found.limits.context_tokens, found.limits.images) == (context, images)


def test_a_bare_list_and_one_named_models_are_read_too() -> None:
    assert [model.id for model in read_models([{"id": "a"}, 3, {"id": None}])] == ["a"]
    assert [model.id for model in read_models({"models": [{"name": "b"}]})] == ["b"]
    assert read_models("nothing") == []


def test_the_last_usage_holds_and_waiting_is_not_kept() -> None:
    events: list[StreamEvent] = [
        Waiting("…"),
        TextDelta("See "),
        UsageReported(Usage(output_tokens=1)),
        ImageProduced(b"png", "image/png"),
        TextDelta("there"),
        UsageReported(Usage(output_tokens=2)),
        Finished("stop"),
    ]
    reply = fold(events, provider="p", model="m")
    picture = ImagePart(attachment=content_hash(b"png"), mime_type="image/png")
    assert reply.parts == (TextPart(text="See "), picture, TextPart(text="there"))
    assert reply.usage == Usage(output_tokens=2)
    assert fold(events[:3]).stop_reason is None


def test_lm_studio_is_asked_in_its_own_way_and_then_like_any_other() -> None:
    async def main(paths: dict[str, Status]) -> list[tuple[str, int | None]]:
        registry = Registry(no_key)
        async with FaultServer(paths=paths) as server:
            registry.configure([ProviderSettings(id="p", preset="lmstudio", label="", base_url=server.base_url)])
            models = await registry.get("p").list_models()
            await registry.aclose()
            return [(model.id, model.limits.context_tokens) for model in models]

    own = {"id": "a", "type": "llm", "publisher": "x", "loaded_context_length": 9, "max_context_length": 99}
    plain = Json({"data": [{"id": "a"}]})
    detailed = Json({"data": [own, {"id": "b", "type": "embeddings"}]})
    assert asyncio.run(main({"/api/v0/models": detailed, "/v1/models": plain})) == [("a", 9)]
    assert asyncio.run(main({"/v1/models": plain})) == [("a", None)]


def test_this_machine_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert models_from(Json({"data": [{"id": "here"}]})) == ["here"]


def test_the_internet_is_reached_through_the_system_s_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with FaultServer(Json({"data": [{"id": "far"}]})) as proxy:
            monkeypatch.setenv("http_proxy", proxy.url)
            monkeypatch.delenv("no_proxy", raising=False)
            monkeypatch.delenv("NO_PROXY", raising=False)
            http = Http()
            provider = OpenAIChatProvider(
                Account(id="p", label="A", base_url="http://far.example/v1"), http=http, key_of=no_key
            )
            assert [model.id for model in await provider.list_models()] == ["far"]
            assert proxy.requests[0].path == "http://far.example/v1/models"
            await http.aclose()

    asyncio.run(main())


def test_a_proxy_setting_that_is_no_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "sockets://nowhere")
    with pytest.raises(ProviderError, match="proxy or certificate settings"):
        models_from(Json({"data": []}))
