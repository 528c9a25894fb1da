"""Pictures made by a service on the other side of HTTP: what is asked for, what comes back, and what goes wrong."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from sam_py.messages.parts import ImagePart
from sam_py.providers.http import Http
from sam_py.settings.model import ImageSettings, ProviderSettings, Settings, ToolSettings
from sam_py.tools.base import Running, ToolError, ToolOutput
from sam_py.tools.builtin import generate_image
from sam_py.tools.builtin.generate_image import GenerateImageTool
from sam_py.tools.image_service import ImageService, can_make_images, chosen_service
from sam_py.ui.program_tools import ProgramTools
from tests.fakes.fault_server import Behaviour, FaultServer, Hangup, Json, Silence, Status

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x03\x08\x02"
CODED = base64.b64encode(PNG).decode()


async def _no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)


class Studio:
    """The tool, a server that answers as the test says, and what was kept."""

    def __init__(self, *answers: Behaviour, model: str = "gpt-image-1", **service: Any) -> None:
        self.server = FaultServer(*answers)
        self.kept: list[bytes] = []
        self.said: list[str] = []
        self._model, self._service = model, service

    async def _put(self, data: bytes, _mime_type: str) -> str:
        self.kept.append(data)
        return "hash"

    async def _key(self, account: str) -> str | None:
        return f"key-of-{account}"

    async def draw(self, **arguments: Any) -> ToolOutput:
        async with self.server:
            service = ImageService("Painter", self.server.base_url, self._model, "a1", **self._service)
            http = Http(sleep=_no_sleep)
            tool = GenerateImageTool(http, lambda: service, self._put, self._key)
            try:
                parsed = tool.parse(json.dumps({"prompt": "A red door", **arguments}))
                return await tool.run(parsed, Running("call", "c", self.said.append))
            finally:
                await http.aclose()

    @property
    def body(self) -> dict[str, Any]:
        return dict(self.server.requests[-1].body)


def test_a_picture_that_comes_as_base64_is_kept_and_shown() -> None:
    studio = Studio(Json({"data": [{"b64_json": CODED, "revised_prompt": "A red door, oil."}]}), quality="high")
    output = asyncio.run(studio.draw(shape="wide"))
    (part,) = output.parts
    assert isinstance(part, ImagePart)
    seen = (part.attachment, part.mime_type, part.width, part.height, part.alt)
    assert seen == ("hash", "image/png", 2, 3, "A red door")
    assert studio.kept == [PNG]
    assert "A red door, oil." in output.text
    request = studio.server.requests[0]
    assert request.path == "/v1/images/generations"
    assert request.headers["authorization"] == "Bearer key-of-a1"
    wanted = {"model": "gpt-image-1", "prompt": "A red door", "n": 1, "size": "1536x1024", "quality": "high"}
    assert studio.body == wanted


async def by_address() -> Studio:
    """The service names an address on its own machine."""
    async with FaultServer(paths={"/p.png": Status(200, PNG, content_type="image/png")}) as store:
        studio = Studio(Json({"data": [{"url": f"{store.url}/p.png"}]}), model="flux")
        await studio.draw()
        assert "authorization" not in store.requests[0].headers
    return studio


def test_a_picture_that_comes_as_an_address_is_fetched_without_the_key() -> None:
    studio = asyncio.run(by_address())
    assert studio.kept == [PNG]
    assert studio.body["response_format"] == "b64_json"
    assert studio.said[-1] == "Fetching the picture from 127.0.0.1"


def test_an_address_inside_the_own_network_is_not_followed_for_a_service_elsewhere() -> None:
    service = ImageService("Painter", "https://images.test/v1", "flux")
    with pytest.raises(ToolError, match="own network"):
        asyncio.run(generate_image._fetched("http://127.0.0.1:8080/p.png", service))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Json({}), "sent no picture"),
        (Json([]), "sent no picture"),
        (Json({"data": [{}]}), "sent no picture"),
        (Json({"data": [{"b64_json": "AAA!A"}]}), "no picture|damaged"),
        (Json({"data": [{"b64_json": base64.b64encode(b"<svg/>").decode()}]}), "no picture"),
        (Json({"data": [{"url": "ftp://x.test/p.png"}]}), "https://"),
        (Status(200, "<html>Welcome", content_type="text/html"), "address in settings"),
        (Json({"error": {"message": "Billing hard limit has been reached"}}, 400), "Billing hard limit"),
        (Json({"error": {"message": "Your request was rejected by the safety system"}}, 400), "safety system"),
        (Json({"error": {"message": "no such model"}}, 404), "gpt-image-1"),
        (Json({"error": {"message": "Incorrect API key"}}, 401), "key"),
        (Hangup(), "Painter"),
    ],
)
def test_a_picture_that_does_not_come_is_said_in_words(answer: Behaviour, words: str) -> None:
    studio = Studio(answer)
    with pytest.raises(ToolError, match=words):
        asyncio.run(studio.draw())
    assert studio.kept == []


def test_a_picture_that_is_too_large_is_refused_while_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate_image, "LARGEST", 20)
    with pytest.raises(ToolError, match="picture of more than"):
        asyncio.run(Studio(Json({"data": [{"b64_json": CODED}]})).draw())
    with pytest.raises(ToolError, match="picture of more than"):
        asyncio.run(by_address())
    monkeypatch.setattr(generate_image, "_LARGEST_ANSWER", 10)
    with pytest.raises(ToolError, match="picture of more than"):
        asyncio.run(Studio(Json({"data": [{"b64_json": CODED}]})).draw())


def test_what_a_service_refuses_to_be_told_is_left_out() -> None:
    refusals = [Json({"error": {"message": f"Unknown parameter: '{name}'."}}, 400) for name in ("quality", "size")]
    studio = Studio(*refusals, Json({"data": [{"b64_json": CODED}]}), quality="low")
    assert asyncio.run(studio.draw()).parts
    assert set(studio.body) == {"model", "prompt", "n"}
    assert len(studio.server.requests) == 3


def test_each_kind_of_model_is_asked_in_its_own_way() -> None:
    def told(model: str, **service: Any) -> dict[str, Any]:
        arguments = generate_image.GenerateImage(prompt="x", shape="tall")
        body = generate_image._body(ImageService("P", "https://p.test/v1", model, **service), arguments)
        return {name: value for name, value in body.items() if name not in ("model", "prompt", "n")}

    assert told("dall-e-3", quality="hd") == {
        "size": "1024x1792",
        "quality": "hd",
        "response_format": "b64_json",
    }
    assert told("grok-2-image") == {"response_format": "b64_json"}
    assert told("grok-imagine-image") == {"aspect_ratio": "2:3", "response_format": "b64_json"}
    assert told("sdxl", size="512x512") == {"size": "512x512", "response_format": "b64_json"}


def test_a_stop_closes_the_connection_and_keeps_nothing() -> None:
    async def scenario() -> None:
        studio = Studio(Silence())
        drawing = asyncio.create_task(studio.draw())
        async with asyncio.timeout(20):
            while not studio.server.requests:
                await asyncio.sleep(0.001)
        drawing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await drawing
        assert studio.kept == []

    asyncio.run(scenario())


def test_a_description_without_end_is_not_sent() -> None:
    studio = Studio(Json({}))
    with pytest.raises(ToolError, match="longer than"):
        asyncio.run(studio.draw(prompt="x" * 5000))
    assert studio.server.requests == []


def touched(service: ImageService, shape: str = "square") -> tuple[str, str]:
    tool = GenerateImageTool(Http(), lambda: service, None, None)  # type: ignore[arg-type]
    (touch,) = tool.touches(tool.parse(json.dumps({"prompt": "x", "shape": shape})))
    return touch.effect, touch.target


def test_the_person_reads_what_a_picture_costs_where_that_is_known() -> None:
    own = "https://api.openai.com/v1"
    assert touched(ImageService("OpenAI", own, "gpt-image-1-mini", quality="high")) == (
        "spend",
        f"about $0.036 (price of 2026-03), for one picture by OpenAI, gpt-image-1-mini ({own})",
    )
    assert "at most about $0.25" in touched(ImageService("OpenAI", own, "gpt-image-1"), "wide")[1]
    assert "about $0.04 " in touched(ImageService("OpenAI", own, "dall-e-3"))[1]
    assert "the price is not known" in touched(ImageService("X", "https://proxy.test/v1", "gpt-image-1"))[1]
    assert touched(ImageService("Mine", "http://127.0.0.1:8080/v1", "sdxl"))[0] == "network"


def settings(preset: str, base_url: str = "", model: str = "gpt-image-1", **images: str) -> Settings:
    account = ProviderSettings(id="a1", preset=preset, label="Mine", base_url=base_url)
    chosen = ImageSettings(provider="a1", model=model, **images)
    return Settings(providers=(account,), tools=ToolSettings(images=chosen))


def test_only_accounts_with_an_images_endpoint_can_be_chosen() -> None:
    def can(preset: str, base_url: str = "") -> bool:
        return can_make_images(ProviderSettings(id="a", preset=preset, label="A", base_url=base_url))

    assert can("openai")
    assert can("xai")
    assert can("compatible", "http://127.0.0.1:8080/v1")
    assert not can("compatible")
    assert not can("anthropic")
    assert not can("gemini")
    assert not can("ollama")
    assert not can("deepseek")
    assert not can("compatible", "file:///models/tiny.gguf")


def test_the_chosen_service_is_as_the_settings_say_and_gone_with_its_account() -> None:
    service = chosen_service(settings("compatible", "https://p.test/v1/chat/completions", quality="hd", size="512x512"))
    assert service is not None
    assert (service.base_url, service.account, service.quality, service.size) == (
        "https://p.test/v1",
        "a1",
        "",
        "512x512",
    )
    azure = chosen_service(settings("azure", "https://acme.openai.azure.com"))
    assert azure is not None
    assert (azure.base_url, azure.key_header) == ("https://acme.openai.azure.com/openai/v1", "api-key")
    assert chosen_service(settings("openai", model="")) is None
    assert chosen_service(settings("anthropic")) is None
    assert chosen_service(settings("openai").model_copy(update={"providers": ()})) is None


def test_the_tool_is_offered_only_where_a_service_was_chosen_and_the_tool_switched_on(tmp_path: Any) -> None:
    from sam_py.settings.file import SettingsFile

    file = SettingsFile(tmp_path / "settings.json")
    tools = ProgramTools(file)
    file.change(lambda _now: settings("openai"))
    assert (tools.is_ready("generate_image"), tools.is_on("generate_image")) == (True, False)
    switched = {"switches": {"generate_image": True}}
    file.change(lambda now: now.model_copy(update={"tools": now.tools.model_copy(update=switched)}))
    assert tools.is_on("generate_image")
    file.change(lambda now: now.model_copy(update={"providers": ()}))
    assert not tools.is_on("generate_image")
    file.close()
