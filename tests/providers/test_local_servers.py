from __future__ import annotations

import asyncio

import pytest

from sam_py.providers.local import FoundServer, find_local_servers
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Silence, Status, Stream, closed_port
from tests.fakes.llama_server import LlamaServer


def listing(*names: str, owner: str = "") -> Status:
    return Json({"object": "list", "data": [{"id": name, "object": "model", "owned_by": owner} for name in names]})


def find(behaviour: Behaviour, usual: str) -> tuple[list[FoundServer], FaultServer]:
    async def main() -> tuple[list[FoundServer], FaultServer]:
        async with FaultServer(behaviour) as server:
            port = int(server.url.rpartition(":")[2])
            async with asyncio.timeout(10):
                return await find_local_servers(ports={port: usual}, hosts=("127.0.0.1",)), server

    return asyncio.run(main())


def server_root(server: FaultServer) -> str:
    return "http://" + server.requests[0].headers["host"]


@pytest.mark.parametrize(
    ("owner", "usual", "preset", "label"),
    [
        ("organization_owner", "llamacpp", "lmstudio", "LM Studio"),
        ("library", "ollama", "ollama", "Ollama"),
        ("vllm", "vllm", "vllm", "vLLM"),
        ("llamacpp", "vllm", "llamacpp", "llama.cpp"),
        ("", "jan", "jan", "Jan"),
    ],
)
def test_a_server_is_known_by_its_answers_not_by_its_port(owner: str, usual: str, preset: str, label: str) -> None:
    found, server = find(listing("a", "b", owner=owner), usual)
    assert [(each.preset, each.label, each.models) for each in found] == [(preset, label, ("a", "b"))]
    begins = "" if preset == "ollama" else "/v1"
    assert found[0].base_url.removeprefix("http://") == server.requests[0].headers["host"] + begins
    assert all("authorization" not in request.headers for request in server.requests)


def test_llama_cpp_is_known_by_the_name_that_it_serves_under() -> None:
    answer = Json({"object": "list", "data": [{"id": "m", "owned_by": "me"}]})
    found, _ = find(Status(200, answer.body, {"Server": "llama.cpp"}), "vllm")
    assert found[0].preset == "llamacpp"


def test_somebody_else_s_models_make_it_a_compatible_server() -> None:
    found, _ = find(listing("m", owner="acme"), "vllm")
    assert found[0].preset == "compatible"


def test_what_listens_at_ollama_s_port_and_is_none_is_a_compatible_server() -> None:
    found, server = find(listing("m"), "ollama")
    assert [(each.preset, each.base_url) for each in found] == [("compatible", f"{server_root(server)}/v1")]


def test_ollama_is_known_by_its_version_where_its_models_do_not_tell() -> None:
    async def main(models: Status) -> list[FoundServer]:
        async with FaultServer(paths={"/v1/models": models, "/api/version": Json({"version": "0.12"})}) as server:
            port = int(server.url.rpartition(":")[2])
            return await find_local_servers(ports={port: "vllm"}, hosts=("127.0.0.1",))

    assert [each.preset for each in asyncio.run(main(listing("a", owner="acme")))] == ["ollama"]
    assert [each.preset for each in asyncio.run(main(Json({"object": "list", "data": None})))] == ["ollama"]


def test_only_models_to_talk_to_are_offered() -> None:
    found, _ = find(listing("qwen", "text-embedding-nomic-embed-text-v1.5", owner="organization_owner"), "lmstudio")
    assert found[0].models == ("qwen",)


def test_a_server_that_wants_a_key_is_found_without_one() -> None:
    found, _ = find(Json({"error": {"message": "key"}}, 401), "jan")
    assert [(each.preset, each.needs_key, each.models) for each in found] == [("jan", True, ())]


@pytest.mark.parametrize(
    "behaviour",
    [
        Status(200, "<html>A web server</html>", content_type="text/html"),
        Status(404, "no"),
        Silence(),
        Stream((b"{",), then="cut"),
        Json({"data": "no list"}),
        Json([1, 2]),
        Status(307, "", {"Location": "http://192.0.2.1/v1/models"}),
    ],
)
def test_what_is_no_model_server_is_not_found(behaviour: Behaviour) -> None:
    found, _ = find(behaviour, "llamacpp")
    assert found == []


def test_closed_ports_are_no_servers() -> None:
    assert asyncio.run(find_local_servers(ports={closed_port(): "ollama"})) == []


@pytest.mark.llamacpp
def test_a_real_llama_cpp_is_found(llama_server: LlamaServer) -> None:
    port = int(llama_server.url.rpartition(":")[2])
    found = asyncio.run(find_local_servers(ports={port: "ollama"}))
    assert found == [FoundServer("llamacpp", "llama.cpp", llama_server.base_url, ("tiny-random",))]
