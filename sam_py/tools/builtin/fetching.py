"""Fetching one document from the internet, with every hop's address checked before and after connecting (T16)."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sam_py.tools.base import ToolError
from sam_py.tools.builtin.addresses import is_public

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 5
MOST_BYTES = 5_000_000
LONGEST_S = 20.0
LONGEST_URL = 2_000
_CONNECT_S = 8.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1"

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port → its addresses as text. Raises OSError."""


@dataclass(frozen=True, slots=True)
class Fetched:
    url: str
    """Where it came from in the end."""
    content_type: str
    """As the server said it, in small letters, without parameters."""
    charset: str
    """As the server said it; may be empty or wrong."""
    body: bytes
    is_cut: bool
    """Whether more would have come than is read."""


async def resolved(host: str, port: int) -> Sequence[str]:
    """The system's answer."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def parsed_url(text: str) -> httpx.URL:
    """`text` as the client reads it, without its fragment. Raises `ToolError` where a tool may not go there.

    The same parsed value is resolved, checked, connected to and shown: two parsers would differ somewhere.
    """
    import httpx

    text = text.strip()
    if len(text) > LONGEST_URL:
        raise ToolError(f"The address is longer than {LONGEST_URL} characters. Give a shorter one.")
    if any(ord(character) <= 32 or 127 <= ord(character) < 160 or character == "\\" for character in text):
        raise ToolError("The address has a blank, a control character or a backslash in it. Write it with %XX instead.")
    try:
        url = httpx.URL(text).copy_with(fragment=None)
        port, host = url.port, url.host  # the host is decoded here: a damaged xn-- name fails
    except (httpx.InvalidURL, ValueError, UnicodeError) as error:
        raise ToolError(
            f"This is not the address of a page ({error}). Give one such as https://example.org/."
        ) from error
    if url.scheme not in ("http", "https"):
        raise ToolError("Only addresses that begin with https:// or http:// can be fetched.")
    if not host:
        raise ToolError("The address names no host. Give one such as https://example.org/.")
    if url.userinfo:
        raise ToolError("The address holds a name or password before the host. Give it without them.")
    if port is not None and port not in (80, 443) and not 1024 <= port <= 65535:
        raise ToolError(f"Port {port} is not one for web pages.")
    return url


class Fetcher:
    """`may_reach_private(host)`: the person allowed that host on this machine or in the own network.

    No proxy is used: the connection would end there, and where it leads could not be checked.
    """

    def __init__(
        self,
        *,
        resolve: Resolve = resolved,
        may_reach_private: Callable[[str], bool] = lambda _host: False,
        transport: Callable[[], httpx.AsyncBaseTransport] | None = None,
        longest_s: float = LONGEST_S,
        most_bytes: int = MOST_BYTES,
        accept: str = _ACCEPT,
    ) -> None:
        self._most_bytes = most_bytes
        self._accept = accept
        self._resolve = resolve
        self._may_reach_private = may_reach_private
        self._transport = transport
        self._longest_s = longest_s
        self._tls: ssl.SSLContext | None = None

    def check_url(self, text: str) -> httpx.URL:
        """As `parsed_url`; a literal address that may not be reached is refused without asking anybody."""
        url = parsed_url(text)
        if _is_literal(url.host):
            self._check_address(url.host, url.host)
        return url

    def is_private(self, url: httpx.URL) -> bool:
        """Whether the address is one of those on this machine or in the own network that the person allowed."""
        return self._may_reach_private(url.host)

    async def fetch(self, text: str, progress: Callable[[str], None] = lambda _text: None) -> Fetched:
        """The document at `text`, redirects followed. Raises `ToolError`, in words for a model."""
        import httpx

        url = self.check_url(text)
        try:
            async with asyncio.timeout(self._longest_s):
                transport = await self._opened()
                async with transport:
                    for _hop in range(MOST_REDIRECTS + 1):
                        progress(f"Asking {url.host}")
                        answer = await self._hop(transport, url)
                        if isinstance(answer, Fetched):
                            return answer
                        url = self._onward(url, answer)
                    raise ToolError(f"The page leads on to others more than {MOST_REDIRECTS} times; it was given up.")
        except TimeoutError as error:
            raise ToolError(
                f"{url.host} did not send the page within {self._longest_s:.0f} s. Try another one."
            ) from error
        except httpx.HTTPError as error:
            raise ToolError(_words(error, url)) from error

    def _onward(self, url: httpx.URL, onward: httpx.URL) -> httpx.URL:
        """Where a redirect leads. Raises `ToolError`, also where a page leads into the own network unasked."""
        found = self.check_url(str(onward))
        if self.is_private(found) and found.host != url.host:
            raise ToolError(
                f"{url.host} leads on to {found.host}, on this computer or in the person's own network, about which "
                "they are asked first. Fetch that address itself if they want it."
            )
        return found

    async def _hop(self, transport: httpx.AsyncBaseTransport, url: httpx.URL) -> Fetched | httpx.URL:
        """One request: what came, or where it leads on to."""
        import httpx

        response = await self._send(transport, url)
        try:
            if response.status_code in _REDIRECTS and "location" in response.headers:
                try:
                    return url.join(response.headers["location"])
                except (httpx.InvalidURL, ValueError) as error:
                    raise ToolError(f"{url.host} leads on to something that is no address.") from error
            if response.status_code >= 400:
                raise ToolError(_refusal(response.status_code, url))
            kind, _, parameters = response.headers.get("content-type", "").partition(";")
            body, is_cut = await _body(response, self._most_bytes)
            return Fetched(str(url), kind.strip().lower(), _charset(parameters), body, is_cut)
        finally:
            await response.aclose()

    async def _send(self, transport: httpx.AsyncBaseTransport, url: httpx.URL) -> httpx.Response:
        import httpx

        addresses = await self._addresses(url)
        failure: httpx.TransportError | None = None
        for address in addresses[:3]:
            # The address that was checked is the one that is dialled; name and certificate stay those of the host.
            request = httpx.Request(
                "GET",
                url.copy_with(host=address),
                headers={
                    "Host": url.netloc.decode("ascii"),
                    "User-Agent": "sam-py",
                    "Accept": self._accept,
                    "Accept-Encoding": "gzip",
                },
                extensions={
                    "sni_hostname": url.raw_host.decode("ascii"),
                    "timeout": httpx.Timeout(self._longest_s, connect=_CONNECT_S).as_dict(),
                },
            )
            try:
                response = await transport.handle_async_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = error
                continue
            stream = response.extensions.get("network_stream")
            peer = stream.get_extra_info("server_addr") if stream is not None else None
            if peer:
                try:
                    self._check_address(str(peer[0]), url.host)
                except ToolError:
                    await response.aclose()
                    raise
            return response
        assert failure is not None
        raise failure

    async def _addresses(self, url: httpx.URL) -> list[str]:
        """Where the host is, asked once for this hop. One address among them that is not public refuses them all."""
        if _is_literal(url.host):
            addresses: Sequence[str] = [url.host]
        else:
            port = url.port or (443 if url.scheme == "https" else 80)
            try:
                addresses = await self._resolve(url.raw_host.decode("ascii"), port)
            except (OSError, UnicodeError) as error:
                raise ToolError(f"There is no host {url.host}. Check the spelling of the address.") from error
        if not addresses:
            raise ToolError(f"There is no host {url.host}. Check the spelling of the address.")
        for address in addresses:
            self._check_address(address, url.host)
        return list(addresses)

    def _check_address(self, address: str, host: str) -> None:
        if is_public(address) or self._may_reach_private(host):
            return
        raise ToolError(
            f"{host} is on this computer or in the person's own network ({address}), where pages are not fetched "
            "unless the person allowed it in settings."
        )

    async def _opened(self) -> httpx.AsyncBaseTransport:
        if self._transport is not None:
            return self._transport()
        import httpx

        if self._tls is None:  # reading the certificates takes a while
            self._tls = await asyncio.to_thread(httpx.create_ssl_context)
        return httpx.AsyncHTTPTransport(verify=self._tls, limits=httpx.Limits(max_keepalive_connections=0))


async def _body(response: httpx.Response, most_bytes: int) -> tuple[bytes, bool]:
    """At most so many bytes, unpacked here so that a bomb is never whole in memory; and whether more was to come."""
    body = bytearray()
    async for piece in _unpacked(response):
        body += piece
        if len(body) > most_bytes:
            return bytes(body[:most_bytes]), True
    return bytes(body), False


async def _unpacked(response: httpx.Response) -> AsyncIterator[bytes]:
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed in ("", "identity"):
        async for piece in response.aiter_raw():
            yield piece
        return
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise ToolError(f"The page came packed as {packed[:40]!r}, which was not asked for.")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for piece in response.aiter_raw():
        left = piece
        while left:
            try:
                yield unpack.decompress(left, 1 << 20)
            except zlib.error as error:
                raise ToolError("The page came damaged: it could not be unpacked.") from error
            left = unpack.unconsumed_tail


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _charset(parameters: str) -> str:
    for each in parameters.split(";"):
        name, _, value = each.strip().partition("=")
        if name.lower() == "charset":
            return value.strip("\"' ").lower()
    return ""


def _refusal(status: int, url: httpx.URL) -> str:
    match status:
        case 401 | 402 | 403 | 407 | 451:
            why = "does not show this page to everybody"
        case 404 | 410:
            why = "has no such page. Check the address, or begin at the site's first page"
        case 429:
            why = "wants fewer requests. Try later"
        case _ if status >= 500:
            why = "is in trouble itself. Try later"
        case _:
            why = "refuses the request"
    return f"{url.host} {why} (HTTP {status})."


def _words(error: httpx.HTTPError, url: httpx.URL) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"The certificate of {url.host} is not trusted, so nothing was read."
        cause = cause.__cause__ or cause.__context__
    return (
        f"The page at {url.host} could not be fetched ({type(error).__name__}). Check the address, or try another one."
    )
