"""Connection check: does an address answer, is the key accepted, which models are there, does one of them answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from sam_py.errors import SamError
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.base import ChatRequest, ModelInfo, Provider, Started, UsageReported, Waiting
from sam_py.providers.errors import ProviderError

StepName = Literal["address", "key", "models", "answer"]
StepState = Literal["running", "good", "doubtful", "failed"]

_QUESTION = "Answer with one word: ready?"
_FEW_TOKENS = 16
"""The least that every service takes."""
_BEFORE_THE_SERVER = frozenset({"unreachable"})
_NOT_THE_SERVER = frozenset({"bad_response"})


@dataclass(frozen=True, slots=True)
class Step:
    """News of one step; a later one of the same name replaces it. `error` says why it is not good.

    `models` comes with the step of that name, `model` with the answer: the one that was asked.
    """

    name: StepName
    state: StepState
    error: SamError | None = None
    models: tuple[ModelInfo, ...] = ()
    model: str = ""


async def check_connection(provider: Provider, wanted: str = "") -> AsyncIterator[Step]:
    """Yield the steps as they come; the last one says how it ended. Raises nothing that a provider raises.

    `wanted` is asked for a word where it is offered or no list is, else the first model. That costs a few tokens.
    """
    yield Step("address", "running")
    models: tuple[ModelInfo, ...] = ()
    try:
        models = tuple(await provider.list_models())
    except SamError as error:
        for step in _refused(error):
            yield step
        if not _may_still_answer(error) or not wanted:
            return
    else:
        yield Step("address", "good")
        yield Step("key", "good")
        yield Step("models", "good" if models else "doubtful", models=models)
    ids = [model.id for model in models]
    model = wanted if wanted in ids or not ids else ids[0]
    if not model:
        return
    yield Step("answer", "running", model=model)
    try:
        await _ask(provider, model)
    except SamError as error:
        if isinstance(error, ProviderError) and error.code == "bad_key":
            yield Step("key", "failed", error)  # some lists are shown to everybody
        yield Step("answer", "failed", error, model=model)
        return
    yield Step("key", "good")
    yield Step("answer", "good", model=model)


def _refused(error: SamError) -> list[Step]:
    """What it means for each step that the models could not be listed."""
    code = error.code if isinstance(error, ProviderError) else "address"
    if code == "bad_key":
        missing = isinstance(error, ProviderError) and error.status is None
        return [*([] if missing else [Step("address", "good")]), Step("key", "failed", error)]
    if code in _BEFORE_THE_SERVER or code in _NOT_THE_SERVER or code == "address":
        return [Step("address", "failed", error)]
    return [Step("address", "good"), Step("models", "doubtful", error)]


def _may_still_answer(error: SamError) -> bool:
    """Whether a server that gives no list may still talk: many small ones have none."""
    return isinstance(error, ProviderError) and error.code not in {"bad_key", "unreachable", "bad_response"}


async def _ask(provider: Provider, model: str) -> None:
    """Return with the first sign of a reply. Raises `SamError`."""
    turn = Turn("user", (TextPart(text=_QUESTION),))
    request = ChatRequest(
        model=model, turns=(turn,), provider=provider.id, max_tokens=_FEW_TOKENS, limits=provider.limits_of(model)
    )
    events = provider.stream(request)
    try:
        async for event in events:
            if not isinstance(event, Waiting | UsageReported | Started):
                return
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
    raise ProviderError("The model ended without a word. Choose another one and test again.", code="bad_response")
