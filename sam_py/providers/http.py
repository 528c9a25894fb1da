"""Http: the one httpx client of the program, with retries, typed errors and streams that can be stopped.

httpx and its TLS context take longer to load than the window to open, so both wait, on a thread, for the
first request. The environment is trusted on purpose, for proxies and certificate stores alone
(``HTTPS_PROXY``, ``NO_PROXY``, ``SSL_CERT_FILE``); this machine is never reached through a proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sam_py.providers.base import Waiting
from sam_py.providers.closing import closing_whole
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, cut_off, not_the_protocol, status_error, too_slow
from sam_py.providers.hosts import is_same_machine, may_carry_key
from sam_py.providers.key_mask import without_key
from sam_py.providers.network import connection_error
from sam_py.providers.redaction import quiet_http_logs, redacted, remember_key
from sam_py.providers.retry import delay_s, retry_after_s
from sam_py.providers.sent_bodies import SentBodies

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

CONNECT_S, WRITE_S, POOL_S = 10.0, 30.0, 10.0
FIRST_BYTE_S = 600.0
"""A server on this machine that reads a long prompt says nothing for minutes."""
READ_S = 300.0
"""Between two pieces: reasoning models are silent for minutes. A ping is a piece."""
JSON_TOTAL_S = 60.0
"""A list that is not whole by then never will be: some servers drip."""
SILENCE_S = 20.0
"""After so long without a byte the person is told."""
_YIELD_S = 0.005
GATHER_S = 0.029
"""So long after a read of an answer the next is done: a read costs by the call, and a frame follows each (30 ms)."""
_GATHER_BYTES = 4096
"""A larger piece says that more waits behind it: nothing is waited for then."""
_ERROR_BYTES = 1 << 20
_LISTING_BYTES = 32 << 20
_QUEUED_CHUNKS = 64


def encoded(body: Mapping[str, Any]) -> bytes:
    """A body as it travels. Lone surrogates cannot be sent; a person's text may hold them after a careless paste."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `key` goes into a header (``Authorization: Bearer``, or `key_header` as it is), never an address."""

    url: str
    asked: Asked
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    content: tuple[str, bytes] | None = field(default=None, repr=False)
    """Content type and bytes, instead of `body`: what is no JSON."""
    key: str | None = field(default=None, repr=False)
    key_header: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    read_s: float = READ_S
    first_byte_s: float = FIRST_BYTE_S
    conversation_id: str = ""
    """For which conversation it is sent: its body may be looked at afterwards. Empty: nobody's."""
    total_s: float = JSON_TOTAL_S
    """Of `Http.get_json` alone, retries included: a reply may take as long as it goes on coming."""

    @property
    def method(self) -> str:
        return "GET" if self.body is None and self.content is None else "POST"


@dataclass(slots=True)
class _Activity:
    """When a stream last said something (monotonic seconds), and whether it is the answer that is waited for."""

    last_s: float
    begun: bool = False


async def _told_apart(chunks: AsyncIterator[bytes]) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield each chunk, and whether the socket was read for it: one read brings as many as a server sent meanwhile.

    A chunk that was there already comes without a turn of the event loop.
    """
    loop = asyncio.get_running_loop()
    while True:
        turns: list[None] = []
        turn = loop.call_soon(turns.append, None)
        try:
            chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        finally:
            turn.cancel()
        yield chunk, bool(turns)


class Http:
    """Sends calls. `sleep`, `clock` (seconds since 1970), `monotonic` and `chance` are passed in by tests."""

    def __init__(
        self,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        silence_s: float = SILENCE_S,
        gather_s: float = GATHER_S,
    ) -> None:
        self._sleep = sleep
        self._clock = clock
        self._monotonic = monotonic
        self._chance = chance
        self._silence_s = silence_s
        self._gather_s = gather_s
        self.sent = SentBodies()
        self._client: httpx.AsyncClient | None = None
        self._direct: httpx.AsyncClient | None = None
        """Past all proxies."""
        self._opening: asyncio.Lock | None = None

    async def stream(self, call: Call) -> AsyncGenerator[bytes | Waiting, None]:
        """Send `call` and yield the body as it comes, with a `Waiting` before each retry and in each silence.

        Raises `ProviderError`. Use it with `contextlib.aclosing`: closing it, or cancelling the task that
        reads it, closes the socket at once.
        """
        queue: asyncio.Queue[bytes | Waiting | ProviderError | None] = asyncio.Queue(_QUEUED_CHUNKS)
        activity = _Activity(self._monotonic())
        reader = asyncio.create_task(self._read_into(queue, call, activity), name=f"read {call.asked.label}")
        watcher = asyncio.create_task(self._watch(queue, call, activity), name=f"watch {call.asked.label}")
        reader.add_done_callback(lambda _task: watcher.cancel())
        try:
            drawn_s = self._monotonic()
            while (item := await queue.get()) is not None:
                if isinstance(item, ProviderError):
                    raise item
                yield item
                # Data that is there already never suspends; the window must paint all the same.
                if self._monotonic() - drawn_s > _YIELD_S:
                    await asyncio.sleep(0)
                    drawn_s = self._monotonic()
        finally:
            reader.cancel()
            watcher.cancel()
            await asyncio.wait((reader, watcher))  # cancelled here, it leaves the reader to its closing

    async def get_json(self, call: Call) -> Any:
        """Send `call`, with retries, and return the parsed answer. Raises `ProviderError`."""
        answer = bytearray()
        try:
            async with asyncio.timeout(call.total_s), contextlib.aclosing(self.stream(call)) as chunks:
                async for chunk in chunks:
                    if isinstance(chunk, bytes):
                        answer += chunk
                    if len(answer) > _LISTING_BYTES:
                        raise not_the_protocol(bytes(answer[:1000]), call.asked)
        except TimeoutError as error:
            raise too_slow(call.asked, f"not whole after {call.total_s:g} s") from error
        try:
            return json.loads(without_key(bytes(answer), call.key))
        except (ValueError, RecursionError) as error:
            raise not_the_protocol(bytes(answer[:20_000]), call.asked) from error

    async def try_json(self, url: str, *, limit_s: float) -> tuple[int, Mapping[str, str], Any]:
        """Ask an address of this machine once, without a key, for at most `limit_s`.

        Returns status, headers and the parsed body (None where it is not JSON). Raises `ProviderError`.
        """
        if not is_same_machine(url):
            raise ValueError(f"{url} is not on this machine")
        client = await self._opened()
        import httpx  # loaded by now, on a thread

        try:
            async with asyncio.timeout(limit_s):
                response = await client.get(url)
        except (httpx.HTTPError, TimeoutError) as error:
            raise connection_error(error, Asked(label=url, base_url=url)) from error
        try:
            return response.status_code, dict(response.headers), response.json()
        except (ValueError, RecursionError):
            return response.status_code, dict(response.headers), None

    async def warm_up(self) -> None:
        """Load the client now, so that the next request does not have to wait for it."""
        await self._opened()

    async def aclose(self) -> None:
        clients, self._client, self._direct = (self._client, self._direct), None, None
        for client in clients:
            if client is not None:
                await client.aclose()

    async def _read_into(
        self, queue: asyncio.Queue[bytes | Waiting | ProviderError | None], call: Call, activity: _Activity
    ) -> None:
        """Put the answer's chunks, then None or the error that ended it, into `queue`."""
        attempt = 0
        try:
            while True:
                try:
                    await self._send_once(queue, call, activity)
                    await queue.put(None)
                    return
                except _Refused as refused:
                    error = refused.error
                    delay = delay_s(error, attempt, refused.headers, self._chance())
                    if delay is None:
                        raise error from refused.__cause__
                    log.info("%s: trying again in %.1f s: %s", call.asked.label, delay, redacted(error.detail))
                    async for waiting in self.count_down(delay, error):
                        activity.last_s = self._monotonic()
                        await queue.put(waiting)
                    activity.last_s = self._monotonic()
                    attempt += 1
        except ProviderError as error:
            await queue.put(error)
        except Exception as error:  # the reader of the queue must hear of a bug too, or it waits for ever
            log.exception("reading from %s failed", call.asked.label)
            await queue.put(cut_off(call.asked, repr(error)))

    async def _send_once(
        self, queue: asyncio.Queue[bytes | Waiting | ProviderError | None], call: Call, activity: _Activity
    ) -> None:
        """Send and read. Raises `_Refused` before the first byte of an answer, `ProviderError` after it."""
        client = await self._client_for(call)
        import httpx  # loaded by now, on a thread

        request = self._request(client, call)
        begun = False
        try:
            response = await client.send(request, stream=True)
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = closing_whole(response.stream)
            try:
                activity.last_s = self._monotonic()
                if response.status_code >= 300:
                    raise await self._refusal(response, call)
                async for chunk, was_read in _told_apart(response.aiter_bytes()):
                    begun = activity.begun = True
                    activity.last_s = self._monotonic()
                    await queue.put(chunk)
                    if was_read and len(chunk) < _GATHER_BYTES:
                        await asyncio.sleep(self._gather_s)
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            if begun:
                raise cut_off(call.asked, f"{type(error).__name__}: {error}") from error
            raise _Refused(connection_error(error, call.asked)) from error

    async def _refusal(self, response: httpx.Response, call: Call) -> _Refused:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _ERROR_BYTES:
                break
        headers = {name.lower(): value for name, value in response.headers.items()}
        error = status_error(
            response.status_code, bytes(body), call.asked, retry_after_s=retry_after_s(headers, self._clock())
        )
        return _Refused(_clean(error), headers)

    def _request(self, client: httpx.AsyncClient, call: Call) -> httpx.Request:
        import httpx

        headers = {"Accept": "text/event-stream, application/json", **call.headers}
        key = (call.key or "").strip()
        if key:
            if not key.isascii() or not key.isprintable() or " " in key:
                raise ProviderError(
                    f"The key for {call.asked.label} has characters that no key has. Open settings and paste it again.",
                    code="bad_key",
                    retryable=False,
                )
            if not may_carry_key(call.url):
                raise ProviderError(
                    f"The key for {call.asked.label} would travel readable for all: its address begins with http. "
                    "Change it to https in settings.",
                    code="unreachable",
                    retryable=False,
                )
            remember_key(key)
            headers[call.key_header or "Authorization"] = key if call.key_header else f"Bearer {key}"
        longest_s = max(call.read_s, call.first_byte_s)  # which of the two it is, the watcher knows
        timeout = httpx.Timeout(connect=CONNECT_S, write=WRITE_S, pool=POOL_S, read=longest_s)
        try:
            if call.content is not None:
                headers["Content-Type"], content = call.content
                return client.build_request("POST", call.url, headers=headers, content=content, timeout=timeout)
            if call.body is None:
                return client.build_request("GET", call.url, headers=headers, timeout=timeout)
            content = encoded(call.body)
            headers.setdefault("Content-Type", "application/json")
            request = client.build_request("POST", call.url, headers=headers, content=content, timeout=timeout)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError, TypeError) as error:
            raise _Refused(connection_error(error, call.asked)) from error
        if call.conversation_id:
            asked = call.asked
            self.sent.note(call.conversation_id, content, address=call.url, label=asked.label, model=asked.model)
        return request

    async def _watch(
        self, queue: asyncio.Queue[bytes | Waiting | ProviderError | None], call: Call, activity: _Activity
    ) -> None:
        """Say so each time that nothing came for `silence_s`, and end what is silent for too long."""
        told_s = 0.0
        while True:
            quiet_s = self._monotonic() - activity.last_s
            patience_s = call.read_s if activity.begun else call.first_byte_s
            if quiet_s >= patience_s:
                detail = f"nothing came for {quiet_s:.0f} s"
                await queue.put(cut_off(call.asked, detail) if activity.begun else too_slow(call.asked, detail))
                return
            if quiet_s < told_s:
                told_s = 0.0
            if quiet_s >= told_s + self._silence_s:
                told_s += self._silence_s
                text = f"No data for {told_s:.0f} s. {call.asked.label} may still be thinking."
                await queue.put(Waiting(text, seconds=told_s))
            next_s = min(told_s + self._silence_s, patience_s)
            await self._sleep(max(0.01, activity.last_s + next_s - self._monotonic()))

    async def count_down(self, delay: float, error: ProviderError) -> AsyncGenerator[Waiting, None]:
        """Wait `delay` seconds and tell each of them, with what happened but not what to do about it."""
        reason = str(error).partition(". ")[0].rstrip(".")
        left = delay
        while left > 0:
            yield Waiting(f"Trying again in {max(1, round(left))} s: {reason}.", seconds=left)
            step = min(1.0, left)
            await self._sleep(step)
            left = round(left - step, 6)

    def chance(self) -> float:
        """A number in [0, 1) for the jitter of delays."""
        return self._chance()

    async def _client_for(self, call: Call) -> httpx.AsyncClient:
        """A proxy is another host: a key that travels by plain http goes past it, or it could be read there."""
        client = await self._opened()
        if not call.key or not call.url.lower().startswith("http:") or is_same_machine(call.url):
            return client
        if self._direct is None:
            self._direct = await asyncio.to_thread(_new_client, trust_env=False)
        return self._direct

    async def _opened(self) -> httpx.AsyncClient:
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(_new_client)
                except (ValueError, ImportError, OSError) as error:  # a proxy or certificate file in the environment
                    raise ProviderError(
                        "The proxy or certificate settings of this system cannot be used. Correct them and try again.",
                        code="unreachable",
                        detail=f"{type(error).__name__}: {error}",
                    ) from error
            return self._client


class _Refused(Exception):
    """A request that failed before the first byte of its answer: it may be sent again."""

    def __init__(self, error: ProviderError, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.headers = headers or {}


def _new_client(*, trust_env: bool = True) -> httpx.AsyncClient:
    import urllib.request  # 25 ms, here on a thread

    import httpx

    quiet_http_logs()
    for address in urllib.request.getproxies().values():
        remember_key(_password_in(address))
    direct = {f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")}
    agent = {"User-Agent": "sam-py"}
    # Without a cap on connections: one whose request was cancelled before it stood is counted for ever (httpcore 1.0).
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncClient(follow_redirects=False, trust_env=trust_env, mounts=direct, headers=agent, limits=limits)


def _password_in(address: str) -> str:
    """The password of a proxy's address, which a proxy may repeat; "" where there is none."""
    try:
        return unquote(urlsplit(address).password or "")
    except ValueError:
        return ""


def _clean(error: ProviderError) -> ProviderError:
    """`error` without a key that the server repeated in its words."""
    text = redacted(str(error))
    if text == str(error) and redacted(error.detail) == error.detail:
        return error
    return ProviderError(
        text,
        code=error.code,
        detail=redacted(error.detail),
        status=error.status,
        retryable=error.retryable,
        retry_after_s=error.retry_after_s,
        window_tokens=error.window_tokens,
        prompt_tokens=error.prompt_tokens,
    )
