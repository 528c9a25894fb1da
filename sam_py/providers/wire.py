"""WireProvider: what all providers share whose protocol travels over HTTP. Each wire says only what differs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo, Started, StreamEvent, UsageReported, Waiting
from sam_py.providers.bounds import Bounded
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http, encoded
from sam_py.providers.key_mask import KeyMask
from sam_py.providers.retry import delay_s
from sam_py.providers.taken import Taken, taken_by

LISTING_READ_S = 20.0
_PASSING = frozenset({"server", "rate_limited", "cut_off"})
"""What may go better the next time, where a server says it inside an answer that had begun well."""

KeyOf = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Account:
    """One account or server as settings and its preset describe it.

    `base_url` may end before or after what the wire adds; `local_program` is what has to run on this machine
    (empty: it is a service on the internet).
    """

    id: str
    label: str
    base_url: str
    preset: str = "compatible"
    needs_key: bool = False
    local_program: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)


class WireProvider(ABC):
    """A `Provider` over HTTP. `key_of` is asked before each request, so that a new key counts at once.

    `http` is shared and not closed here.
    """

    ENDING: ClassVar[str] = ""
    """What a person may have pasted at the end of the address although the wire adds it ("/chat/completions")."""
    KEY_HEADER: ClassVar[str] = ""
    """The header that carries the key as it is; empty: ``Authorization: Bearer``."""

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        self._account = account
        self._base_url = account.base_url.strip().rstrip("/").removesuffix(self.ENDING).rstrip("/")
        self._http = http
        self._key_of = key_of
        self._limits: dict[str, Limits] = {}
        """What the listing said of models."""

    @property
    def id(self) -> str:
        return self._account.id

    @property
    def label(self) -> str:
        return self._account.label

    @abstractmethod
    def _address(self, request: ChatRequest) -> str:
        """What follows the base URL for `request`, with its slash."""

    @abstractmethod
    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """The body for `request`; its limits, provider and extra keys are filled in. Pure."""

    @abstractmethod
    def _decoder(self, asked: Asked) -> Decoder:
        """A new decoder of one answer."""

    @abstractmethod
    async def list_models(self) -> list[ModelInfo]:
        """Ask for the models to talk to, in the server's order. Raises `ProviderError`."""

    @abstractmethod
    def _guessed(self, model: str) -> Limits:
        """What `model` can take as far as its name tells."""

    def _key_header(self) -> str:
        """The header that carries the key as it is; empty: ``Authorization: Bearer``."""
        return self.KEY_HEADER

    def _headers(self) -> dict[str, str]:
        """Headers of this wire; those of the account are laid over them."""
        return {}

    def limits_of(self, model: str) -> Limits:
        return self._limits.get(model) or self._guessed(model)

    async def learn(self, model: str) -> None:  # noqa: B027 - not abstract: most servers are not asked
        """See to it that `limits_of` knows `model`, where its server tells; cheap once it does. Raises nothing."""

    def takes(self, model: str) -> Taken:
        """Which settings arrive in a request to `model`."""
        return taken_by(self._body, model, provider=self.id, limits=self.limits_of(model))

    def remember(self, models: Iterable[ModelInfo]) -> None:
        """Take what a listing said before the program was started again; a newer one counts more."""
        self._limits = {**{model.id: model.limits for model in models}, **self._limits}

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield its events. Partial text comes before the `ProviderError` that ended it.

        An answer that fails before anything of it was seen is asked for again, as one that never began.
        """
        asked = self._asked(request.model)
        request = self._filled(request)
        attempt = 0
        while True:
            shown = False
            held: list[StreamEvent] = []
            try:
                async with aclosing(self._once(request, asked)) as events:
                    async for event in events:
                        if not shown and isinstance(event, Started | UsageReported):
                            held.append(event)  # of an answer that may turn out to be an error, nothing was seen
                            continue
                        if not isinstance(event, Waiting):
                            shown = True
                            for earlier in held:
                                yield earlier
                            held.clear()
                        yield event
                return
            except _Broken as broken:
                may_pass = not shown and broken.error.code in _PASSING
                delay = delay_s(broken.error, attempt, {}, self._http.chance()) if may_pass else None
                if delay is None:
                    for earlier in held:
                        yield earlier
                    raise broken.error from broken.__cause__
                async for waiting in self._http.count_down(delay, broken.error):
                    yield waiting
                attempt += 1

    async def body_of(self, request: ChatRequest) -> bytes:
        """The body that `stream` sends for `request`, byte for byte, as long as nothing of it is refused."""
        return encoded(self._body(self._filled(request)))

    def _filled(self, request: ChatRequest) -> ChatRequest:
        """`request` with what the account adds."""
        limits = self.limits_of(request.model) if request.limits == Limits() else request.limits
        extra = {**self._account.extra_body, **request.extra}
        return replace(request, provider=self.id, limits=limits, extra=extra)

    async def _once(self, request: ChatRequest, asked: Asked) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and decode its answer. Raises `_Broken` for what went wrong after the answer had begun."""
        call = await self._call(self._address(request), asked, self._body(request))
        call = replace(call, conversation_id=request.conversation_id)
        decoder, mask = Bounded(self._decoder(asked), asked), KeyMask(call.key)
        cut: ProviderError | None = None
        async with aclosing(self._http.stream(call)) as chunks:
            try:
                async for chunk in chunks:
                    if isinstance(chunk, Waiting):
                        yield chunk
                        continue
                    for event in mask.read(decoder.feed(chunk)):
                        yield event
                    if decoder.error is not None or decoder.finished:
                        break
            except ProviderError as error:
                if error.code != "cut_off":
                    raise
                cut = error
        for event in [*mask.read(decoder.close()), *mask.end()]:
            yield event
        if decoder.error is not None:
            broken = decoder.error if cut is None or decoder.error.code != "cut_off" else cut
            raise _Broken(broken) from broken.__cause__

    async def aclose(self) -> None:  # noqa: B027 - not abstract: most have nothing of their own
        """Nothing to close: the HTTP client belongs to the registry."""

    async def _ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask for parsed JSON beside a conversation (listings). Raises `ProviderError`."""
        return await self._http.get_json(await self._call(path, self._asked(), body, read_s=LISTING_READ_S))

    def _asked(self, model: str = "") -> Asked:
        account = self._account
        return Asked(label=account.label, model=model, base_url=self._base_url, local_program=account.local_program)

    async def _call(
        self, path: str, asked: Asked, body: Mapping[str, Any] | None = None, *, read_s: float | None = None
    ) -> Call:
        """The call of `path` (an address of its own where it has a scheme) with this account's key and headers."""
        account = self._account
        if not self._base_url:
            raise SamError(f"{account.label} has no address yet. Open settings and enter its base URL.")
        key = await self._key_of(account.id)
        if account.needs_key and not (key or "").strip():
            raise ProviderError(
                f"There is no key for {account.label} yet. Open settings and enter it.", code="bad_key", retryable=False
            )
        asked = replace(asked, with_key=bool((key or "").strip()))
        call = Call(
            url=path if "://" in path else self._base_url + path,
            asked=asked,
            body=body,
            key=key,
            key_header=self._key_header(),
            headers={**self._headers(), **account.headers},
        )
        return call if read_s is None else replace(call, read_s=read_s, first_byte_s=read_s)


class _Broken(Exception):
    """An answer that had begun and went wrong."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__(str(error))
        self.error = error
