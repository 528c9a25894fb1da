"""A key goes to one place: a header of the request to its own server. For every wire, whatever a server tries."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable

import pytest

from sam_py.providers.base import Provider
from sam_py.providers.http import Call, Http
from tests.fakes.fault_server import Behaviour, FaultServer, Received, Status, Stream, sse
from tests.servers.wires import PATIENCE_S, Heard, Place, Spoken, listen, says

KEY = "cnry-7hQ2mZ8kVx4Lw9Tb3Rf6Ns1D"
Use = Callable[[Place, Provider], Awaitable[Heard]]


async def chat(place: Place, provider: Provider) -> Heard:
    return await listen(provider, place.request(says("Hello")))


def against(spoken: Spoken, *behaviours: Behaviour, use: Use = chat) -> tuple[Heard, list[Received]]:
    """One use of a provider with the key, and what its server received."""

    async def scenario() -> tuple[Heard, list[Received]]:
        async with asyncio.timeout(PATIENCE_S), FaultServer(*behaviours) as server:
            place = Place(spoken, server.url, key=KEY)
            async with place.provider() as provider:
                return await use(place, provider), server.requests

    return asyncio.run(scenario())


def shown(heard: Heard) -> str:
    """Everything that a person or a log could see of an error."""
    error = heard.error
    assert error is not None
    seen = [str(error), repr(error), error.detail, repr(error.__dict__), *map(str, heard.waits)]
    cause: BaseException | None = error
    while cause is not None:
        seen.append(f"{cause!r} {cause}")
        cause = cause.__cause__ or cause.__context__
    return "\n".join(seen)


def test_the_key_is_in_one_header_and_nowhere_else(spoken: Spoken) -> None:
    _, requests = against(spoken, Status(400, "{}"))
    assert requests
    for request in requests:
        assert KEY not in request.path
        assert KEY not in json.dumps(request.body)
        assert len([name for name, value in request.headers.items() if KEY in value]) == 1


def test_a_listing_has_the_key_in_one_header_too(spoken: Spoken) -> None:
    async def models(place: Place, provider: Provider) -> Heard:
        heard = Heard([], place.model)
        try:
            await provider.list_models()
        except Exception as error:
            heard.error = error  # type: ignore[assignment]
        return heard

    _, requests = against(spoken, Status(403, "{}"), use=models)
    assert requests
    for request in requests:
        assert KEY not in request.path
        assert len([name for name, value in request.headers.items() if KEY in value]) == 1


def test_a_listing_that_repeats_the_key_is_kept_without_it(spoken: Spoken) -> None:
    """In the form of every service at once."""
    named = {"id": f"m-{KEY}", "name": f"models/m-{KEY}", "model": f"m-{KEY}", "display_name": KEY, "displayName": KEY}
    entry = {**named, "supportedGenerationMethods": ["generateContent"], "object": "model", "type": "model"}
    listing = json.dumps({"data": [entry], "models": [entry], "object": "list", "has_more": False})

    async def models(place: Place, provider: Provider) -> Heard:
        listed = await provider.list_models()
        assert [KEY in repr(model) for model in listed] == [False]
        return Heard([], place.model)

    against(spoken, Status(200, listing), use=models)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_the_key_nowhere(spoken: Spoken, status: int) -> None:
    async def scenario() -> tuple[Heard, int]:
        async with asyncio.timeout(PATIENCE_S), FaultServer(Status(200, "{}")) as thief:
            to_thief = {"Location": f"{thief.url}/v1/x?key={KEY}"}
            async with FaultServer(Status(status, headers=to_thief)) as server:
                place = Place(spoken, server.url, key=KEY)
                async with place.provider() as provider:
                    heard = await chat(place, provider)
            return heard, len(thief.requests)

    heard, stolen = asyncio.run(scenario())
    assert stolen == 0
    assert heard.error is not None
    assert heard.error.code == "bad_response"
    assert KEY not in shown(heard)


@pytest.mark.parametrize("url", ["http://llm.example.com", "http://93.184.216.34:8080", "HTTP://llm.example.com"])
def test_a_key_does_not_travel_readable(spoken: Spoken, url: str) -> None:
    place = Place(spoken, url, key=KEY)
    heard = place.hear(says("Hello"))
    assert heard.error is not None
    assert "https" in str(heard.error)
    assert place.slept_s == []
    assert KEY not in shown(heard)


ECHOES: dict[str, Behaviour] = {
    "401 in JSON": Status(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "type": KEY}})),
    "400 in a page": Status(400, f"<html><b>Authorization: Bearer {KEY}</b></html>", content_type="text/html"),
    "422 in a list": Status(422, json.dumps({"detail": [{"msg": f"x-api-key {KEY} is bad"}]})),
    "500 with headers": Status(500, f"dump: {KEY}", {"WWW-Authenticate": KEY, "X-Request-Id": KEY}),
    "429 that waits too long": Status(429, json.dumps({"error": KEY}), {"Retry-After": "9999"}),
    "404 that quotes the address": Status(404, json.dumps({"message": f"no route /v1?key={KEY}"})),
    "200 that is no answer": Status(200, f"<html>{KEY}</html>", content_type="text/html"),
    "200 that is other JSON": Status(200, json.dumps({"error": {"message": KEY, "code": KEY}})),
    "an error in the stream": Stream((sse({"error": {"message": f"key {KEY} revoked", "code": "x"}}),)),
    "an error event": Stream((b"event: error\n" + sse({"type": "error", "error": {"type": "e", "message": KEY}}),)),
    "a damaged piece": Stream((f"data: {{{KEY}\n\n".encode(),)),
    "lines that are no events": Stream((f"{KEY}\n\n".encode(),)),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_a_server_that_repeats_the_key_is_not_quoted(
    spoken: Spoken, echo: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    heard, requests = against(spoken, ECHOES[echo])
    assert requests
    assert KEY not in shown(heard)
    assert KEY not in caplog.text
    assert not [record for record in caplog.records if KEY in repr(record.__dict__)]


def test_nothing_shows_the_key_in_its_repr(spoken: Spoken) -> None:
    async def look(place: Place, provider: Provider) -> Heard:
        heard = await chat(place, provider)
        call = Call("https://x", asked=provider._asked(), key=KEY, headers={"Authorization": KEY})  # type: ignore[attr-defined]
        seen = [provider, vars(provider), call, provider._http, vars(provider._http), heard]  # type: ignore[attr-defined]
        assert KEY not in repr(seen)
        return heard

    against(spoken, Status(401, "{}"), use=look)


def test_a_proxy_sees_no_key_and_its_password_is_not_shown(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def scenario() -> tuple[Heard, bytes]:
        seen = bytearray()

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.extend(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 407 who are you cnry-proxy-password\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            writer.close()

        proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
        async with asyncio.timeout(PATIENCE_S), proxy:
            port = proxy.sockets[0].getsockname()[1]
            for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
                monkeypatch.setenv(name, f"http://me:cnry-proxy-password@127.0.0.1:{port}")
            place = Place(spoken, "https://llm.example.com", key=KEY)
            async with place.provider() as provider:
                heard = await chat(place, provider)
        return heard, bytes(seen)

    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    heard, seen = asyncio.run(scenario())
    assert seen.startswith(b"CONNECT llm.example.com:443")
    assert KEY.encode() not in seen
    error = heard.error
    assert error is not None
    assert "proxy" in str(error)
    assert "cnry-proxy-password" not in f"{error} {error.detail}"
    assert "cnry-proxy-password" not in caplog.text


def test_plain_http_with_a_key_goes_past_the_proxy(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """A proxy is another host, and plain http could be read there: the server of one's own network is asked itself."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    async def scenario() -> list[Received]:
        async with asyncio.timeout(PATIENCE_S), FaultServer(Status(400, "{}")) as proxy:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, proxy.url)
            # A name of the local network that leads nowhere.
            place = Place(spoken, "http://llm.sam-test.internal:9", key=KEY)
            async with place.provider() as provider:
                heard = await chat(place, provider)
            assert heard.error is not None
            assert heard.error.code == "unreachable"
            return proxy.requests

    assert asyncio.run(scenario()) == []


def test_a_key_that_no_header_can_carry_is_not_quoted(spoken: Spoken) -> None:
    for bad in (f"{KEY}\r\nX-Evil: 1", f"{KEY} with words", f"{KEY}ü"):
        heard = Place(spoken, "http://127.0.0.1:9", key=bad).hear(says("Hello"))
        assert heard.error is not None
        assert heard.error.code == "bad_key"
        assert KEY not in shown(heard)


def test_looking_for_local_servers_sends_no_key() -> None:
    """And asks no other machine."""

    async def scenario() -> list[Received]:
        async with FaultServer(Status(200, "{}")) as server:
            http = Http()
            await http.try_json(f"{server.url}/v1/models", limit_s=5)
            with pytest.raises(ValueError, match="not on this machine"):
                await http.try_json("http://llm.example.com/v1/models", limit_s=5)
            await http.aclose()
            return server.requests

    (request,) = asyncio.run(scenario())
    assert not {"authorization", "x-api-key", "x-goog-api-key"} & set(request.headers)
