"""T16: a page comes only from an address that was checked, on each hop, and is bounded in every way."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from sam_py.tools.base import Running, ToolError, ToolOutput
from sam_py.tools.builtin.addresses import is_public
from sam_py.tools.builtin.fetch_page import FetchPageTool
from sam_py.tools.builtin.fetching import MOST_BYTES, Fetched, Fetcher
from sam_py.tools.builtin.page_text import text_of

ARTICLE = (
    "<html><head><title>Bees &amp; honey</title></head><body><nav>Home About</nav><article><h1>Bees</h1>"
    + "".join(
        f"<p>Bees make honey out of nectar, and on day {n} they dance to tell where the flowers are.</p>"
        for n in range(9)
    )
    + '<p>More in <a href="/more">the next part</a>.</p></article><script>alert(1)</script></body></html>'
)

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """Answers on 127.0.0.1 what the test lays down for each path, and notes what was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.asked: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.headers["Host"], self.path))
                status, headers, body = site.pages.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    return  # the client has seen enough

            def log_message(self, *_arguments: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def lay(self, path: str, body: str | bytes = b"", *, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if status == 200:
            named.setdefault("Content-Type", "text/html; charset=utf-8")
        self.pages[path] = (status, named, body.encode() if isinstance(body, str) else body)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.thread.start()
    yield site
    site.server.shutdown()
    site.thread.join()
    site.server.server_close()


class Names:
    """A resolver that knows what the test says, and notes what was asked."""

    def __init__(self, **hosts: Sequence[str]) -> None:
        self.hosts = {host.replace("_", "."): addresses for host, addresses in hosts.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.hosts:
            raise OSError("no such host")
        return self.hosts[host]


def near(names: Names, *allowed: str) -> Fetcher:
    """Reaches the site of the test under the names that are `allowed`."""
    return Fetcher(resolve=names, may_reach_private=lambda host: host in allowed)


def fetched(fetcher: Fetcher, url: str) -> ToolOutput:
    tool = FetchPageTool(fetcher)
    arguments = tool.parse(json.dumps({"url": url}))
    return asyncio.run(tool.run(arguments, Running("call", "c")))


def test_a_page_comes_as_text_with_title_and_links(site: Site) -> None:
    site.lay("/bees", ARTICLE)
    url = f"http://bees.test:{site.port}/bees"
    output = fetched(near(Names(bees_test=["127.0.0.1"]), "bees.test"), url)
    assert output.text.startswith(f"{url} (text/html, ")
    assert "Bees make honey" in output.text
    assert "the next part" in output.text
    assert "/more" in output.text
    assert "alert" not in output.text
    assert site.asked == [(f"bees.test:{site.port}", "/bees")]


def test_the_person_is_asked_with_host_and_full_address() -> None:
    tool = FetchPageTool(Fetcher())
    arguments = tool.parse('{"url": "https://Ünï.example/a?q=1#part"}')
    (touch,) = tool.touches(arguments)
    assert (touch.effect, touch.free) == ("network", False)
    assert touch.target.startswith("xn--")
    assert touch.target.endswith("/a?q=1")
    assert tool.untrusted
    assert "/a?q=1" in tool.doing(arguments)


class Nowhere(httpx.AsyncBaseTransport):
    """Fails the test when it is asked to connect."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        raise httpx.ConnectError("nowhere")


PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.9.9",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.254",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::127.0.0.1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2002:c0a8:101::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "100::1",
    "nonsense",
    "",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:800::200e", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_known(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_known(address: str) -> None:
    assert is_public(address)


URLS = [
    # Literal addresses in all spellings that a client or a resolver understands.
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0/",
    "http://0.0.0.0/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fc00::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[::127.0.0.1]/",
    "http://[ff02::1]/",
    "http://10.0.0.1/",
    "http://172.16.5.4/",
    "http://192.168.0.1/admin",
    "http://100.64.0.1/",
    "http://169.254.169.254/",
    "http://169.254.169.254/latest/meta-data/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "https://127.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://127.0.0.1./",
    "http://%31%32%37.0.0.1/",
    # Names that lead there.
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://localhost.localdomain/",
    "http://ip6-localhost/",
    "http://rebind.test/",
    "http://mixed.test/",
    "http://metadata.google.internal/",
    "http://router.lan/",
    "http://printer/",
    "http://v6.test/",
    "http://mapped.test/",
    "http://nat64.test/",
    "http://cgnat.test/",
    "http://linklocal.test/",
    "http://nowhere.test/",
    "http://empty.test/",
    "http://127.0.0.1.nip.test/",
    # Other schemes, and none.
    "file:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1:6379/_x",
    "dict://127.0.0.1:11211/",
    "data:text/html,x",
    "javascript:alert(1)",
    "ws://example.org/",
    "about:blank",
    "//example.org/",
    "example.org",
    "",
    "/etc/passwd",
    "http://",
    "http:///path",
    "https:example.org",
    "view-source:http://example.org",
    # Spellings on which parsers disagree.
    "http://example.org@127.0.0.1/",
    "http://user:pass@public.test/",
    "http://127.0.0.1#@public.test/",
    "http://127.0.0.1\\@public.test/",
    "http://public.test\\.evil.test/",
    "http://public.test:22/",
    "http://public.test:25/",
    "http://public.test:99999/",
    "http://public.test:abc/",
    "http:// public.test/",
    "http://public.test/\r\nX: y",
    "http://public.test/\x00",
    "http://pub\tlic.test/",
    "http://[::1/",
    "http://[public.test]/",
    "http://127.0.0.1:80:80/",
    "http://" + "a" * 3000 + ".test/",
    "http://public.test/" + "a" * 3000,
]
LEADING_HOME = Names(
    rebind_test=["127.0.0.1"],
    mixed_test=["93.184.216.34", "10.0.0.7"],
    router_lan=["192.168.1.1"],
    printer=["10.0.0.2"],
    localhost=["127.0.0.1", "::1"],
    metadata_google_internal=["169.254.169.254"],
    v6_test=["::1"],
    mapped_test=["::ffff:127.0.0.1"],
    nat64_test=["64:ff9b::7f00:1"],
    cgnat_test=["100.64.1.1"],
    linklocal_test=["fe80::1%2"],
    public_test=["93.184.216.34"],
    empty_test=[],
)
for _name in ("localhost.", "localhost.localdomain", "ip6-localhost", "127.0.0.1.", "127.0.0.1.nip.test"):
    LEADING_HOME.hosts[_name] = ["127.0.0.1"]
for _number in ("127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "0"):
    LEADING_HOME.hosts[_number] = ["127.0.0.1"]  # as the C library reads them


def test_there_are_eighty_hostile_addresses() -> None:
    assert len(set(URLS)) >= 80


@pytest.mark.parametrize("url", URLS, ids=lambda url: repr(url)[:50])
def test_no_connection_is_made_to_a_hostile_address(url: str) -> None:
    transport = Nowhere()
    fetcher = Fetcher(resolve=LEADING_HOME, transport=lambda: transport)
    with pytest.raises(ToolError) as refused:
        fetched(fetcher, url)
    assert transport.requests == []
    assert str(refused.value).isprintable()


def test_the_checked_address_is_dialled_under_the_hosts_own_name() -> None:
    transport = Nowhere()
    names = Names(public_test=["93.184.216.34", "93.184.216.35"])
    with pytest.raises(ToolError, match="could not be fetched"):
        fetched(Fetcher(resolve=names, transport=lambda: transport), "https://public.test/x")
    assert [request.url.host for request in transport.requests] == ["93.184.216.34", "93.184.216.35"]
    assert {request.headers["host"] for request in transport.requests} == {"public.test"}
    assert {request.extensions["sni_hostname"] for request in transport.requests} == {"public.test"}
    assert names.asked == ["public.test"]  # once: a second answer could be another one


class Elsewhere(httpx.AsyncBaseTransport):
    """Connects to this machine, whatever it was told."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        class Stream:
            def get_extra_info(self, _name: str) -> Any:
                return ("127.0.0.1", 80)

        return httpx.Response(200, content=b"secret", extensions={"network_stream": Stream()})


def test_a_connection_that_leads_elsewhere_is_not_read() -> None:
    names = Names(public_test=["93.184.216.34"])
    with pytest.raises(ToolError, match="own network"):
        fetched(Fetcher(resolve=names, transport=Elsewhere), "http://public.test/")


class Words(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"plain words"


def test_a_redirect_is_followed_and_checked_again(site: Site) -> None:
    pages = {"/a": httpx.Response(302, headers={"Location": "http://b.test/b"}), "/b": httpx.Response(301)}
    pages["/b"].headers["Location"] = "/c"
    plain = {"Content-Type": "text/plain"}
    transport = httpx.MockTransport(
        lambda request: pages.get(request.url.path) or httpx.Response(200, headers=plain, stream=Words())
    )
    names = Names(a_test=["1.1.1.1"], b_test=["1.1.1.2"])
    output = fetched(Fetcher(resolve=names, transport=lambda: transport), "http://a.test/a")
    assert output.text.startswith("http://b.test/c (text/plain, 11 bytes).\n\nplain words")
    assert names.asked == ["a.test", "b.test", "b.test"]
    site.lay("/a", status=302, Location=f"http://b.test:{site.port}/b")
    names = Names(a_test=["127.0.0.1"], b_test=["127.0.0.1"])
    asked = list(site.asked)
    with pytest.raises(ToolError, match=r"b\.test is on this computer"):
        fetched(near(names, "a.test"), f"http://a.test:{site.port}/a")
    assert site.asked[len(asked) :] == [(f"a.test:{site.port}", "/a")]


@pytest.mark.parametrize(
    "location",
    ["http://127.0.0.1:1/", "file:///etc/passwd", "http://[::1]/", "//127.0.0.1:1/x", "http://x@a.test/", "http://["],
)
def test_a_redirect_to_a_hostile_address_ends_the_fetch(site: Site, location: str) -> None:
    site.lay("/a", status=302, Location=location)
    with pytest.raises(ToolError):
        fetched(near(Names(a_test=["127.0.0.1"]), "a.test"), f"http://a.test:{site.port}/a")
    assert len(site.asked) == 1


def test_a_page_does_not_lead_into_the_own_network_unasked(site: Site) -> None:
    site.lay("/go", status=302, Location=f"http://admin.test:{site.port}/")
    fetcher = near(Names(bees_test=["127.0.0.1"], admin_test=["127.0.0.1"]), "bees.test", "admin.test")
    with pytest.raises(ToolError, match=r"bees\.test leads on to admin\.test.*asked first"):
        fetched(fetcher, f"http://bees.test:{site.port}/go")
    assert [host for host, _path in site.asked] == [f"bees.test:{site.port}"]


def test_redirects_come_to_an_end(site: Site) -> None:
    site.lay("/a", status=302, Location="/a")
    with pytest.raises(ToolError, match="more than 5 times"):
        fetched(near(Names(a_test=["127.0.0.1"]), "a.test"), f"http://a.test:{site.port}/a")
    assert len(site.asked) == 6


def test_a_page_without_end_is_cut(site: Site) -> None:
    site.lay("/big", b"word " * 1_200_000, Content_Type="text/plain")
    output = fetched(near(Names(a_test=["127.0.0.1"]), "a.test"), f"http://a.test:{site.port}/big")
    assert "Only its first 5 MB were read" in output.text
    assert len(output.text) < MOST_BYTES + 300


def test_a_packed_bomb_is_unpacked_only_so_far(site: Site) -> None:
    site.lay("/bomb", gzip.compress(b"\n" * 40_000_000, 6), Content_Type="text/plain", Content_Encoding="gzip")
    site.lay("/twice", b"x", Content_Type="text/plain", Content_Encoding="gzip, gzip")
    site.lay("/damaged", b"not gzip", Content_Type="text/plain", Content_Encoding="gzip")
    fetcher = near(Names(a_test=["127.0.0.1"]), "a.test")
    output = fetched(fetcher, f"http://a.test:{site.port}/bomb")
    assert "5,000,000 bytes" in output.text
    with pytest.raises(ToolError, match="was not asked for"):
        fetched(fetcher, f"http://a.test:{site.port}/twice")
    with pytest.raises(ToolError, match="could not be unpacked"):
        fetched(fetcher, f"http://a.test:{site.port}/damaged")


@pytest.mark.parametrize(
    ("status", "words"), [(404, "no such page"), (403, "not show"), (429, "fewer"), (503, "trouble")]
)
def test_a_refusal_is_said_in_words(site: Site, status: int, words: str) -> None:
    site.lay("/x", status=status)
    with pytest.raises(ToolError, match=words):
        fetched(near(Names(a_test=["127.0.0.1"]), "a.test"), f"http://a.test:{site.port}/x")


def test_a_server_that_says_nothing_is_given_up() -> None:
    class Silent(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise AssertionError

    fetcher = Fetcher(resolve=Names(a_test=["1.1.1.1"]), transport=Silent, longest_s=0.02)
    with pytest.raises(ToolError, match="did not send the page"):
        fetched(fetcher, "http://a.test/")


def page(body: str | bytes, kind: str = "text/html", charset: str = "") -> Fetched:
    return Fetched("https://a.test/", kind, charset, body.encode() if isinstance(body, str) else body, False)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (page("<p>naïve</p>"), "naïve"),
        (page("naïve".encode("latin-1"), "text/plain", "iso-8859-1"), "naïve"),
        (page("naïve".encode("cp1252"), "text/plain"), "naïve"),
        (page("naïve", "text/plain", "no-such-charset"), "naïve"),
        (page("naïve", "text/plain", "hex"), "naïve"),
        (page('<meta charset="cp1251"><p>да</p>'.encode("cp1251")), "да"),
        (page('{"a": 1}', "application/ld+json"), '{"a": 1}'),
        (page("<html><body><p>no type", ""), "no type"),
        (page('<?xml version="1.0" encoding="utf-8"?><html><body><p>declared</p></body></html>'), "declared"),
    ],
)
def test_a_document_is_read_in_its_own_characters(given: Fetched, expected: str) -> None:
    assert text_of(given).endswith(expected)


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/octet-stream", "video/mp4"])
def test_what_is_no_text_is_named(kind: str) -> None:
    with pytest.raises(ToolError, match=kind):
        text_of(page(b"\x00\x01", kind))


def _bombs() -> dict[str, Callable[[], str]]:
    return {
        "deep": lambda: "<div>" * 20_000 + "end",
        "wide": lambda: "<p>word</p>" * 60_000,
        "table": lambda: "<table>" + "<tr><td>x" * 20_000,
        "entities": lambda: "&amp;" * 200_000,
        "unclosed": lambda: "<a href='" + "x" * 1_000_000,
        "title": lambda: "<title>" * 50_000,
        "comment": lambda: "<!--" * 100_000,
        "surrogates": lambda: "<p>&#xD800;&#0;&#x1;text",
    }


@pytest.mark.parametrize("name", _bombs())
def test_hostile_markup_ends_in_text_or_in_a_sentence(name: str) -> None:
    try:
        text = text_of(page(_bombs()[name]()))
    except ToolError as error:
        text = str(error)
    assert text
