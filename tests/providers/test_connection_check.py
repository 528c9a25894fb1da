"""The connection check says step by step what works, with the real wire against a server that misbehaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from sam_py.providers.connection import Step, check_connection
from sam_py.providers.registry import Registry
from sam_py.settings.model import ProviderSettings
from tests.fakes.fault_server import FaultServer, Json, Reply, Status, closed_port

MODELS = Json({"data": [{"id": "first"}, {"id": "second"}]})
REFUSED = Json({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401)


def checked(
    server: FaultServer | None, wanted: str = "", *, needs_key: bool = False, key: str | None = "sk-test"
) -> list[Step]:
    async def scenario() -> list[Step]:
        async def key_of(_provider_id: str) -> str | None:
            return key

        registry = Registry(key_of)

        async def check(base_url: str) -> list[Step]:
            account = ProviderSettings(id="a", label="Service", base_url=base_url, needs_key=needs_key)
            registry.configure([account])
            return [step async for step in check_connection(registry.get("a"), wanted)]

        try:
            if server is None:
                return await check(f"http://127.0.0.1:{closed_port()}/v1")
            async with server:
                return await check(server.base_url)
        finally:
            await registry.aclose()

    return asyncio.run(scenario())


def ended(steps: list[Step]) -> dict[str, str]:
    """How each step ended."""
    return {step.name: step.state for step in steps}


def test_all_that_works_is_said_and_the_first_model_answers() -> None:
    steps = checked(FaultServer(Reply("ready"), paths={"/v1/models": MODELS}))
    assert ended(steps) == {"address": "good", "key": "good", "models": "good", "answer": "good"}
    assert [model.id for step in steps if step.name == "models" for model in step.models] == ["first", "second"]
    assert steps[-1].model == "first"


def test_the_chosen_model_is_the_one_that_is_asked_and_for_few_tokens() -> None:
    server = FaultServer(Reply("ready"), paths={"/v1/models": MODELS})
    assert checked(server, "second")[-1].model == "second"
    asked = server.requests[-1].body
    assert asked["model"] == "second"
    assert asked["max_tokens"] == 16


def test_a_model_that_is_gone_gives_way_to_the_first_of_the_list() -> None:
    assert checked(FaultServer(Reply("ready"), paths={"/v1/models": MODELS}), "gone")[-1].model == "first"


def test_an_address_where_nothing_answers_fails_at_the_address() -> None:
    steps = checked(None)
    assert ended(steps) == {"address": "failed"}
    assert "Nothing answers" in str(steps[-1].error)


def test_a_web_page_is_no_server_of_models() -> None:
    steps = checked(FaultServer(Status(200, "<html>Hello</html>", content_type="text/html")))
    assert ended(steps) == {"address": "failed"}


def test_a_refused_key_is_told_from_an_address_that_works() -> None:
    steps = checked(FaultServer(REFUSED))
    assert ended(steps) == {"address": "good", "key": "failed"}
    assert "refused" in str(steps[-1].error)


def test_a_key_that_is_missing_fails_without_a_request() -> None:
    server = FaultServer(REFUSED)
    assert ended(checked(server, needs_key=True, key=None))["key"] == "failed"
    assert server.requests == []


def test_a_list_that_everybody_may_read_does_not_vouch_for_the_key() -> None:
    steps = checked(FaultServer(REFUSED, paths={"/v1/models": MODELS}))
    assert ended(steps) == {"address": "good", "key": "failed", "models": "good", "answer": "failed"}


def test_a_server_without_a_list_is_asked_for_the_model_that_was_entered() -> None:
    server = FaultServer(Reply("ready"), paths={"/v1/models": Status(404, "not here", content_type="text/plain")})
    assert ended(checked(server, "mine")) == {"address": "good", "key": "good", "models": "doubtful", "answer": "good"}


def test_a_server_without_models_is_doubtful() -> None:
    assert ended(checked(FaultServer(paths={"/v1/models": Json({"data": []})}))) == {
        "address": "good",
        "key": "good",
        "models": "doubtful",
    }


def test_a_model_that_fails_says_why() -> None:
    broken = Json({"error": {"message": "no credit left", "code": "insufficient_quota"}}, 402)
    steps = checked(FaultServer(broken, paths={"/v1/models": MODELS}))
    assert ended(steps)["answer"] == "failed"
    assert ended(steps)["key"] == "good"


@pytest.mark.parametrize("stop", [1, 2, 4])
def test_a_check_can_be_left_at_every_step(stop: int) -> None:
    async def scenario(make: Callable[[], FaultServer]) -> None:
        async def key_of(_provider_id: str) -> str:
            return "sk-test"

        registry = Registry(key_of)
        async with make() as server:
            registry.configure([ProviderSettings(id="a", label="Service", base_url=server.base_url)])
            steps = check_connection(registry.get("a"))
            for _ in range(stop):
                await anext(steps)
            await steps.aclose()  # type: ignore[attr-defined]
        await registry.aclose()

    asyncio.run(scenario(lambda: FaultServer(Reply("ready"), paths={"/v1/models": MODELS})))
